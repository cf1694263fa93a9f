/** What of a report needs attention, with the command that mends it. */

import { counted } from "../../../core/counted.js";
import { type Diagnostic, placeOf } from "../../../core/diagnostics.js";
import type { ReportData } from "../../../report/report.js";
import type { ClusterState } from "../../../report/sections/fleet.js";
import type { Attention } from "../../../report/sections/overview.js";
import { planPlace } from "../../../report/sections/plans.js";
import { commandLine, pathWord, shellWord } from "../../../text/shell.js";
import { STDIN } from "../../read-text.js";

const DAY = 24 * 3_600_000;
/** A certificate that lasts no longer is worth a word. */
const SOON = 7 * DAY;

/** The words that a copy of etcd was named with, such as `--dump etcd.json`. */
export type CopyWords = readonly string[];

export const attentionOf = (
  report: ReportData,
  diagnostics: readonly Diagnostic[],
  now: Date,
  copy: CopyWords,
  complete: (hint: string) => string,
): readonly Attention[] => [
  ...ofFleet(report),
  ...ofDirectory(report, now),
  ...ofPlans(report),
  ...ofGates(report),
  ...(report.policy === undefined || report.policy.verdict.safe
    ? []
    : [
        {
          severity: "error" as const,
          what: `The storage policy ${report.policy.name} can lose data${report.policy.fix === "" ? "" : `: ${report.policy.fix}`}`,
          section: "policy",
        },
      ]),
  ...(report.simulation === undefined || report.simulation.lost.length === 0
    ? []
    : [
        {
          severity: "error" as const,
          what: `${counted(report.simulation.lost.length, "object is lost", "objects are lost")} in the simulation`,
          section: "simulation",
        },
      ]),
  ...ofEtcd(report, copy),
  ...diagnostics
    .filter(({ severity }) => severity !== "info")
    .map((each): Attention => {
      const { severity, code, field, message, hint } = each;
      const place = placeOf(each);
      const parts = [place, code, field === place ? "" : field, message].filter((part) => part !== "");
      return { severity, what: `${parts.join(": ")}${hint === "" ? "" : `; ${complete(hint)}`}` };
    }),
];

const FLEET_STATES: readonly (readonly [ClusterState, Attention["severity"], string])[] = [
  ["invalid", "error", "cannot be compiled"],
  ["out of date", "error", "would change in a new compile"],
  ["not generated", "warning", "without generated files"],
  ["edited", "info", "with files that were changed by hand"],
];

function ofFleet({ fleet }: ReportData): readonly Attention[] {
  if (fleet === undefined) return [];
  return FLEET_STATES.flatMap(([state, severity, what]): Attention[] => {
    const names = fleet.clusters.filter((each) => each.state === state).map(({ name }) => name);
    if (names.length === 0) return [];
    const some =
      names.length <= 3 ? names.join(", ") : `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`;
    const command =
      state === "invalid" ? ["validate"] : state === "edited" ? ["check"] : ["create", "manifests"];
    return [
      {
        severity,
        what: `${counted(names.length, "cluster")} ${what}: ${some}`,
        section: "fleet",
        ...(fleet.file === STDIN
          ? {}
          : { command: commandLine(["slipway", ...command, "--fleet", fleet.file]) }),
      },
    ];
  });
}

const ofPlans = ({ plans = [] }: ReportData): readonly Attention[] =>
  plans.flatMap(({ kind, title, verdict, tone }): Attention[] =>
    tone === "good"
      ? []
      : [
          {
            severity: tone === "bad" ? "error" : "warning",
            what: `${title}: ${verdict}`,
            section: planPlace(kind),
          },
        ],
  );

function ofDirectory({ directory }: ReportData, now: Date): readonly Attention[] {
  if (directory === undefined) return [];
  const dir = pathWord(directory.path);
  const of = (...statuses: readonly string[]): readonly string[] =>
    directory.files.filter(({ status }) => statuses.includes(status)).map(({ path }) => path);
  const named = (paths: readonly string[]): string =>
    paths.length <= 3 ? paths.join(", ") : `${paths.slice(0, 3).join(", ")} and ${paths.length - 3} more`;
  const conflicts = of("conflict");
  const behind = of("stale", "missing");
  const edited = of("edited", "added", "removed");
  const last = directory.phases.at(-1)?.name ?? "manifests";
  // cluster-api/ comes with the manifests.
  const phase = shellWord(last === "cluster-api" ? "manifests" : last);
  const ending = (directory.certificates ?? []).filter(
    ({ notAfter }) => notAfter.getTime() - now.getTime() < SOON,
  );
  return [
    ...(conflicts.length === 0
      ? []
      : [
          {
            severity: "error" as const,
            what: `${counted(conflicts.length, "file")} in conflict: ${named(conflicts)}`,
            section: "directory",
            command: `slipway create ${phase} --dir ${dir} --diff`,
          },
        ]),
    ...(behind.length === 0
      ? []
      : [
          {
            severity: "error" as const,
            what: `${counted(behind.length, "file is", "files are")} out of date: ${named(behind)}`,
            section: "directory",
            command: `slipway create ${phase} --dir ${dir}`,
          },
        ]),
    ...(edited.length === 0
      ? []
      : [
          {
            severity: "info" as const,
            what: `${counted(edited.length, "file was", "files were")} changed by hand: ${named(edited)}`,
            section: "directory",
            command: `slipway check --dir ${dir} --diff`,
          },
        ]),
    ...(ending.length === 0
      ? []
      : [
          {
            severity: "warning" as const,
            what: `${counted(ending.length, "certificate expires", "certificates expire")} within a week: ${named(ending.map(({ name }) => name))}`,
            section: "directory",
            command: `slipway create ignition-configs --dir ${dir} --renew`,
          },
        ]),
  ];
}

const ofGates = ({ gates = [] }: ReportData): readonly Attention[] =>
  gates.flatMap(({ file, component, gates: all }) => {
    const overdue = all.filter(({ state }) => state === "overdue").map(({ name }) => name);
    return overdue.length === 0
      ? []
      : [
          {
            severity: "warning" as const,
            what: `${component}: ${counted(overdue.length, "gate is", "gates are")} overdue for removal`,
            section: "gates",
            command: commandLine(["slipway", "compat", "lifecycle", "--table", file]),
          },
        ];
  });

const ofEtcd = ({ etcd }: ReportData, copy: CopyWords): readonly Attention[] =>
  etcd === undefined
    ? []
    : [
        ...(etcd.causes ?? []).map(
          ({ verdict, error, count, resources }): Attention => ({
            severity: verdict === "unreadable" || verdict === "fails-list" ? "error" : "warning",
            what: `${counted(count, "object")} in etcd (${resources}): ${error}`,
            section: "etcd",
            command: commandLine([
              "slipway",
              "etcd",
              "plan",
              ...copy,
              "--target",
              etcd.target,
              "--out",
              "repair",
            ]),
          }),
        ),
      ];
