/** A played scenario: counters over the steps, and what was lost on the way. */

import { counted } from "../../core/counted.js";
import { lineChart } from "../line-chart.js";
import { type Child, element, type Markup } from "../markup.js";
import type { Section } from "../page.js";
import { badge, table } from "../table.js";

export interface SimulationReport {
  readonly file: string;
  readonly steps: readonly SimulatedStep[];
  readonly lost: readonly LostReport[];
  readonly stored: readonly { readonly object: string; readonly storedVersion: string }[];
}

export interface SimulatedStep {
  readonly step: number;
  readonly action: string;
  readonly server?: string;
  readonly release?: string;
  readonly object?: string;
  readonly on?: boolean;
  readonly crashed: boolean;
  readonly converted: number;
  readonly failedConversions: number;
  readonly failedReads: number;
  readonly fights: number;
  readonly toMigrate: number;
  readonly lost: readonly string[];
  readonly rewritten: readonly {
    readonly object: string;
    readonly from: string | null;
    readonly to: string;
    readonly by: string;
  }[];
  readonly failures: readonly { readonly of: string; readonly why: string }[];
}

export interface LostReport {
  readonly object: string;
  readonly storedVersion: string;
  readonly behavior: string | null;
  readonly step: number;
  readonly server: string;
  readonly release: string;
  readonly recovered: boolean;
}

export const simulationSection = (report: SimulationReport): Section => ({
  id: "simulation",
  title: `Storage simulation ${report.file}`,
  body: [
    verdict(report),
    chart(report.steps),
    stepTable(report.steps),
    lostTable(report.lost),
    table({
      caption: "Contents of etcd after the last step",
      head: ["Object", "Stored version"],
      rows: report.stored.map(({ object, storedVersion }) => [object, storedVersion]),
    }),
  ],
});

const verdict = ({ steps, lost }: SimulationReport): Markup =>
  element(
    "p",
    {},
    `${counted(steps.length - 1, "step")}. `,
    lost.length === 0
      ? badge("no objects lost", "good")
      : badge(`${counted(lost.length, "object")} no longer available through the API`, "bad"),
  );

const chart = (steps: readonly SimulatedStep[]): Markup =>
  lineChart({
    title: "Counters of the startup migration by step",
    description:
      "Converted objects, failed conversions and failed reads in each step, and the objects left to migrate or lost after it.",
    xLabel: "step",
    yLabel: "objects",
    x: steps.map(({ step }) => step),
    series: [
      { name: "converted", values: steps.map(({ converted }) => converted) },
      { name: "failed conversions", values: steps.map(({ failedConversions }) => failedConversions) },
      { name: "failed reads", values: steps.map(({ failedReads }) => failedReads) },
      { name: "left to migrate", values: steps.map(({ toMigrate }) => toMigrate) },
      { name: "not available through the API", values: steps.map(({ lost }) => lost.length) },
    ],
  });

const stepTable = (steps: readonly SimulatedStep[]): Markup =>
  table({
    caption: "Steps",
    head: [
      ...["Step", "Action", "Converted", "Failed conversions", "Failed reads", "Conflicts"],
      ...["Left to migrate", "Lost", "Events"],
    ],
    numeric: [2, 3, 4, 5, 6, 7],
    rows: steps.map((step) => [
      step.step,
      actionText(step),
      step.converted,
      step.failedConversions,
      step.failedReads,
      step.fights,
      step.toMigrate,
      step.lost.length,
      lines([
        ...(step.crashed ? ["killed during the migration"] : []),
        ...step.rewritten.map(({ object, from, to, by }) => `${object}: ${from ?? "new"} to ${to} (${by})`),
        ...step.failures.map(({ of, why }) => `failed: ${of}: ${why}`),
      ]),
    ]),
  });

function actionText({ action, server, release, object, on }: SimulatedStep): string {
  const state = on === undefined ? "" : on ? " on" : " off";
  const where = server === undefined ? "" : ` ${server} (${release ?? ""})`;
  return `${action}${state}${where}${object === undefined ? "" : ` ${object}`}`;
}

const lines = (all: readonly string[]): Child =>
  all.map((each, i) => [i === 0 ? [] : element("br", {}), each]);

const lostTable = (lost: readonly LostReport[]): Child =>
  lost.length === 0
    ? []
    : table({
        caption: "Objects in etcd that the API does not return",
        head: ["Object", "Stored version", "Behavior", "Step", "Server", "At the end"],
        rows: lost.map(({ object, storedVersion, behavior, step, server, release, recovered }) => [
          object,
          storedVersion,
          behavior ?? "unknown",
          step,
          `${server} (${release})`,
          recovered ? badge("available again", "warn") : badge("lost", "bad"),
        ]),
      });
