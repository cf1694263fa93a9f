/** Feature gates: the life of each over the releases, and whose code may go. */

import { counted } from "../../core/counted.js";
import { type Child, element, type Markup } from "../markup.js";
import type { Section } from "../page.js";
import { badge, table } from "../table.js";
import { type Bar, legend, type Row, timeline } from "../timeline.js";

export interface GatesReport {
  readonly file: string;
  readonly component: string;
  /** The release that is being made; undefined where the table names no release at all. */
  readonly current: string | undefined;
  /** Releases of the timeline, the current one among them. */
  readonly columns: readonly string[];
  readonly gates: readonly GateReport[];
}

export interface GateReport {
  readonly name: string;
  readonly stages: readonly GateStage[];
  readonly removableFrom: string | null;
  readonly state: "active" | "removable" | "overdue";
  readonly reason: string;
}

export interface GateStage {
  readonly version: string;
  /** Column of the release, from 0; below 0 for one that is older than all columns. */
  readonly column: number;
  readonly stage: string;
  readonly default: boolean;
  readonly locked: boolean;
  readonly minCompatibilityVersion: string | null;
}

const LEGEND = [
  ["alpha", "Alpha"],
  ["beta", "Beta"],
  ["ga", "GA"],
  ["deprecated", "Deprecated"],
  ["removed", "Removed"],
] as const;

export const gatesSection = (tables: readonly GatesReport[]): Section => ({
  id: "gates",
  title: "Feature gates",
  body: tables.map((each) => [
    element("h3", {}, `${each.component}: ${each.file}`),
    each.current === undefined
      ? element("p", {}, "The table contains no releases.")
      : byRelease(each, each.current),
  ]),
});

const byRelease = (each: GatesReport, current: string): Child => [
  summary(each, current),
  removals(each, current),
  allGates(each),
  legend(LEGEND),
  element("p", { class: "quiet" }, "A padlock marks a locked default. The current release is shaded."),
  timeline({
    title: `Gate stages of ${each.component} by release`,
    description:
      "One row for each gate and one bar for each stage, starting at the first release of the stage.",
    columns: each.columns,
    marked: each.columns.indexOf(current),
    rows: each.gates.map((gate) => rowOf(gate, each.columns.length)).filter(({ bars }) => bars.length > 0),
  }),
];

const count = ({ gates }: GatesReport, state: GateReport["state"]): number =>
  gates.filter((gate) => gate.state === state).length;

const summary = (report: GatesReport, current: string): Markup =>
  element(
    "p",
    {},
    `${counted(report.gates.length, "gate")} at release ${current}. ${counted(count(report, "removable") + count(report, "overdue"), "gate")} can be removed now; ${count(report, "overdue")} overdue.`,
  );

function removals(report: GatesReport, current: string): Child {
  const due = report.gates.filter(({ state }) => state !== "active");
  if (due.length === 0) return [];
  return table({
    caption: `Gates that can be removed in ${current}`,
    head: ["Gate", "State", "Removable from", "Stages", "Why"],
    rows: due.map(({ name, state, removableFrom, stages, reason }) => [
      name,
      badge(state, state === "overdue" ? "bad" : "warn"),
      removableFrom ?? "",
      stages.map(stageText).join("; "),
      reason,
    ]),
  });
}

/** Every gate as it is now, for a search by component, stage, release or default. */
const allGates = (report: GatesReport): Child =>
  table({
    caption: `All gates of ${report.component}`,
    head: ["Gate", "Component", "Stage", "Default", "Since", "Removal"],
    filterable: true,
    rows: report.gates.map(({ name, stages, state }) => {
      const last = stages.at(-1);
      return [
        name,
        report.component,
        last?.stage ?? "",
        last === undefined ? "" : `${onOff(last)}${last.locked ? ", locked" : ""}`,
        last?.version ?? "",
        state === "active" ? "" : badge(state, state === "overdue" ? "bad" : "warn"),
      ];
    }),
  });

function rowOf({ name, stages }: GateReport, columns: number): Row {
  const bars = stages.flatMap((stage, i): Bar[] => {
    const next = stages[i + 1];
    const first = Math.max(stage.column, 0);
    const last = Math.min(next?.column ?? columns, columns) - 1;
    // Two stages of one release differ by the minimum compatibility version; the last one is what is reached.
    if (stage.stage === "PreAlpha" || last < first) return [];
    return [
      {
        first,
        last,
        kind: stage.stage.toLowerCase(),
        label: `${stage.stage} ${onOff(stage)}`,
        title: `${name}: ${stages.map(stageText).join("; ")}`,
        locked: stage.locked,
      },
    ];
  });
  return { name, bars };
}

const onOff = (stage: GateStage): string => (stage.default ? "on" : "off");

function stageText(stage: GateStage): string {
  const minimum =
    stage.minCompatibilityVersion === null
      ? ""
      : `, compatible with ${stage.minCompatibilityVersion} or newer`;
  return `${stage.version} ${stage.stage} ${onOff(stage)}${stage.locked ? ", locked" : ""}${minimum}`;
}
