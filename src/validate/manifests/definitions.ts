/**
 * Definitions of the kinds that a user finds in manifests/ and openshift/ or adds there, as a release serves them with a
 * feature set: their versions, fields and values, without validation rules (tables/definitions).
 */
import { isJson, isList, isObject, type JsonObject, textAt } from "../../core/json.js";
import { lookup } from "../../core/lookup.js";
import { RELEASE_ROWS, type Release } from "../../core/release.js";
import { type Crd, readSchema, type SchemaNode } from "../../crd/read.js";
import type { ObjectIdentity } from "../../kubernetes/identity.js";
import { FEATURE_SETS, isServed, type ServedBy, type ServedRow, servedSchema } from "./served.js";

type Table = () => Promise<{
  readonly default: { readonly definitions: readonly { readonly kind: string }[] };
}>;

/** The groups whose kinds are known in full. */
const GROUPS: Readonly<Record<string, Table>> = {
  "config.openshift.io": () => import("../../../tables/definitions/config.json"),
  "machine.openshift.io": () => import("../../../tables/definitions/machine.json"),
  "machineconfiguration.openshift.io": () => import("../../../tables/definitions/machineconfiguration.json"),
  "operator.openshift.io": () => import("../../../tables/definitions/operator.json"),
};

type Kind = Pick<ObjectIdentity, "group" | "kind">;

/** What was read, by kind, group, release and feature set: a process may look at the objects of many clusters. */
const READ = new Map<string, Promise<Crd | undefined>>();

/** The definition of a kind with the versions that are served; undefined for a kind that no schema describes. */
export function definitionOf({ group, kind }: Kind, by: ServedBy): Promise<Crd | undefined> {
  if (!Object.hasOwn(GROUPS, group)) return Promise.resolve(undefined);
  const key = `${kind}.${group} ${by.release.name} ${by.featureSet}`;
  const known = READ.get(key) ?? readOwn({ group, kind }, by);
  READ.set(key, known);
  return known;
}

async function readOwn({ group, kind }: Kind, by: ServedBy): Promise<Crd | undefined> {
  const table = await lookup(GROUPS, group)?.();
  // The groups are large: one definition is read, not all of them.
  const own: unknown = table?.default.definitions.find((each) => each.kind === kind);
  if (!isJson(own) || !isObject(own)) return undefined;
  const served = await servedVersions({ group, kind }, by);
  const versions = own["versions"];
  return {
    name: "",
    labels: new Map(),
    group,
    kind,
    plural: textAt(own, "plural"),
    namespaced: own["namespaced"] === true,
    versions: (isList(versions) ? versions : [])
      .filter(isObject)
      .filter((version) => served?.includes(textAt(version, "name")) === true)
      .map((version) => ({
        name: textAt(version, "name"),
        served: true,
        schema: schemaOf(version["schema"], by),
      })),
  };
}

const schemaOf = (schema: JsonObject[string] | undefined, by: ServedBy): SchemaNode =>
  readSchema(isObject(schema) ? servedSchema(schema, by) : {});

// ---- Versions ----

interface VersionRow extends ServedRow {
  readonly version: string;
}
type Versions = Readonly<Record<string, Readonly<Record<string, readonly VersionRow[]>>>>;

async function groupsOfVersions(): Promise<Versions> {
  return (await import("../../../tables/definitions/kinds.json")).default.groups;
}

async function versionRows({ group, kind }: Kind): Promise<readonly VersionRow[] | undefined> {
  return lookup(lookup(await groupsOfVersions(), group), kind);
}

/** The versions of a kind that are served; none where the kind is not; undefined for a kind of which nothing is known. */
export async function servedVersions(kind: Kind, by: ServedBy): Promise<readonly string[] | undefined> {
  const rows = await versionRows(kind);
  return rows?.filter((row) => isServed(row, by)).map(({ version }) => version);
}

/** The least feature set of the release, after the one given, for which something holds; undefined where it holds for none. */
export async function leastSetFor(
  { release, featureSet }: ServedBy,
  holds: (by: ServedBy) => Promise<boolean>,
): Promise<string | undefined> {
  for (const set of FEATURE_SETS.slice(FEATURE_SETS.indexOf(featureSet) + 1))
    if (await holds({ release, featureSet: set })) return set;
  return undefined;
}

/** The releases for which something holds with the feature set of a cluster. */
export async function releasesFor(
  { featureSet }: ServedBy,
  holds: (by: ServedBy) => Promise<boolean>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const release of RELEASE_ROWS) if (await holds({ release, featureSet })) found.push(release.name);
  return found;
}

/** Every kind of one of OpenShift's groups that are known in full; undefined for another group. */
export async function describedKinds(group: string): Promise<readonly string[] | undefined> {
  if (!Object.hasOwn(GROUPS, group)) return undefined;
  return Object.keys(lookup(await groupsOfVersions(), group) ?? {});
}

/** The schema of the configuration file of a release's kubelet. */
export async function kubeletSchema(release: Release): Promise<SchemaNode> {
  const { schema }: { readonly schema: unknown } = (await import("../../../tables/definitions/kubelet.json"))
    .default;
  return schemaOf(isJson(schema) ? schema : {}, { release, featureSet: "Default" });
}
