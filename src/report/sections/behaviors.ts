/** How every stored version is treated in every release. */

import { counted } from "../../core/counted.js";
import { element, type Markup } from "../markup.js";
import type { Section } from "../page.js";
import { matrix } from "../table.js";
import { legend } from "../timeline.js";

export type BehaviorName = "preferred" | "supported" | "actively-migrated" | "ignored";

export interface BehaviorsReport {
  readonly file: string;
  readonly policy: string;
  readonly releases: readonly string[];
  readonly resources: readonly ResourceReport[];
}

export interface ResourceReport {
  readonly name: string;
  /** The resource that holds the same objects; empty without one. */
  readonly storedWith: string;
  readonly versions: readonly {
    readonly version: string;
    /** One for each release; undefined where it does not know the version. */
    readonly behaviors: readonly (BehaviorName | undefined)[];
  }[];
}

const SHORT: Readonly<Record<BehaviorName, string>> = {
  preferred: "pref",
  supported: "sup",
  "actively-migrated": "mig",
  ignored: "ign",
};

const LEGEND = [
  ["preferred", "pref: preferred, written in this version"],
  ["supported", "sup: supported, read but not rewritten"],
  ["actively-migrated", "mig: actively migrated, read and rewritten"],
  ["ignored", "ign: ignored, not visible through the API"],
] as const;

export const behaviorsSection = ({ file, policy, releases, resources }: BehaviorsReport): Section => ({
  id: "behaviors",
  title: "Storage behaviors",
  body: [
    element("p", {}, `${counted(resources.length, "resource")} from ${file}, with the policy ${policy}.`),
    legend(LEGEND),
    matrix(
      "Storage behaviors by release",
      element(
        "caption",
        {},
        "Storage behaviors by release; an empty cell means that the version is unknown to the release",
      ),
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          ["Resource", "Version", ...releases].map((each) => element("th", { scope: "col" }, each)),
        ),
      ),
      element("tbody", {}, resources.flatMap(rowsOf)),
    ),
  ],
});

/** The name stands once for all versions of a resource. */
const rowsOf = ({ name, storedWith, versions }: ResourceReport): Markup[] =>
  versions.map(({ version, behaviors }, i) =>
    element(
      "tr",
      {},
      i > 0
        ? []
        : element(
            "th",
            { scope: "rowgroup", rowspan: versions.length > 1 ? versions.length : undefined },
            storedWith === "" ? name : `${name} (stored with ${storedWith})`,
          ),
      element("th", { scope: "row" }, version),
      runs(behaviors).map(({ behavior, length }) =>
        element(
          "td",
          { class: behavior, title: behavior, colspan: length > 1 ? length : undefined },
          behavior === undefined ? "" : SHORT[behavior],
        ),
      ),
    ),
  );

interface Run {
  readonly behavior: BehaviorName | undefined;
  length: number;
}

/** Neighbours that are the same, as one. */
function runs(behaviors: readonly (BehaviorName | undefined)[]): readonly Run[] {
  const found: Run[] = [];
  for (const behavior of behaviors) {
    const last = found.at(-1);
    if (last !== undefined && last.behavior === behavior) last.length++;
    else found.push({ behavior, length: 1 });
  }
  return found;
}
