/** A storage policy: safe or not, where the border is, and what it costs to know. */

import { counted } from "../../core/counted.js";
import { lineChart } from "../line-chart.js";
import { type Child, element, type Markup } from "../markup.js";
import type { Section } from "../page.js";
import { badge, facts, frame, table } from "../table.js";

export interface PolicyReport {
  readonly name: string;
  readonly numbers: NumbersReport;
  readonly moratorium: boolean;
  readonly migration: "complete" | "interrupted";
  readonly verdict: VerdictReport;
  /** The change that makes it safe, as a sentence; empty when none is needed. */
  readonly fix: string;
  readonly map: SafetyMap;
  readonly costs: readonly CostReport[];
  /** The verdict on the resources of a lifecycle; undefined without one. */
  readonly resources: ResourcesReport | undefined;
}

export interface NumbersReport {
  readonly supported: number;
  readonly migrated: number;
  readonly maxUpgrade: number;
  readonly maxDowngrade: number;
}

export interface VerdictReport {
  readonly safe: boolean;
  readonly states: number;
  readonly transitions: number;
  readonly counterexample: readonly StepReport[];
}

export interface StepReport {
  readonly release: string;
  readonly action: string;
  readonly storedVersion: string;
  /** Null where the release does not know the version. */
  readonly behavior: string | null;
  readonly sentence: string;
}

/** Whether the policy would be safe with other numbers, the two jumps kept: a row for each `supported`. */
export interface SafetyMap {
  readonly migrated: readonly number[];
  readonly rows: readonly { readonly supported: number; readonly safe: readonly boolean[] }[];
}

export interface CostReport {
  readonly numbers: NumbersReport;
  readonly states: number;
  readonly transitions: number;
}

export interface ResourcesReport {
  readonly file: string;
  readonly states: number;
  readonly transitions: number;
  readonly unsafe: readonly { readonly resource: string; readonly steps: readonly StepReport[] }[];
  /** Resources that lose alpha objects, for which the policy promises nothing. */
  readonly unpromised: readonly string[];
  /** As of the policy. */
  readonly fix: string;
}

export const policySection = (report: PolicyReport): Section => ({
  id: "policy",
  title: `Storage policy ${report.name}`,
  body: [
    verdictFacts(report),
    counterexample(report),
    resources(report.resources),
    element("h3", {}, "Safe values"),
    safetyMap(report),
    element("h3", {}, "Cost of the search"),
    cost(report.costs),
  ],
});

const verdictFacts = ({ numbers, moratorium, migration, verdict }: PolicyReport): Markup =>
  facts([
    ["verdict", verdict.safe ? badge("safe", "good") : badge("not safe: an object can be lost", "bad")],
    [
      "after preference is lost",
      moratorium
        ? "readable forever"
        : `${counted(numbers.supported, "release")} supported, then ${numbers.migrated} actively migrated`,
    ],
    ["longest upgrade", counted(numbers.maxUpgrade, "release")],
    ["longest downgrade", counted(numbers.maxDowngrade, "release")],
    ["startup migration", migration],
    ["states searched", `${counted(verdict.states, "state")}, ${counted(verdict.transitions, "transition")}`],
  ]);

const counterexample = ({ verdict, fix }: PolicyReport): Child =>
  verdict.counterexample.length === 0
    ? []
    : [
        steps(
          "Shortest sequence of steps that loses data; release 0 is the last release that prefers version X",
          verdict.counterexample,
        ),
        element("p", {}, fix),
      ];

const steps = (caption: string, all: readonly StepReport[]): Markup =>
  table({
    caption,
    head: ["Step", "Release", "Action", "Stored version", "Behavior", "Description"],
    rows: all.map(({ release, action, storedVersion, behavior, sentence }, i) => [
      i + 1,
      release,
      action,
      storedVersion,
      behavior === null ? badge("unknown", "bad") : badge(behavior, behavior === "ignored" ? "bad" : "plain"),
      sentence,
    ]),
  });

function resources(report: ResourcesReport | undefined): Child {
  if (report === undefined) return [];
  const { file, unsafe, unpromised, states, transitions, fix } = report;
  return [
    element("h3", {}, `Resources of ${file}`),
    element(
      "p",
      {},
      `Searched ${counted(states, "state")} and ${counted(transitions, "transition")}. `,
      unsafe.length === 0
        ? badge("no resource can lose an object", "good")
        : badge(`${counted(unsafe.length, "resource")} can lose objects`, "bad"),
    ),
    unsafe.length === 0
      ? []
      : [
          table({
            caption: "Resources that can lose objects, with the shortest sequence of steps",
            head: ["Resource", "Steps"],
            rows: unsafe.map(({ resource, steps: own }) => [
              resource,
              own.map(({ sentence }, i) => [i === 0 ? [] : element("br", {}), sentence]),
            ]),
          }),
          element("p", {}, fix),
        ],
    unpromised.length === 0
      ? []
      : element("p", {}, `Lost in alpha versions, which have no guarantees: ${unpromised.join(", ")}.`),
  ];
}

const safetyMap = ({ map, numbers, migration, moratorium }: PolicyReport): Markup =>
  frame(
    "Safe values",
    element(
      "caption",
      {},
      `Releases supported (rows) and actively migrated (columns), with upgrades of at most ${numbers.maxUpgrade}, downgrades of at most ${numbers.maxDowngrade}, startup migration ${migration}${moratorium ? ", under the moratorium" : ""}; the frame marks the policy`,
    ),
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        ["supported", ...map.migrated.map((each) => `${each} migrated`)].map((each) =>
          element("th", { scope: "col" }, each),
        ),
      ),
    ),
    element(
      "tbody",
      {},
      map.rows.map(({ supported, safe }) =>
        element(
          "tr",
          {},
          element("th", { scope: "row" }, supported),
          safe.map((each, i) => {
            const here = supported === numbers.supported && map.migrated[i] === numbers.migrated;
            return element(
              "td",
              {
                class: `${each ? "good" : "bad"}${here ? " here" : ""}`,
                "aria-current": here ? "true" : undefined,
              },
              each ? "safe" : "not safe",
            );
          }),
        ),
      ),
    ),
  );

function cost(costs: readonly CostReport[]): Child {
  const x = costs.map(({ numbers }) => numbers.migrated);
  return [
    element(
      "p",
      {},
      "The values have the same proportions as in the KEP: as many releases of active migration as an upgrade can skip, and a quarter of that for support and downgrades. Every such policy is safe, so the search visits all states.",
    ),
    lineChart({
      title: "States searched, by policy size",
      description:
        "Number of states of a stored object that the search visits, by the largest value in the policy.",
      xLabel: "largest value in the policy",
      yLabel: "states",
      x,
      series: [{ name: "states", values: costs.map(({ states }) => states) }],
    }),
    lineChart({
      title: "Transitions searched, by policy size",
      description:
        "Number of transitions between states that the search tries, by the largest value in the policy.",
      xLabel: "largest value in the policy",
      yLabel: "transitions",
      x,
      series: [{ name: "transitions", values: costs.map(({ transitions }) => transitions) }],
    }),
    table({
      caption: "Cost of the search",
      head: ["Migrated", "Supported", "Longest upgrade", "Longest downgrade", "States", "Transitions"],
      numeric: [0, 1, 2, 3, 4, 5],
      rows: costs.map(({ numbers, states, transitions }) => [
        numbers.migrated,
        numbers.supported,
        numbers.maxUpgrade,
        numbers.maxDowngrade,
        states,
        transitions,
      ]),
    }),
  ];
}
