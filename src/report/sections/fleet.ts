/** A fleet: a row for each cluster with what was run for it and how its files compare with a new compile. */
import { counted } from "../../core/counted.js";
import { type Child, element } from "../markup.js";
import type { Section } from "../page.js";
import { badge, facts, type Tone, table } from "../table.js";

export interface FleetReport {
  readonly file: string;
  readonly clusters: readonly ClusterReport[];
}

export interface ClusterReport {
  readonly name: string;
  readonly directory: string;
  /** Empty where it is unknown. */
  readonly platform: string;
  readonly release: string;
  readonly phases: readonly string[];
  readonly state: ClusterState;
  /** How many files have each status other than untouched. */
  readonly files: readonly (readonly [status: string, count: number])[];
  /** The first problem; empty without one. */
  readonly problem: string;
}

/** Up to date; changed by hand only; a compile would change files; nothing was generated yet; an input is invalid. */
export type ClusterState = "up to date" | "edited" | "out of date" | "not generated" | "invalid";

const TONES: Readonly<Record<ClusterState, Tone>> = {
  "up to date": "good",
  edited: "plain",
  "out of date": "bad",
  "not generated": "warn",
  invalid: "bad",
};

export function fleetSection({ file, clusters }: FleetReport): Section {
  const phases = [...new Set(clusters.flatMap((each) => each.phases))];
  return {
    id: "fleet",
    title: `Fleet ${file}`,
    body: [
      facts([
        ["clusters", clusters.length],
        ...STATES.flatMap((state): [string, Child][] => {
          const count = clusters.filter((each) => each.state === state).length;
          return count === 0 ? [] : [[state, badge(counted(count, "cluster"), TONES[state])]];
        }),
      ]),
      table({
        caption: "Clusters, compared with a new compile",
        head: ["Cluster", "Platform", "Release", ...phases, "State", "Files", "First problem"],
        rows: clusters.map((each) => [
          each.name,
          each.platform,
          each.release,
          ...phases.map((phase) => (each.phases.includes(phase) ? "yes" : "")),
          badge(each.state, TONES[each.state]),
          each.files.map(([status, count]) => `${count} ${status}`).join(", "),
          each.problem,
        ]),
        filterable: true,
      }),
      clusters.length === 0 ? element("p", {}, "The fleet has no clusters.") : [],
    ],
  };
}

const STATES: readonly ClusterState[] = ["up to date", "edited", "out of date", "not generated", "invalid"];
