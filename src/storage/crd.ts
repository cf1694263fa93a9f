/** A CustomResourceDefinition as far as storage goes, with the place of each part. */
import { readYaml, type YamlNode } from "../text/yaml-read.js";
import { Fields, type Place, placeIn, type Report, type Source } from "./compatibility.js";

export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly place: Place;
}

export interface StorageCrd {
  readonly file: string;
  readonly name: string;
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly scope: string;
  readonly resourceVersion: string | undefined;
  readonly versions: readonly CrdVersion[];
  /** Undefined when the object carries no status, as one from a repository. */
  readonly storedVersions: readonly string[] | undefined;
  readonly established: boolean;
  readonly place: Place;
  /** The object as read, to build manifests from. */
  readonly root: YamlNode;
}

/** Reads the one CustomResourceDefinition of a text; members that storage does not depend on are passed over. */
export function readStorageCrd(text: string, file: string, report: Report): StorageCrd | undefined {
  const { documents, problems } = readYaml(text, file);
  for (const problem of problems) report(problem);
  const roots = documents.flatMap(({ root }) => root ?? []);
  const source: Source = { file, report, lineOffset: 0 };
  const found = roots.filter((root) => textAt(root, "kind") === "CustomResourceDefinition");
  const [root, second] = found;
  if (root?.type !== "mapping" || second !== undefined) {
    report({
      code: "STO030",
      kind: second === undefined ? "NotFound" : "TooMany",
      ...(second === undefined ? { file, line: 1, column: 1 } : placeIn(source, second)),
      message: `C1 one-definition: ${second === undefined ? "no CustomResourceDefinition here" : "a second CustomResourceDefinition"}`,
      hint: "give one definition in each file",
    });
    return undefined;
  }
  if (textAt(root, "apiVersion") !== "apiextensions.k8s.io/v1") {
    report({
      code: "STO030",
      kind: "NotSupported",
      ...placeIn(source, root),
      field: "apiVersion",
      message: `C1 one-definition: ${JSON.stringify(textAt(root, "apiVersion"))} is served by no release since 1.22`,
      hint: "write it as apiextensions.k8s.io/v1; kubectl get crd -o yaml prints it so",
    });
    return undefined;
  }
  return crdFrom(new Fields(root, "", source), file);
}

function textAt(root: YamlNode, key: string): string {
  if (root.type !== "mapping") return "";
  const value = root.entries.find(({ name }) => name === key)?.value;
  return value?.type === "scalar" ? value.text : "";
}

function crdFrom(fields: Fields, file: string): StorageCrd | undefined {
  const metadata = fields.mapping("metadata");
  const spec = fields.mapping("spec");
  if (spec === undefined) return fields.missing("spec", "the versions stand there");
  const group = spec.required("group", "the API group");
  const names = spec.mapping("names");
  const plural = names?.required("plural", "the plural of the resource");
  const kind = names?.required("kind", "the kind");
  if (!spec.has("versions")) spec.missing("versions", "list {name, served, storage, schema}");
  const versions = (spec.list("versions") ?? []).flatMap((each): CrdVersion[] => {
    const name = each.required("name", "the API version");
    const served = flag(each, "served");
    const storage = flag(each, "storage");
    return name === undefined ? [] : [{ name: name.value, served, storage, place: each.place }];
  });
  if (names === undefined) spec.missing("names", "{plural, kind}");
  if (group === undefined || plural === undefined || kind === undefined) return undefined;
  const status = fields.mapping("status");
  const conditions = status?.list("conditions") ?? [];
  return {
    file,
    name: metadata?.text("name")?.value ?? `${plural.value}.${group.value}`,
    group: group.value,
    plural: plural.value,
    kind: kind.value,
    scope: spec.text("scope")?.value ?? "",
    resourceVersion: metadata?.scalar("resourceVersion")?.text,
    versions,
    storedVersions: status?.texts("storedVersions")?.map(({ value }) => value),
    established: conditions.some(
      (each) => each.text("type")?.value === "Established" && each.text("status")?.value === "True",
    ),
    place: fields.place,
    root: fields.node,
  };
}

function flag(fields: Fields, key: string): boolean {
  if (!fields.has(key)) fields.missing(key, "true or false; the API server refuses a definition without it");
  return fields.boolean(key)?.value ?? false;
}

export const storageVersionOf = ({ versions }: StorageCrd): string | undefined =>
  versions.find(({ storage }) => storage)?.name;
