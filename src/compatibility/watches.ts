/**
 * What a kube-apiserver watches itself, and so has to serve: a server that does not serve it never becomes ready, or exits
 * (tables/kubernetes-watches.json).
 */
import data from "../../tables/kubernetes-watches.json" with { type: "json" };
import { rowsAt, type Span } from "../core/by-release.js";
import { createReporter, type Report } from "../core/diagnostics.js";
import { problemList } from "../core/problem.js";
import { behaves } from "../kubernetes/behavior.js";
import { type ApiKind, groupVersion, kindsInBinary } from "./api-table.js";
import { type ApiQuestion, type ServedVersion, servedApis } from "./apis.js";
import { isEmulating } from "./effective.js";
import type { GateState } from "./gates.js";
import { NOWHERE } from "./rules.js";
import { readRuntimeConfig, type VersionClass } from "./runtime-config.js";
import { compareMinors, formatMinor, type Minor, minorOf } from "./version.js";

interface Watch extends Span {
  /** Who watches. */
  readonly by: string;
  /** What turns the watcher off; undefined where nothing but a gate does. */
  readonly off?: string;
  /** Gates that are all on where it watches. */
  readonly gates: readonly string[];
  /** `group/version/resource` */
  readonly resources: readonly string[];
}

const WATCHES: readonly Watch[] = data.watches;

/** What a watcher misses. */
export interface Unserved {
  readonly watch: Watch;
  readonly kinds: readonly ApiKind[];
}

/**
 * Watches whose resources are not served. A table that does not have a kind says nothing about it, and where no gates are
 * known only what no gate turns on is looked at.
 */
export function unservedWatches(question: ApiQuestion, served: readonly ServedVersion[]): Unserved[] {
  const { table, versions, rules, gateOn } = question;
  if (rules.set === "kep") return [];
  const binary = minorOf(versions.binary);
  const names = new Set(
    served.flatMap((each) => each.resources.map(({ resource }) => `${groupVersion(each)}/${resource}`)),
  );
  const known = new Map(
    kindsInBinary(table, binary).map((kind) => [`${groupVersion(kind)}/${kind.resource ?? ""}`, kind]),
  );
  return rowsAt(WATCHES, binary).flatMap((watch): Unserved[] => {
    if (!watch.gates.every((gate) => gateOn?.(gate) === true)) return [];
    const kinds = watch.resources.flatMap((name) => (names.has(name) ? [] : (known.get(name) ?? [])));
    return kinds.length === 0 ? [] : [{ watch, kinds }];
  });
}

/** Reports what keeps the server from becoming ready, and settings that it rejects when it starts. */
export function checkWatches(question: ApiQuestion, served: readonly ServedVersion[], report: Report): void {
  const refused = refuseFairness(question, report);
  const missing = unservedWatches(question, served).filter(
    ({ watch }) => !(refused && watch.by === FAIRNESS),
  );
  if (missing.length === 0) return;
  const plain = { ...question, runtimeConfig: [] };
  const anyway = new Set(
    unservedWatches(plain, servedApis(plain, createReporter().report)).map(({ watch }) => watch),
  );
  const switchedOff = missing.filter(({ watch }) => !anyway.has(watch));
  if (switchedOff.length > 0)
    problemList(report, "--runtime-config", question.runtimeConfig[0]?.place ?? NOWHERE).report(
      "API023",
      "Required",
      `the API server requires ${listed(namesOf(switchedOff))}, which ${areNot(switchedOff)} served, and would not become ready`,
      `set ${versionsOf(switchedOff)
        .map((each) => `${each}=true`)
        .join(",")}`,
    );
  for (const each of missing.filter(({ watch }) => anyway.has(watch)))
    problemList(report, each.watch.gates.join(", "), NOWHERE).report(
      "API023",
      "Required",
      `${each.watch.by} requires ${listed(namesOf([each]))}, which ${areNot([each])} served; the API server would not become ready`,
      remedyOf(each, question),
    );
}

/**
 * Warns of gates that were turned on, and require an API that a server at these versions does not serve by default: a
 * question of gates does not know `--runtime-config`.
 */
export function warnOfGateApis(
  question: Pick<ApiQuestion, "table" | "versions" | "rules">,
  gates: readonly Pick<GateState, "name" | "enabled" | "setBy">[],
  report: Report,
): void {
  const on = new Map(gates.filter(({ enabled }) => enabled).map((gate) => [gate.name, gate]));
  const asked: ApiQuestion = {
    ...question,
    runtimeConfig: [],
    gateOn: (name) => on.has(name),
    forwardCompatible: false,
    runtimeConfigForwardCompatible: false,
    strictRemovedInAlpha: false,
    serveRemovedOneMore: false,
  };
  for (const each of unservedWatches(asked, servedApis(asked, createReporter().report))) {
    const set = each.watch.gates.filter((name) => on.get(name)?.setBy !== "default");
    if (set.length === 0) continue;
    problemList(report, set.join(", "), NOWHERE).warnings.report(
      "GATE145",
      "Required",
      `${each.watch.by} requires ${listed(namesOf([each]))}, which ${areNot([each])} served by default at ${formatMinor(question.versions.emulation)}; without it kube-apiserver does not become ready`,
      remedyOf(each, asked),
    );
  }
}

const areNot = (missing: readonly Unserved[]): string =>
  namesOf(missing).length === 1 ? "is not" : "are not";

/** The first remedy is that which keeps the gate. */
export function remedyOf(missing: Unserved, question: ApiQuestion): string {
  const { gates, off } = missing.watch;
  const without = `set --feature-gates=${gates[0] ?? ""}=false${off === undefined ? "" : ` or use ${off}`}`;
  if (missing.kinds.every((kind) => isInTime(kind, question.versions.emulation)))
    return `set --runtime-config=${versionsOf([missing])
      .map((each) => `${each}=true`)
      .join(",")}, or ${without}`;
  return canServeForward(missing, question)
    ? `set --emulation-forward-compatible, or ${without}`
    : `raise the emulated version, or ${without}`;
}

const isInTime = ({ introduced }: ApiKind, emulation: Minor): boolean =>
  introduced === undefined || compareMinors(introduced, emulation) <= 0;

/** True where `--emulation-forward-compatible` serves what is missing. */
function canServeForward({ watch }: Unserved, question: ApiQuestion): boolean {
  const wider = servedForward(question);
  return (
    wider !== undefined && !unservedWatches(wider.question, wider.served).some((each) => each.watch === watch)
  );
}

/** What the same server serves with `--emulation-forward-compatible`; undefined where it has no use for the flag. */
export function servedForward(
  question: ApiQuestion,
): { readonly question: ApiQuestion; readonly served: readonly ServedVersion[] } | undefined {
  const { versions, forwardCompatible } = question;
  if (forwardCompatible || !isEmulating(versions) || !behaves(minorOf(versions.binary), "servesForward"))
    return undefined;
  const wider = { ...question, forwardCompatible: true };
  return { question: wider, served: servedApis(wider, createReporter().report) };
}

const namesOf = (missing: readonly Unserved[]): string[] => [
  ...new Set(
    missing.flatMap(({ kinds }) => kinds.map((kind) => `${groupVersion(kind)} ${kind.resource ?? ""}`)),
  ),
];

const versionsOf = (missing: readonly Unserved[]): string[] => [
  ...new Set(missing.flatMap(({ kinds }) => kinds.map(groupVersion))),
];

const SHOWN = 3;

const listed = (names: readonly string[]): string =>
  names.length <= SHOWN + 1
    ? names.join(", ")
    : `${names.slice(0, SHOWN).join(", ")} and ${names.length - SHOWN} more`;

/** The watcher that validates `--runtime-config` itself. */
const FAIRNESS = "API Priority and Fairness";

/**
 * A server whose flags turn off the API of Priority and Fairness exits with this text (kubernetes/kubernetes
 * pkg/controlplane/apiserver/options/validation.go, validateAPIPriorityAndFairness).
 */
function refuseFairness({ table, versions, rules, runtimeConfig }: ApiQuestion, report: Report): boolean {
  const binary = minorOf(versions.binary);
  const watch = rowsAt(WATCHES, binary).find(({ by }) => by === FAIRNESS);
  if (watch === undefined || rules.set === "kep") return false;
  const kinds = kindsInBinary(table, binary);
  const own = kinds.find((kind) => watch.resources.includes(`${groupVersion(kind)}/${kind.resource ?? ""}`));
  if (own === undefined) return false;
  const config = readRuntimeConfig(
    runtimeConfig,
    {
      groups: new Set(kinds.map(({ group }) => group)),
      versions: new Set(kinds.map(({ group, version }) => `${group}/${version}`)),
    },
    createReporter().report,
  );
  const named = config.versions.find(({ group, version }) => group === own.group && version === own.version);
  const classes: readonly VersionClass[] = ["api/ga", "api/all"];
  const [key, on] =
    named === undefined
      ? (classes.flatMap((each) => {
          const value = config.classes.get(each);
          return value === undefined ? [] : [[each, value] as const];
        })[0] ?? [])
      : [groupVersion(own), named.enabled];
  if (key === undefined || on !== false) return false;
  problemList(report, "--runtime-config", named?.place ?? runtimeConfig[0]?.place ?? NOWHERE).report(
    "API024",
    "Invalid",
    `--runtime-config=${key}=false conflicts with --enable-priority-and-fairness=true`,
    `set ${groupVersion(own)}=true, or start kube-apiserver with ${watch.off ?? ""}`,
  );
  return true;
}
