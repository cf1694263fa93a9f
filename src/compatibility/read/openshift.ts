/**
 * OpenShift's two forms of gate tables: FeatureGate manifests (JSON, one feature set and cluster profile each) and
 * `features.md`, a matrix of gates by set and profile (docs/reference/compatibility-versions.md §10).
 */

import { counted } from "../../core/counted.js";
import type { Position, Report } from "../../core/diagnostics.js";
import { child, type MappingNode, type YamlNode } from "../../text/yaml-read.js";
import type { FeatureSetState, Gate, GateTable } from "../gate-table.js";
import { Fields, placeIn, type Source } from "./fields.js";

const EMPTY_GATE: Omit<Gate, "name" | "place" | "featureSets"> = {
  specs: [],
  dependencies: undefined,
  components: [],
  owners: [],
  constant: undefined,
  declaredIn: [],
  description: undefined,
  capabilities: [],
};

const LOST = ["versionedSpecs", "components", "dependencies", "owners"];

export function isFeatureGateManifest(root: YamlNode): root is MappingNode {
  const text = (key: string): string => {
    const node = child(root, key);
    return node?.type === "scalar" ? node.text : "";
  };
  return text("kind") === "FeatureGate" && text("apiVersion").startsWith("config.openshift.io/");
}

const PROFILES: Readonly<Record<string, string>> = {
  "include.release.openshift.io/self-managed-high-availability": "SelfManagedHA",
  "include.release.openshift.io/ibm-cloud-managed": "Hypershift",
};

export function readFeatureGateManifest(root: MappingNode, source: Source): GateTable {
  const fields = new Fields(root, "", source);
  const annotations = fields.mapping("metadata")?.mapping("annotations");
  // Manifests of releases that had no such annotation, and objects of clusters, say it in their spec alone.
  const inSpec = fields.mapping("spec")?.text("featureSet")?.value ?? "";
  const featureSet = inSpec || (annotations?.text("release.openshift.io/feature-set")?.value ?? "Default");
  const majors = annotations?.text("release.openshift.io/major-version")?.value ?? "";
  const clusterProfile = Object.entries(PROFILES).find(([key]) => annotations?.has(key))?.[1] ?? "";
  const versions = majors === "" ? [] : majors.split(",");
  const gates = new Map<string, Gate>();
  const seen = new Set<string>();
  for (const entry of fields.mapping("status")?.list("featureGates") ?? []) {
    // In a cluster there is one entry for each version that is or was installed; a payload has one entry.
    const version = entry.text("version")?.value || undefined;
    for (const enabled of [true, false])
      for (const each of entry.list(enabled ? "enabled" : "disabled") ?? []) {
        const name = each.required("name", "every gate has a name");
        if (name === undefined) continue;
        const key = `${version ?? ""} ${name.value}`;
        if (seen.has(key)) reportTwice(name.value, name.place, source.report);
        seen.add(key);
        const state = {
          featureSet,
          clusterProfile,
          versions: version === undefined ? versions : [version],
          enabled,
        };
        const known = gates.get(name.value) ?? {
          ...EMPTY_GATE,
          name: name.value,
          place: name.place,
          featureSets: [],
        };
        gates.set(name.value, { ...known, featureSets: [...known.featureSets, state] });
      }
  }
  if (gates.size === 0)
    source.report({
      code: "TAB003",
      kind: "Required",
      ...placeIn(source, root),
      field: "status.featureGates",
      message: "the manifest lists no gates in status.featureGates",
      hint: "take it from the release payload; a cluster's own FeatureGate has them too",
    });
  return {
    form: "openshift-featuregate",
    file: source.file,
    component: "kube",
    versions: undefined,
    gates: [...gates.values()],
    loses: LOST,
  };
}

/** A Markdown table whose first column is headed FeatureGate. */
export const isFeaturesMatrix = (text: string): boolean => /^\s*\|\s*FeatureGate\s*\|/.test(text);

export function readFeaturesMatrix(text: string, file: string, report: Report): GateTable {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.trim() !== "");
  const columns = cellsOf(lines[start] ?? "")
    .slice(1)
    .map((cell) => readColumn(cell));
  const gates = new Map<string, Gate>();
  lines.forEach((line, i) => {
    if (i <= start || line.trim() === "" || /^[\s|:-]+$/.test(line)) return;
    const place: Position = { file, line: i + 1, column: line.indexOf("|") + 2 };
    const [name = "", ...cells] = cellsOf(line);
    const fault = rowFault(name, cells, columns.length);
    if (fault !== undefined) {
      report({ code: "TAB001", kind: "Invalid", ...place, field: name, message: fault, hint: "" });
      return;
    }
    if (gates.has(name)) {
      reportTwice(name, place, report);
      return;
    }
    const featureSets = columns.flatMap((column, at): FeatureSetState[] =>
      column === undefined ? [] : [{ ...column, versions: [], enabled: isEnabled(cells[at] ?? "") }],
    );
    gates.set(name, { ...EMPTY_GATE, name, place, featureSets });
  });
  columns.forEach((column, at) => {
    if (column === undefined)
      report({
        code: "TAB001",
        kind: "Invalid",
        file,
        line: start + 1,
        column: 1,
        message: `column ${at + 2} is not headed "<feature set> on <cluster profile>"`,
        hint: "",
      });
  });
  return {
    form: "openshift-features",
    file,
    component: "kube",
    versions: undefined,
    gates: [...gates.values()],
    loses: [...LOST, "versions"],
  };
}

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split("|")
    .map((cell) => cell.trim());

function readColumn(head: string): { featureSet: string; clusterProfile: string } | undefined {
  const [, featureSet = "", clusterProfile = ""] = /^(\S+) on (\S+)$/.exec(head) ?? [];
  return featureSet === "" ? undefined : { featureSet, clusterProfile };
}

const isEnabled = (cell: string): boolean => /(^|>)Enabled(<|$)/.test(cell);

function rowFault(name: string, cells: readonly string[], columns: number): string | undefined {
  if (name === "") return "a row has no gate name";
  if (cells.length !== columns)
    return `the row of ${name} has ${counted(cells.length, "cell")} for ${counted(columns, "column")}`;
  const odd = cells.find((cell) => cell !== "" && !isEnabled(cell));
  return odd === undefined
    ? undefined
    : `the cell ${JSON.stringify(odd)} of ${name} is neither empty nor Enabled`;
}

function reportTwice(name: string, place: Position, report: Report): void {
  report({
    code: "TAB006",
    kind: "Duplicate",
    ...place,
    field: name,
    message: `the gate ${name} appears twice`,
    hint: "keep one of them",
  });
}
