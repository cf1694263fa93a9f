/** The feature gates of Kubernetes' own releases, as their binaries register them. */

import data from "../../tables/kubernetes-gates.json" with { type: "json" };
import { isSince, rowAt, rowsAt, type Span } from "../core/by-release.js";
import type { Problem, Report } from "../core/diagnostics.js";
import { releaseOfVersion } from "../core/named-release.js";
import { problemList } from "../core/problem.js";
import { behavesSince } from "../kubernetes/behavior.js";
import { kubernetesMeant } from "../kubernetes/releases.js";
import {
  type Gate,
  type GateSpec,
  type GateTable,
  isVersionedList,
  newestRelease,
  WRITTEN_STAGES,
} from "./gate-table.js";
import { isKubernetes, KUBERNETES, releaseNamed } from "./kubernetes-name.js";
import { readGateTable } from "./read/gate-table.js";
import {
  compareMinors,
  equalMinors,
  formatMinor,
  type Minor,
  minorsBetween,
  ofMinor,
  release,
} from "./version.js";

/** The releases whose gates are known, oldest first. */
export const GATE_RELEASES: readonly Minor[] = minorsBetween(
  release(data.releases.first),
  release(data.releases.last),
);

interface SpecRow extends Span {
  readonly specs: string;
}
interface NeedsRow extends Span {
  readonly needs: readonly string[];
}
const GATES: Readonly<Record<string, readonly SpecRow[]>> = data.gates;
const DEPENDENCIES: Readonly<Record<string, readonly NeedsRow[]>> = data.dependencies;

interface ListedRow extends Span {
  readonly listed: string;
  readonly name: string;
}
const LISTED: readonly ListedRow[] = data.listed;

/** The first release whose registry judges what is registered (component-base featuregate `AddVersioned`). */
const RULED_SINCE = behavesSince("judgesRegistrations");

const PLACE = { file: KUBERNETES, line: 0, column: 0 };

/** The newest release with a table that is not newer than the one asked for; undefined before the first. */
export const gateReleaseFor = (asked: Minor): Minor | undefined =>
  GATE_RELEASES.findLast((each) => compareMinors(each, asked) <= 0);

/** Which of Kubernetes' tables a bare `kubernetes` means: that of a release, the newest, or all of them. */
export type WantedGates = Minor | "newest" | "all";

/**
 * Kubernetes' own tables that a name means (`kubernetes`, `kubernetes@1.35`); a release that has none is reported at
 * `place`.
 */
export function namedGates(
  name: string,
  wanted: WantedGates,
  place: Partial<Problem>,
  report: Report,
): GateTable[] {
  const named = releaseNamed(name);
  if (named === undefined && wanted === "all") return GATE_RELEASES.map(kubernetesGates);
  const at = named === undefined ? wanted : releaseOfVersion(named);
  const asked = typeof at === "object" ? (kubernetesMeant(at) ?? at) : at;
  const found =
    typeof asked === "string"
      ? GATE_RELEASES.at(-1)
      : asked &&
        (named === undefined
          ? gateReleaseFor(asked)
          : GATE_RELEASES.find((each) => equalMinors(each, asked)));
  if (found !== undefined) return [kubernetesGates(found)];
  problemList(report, place.field ?? "", place).report(
    "TAB009",
    "NotFound",
    `no table of feature gates for ${named ?? (typeof asked === "object" ? formatMinor(asked) : name)}`,
    `use ${KUBERNETES}@${GATE_RELEASES[0] && formatMinor(GATE_RELEASES[0])} or later, or a file with the gates of an earlier release`,
  );
  return [];
}

/** The gates that the binaries of a release know, one of GATE_RELEASES. */
export function kubernetesGates(at: Minor): GateTable {
  const gates = Object.entries(GATES).flatMap(([name, rows]): Gate[] => {
    const row = rowAt(rows, at);
    if (row === undefined) return [];
    const needs = rowsAt(DEPENDENCIES[name] ?? [], at).flatMap((each) => each.needs);
    return [
      {
        name,
        specs: row.specs === "" ? [] : row.specs.split("; ").flatMap((text) => specOf(text, at) ?? []),
        dependencies: needs.map((each) => ({ name: each, place: PLACE })),
        components: [],
        owners: [],
        constant: LISTED.find((each) => each.name === name)?.listed,
        declaredIn: [],
        description: undefined,
        capabilities: [],
        featureSets: [],
        place: PLACE,
      },
    ];
  });
  return {
    form: "own",
    file: `${KUBERNETES}@${formatMinor(at)}`,
    component: "kube",
    versions: undefined,
    gates,
    loses: [],
    unruled: !isSince(at, RULED_SINCE),
  };
}

/**
 * Upstream's own list of a release, imported or not, with the names that the gates have, and with the gates that it leaves
 * out; every other table as it is.
 */
export function completeList(table: GateTable): GateTable {
  const at = newestRelease(table);
  if (!isVersionedList(table) || at === undefined || !GATE_RELEASES.some((each) => equalMinors(each, at)))
    return table;
  const { gates: own, unruled } = kubernetesGates(at);
  const names = rowsAt(LISTED, at);
  const gates = table.gates.map((gate) => {
    const real = names.find(({ listed }) => listed === gate.name);
    return real === undefined ? gate : { ...gate, name: real.name, listedAs: gate.name };
  });
  // A list of another project may count its releases alike; it has other gates.
  if (!gates.some(({ name }) => own.some((each) => each.name === name))) return table;
  const unlisted = own.filter(
    ({ name }) => data.unlisted.includes(name) && !gates.some((each) => each.name === name),
  );
  return { ...table, gates, unlisted, unruled };
}

/** Reads a table of any form as `completeList` has it; undefined when the text is none. */
export function readCompleteTable(text: string, file: string, report: Report): GateTable | undefined {
  const table = readGateTable(text, file, report);
  return table && completeList(table);
}

/**
 * The table as upstream's linter sees it beside a list: gates that the list has by their constant stand under that, and
 * those of client-go, which the linter passes over, are left out of Kubernetes' own as upstream's lists leave them out.
 */
export function asListed(table: GateTable, listed: GateTable | undefined): GateTable {
  const at = newestRelease(table);
  const written = new Set(listed?.gates.map(({ name, listedAs }) => listedAs ?? name));
  const rows = at === undefined ? [] : rowsAt(LISTED, at);
  const passedOver = isKubernetes(table.file)
    ? table.gates.filter(({ name }) => data.unlisted.includes(name) && !written.has(name))
    : [];
  const seen = table.gates.filter((gate) => !passedOver.includes(gate));
  const gates = seen.map((gate): Gate => {
    const row = rows.find(({ name }) => name === gate.name);
    if (row === undefined || written.has(row.listed) === written.has(row.name)) return gate;
    return { ...gate, listedAs: written.has(row.listed) ? row.listed : undefined };
  });
  return { ...table, gates, unlisted: [...(table.unlisted ?? []), ...passedOver] };
}

/** Reads `1.35 Beta on locked min 1.34`; undefined for a spec that came after the release. */
function specOf(text: string, at: Minor): GateSpec | undefined {
  const [version = "", stage, state, ...rest] = text.split(" ");
  if (!isSince(at, version)) return undefined;
  const written = WRITTEN_STAGES.find((each) => each === stage);
  if (written === undefined) throw new Error(`${text} is not the spec of a gate`);
  const minimum = rest.indexOf("min");
  return {
    version: ofMinor(release(version)),
    stage: written,
    default: state === "on",
    locked: rest.includes("locked"),
    minCompatibility: minimum < 0 ? undefined : ofMinor(release(rest[minimum + 1] ?? "")),
    place: PLACE,
  };
}
