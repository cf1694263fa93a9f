/** Saved plans: of an upgrade, of claims that move, of a repair of etcd. Each is a summary and a sequence of steps and gates. */
import { type Child, element, type Markup } from "../markup.js";
import type { Section } from "../page.js";
import { badge, facts, type Tone, table } from "../table.js";

export type PlanKind = "upgrade" | "transfer" | "repair";

export interface PlanReport {
  readonly kind: PlanKind;
  readonly file: string;
  /** What is planned, with the number of steps. */
  readonly title: string;
  readonly verdict: string;
  readonly tone: Tone;
  readonly summary: readonly (readonly [label: string, facts: readonly string[]])[];
  readonly steps: readonly StepReport[];
  /** What steps refer to, or what all have in common. */
  readonly tables: readonly PlanTable[];
}

export interface StepReport {
  /** A gate waits until something is true, and changes nothing. */
  readonly kind: "step" | "gate" | "blocked" | "irreversible";
  readonly does: string;
  readonly notes: readonly string[];
  /** Commands and files as they are. */
  readonly verbatim: readonly string[];
}

export interface PlanTable {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const SECTIONS: readonly (readonly [kind: PlanKind, id: string, title: string])[] = [
  ["upgrade", "upgrade-plan", "Upgrade plan"],
  ["transfer", "transfer-plan", "Transfer plan"],
  ["repair", "repair-plan", "Repair plan for etcd"],
];

/** The place in the page of a kind of plan. */
export const planPlace = (kind: PlanKind): string => SECTIONS.find(([each]) => each === kind)?.[1] ?? kind;

/** A section for each kind of plan that is given. */
export const planSections = (plans: readonly PlanReport[]): Section[] =>
  SECTIONS.flatMap(([kind, id, title]) => {
    const all = plans.filter((plan) => plan.kind === kind);
    return all.length === 0 ? [] : [{ id, title, body: all.map(planBody) }];
  });

const planBody = ({ title, file, verdict, tone, summary, steps, tables }: PlanReport): Child => [
  element("h3", {}, title),
  element("p", {}, badge(verdict, tone)),
  facts([
    ...summary
      .filter(([, all]) => all.length > 0)
      .map(([label, all]) => [label, all.map((each) => element("div", {}, each))] as const),
    ["file", file],
  ]),
  steps.length === 0 ? [] : element("ol", { class: "steps" }, steps.map(stepItem)),
  tables
    .filter(({ rows }) => rows.length > 0)
    .map(({ caption, head, rows }) => table({ caption, head, rows })),
];

const TONES: Readonly<Record<StepReport["kind"], Tone>> = {
  step: "plain",
  gate: "good",
  blocked: "bad",
  irreversible: "warn",
};

const stepItem = ({ kind, does, notes, verbatim }: StepReport): Markup =>
  element(
    "li",
    { class: kind },
    ...(kind === "step" ? [] : [badge(kind, TONES[kind]), " "]),
    does,
    verbatim.length === 0 ? [] : element("pre", {}, element("code", {}, verbatim.join("\n"))),
    notes.length === 0
      ? []
      : element(
          "ul",
          {},
          notes.map((note) => element("li", {}, note)),
        ),
  );
