/**
 * Facts that a config may need, as a table of a platform: which fact, the field that is empty without it, and what
 * supplies it. `slipway explain cloud-facts.PATH` shows each fact; docs/facts.md says how to get it.
 */

import type { Problem } from "../core/diagnostics.js";
import { problem } from "../core/problem.js";

export interface Need<Given> {
  /** Path in the facts file, such as `aws.availabilityZones`. */
  readonly fact: string;
  /** Field of the install-config that the fact is needed for. */
  field(given: Given): string;
  /** What is not known. */
  message(given: Given): string;
  /** What nothing is known of, where the fact is about things with names. */
  names?(given: Given): readonly string[];
  /** What supplies it: a whole sentence, in which `inFacts` names the fact. */
  hint(given: Given): string;
}

/** How a hint names a place in the facts file. */
export const inFacts = (path: string): string => `cloud-facts ${path} (--facts FILE)`;

/** The problem of a config whose fact is missing. */
export const missingFact = <Given>(need: Need<Given>, given: Given): Problem =>
  problem("FACT001", "Required", need.field(given), need.message(given), {
    hint: need.hint(given),
    fact: { path: need.fact, names: (need.names?.(given) ?? []).filter((name) => name !== "") },
  });

/** What is not known, by its name, and the field that it is asked for. */
export interface UnknownThing {
  readonly path: string;
  readonly name: string;
}

/** A need of a fact about something that has a name; the hint is the fact itself unless there is another way. */
export const needOf = (
  fact: string,
  message: (name: string) => string,
  hint: () => string = () => `add ${inFacts(fact)}`,
): Need<UnknownThing> => ({
  fact,
  field: ({ path }) => path,
  message: ({ name }) => message(name),
  names: ({ name }) => [name],
  hint,
});
