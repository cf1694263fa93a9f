/**
 * Gate tables in our own form (kind FeatureGateTable) and in the form of Kubernetes' `versioned_feature_list.yaml`,
 * recognised by content (docs/reference/compatibility-versions.md §4.1, §10).
 */

import type { Report } from "../../core/diagnostics.js";
import { problemList } from "../../core/problem.js";
import type { YamlNode } from "../../text/yaml-read.js";
import {
  type Capability,
  CHANGES,
  type ComponentVersions,
  type Dependency,
  type FeatureSetState,
  type Gate,
  type GateSpec,
  type GateTable,
  type GateTableForm,
  WRITTEN_STAGES,
} from "../gate-table.js";
import { type Document, isListOfOthers, ownFields, ownKind, readDocument } from "./document.js";
import { type Fields, mappingsOf, placeIn, type Source } from "./fields.js";
import {
  featureGatesIn,
  isFeaturesMatrix,
  onlyFeatureGate,
  readFeatureGateManifest,
  readFeaturesMatrix,
} from "./openshift.js";

/** What each foreign form cannot say (docs/reference/compatibility-versions.md §10). */
export const LOSES: Readonly<Record<GateTableForm, readonly string[]>> = {
  own: [],
  "versioned-feature-list": ["minCompatibilityVersion", "components", "dependencies", "owners", "constant"],
  "openshift-featuregate": ["versionedSpecs", "components", "dependencies", "owners"],
  "openshift-features": ["versionedSpecs", "components", "dependencies", "owners", "versions"],
};

/** Reads a table of any form; undefined when the text is none. Every fault is reported. */
export function readGateTable(text: string, file: string, report: Report): GateTable | undefined {
  if (isFeaturesMatrix(text)) return readFeaturesMatrix(text, file, report);
  const document = readDocument(text, file, report);
  return document && gateTableOf(document);
}

export function gateTableOf(document: Document): GateTable | undefined {
  const { root, source } = document;
  if (root.type === "sequence" && !isListOfOthers(root, ["name", "versionedSpecs"]))
    return gateList(root.items, "versioned-feature-list", source);
  if (ownKind(root) === "FeatureGateTable") return ownTable(document);
  const featureGates = featureGatesIn(root);
  if (featureGates !== undefined) {
    const manifest = onlyFeatureGate(root, featureGates, source);
    return manifest && readFeatureGateManifest(manifest, source);
  }
  problemList(source.report, "", placeIn(source, root)).report(
    "TAB005",
    "Invalid",
    "not a table of feature gates",
    "use a FeatureGateTable, a versioned_feature_list.yaml, an OpenShift FeatureGate manifest or a table of features",
  );
  return undefined;
}

/** A list of `{name, versionedSpecs}`; `form` decides how strictly it is judged. */
export function gateList(items: readonly YamlNode[], form: GateTableForm, source: Source): GateTable {
  const lenient: Source =
    form === "own"
      ? source
      : {
          ...source,
          report: (problem) =>
            source.report(problem.code === "TAB002" ? { ...problem, severity: "warning" } : problem),
        };
  const gates = mappingsOf(items, "", lenient).flatMap((fields) => {
    const gate = readGate(fields);
    fields.done();
    return gate ?? [];
  });
  // From 1.37 on lists say minimum compatibility versions; where one stands, none is lost.
  const dated = gates.some(({ specs }) =>
    specs.some(({ minCompatibility }) => minCompatibility !== undefined),
  );
  const loses = LOSES[form].filter((each) => !dated || each !== "minCompatibilityVersion");
  return finish({ form, file: source.file, component: "kube", versions: undefined, gates, loses }, source);
}

function ownTable(document: Document): GateTable | undefined {
  const fields = ownFields(document);
  if (fields === undefined) return undefined;
  const component = fields.text("component")?.value ?? "kube";
  const versions = readComponentVersions(fields.mapping("versions"));
  const loses = fields.texts("loses")?.map(({ value }) => value) ?? [];
  const source = fields.mapping("source");
  const importedFrom = source?.text("form")?.value;
  source?.texts("files");
  source?.done();
  if (!fields.has("gates")) fields.missing("gates", "a list of gates");
  const gates = (fields.list("gates") ?? []).flatMap((each) => {
    const gate = readGate(each);
    each.done();
    return gate ?? [];
  });
  fields.done();
  return finish(
    { form: "own", file: document.source.file, component, versions, gates, loses, importedFrom },
    document.source,
  );
}

/** Reports names that appear twice; both gates stay in the table, the first one counts. */
function finish(table: GateTable, { report }: Source): GateTable {
  const seen = new Map<string, Gate>();
  for (const gate of table.gates) {
    const first = seen.get(gate.name);
    if (first === undefined) {
      seen.set(gate.name, gate);
      continue;
    }
    problemList(report, gate.name, gate.place).report(
      "TAB006",
      "Duplicate",
      `gate ${gate.name} is listed twice`,
      `remove it here or on line ${first.place.line}`,
    );
  }
  return table;
}

function readGate(fields: Fields): Gate | undefined {
  const name = fields.required("name", "the name of the gate");
  const featureSets = (fields.list("featureSets") ?? []).flatMap((each) => readFeatureSet(each));
  if (!fields.has("versionedSpecs") && featureSets.length === 0)
    fields.missing("versionedSpecs", "a list of the gate's specs, oldest first");
  const specs = (fields.list("versionedSpecs") ?? []).flatMap((each) => readSpec(each) ?? []);
  const dependencies = fields
    .texts("dependencies")
    ?.map(({ value, place }): Dependency => ({ name: value, place }));
  const capabilities = (fields.list("capabilities") ?? []).flatMap((each) => readCapability(each) ?? []);
  const gate: Omit<Gate, "name"> = {
    specs,
    dependencies,
    capabilities,
    featureSets,
    components: valuesOf(fields, "components"),
    owners: valuesOf(fields, "owners"),
    constant: (fields.text("constant") ?? fields.text("goName"))?.value,
    declaredIn: valuesOf(fields, "declaredIn"),
    description: fields.text("description")?.value,
    place: name?.place ?? fields.place,
  };
  if (name === undefined) return undefined;
  if (name.value === "")
    return void fields
      .at("name")
      .report("TAB003", "Required", "the name is empty", "set name to the name of the gate");
  return { name: name.value, ...gate };
}

const valuesOf = (fields: Fields, key: string): string[] =>
  fields.texts(key)?.map(({ value }) => value) ?? [];

function readSpec(fields: Fields): GateSpec | undefined {
  const version = fields.version("version");
  if (!fields.has("preRelease"))
    fields.missing("preRelease", `one of the stages ${WRITTEN_STAGES.join(", ")}`);
  const stage = fields.choice("preRelease", WRITTEN_STAGES);
  if (!fields.has("default")) fields.missing("default", "true or false");
  const initial = fields.boolean("default");
  const locked = fields.boolean("lockToDefault");
  const minCompatibility = fields.version("minCompatibilityVersion");
  const unreadable =
    (version === undefined && fields.child("version") !== undefined) ||
    (minCompatibility === undefined && fields.child("minCompatibilityVersion") !== undefined) ||
    (locked === undefined && fields.child("lockToDefault") !== undefined);
  fields.done();
  if (stage === undefined || initial === undefined || unreadable) return undefined;
  return {
    version: version?.value,
    stage: stage.value,
    default: initial.value,
    locked: locked?.value ?? false,
    minCompatibility: minCompatibility?.value,
    place: fields.place,
  };
}

function readCapability(fields: Fields): Capability | undefined {
  const name = fields.required("name", "the name of the capability");
  if (!fields.has("change")) fields.missing("change", `one of ${CHANGES.join(", ")}`);
  const change = fields.choice("change", CHANGES);
  const since = fields.minor("since");
  const until = fields.minor("until");
  fields.text("description");
  fields.done();
  if (name === undefined || change === undefined) return undefined;
  return {
    name: name.value,
    change: change.value,
    since: since?.value,
    until: until?.value,
    place: fields.place,
  };
}

function readFeatureSet(fields: Fields): FeatureSetState[] {
  const featureSet = fields.required("featureSet", "the name of the feature set, such as Default");
  const clusterProfile = fields.text("clusterProfile")?.value ?? "";
  const versions = valuesOf(fields, "versions");
  const enabled = fields.boolean("enabled");
  if (!fields.has("enabled")) fields.missing("enabled", "true or false");
  fields.done();
  if (featureSet === undefined || enabled === undefined) return [];
  return [{ featureSet: featureSet.value, clusterProfile, versions, enabled: enabled.value }];
}

function readComponentVersions(fields: Fields | undefined): ComponentVersions | undefined {
  if (fields === undefined) return undefined;
  const mapped = fields.mapping("mappedFrom");
  const component = mapped?.required("component", "the component whose versions are used");
  const major = mapped?.integer("major");
  const minorOffset = mapped?.integer("minorOffset");
  mapped?.done();
  const versions: ComponentVersions = {
    binary: fields.version("binary")?.value,
    emulationFloor: fields.minor("emulationFloor")?.value,
    minCompatibilityFloor: fields.minor("minCompatibilityFloor")?.value,
    mappedFrom:
      component === undefined
        ? undefined
        : { component: component.value, major: major?.value ?? 1, minorOffset: minorOffset?.value ?? 0 },
  };
  fields.done();
  return versions;
}
