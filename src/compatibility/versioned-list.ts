/**
 * Writing a gate table in the form of Kubernetes' `versioned_feature_list.yaml`
 * (docs/reference/compatibility-versions.md §10).
 */
import { byCodeUnit } from "../core/files.js";
import type { GateTable } from "./gate-table.js";
import { completeSpecs } from "./gate-table.js";
import { formatVersion } from "./version.js";

/** The comment lines at the top of a list, with the empty line after them. */
export function headerOf(text: string): string {
  const lines = text.split("\n");
  const end = lines.findIndex((line) => line !== "" && !line.startsWith("#"));
  return lines
    .slice(0, Math.max(0, end))
    .map((line) => `${line}\n`)
    .join("");
}

/**
 * The list of a table, by lower-cased name. A minimum compatibility version has stood in it since 1.37; before, the form
 * had no place for one, and no gate had one.
 */
export function versionedList(table: GateTable, header: string): string {
  const gates = table.gates
    .filter(({ featureSets, specs }) => specs.length > 0 || featureSets.length === 0)
    .sort((a, b) => {
      const [left, right] = [a.listedAs ?? a.name, b.listedAs ?? b.name];
      return byCodeUnit(left.toLowerCase(), right.toLowerCase()) || byCodeUnit(left, right);
    });
  const lines = gates.flatMap(({ name, specs, listedAs }) => [
    `- name: ${listedAs ?? name}`,
    "  versionedSpecs:",
    ...completeSpecs(specs, false).flatMap(
      ({ default: initial, locked, stage, version, minCompatibility }) => [
        `  - default: ${initial}`,
        `    lockToDefault: ${locked}`,
        `    preRelease: ${stage}`,
        `    version: "${formatVersion(version)}"`,
        ...(minCompatibility === undefined
          ? []
          : [`    minCompatibilityVersion: "${formatVersion(minCompatibility)}"`]),
      ],
    ),
  ]);
  return header + lines.map((line) => `${line}\n`).join("");
}
