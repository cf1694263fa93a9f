/**
 * Definitions of the kinds that a user finds in manifests/ and openshift/ or adds there: schemas alone, without their
 * validation rules, of all feature sets together, so that nothing is refused that some cluster takes.
 */
import { isJson, isList, isObject, type JsonObject, textAt } from "../../core/json.js";
import { lookup } from "../../core/lookup.js";
import { type Crd, readSchema, type SchemaNode } from "../../kubernetes/crd-read.js";

type Table = () => Promise<{ readonly default: unknown }>;

const GROUPS: Readonly<Record<string, Table>> = {
  "config.openshift.io": () => import("../../../schemas/data/definitions/config.json"),
  "machine.openshift.io": () => import("../../../schemas/data/definitions/machine.json"),
  "machineconfiguration.openshift.io": () =>
    import("../../../schemas/data/definitions/machineconfiguration.json"),
  "operator.openshift.io": () => import("../../../schemas/data/definitions/operator.json"),
};

/** The definitions of an API group; none for a group that is not known. */
export async function definitionsOf(group: string): Promise<readonly Crd[]> {
  const table = (await lookup(GROUPS, group)?.())?.default;
  const definitions = isJson(table) && isObject(table) ? table["definitions"] : undefined;
  return isList(definitions)
    ? definitions.flatMap((each) => (isObject(each) ? [readDefinition(group, each)] : []))
    : [];
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

/** The schema of the kubelet's configuration file. */
export async function kubeletSchema(): Promise<SchemaNode> {
  const table: unknown = (await import("../../../schemas/data/definitions/kubelet.json")).default;
  return readSchema(isJson(table) && isObject(table) ? (table["schema"] ?? {}) : {});
}
