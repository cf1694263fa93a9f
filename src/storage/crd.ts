/** A CustomResourceDefinition as far as storage goes, with the place of each part. */

import type { Position, Report } from "../core/diagnostics.js";
import { problemList } from "../core/problem.js";
import { membersOf, typeOf } from "../kubernetes/list-members.js";
import { dns1035Faults, invalid, subdomainFaults } from "../kubernetes/server-error.js";
import { readYaml, type YamlNode } from "../text/yaml-read.js";
import { Fields, placeIn, type Source } from "./compatibility.js";

export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly place: Position;
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
  readonly place: Position;
  /** The object as read, to build manifests from. */
  readonly root: YamlNode;
}

/**
 * Reads every CustomResourceDefinition of a text: documents, Lists, and Lists in Lists. Members that storage does not
 * depend on are passed over. Undefined when there is none, or one of them cannot be read.
 */
export function readStorageCrds(text: string, file: string, report: Report): StorageCrd[] | undefined {
  const { documents, problems } = readYaml(text, file);
  for (const problem of problems) report(problem);
  const source: Source = { file, report, lineOffset: 0 };
  const found = documents
    .flatMap(({ root }) => (root === undefined ? [] : membersOf(root)))
    .map(({ node, inherited }) => ({ root: node, ...typeOf(node, inherited) }))
    .filter(({ kind }) => kind === "CustomResourceDefinition");
  if (found.length === 0)
    problemList(report, "", { file, line: 1, column: 1 }).report(
      "STO030",
      "NotFound",
      "C1 one-definition: the file contains no CustomResourceDefinition",
      "use a file with one or more definitions",
    );
  const read = found.map((each) => crdOf(each, source));
  const crds = read.flatMap((crd) => (crd === undefined ? [] : [crd]));
  for (const [i, crd] of crds.entries())
    if (crds.findIndex(({ name }) => name === crd.name) < i)
      problemList(report, "", crd.place).report(
        "STO030",
        "TooMany",
        `C1 one-definition: ${crd.name} is defined twice`,
        "keep one definition of each name in a file",
      );
  return crds.length === 0 || crds.length < read.length ? undefined : crds;
}

function crdOf(
  { root, apiVersion }: { readonly root: YamlNode; readonly apiVersion: string },
  source: Source,
): StorageCrd | undefined {
  if (root.type !== "mapping") return undefined;
  if (apiVersion !== "apiextensions.k8s.io/v1") {
    problemList(source.report, "apiVersion", placeIn(source, root)).report(
      "STO030",
      "NotSupported",
      `C1 one-definition: ${JSON.stringify(apiVersion)} is not served since 1.22`,
      "convert it to apiextensions.k8s.io/v1, as printed by kubectl get crd -o yaml",
    );
    return undefined;
  }
  return crdFrom(new Fields(root, "", source), source.file);
}

/**
 * False when the definition names what the API takes as no name, and so no cluster can have: such names reach no
 * command and no object.
 */
export function hasLegalNames(crd: StorageCrd, report: Report): boolean {
  const rows: readonly (readonly [string, string, readonly string[]])[] = [
    ["metadata.name", crd.name, subdomainFaults(crd.name)],
    ["spec.group", crd.group, subdomainFaults(crd.group)],
    ["spec.names.plural", crd.plural, dns1035Faults(crd.plural)],
    ...crd.versions.map(({ name }, i) => [`spec.versions[${i}].name`, name, dns1035Faults(name)] as const),
    ...(crd.storedVersions ?? []).map(
      (name, i) => [`status.storedVersions[${i}]`, name, dns1035Faults(name)] as const,
    ),
  ];
  const faulty = rows.filter(([, , faults]) => faults.length > 0);
  for (const [field, name, faults] of faulty)
    problemList(report, field, crd.place).report(
      "STO037",
      "Invalid",
      `C8 names: ${invalid(field, name, faults.join(",")).message}`,
      "use the definition from the cluster: kubectl get crd NAME -o yaml",
    );
  return faulty.length === 0;
}

function crdFrom(fields: Fields, file: string): StorageCrd | undefined {
  const metadata = fields.mapping("metadata");
  const spec = fields.mapping("spec");
  if (spec === undefined) return fields.missing("spec", "a mapping with the versions");
  const group = spec.required("group", "the API group");
  const names = spec.mapping("names");
  const plural = names?.required("plural", "the plural name of the resource");
  const kind = names?.required("kind", "the name of the kind");
  if (!spec.has("versions")) spec.missing("versions", "a list of {name, served, storage, schema}");
  const versions = (spec.list("versions") ?? []).flatMap((each): CrdVersion[] => {
    const name = each.required("name", "the API version");
    const served = flag(each, "served");
    const storage = flag(each, "storage");
    return name === undefined ? [] : [{ name: name.value, served, storage, place: each.place }];
  });
  if (names === undefined) spec.missing("names", "a mapping {plural, kind}");
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
  if (!fields.has(key)) fields.missing(key, "true or false, which the API server requires");
  return fields.boolean(key)?.value ?? false;
}

export const storageVersionOf = ({ versions }: StorageCrd): string | undefined =>
  versions.find(({ storage }) => storage)?.name;
