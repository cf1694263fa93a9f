/** Which object a document is about, and which object a reference means. */
import { isObject, type JsonObject, textAt } from "../core/json.js";

/** Group and version of an `apiVersion`; the core group is the empty text. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** `v1` is the core group, `apps/v1` is group and version; more than one slash stays in the version. */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const slash = apiVersion.indexOf("/");
  return slash < 0
    ? { group: "", version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

export interface ObjectIdentity extends GroupVersion {
  readonly kind: string;
  /** Empty when the object names none. */
  readonly namespace: string;
  readonly name: string;
}

/** Missing members are empty texts. */
export function identityOf(object: JsonObject): ObjectIdentity {
  const metadata = object["metadata"];
  const meta = isObject(metadata) ? metadata : {};
  return {
    ...parseApiVersion(textAt(object, "apiVersion")),
    kind: textAt(object, "kind"),
    namespace: textAt(meta, "namespace"),
    name: textAt(meta, "name"),
  };
}

/** Equal for two documents that describe the same object; the version does not count. */
export const identityKey = ({ group, kind, namespace, name }: ObjectIdentity): string =>
  JSON.stringify([group, kind, namespace, name]);

/** `kind.group namespace/name`, for messages. */
export const formatIdentity = ({ group, kind, namespace, name }: ObjectIdentity): string =>
  `${kind}${group === "" ? "" : `.${group}`} ${namespace === "" ? "" : `${namespace}/`}${name}`;
