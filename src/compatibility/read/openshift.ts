/**
 * OpenShift's two forms of gate tables: FeatureGate manifests (JSON, one feature set and cluster profile each) and
 * `features.md`, a matrix of gates by set and profile (docs/reference/compatibility-versions.md §10).
 */

import { counted } from "../../core/counted.js";
import type { Position, Report } from "../../core/diagnostics.js";
import { problem, problemList } from "../../core/problem.js";
import { child, type MappingNode, type YamlNode } from "../../text/yaml-read.js";
import type { FeatureSetState, Gate, GateTable } from "../gate-table.js";
import { itemsOf, textOf } from "./container.js";
import { objectsIn } from "./document.js";
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

export interface FeatureGateManifest {
  readonly root: MappingNode;
  /** Where it stands in the document. */
  readonly path: string;
}

/** The one FeatureGate that a cluster has: the API server takes no other name (config/v1 `FeatureGate`). */
const ONLY_NAME = "cluster";

/**
 * The FeatureGate objects of a document: one alone, or those in a list, as `oc get -o yaml` and the API print it. Undefined
 * where it is of something else altogether.
 */
export function featureGatesIn(root: YamlNode, path = "", typed = true): FeatureGateManifest[] | undefined {
  if (root.type !== "mapping") return undefined;
  const [kind, apiVersion] = [textOf(child(root, "kind")), textOf(child(root, "apiVersion"))];
  const isOurs = apiVersion.startsWith("config.openshift.io/");
  // Items of a list of one kind need not repeat it.
  if (kind === "FeatureGate" ? isOurs : !typed && kind === "") return [{ root, path }];
  const ofOneKind = kind === "FeatureGateList" && isOurs;
  if (!ofOneKind && kind !== "List") return undefined;
  const items = itemsOf(child(root, "items"));
  const gates = items.flatMap(
    (item, i) => featureGatesIn(item, `${path === "" ? "" : `${path}.`}items[${i}]`, !ofOneKind) ?? [],
  );
  return gates.length === 0 && items.length > 0 && !ofOneKind ? undefined : gates;
}

/** The FeatureGate that is meant; without one, or with several that could be, what is wrong is reported. */
export function onlyFeatureGate(
  root: YamlNode,
  found: readonly FeatureGateManifest[],
  source: Source,
): FeatureGateManifest | undefined {
  const [first] = found;
  const named = found.length === 1 ? found : found.filter((each) => nameOf(each) === ONLY_NAME);
  const [one, another] = named;
  if (one !== undefined && another === undefined) {
    notePassedOver(
      objectsIn(root).filter((each) => each !== one.root),
      source,
    );
    return one;
  }
  const names = [...new Set(found.map((each) => nameOf(each) || "a FeatureGate without a name"))].join(", ");
  problemList(source.report, another?.path ?? "items", placeIn(source, another?.root ?? root)).report(
    "TAB005",
    "Invalid",
    first === undefined
      ? "the list contains no FeatureGate"
      : another === undefined
        ? `the list contains ${counted(found.length, "FeatureGate")}, none of which is named ${ONLY_NAME}: ${names}`
        : `the list contains ${counted(named.length, "FeatureGate")} named ${ONLY_NAME}`,
    first === undefined
      ? `use the output of oc get featuregate ${ONLY_NAME} -o yaml`
      : `use the FeatureGate ${ONLY_NAME} of one cluster; put each manifest of a payload into its own file`,
  );
  return undefined;
}

function notePassedOver(others: readonly YamlNode[], source: Source): void {
  const [other] = others;
  if (other === undefined) return;
  const wordsOf = (root: YamlNode): string =>
    `${textOf(child(root, "kind")) || "an object without a kind"} ${textOf(child(child(root, "metadata"), "name"))}`.trim();
  problemList(source.report, "", placeIn(source, other)).infos.report(
    "TAB005",
    "Invalid",
    `ignored, as these objects are not the FeatureGate of the cluster: ${[...new Set(others.map(wordsOf))].join(", ")}`,
  );
}

const nameOf = ({ root }: FeatureGateManifest): string => textOf(child(child(root, "metadata"), "name"));

const PROFILES: Readonly<Record<string, string>> = {
  "include.release.openshift.io/self-managed-high-availability": "SelfManagedHA",
  "include.release.openshift.io/ibm-cloud-managed": "Hypershift",
};

export function readFeatureGateManifest({ root, path }: FeatureGateManifest, source: Source): GateTable {
  const fields = new Fields(root, path, source);
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
        const name = each.required("name", "the name of the gate");
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
    problemList(source.report, fields.pathOf("status.featureGates"), placeIn(source, root)).report(
      "TAB003",
      "Required",
      "the manifest contains no gates in status.featureGates",
      "use the manifest of the release payload or the FeatureGate of a cluster",
    );
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
      report(problem("TAB001", "Invalid", name, fault, place));
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
      problemList(report, "", { file, line: start + 1, column: 1 }).report(
        "TAB001",
        "Invalid",
        `invalid header of column ${at + 2}: must be "<feature set> on <cluster profile>"`,
      );
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
    return `the row of ${name} has ${counted(cells.length, "cell")}, expected ${columns}`;
  const odd = cells.find((cell) => cell !== "" && !isEnabled(cell));
  return odd === undefined
    ? undefined
    : `the cell ${JSON.stringify(odd)} of ${name} must be empty or "Enabled"`;
}

function reportTwice(name: string, place: Position, report: Report): void {
  problemList(report, name, place).report(
    "TAB006",
    "Duplicate",
    `gate ${name} is listed twice`,
    "remove one of them",
  );
}
