/** What a Secret may hold: keys, sizes and the base64 that Go reads (docs/reference/cluster-api.md §4.6). */

import { isBase64 } from "../core/base64.js";
import { isObject, type JsonObject } from "../core/json.js";

/** The sum of the values of a Secret or ConfigMap, in bytes before base64. */
export const DATA_LIMIT = 1_048_576;

/** Above this sum, client-side `kubectl apply` does not fit the object into its annotation. */
export const CLIENT_APPLY_LIMIT = 190 * 1024;

/** The sum of the keys and values of all annotations of one object, in bytes. */
export const ANNOTATIONS_LIMIT = 262_144;

export const SECRET_KEY_HINT =
  "use letters, digits, '-', '_' and '.', at most 253 characters, but not '.', '..' or a name that starts with '..'";

/** Key of the data of a Secret or ConfigMap. */
export const isSecretKey = (text: string): boolean =>
  /^[-._a-zA-Z0-9]{1,253}$/.test(text) && text !== "." && !text.startsWith("..");

export const encodeBase64 = (data: Uint8Array): string =>
  Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");

/**
 * The bytes of standard base64 with padding, as Go's `encoding/json` reads it into a byte array: line ends inside
 * are skipped, anything else outside the alphabet is refused (undefined).
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  const plain = text.replace(/[\r\n]/g, "");
  return isBase64(plain) ? Buffer.from(plain, "base64") : undefined;
}

/** `data` of a Secret, decoded, with `stringData` laid over it as the API server does; values that cannot be read are left out. */
export function secretData(secret: JsonObject): ReadonlyMap<string, Uint8Array> {
  const values = new Map<string, Uint8Array>();
  const { data, stringData } = secret;
  if (isObject(data))
    for (const [key, value] of Object.entries(data)) {
      const bytes = typeof value === "string" ? decodeBase64(value) : undefined;
      if (bytes !== undefined) values.set(key, bytes);
      else if (value === null) values.set(key, new Uint8Array());
    }
  if (isObject(stringData))
    for (const [key, value] of Object.entries(stringData))
      if (typeof value === "string") values.set(key, Buffer.from(value, "utf8"));
  return values;
}

/** True for an object that SOPS encrypted: it adds a member `sops` with a digest of everything. */
export function isEncrypted(object: JsonObject): boolean {
  const { sops } = object;
  return isObject(sops) && (sops["mac"] !== undefined || sops["version"] !== undefined);
}
