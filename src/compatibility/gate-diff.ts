/** What changed between two gate tables. */
import { byCodeUnit } from "../core/files.js";
import { sameSpecs } from "./gate-rules.js";
import {
  type CompleteSpec,
  completeSpecs,
  type FeatureSetState,
  type Gate,
  type GateTable,
} from "./gate-table.js";
import { formatMinor, formatVersion } from "./version.js";

/** `rewritten`: specs that the old table had have changed; `extended`: only further specs were added behind them. */
export const GATE_CHANGES = [
  "added",
  "removed",
  "extended",
  "rewritten",
  "dependencies",
  "capabilities",
  "feature-sets",
] as const;
export type GateChange = (typeof GATE_CHANGES)[number];

export interface GateDifference {
  readonly name: string;
  readonly change: GateChange;
  readonly details: string;
}

/** Changes by gate name; a gate can have several. */
export function diffTables(old: GateTable, now: GateTable): GateDifference[] {
  const before = new Map(old.gates.map((gate) => [gate.name, gate]));
  const after = new Map(now.gates.map((gate) => [gate.name, gate]));
  const names = [...new Set([...before.keys(), ...after.keys()])].sort(
    (a, b) => byCodeUnit(a.toLowerCase(), b.toLowerCase()) || byCodeUnit(a, b),
  );
  return names.flatMap((name) => {
    const [a, b] = [before.get(name), after.get(name)];
    if (a === undefined) return [{ name, change: "added" as const, details: described(b) }];
    if (b === undefined) return [{ name, change: "removed" as const, details: described(a) }];
    return differences(a, b);
  });
}

const specsOf = (gate: Gate | undefined): CompleteSpec[] => completeSpecs(gate?.specs ?? [], false);

function differences(a: Gate, b: Gate): GateDifference[] {
  const { name } = a;
  const result: GateDifference[] = [];
  const [old, now] = [specsOf(a), specsOf(b)];
  if (!sameSpecs(old, now.slice(0, old.length)))
    result.push({ name, change: "rewritten", details: `${lineOf(old)} -> ${lineOf(now)}` });
  else if (now.length > old.length)
    result.push({ name, change: "extended", details: lineOf(now.slice(old.length)) });
  const needs = (gate: Gate): string =>
    (gate.dependencies ?? [])
      .map((each) => each.name)
      .sort(byCodeUnit)
      .join(", ");
  if (needs(a) !== needs(b))
    result.push({ name, change: "dependencies", details: `${needs(a) || "none"} -> ${needs(b) || "none"}` });
  if (capabilitiesOf(a) !== capabilitiesOf(b))
    result.push({
      name,
      change: "capabilities",
      details: `${capabilitiesOf(a) || "none"} -> ${capabilitiesOf(b) || "none"}`,
    });
  if (setsOf(a) !== setsOf(b))
    result.push({
      name,
      change: "feature-sets",
      details: `${setsOf(a) || "none"} -> ${setsOf(b) || "none"}`,
    });
  return result;
}

const described = (gate: Gate | undefined): string =>
  gate === undefined || gate.featureSets.length === 0 || gate.specs.length > 0
    ? lineOf(specsOf(gate))
    : setsOf(gate);

/** `Default on SelfManagedHA: off`; releases are told where one set has several statements, for two clusters differ in them. */
function setsOf({ featureSets }: Gate): string {
  const nameOf = ({ featureSet, clusterProfile }: FeatureSetState): string =>
    clusterProfile === "" ? featureSet : `${featureSet} on ${clusterProfile}`;
  return featureSets
    .map((state) => {
      const name = nameOf(state);
      const several = featureSets.filter((each) => nameOf(each) === name).length > 1;
      const releases = several && state.versions.length > 0 ? ` (${state.versions.join(", ")})` : "";
      return `${name}${releases}: ${state.enabled ? "on" : "off"}`;
    })
    .sort(byCodeUnit)
    .join(", ");
}

const capabilitiesOf = ({ capabilities }: Gate): string =>
  capabilities
    .map(({ name, change, since, until }) =>
      [
        name,
        change,
        since === undefined ? "" : formatMinor(since),
        until === undefined ? "" : formatMinor(until),
      ]
        .filter((part) => part !== "")
        .join(" "),
    )
    .sort(byCodeUnit)
    .join(", ");

/** `Alpha 1.27 off, Beta 1.30 on` */
export const lineOf = (specs: readonly CompleteSpec[]): string =>
  specs.length === 0
    ? "no specs"
    : specs
        .map(({ stage, version, default: initial, locked, minCompatibility }) =>
          [
            stage,
            formatVersion(version),
            initial ? "on" : "off",
            ...(locked ? ["locked"] : []),
            ...(minCompatibility === undefined ? [] : [`from minimum ${formatVersion(minCompatibility)}`]),
          ].join(" "),
        )
        .join(", ");
