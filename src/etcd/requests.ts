/** Where the API of a release shows what is stored under a key. */
import { parseApiVersion } from "../kubernetes/identity.js";
import { compareKubeVersions } from "../kubernetes/versions.js";
import type { Cluster } from "./cluster.js";
import type { Resource } from "./key-layout.js";
import { type Minor, servedVersion } from "./releases.js";

export interface Served {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** How a release serves a resource; undefined when it does not, or when nothing here knows. */
export function servedAs(
  { family, builtIn, group, resource, kind, namespaced }: Resource,
  cluster: Cluster,
  target: Minor,
): Served | undefined {
  if (family === "foreign" && kind !== undefined && namespaced !== undefined)
    return { group, version: "v1", resource, kind, namespaced };
  if (builtIn !== undefined) {
    if (builtIn.internal === true) return undefined;
    const version = servedVersion(builtIn, target);
    if (version === undefined) return undefined;
    const { version: name } = parseApiVersion(version.apiVersion);
    return {
      group: builtIn.group,
      version: name,
      resource: builtIn.resource,
      kind: builtIn.kind,
      namespaced: builtIn.namespaced,
    };
  }
  if (family !== "custom") return undefined;
  const definition = cluster.definition(group, resource);
  const [best] = (definition?.versions ?? [])
    .filter(({ served }) => served)
    .map(({ name }) => name)
    .sort((a, b) => compareKubeVersions(b, a));
  if (definition === undefined || best === undefined) return undefined;
  return { group, version: best, resource, kind: definition.kind, namespaced: definition.namespaced };
}

const root = ({ group, version }: Served): string =>
  group === "" ? `/api/${version}` : `/apis/${group}/${version}`;

/** Path of a LIST of a resource, in a namespace where one is given and the resource has any. */
export function listPath(
  resource: Resource,
  cluster: Cluster,
  target: Minor,
  namespace: string | undefined,
): string | undefined {
  const served = servedAs(resource, cluster, target);
  if (served === undefined) return undefined;
  const inside =
    served.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${root(served)}${inside}/${served.resource}`;
}

/** Path of one object. */
export function objectPath(served: Served, namespace: string | undefined, name: string): string {
  const inside = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root(served)}${inside}/${served.resource}/${encodeURIComponent(name)}`;
}
