/**
 * CEL libraries and options by version: what new expressions may use and what stored expressions are evaluated with
 * (docs/reference/compatibility-versions.md §5 row 15; docs/reference/source-designs.md §2.3).
 */

import type { Position } from "../core/diagnostics.js";
import type { EffectiveVersion } from "./effective.js";
import type { Rules } from "./rules.js";
import { addMinors, compareMinors, formatMinor, type Minor, minorOf } from "./version.js";

export interface CelEntry {
  readonly name: string;
  /** First release whose code has it; new expressions may use it once the environment's version reaches it. */
  readonly introduced: Minor;
  /** First environment version without it, such as an old version of a library. */
  readonly removed: Minor | undefined;
  readonly gate: string | undefined;
  readonly place: Position;
}

export interface CelAnswer {
  readonly name: string;
  /** In the environment of new expressions. */
  readonly mayWrite: boolean;
  /** In the environment of stored expressions. */
  readonly mayRead: boolean;
  readonly reason: string;
}

/** The environment's version: M as shipped; M-1 by the design. */
export const environmentVersion = (
  { minCompatibility }: Pick<EffectiveVersion, "minCompatibility">,
  rules: Rules,
): Minor => (rules.set === "kep" ? addMinors(minCompatibility, -1) : minCompatibility);

/**
 * New expressions get what the environment's version has. Stored ones get everything of the binary as shipped; by the
 * design everything of the emulated version, since what came later does not exist there.
 */
export function answerCel(
  entries: readonly CelEntry[],
  versions: EffectiveVersion,
  rules: Rules,
): CelAnswer[] {
  const environment = environmentVersion(versions, rules);
  const reader = rules.set === "kep" ? versions.emulation : minorOf(versions.binary);
  return entries.map(({ name, introduced, removed, gate }) => {
    const ended = removed !== undefined && compareMinors(environment, removed) >= 0;
    const mayRead = compareMinors(introduced, reader) <= 0;
    const mayWrite = mayRead && compareMinors(introduced, environment) <= 0 && !ended;
    const reasons = [
      mayWrite
        ? `new expressions: available in environment ${formatMinor(environment)}`
        : ended
          ? `new expressions: removed in environment ${formatMinor(removed)}`
          : `new expressions: not available in environment ${formatMinor(environment)} (introduced in ${formatMinor(introduced)})`,
      mayRead
        ? "stored expressions: evaluated"
        : `stored expressions: not evaluated by ${rules.set === "kep" ? "emulated version" : "binary"} ${formatMinor(reader)} (introduced in ${formatMinor(introduced)})`,
      ...(gate === undefined ? [] : [`requires feature gate ${gate}`]),
    ];
    return { name, mayWrite, mayRead, reason: reasons.join("; ") };
  });
}
