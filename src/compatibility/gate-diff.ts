/** What changed between two gate tables. */
import { byCodeUnit } from "../core/files.js";
import { sameSpecs } from "./gate-rules.js";
import { type CompleteSpec, completeSpecs, type Gate, type GateTable, newestRelease } from "./gate-table.js";
import { compareMinors, formatMinor, formatVersion, type Minor, minorOf } from "./version.js";

/** `rewritten`: specs of releases that the old table knew have changed; `extended`: only newer specs were added. */
export const GATE_CHANGES = [
  "added",
  "removed",
  "extended",
  "rewritten",
  "dependencies",
  "capabilities",
] as const;
export type GateChange = (typeof GATE_CHANGES)[number];

export interface GateDifference {
  readonly name: string;
  readonly change: GateChange;
  readonly details: string;
}

/** Changes by gate name; a gate can have several. */
export function diffTables(old: GateTable, now: GateTable): GateDifference[] {
  const horizon = newestRelease(old);
  const before = new Map(old.gates.map((gate) => [gate.name, gate]));
  const after = new Map(now.gates.map((gate) => [gate.name, gate]));
  const names = [...new Set([...before.keys(), ...after.keys()])].sort(
    (a, b) => byCodeUnit(a.toLowerCase(), b.toLowerCase()) || byCodeUnit(a, b),
  );
  return names.flatMap((name) => {
    const [a, b] = [before.get(name), after.get(name)];
    if (a === undefined) return [{ name, change: "added" as const, details: lineOf(specsOf(b)) }];
    if (b === undefined) return [{ name, change: "removed" as const, details: lineOf(specsOf(a)) }];
    return differences(a, b, horizon);
  });
}

const specsOf = (gate: Gate | undefined): CompleteSpec[] => completeSpecs(gate?.specs ?? [], false);

function differences(a: Gate, b: Gate, horizon: Minor | undefined): GateDifference[] {
  const { name } = a;
  const result: GateDifference[] = [];
  const [old, now] = [specsOf(a), specsOf(b)];
  const known = (specs: readonly CompleteSpec[]): CompleteSpec[] =>
    specs.filter(({ version }) => horizon === undefined || compareMinors(minorOf(version), horizon) <= 0);
  if (!sameSpecs(known(old), known(now)))
    result.push({ name, change: "rewritten", details: `${lineOf(known(old))} -> ${lineOf(known(now))}` });
  const added = now.filter((spec) => !known(now).includes(spec));
  if (added.length > 0) result.push({ name, change: "extended", details: lineOf(added) });
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
  return result;
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
