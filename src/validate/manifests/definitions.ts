/**
 * Definitions of the kinds that a user finds in manifests/ and openshift/ or adds there: schemas alone, without their
 * validation rules, of all feature sets together, so that nothing is refused that some cluster of the release takes.
 */
import { rowsAt, type Span } from "../../core/by-release.js";
import { isJson, isList, isObject, type JsonObject, textAt } from "../../core/json.js";
import { lookup } from "../../core/lookup.js";
import type { Release } from "../../core/release.js";
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

/** What was read, by kind, group and release: a process may look at the objects of many clusters. */
const READ = new Map<string, Promise<Crd | undefined>>();

/** The definition of a kind as a release has it, or undefined for one that is not known. */
export function definitionOf(
  { group, kind }: Pick<ObjectIdentity, "group" | "kind">,
  release: Release,
): Promise<Crd | undefined> {
  if (!Object.hasOwn(GROUPS, group)) return Promise.resolve(undefined);
  const key = `${kind}.${group} ${release.name}`;
  const known = READ.get(key) ?? readOwn(group, kind, release);
  READ.set(key, known);
  return known;
}

async function readOwn(group: string, kind: string, release: Release): Promise<Crd | undefined> {
  const table = await lookup(GROUPS, group)?.();
  // The groups are large: one definition is read, not all of them.
  const own: unknown = table?.default.definitions.find((each) => each.kind === kind);
  if (!isJson(own) || !isObject(own)) return undefined;
  const { gone, further, asReleased } = await releasedAs(`${kind}.${group}`, release);
  const definition = readDefinition(group, own, asReleased);
  const beside = further.flatMap(({ version, like }) =>
    definition.versions.filter(({ name }) => name === like).map((each) => ({ ...each, name: version })),
  );
  const served = [...definition.versions.filter(({ name }) => !gone.has(name)), ...beside];
  return { ...definition, versions: served };
}

/** What a release has otherwise than the definition of a kind says. */
async function releasedAs(name: string, release: Release) {
  const table = (await import("../../../schemas/data/definitions/releases.json")).default;
  const at = <T extends Span & { readonly kind: string }>(rows: readonly T[]): T[] =>
    rowsAt(rows, release).filter(({ kind }) => kind === name);
  const changes = [
    ...at(table.absent).map(({ path }): SchemaChange => ({ steps: stepsOf(path), apply: () => undefined })),
    ...at(table.members).map(
      ({ path, member, value }): SchemaChange => ({
        steps: stepsOf(path),
        apply: ({ [member]: _, ...others }) => (value === null ? others : { ...others, [member]: value }),
      }),
    ),
  ];
  return {
    gone: new Set(at(table.versions).map(({ version }) => version)),
    further: at(table.further),
    asReleased: (schema: JsonObject): JsonObject => changes.reduce(changed, schema),
  };
}

/** A change to the schema of a field; without one that takes its place the field is not there. */
interface SchemaChange {
  readonly steps: readonly string[];
  apply(schema: JsonObject): JsonObject | undefined;
}

/** The members of schemas that lead to a field of a path such as `spec.routes[].labels`. */
const stepsOf = (path: string): string[] =>
  path
    .split(".")
    .flatMap((name) => ["properties", name.replace("[]", ""), ...(name.endsWith("[]") ? ["items"] : [])]);

/** The schema with the change; as it is where the path leads nowhere, which an absent field above it may cause. */
function changed(schema: JsonObject, { steps: [step, ...others], apply }: SchemaChange): JsonObject {
  const below = schema[step ?? ""];
  if (step === undefined || !isObject(below)) return schema;
  const next = others.length === 0 ? apply(below) : changed(below, { steps: others, apply });
  const { [step]: _, ...kept } = schema;
  return next === undefined ? kept : { ...schema, [step]: next };
}

function readDefinition(
  group: string,
  definition: JsonObject,
  asReleased: (schema: JsonObject) => JsonObject,
): Crd {
  const versions = definition["versions"];
  return {
    name: "",
    labels: new Map(),
    group,
    kind: textAt(definition, "kind"),
    plural: textAt(definition, "plural"),
    namespaced: definition["namespaced"] === true,
    versions: (isList(versions) ? versions : []).filter(isObject).map((version) => {
      const { schema } = version;
      return {
        name: textAt(version, "name"),
        served: true,
        schema: readSchema(isObject(schema) ? asReleased(schema) : {}),
      };
    }),
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

/** The schema of the configuration file of a release's kubelet. */
export async function kubeletSchema(release: Release): Promise<SchemaNode> {
  const { schema }: { readonly schema: unknown } = (
    await import("../../../schemas/data/definitions/kubelet.json")
  ).default;
  const { asReleased } = await releasedAs("KubeletConfiguration.kubelet.config.k8s.io", release);
  return readSchema(isJson(schema) && isObject(schema) ? asReleased(schema) : {});
}
