/**
 * Definitions of the kinds that a user finds in manifests/ and openshift/ or adds there: schemas alone, without their
 * validation rules, of all feature sets together, so that nothing is refused that some cluster takes.
 */
import { isJson, isList, isObject, type JsonObject, textAt } from "../../core/json.js";
import { lookup } from "../../core/lookup.js";
import { type Crd, readSchema, type SchemaNode } from "../../kubernetes/crd-read.js";
import type { ObjectIdentity } from "../../kubernetes/identity.js";

type Table = () => Promise<{
  readonly default: { readonly definitions: readonly { readonly kind: string }[] };
}>;

const GROUPS: Readonly<Record<string, Table>> = {
  "config.openshift.io": () => import("../../../schemas/data/definitions/config.json"),
  "machine.openshift.io": () => import("../../../schemas/data/definitions/machine.json"),
  "machineconfiguration.openshift.io": () =>
    import("../../../schemas/data/definitions/machineconfiguration.json"),
  "operator.openshift.io": () => import("../../../schemas/data/definitions/operator.json"),
};

/** What was read, by kind and group: a process may look at the objects of many clusters. */
const READ = new Map<string, Promise<Crd | undefined>>();

/** The definition of a kind, or undefined for one that is not known. */
export function definitionOf({
  group,
  kind,
}: Pick<ObjectIdentity, "group" | "kind">): Promise<Crd | undefined> {
  if (!Object.hasOwn(GROUPS, group)) return Promise.resolve(undefined);
  const key = `${kind}.${group}`;
  const known = READ.get(key) ?? readOwn(group, kind);
  READ.set(key, known);
  return known;
}

async function readOwn(group: string, kind: string): Promise<Crd | undefined> {
  const table = await lookup(GROUPS, group)?.();
  // The groups are large: one definition is read, not all of them.
  const own: unknown = table?.default.definitions.find((each) => each.kind === kind);
  return isJson(own) && isObject(own) ? readDefinition(group, own) : undefined;
}

function readDefinition(group: string, definition: JsonObject): Crd {
  const versions = definition["versions"];
  return {
    name: "",
    labels: new Map(),
    group,
    kind: textAt(definition, "kind"),
    plural: textAt(definition, "plural"),
    namespaced: definition["namespaced"] === true,
    versions: (isList(versions) ? versions : []).filter(isObject).map((version) => ({
      name: textAt(version, "name"),
      served: true,
      schema: readSchema(version["schema"] ?? {}),
    })),
  };
}

/** Every kind of a group of OpenShift's that slipway describes; undefined for another group. */
export async function describedKinds(group: string): Promise<readonly string[] | undefined> {
  const described = await lookup(GROUPS, group)?.();
  if (described === undefined) return undefined;
  const others: { readonly [group: string]: readonly string[] } = (
    await import("../../../schemas/data/definitions/kinds.json")
  ).default.groups;
  return [...described.default.definitions.map((each) => each.kind), ...(lookup(others, group) ?? [])];
}

/** The schema of the kubelet's configuration file. */
export async function kubeletSchema(): Promise<SchemaNode> {
  const table: unknown = (await import("../../../schemas/data/definitions/kubelet.json")).default;
  return readSchema(isJson(table) && isObject(table) ? (table["schema"] ?? {}) : {});
}
