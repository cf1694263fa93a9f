/**
 * The answers of kube-apiserver to requests that meet objects which cannot be read: LIST, GET, and the watch event of
 * their deletion (docs/reference/storage-and-encryption.md §1.5, §3.2; apiserver `storage/etcd3/corrupt_obj_deleter.go`
 * of the branches 1.32 to 1.36 and of the development of 1.37).
 */
import { isSince } from "../core/by-release.js";
import type { JsonObject } from "../core/json.js";
import { behavesSince } from "../kubernetes/behavior.js";
import type { Minor } from "./releases.js";

/** An object that a server cannot read. */
export interface Failure {
  /** The whole etcd key, as text. */
  readonly key: string;
  readonly kind: "untransformable" | "undecodable";
  /** The words of the transformer or of the decoder. */
  readonly error: string;
  readonly modRevision: bigint;
  /** True when a detail of the words may differ. */
  readonly approximate: boolean;
}

export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** First release whose servers can tell such objects by name and delete them. */
export const FEATURE_SINCE = behavesSince("deletesUnreadable");
/** First release with the newer rules: another message, another limit, dry run, stricter deletion. */
export const NEWER_SINCE = behavesSince("answersForUnreadable");
export const FEATURE_GATE = "AllowUnsafeMalformedObjectDeletion";

const LIMIT = 100;
const TOO_MANY = { reason: "FieldValueTooMany", message: "too many errors, the list is truncated" };
const UNEXPECTED = "UnexpectedServerResponse";

/**
 * The Status of an unpaged LIST that reads storage, or undefined when nothing is in its way. `failures` in byte order
 * of their keys; more than are shown need not be given, but at least one more than the limit where there is one.
 */
export function listStatus(
  target: Minor,
  resource: GroupResource,
  failures: readonly Failure[],
  gate: boolean,
): JsonObject | undefined {
  const [first] = failures;
  if (first === undefined) return undefined;
  if (!gate || !isSince(target, FEATURE_SINCE)) return listWithoutGate(first);
  const shown = failures.slice(0, LIMIT);
  const causes: JsonObject[] = shown.map((failure) => ({
    reason: UNEXPECTED,
    message: corrupt(failure, failure.key),
    field: failure.key,
  }));
  // The newer rules stop at the hundredth, the earlier when they meet one more.
  if (failures.length > LIMIT || (isSince(target, NEWER_SINCE) && failures.length === LIMIT))
    causes.push(TOO_MANY);
  const more = isSince(target, NEWER_SINCE)
    ? `: ${corrupt(first, first.key)}${shown.length > 1 ? ` (and ${shown.length - 1} more)` : ""}`
    : "";
  const { group } = resource;
  return status({
    message: `failed to read one or more ${qualified(resource)} from the storage${more}`,
    reason: "StorageReadError",
    details: { name: "list", ...(group === "" ? {} : { group }), kind: resource.resource, causes },
  });
}

function listWithoutGate({ kind, key, error }: Failure): JsonObject {
  if (kind === "undecodable") return status({ message: error });
  return internalError(`unable to transform key ${JSON.stringify(key)}: ${error}`);
}

/** The Status of a GET, and of an ordinary DELETE, of one object. `prefix` is what the storage puts before its keys. */
export function getStatus(target: Minor, failure: Failure, prefix: string, gate: boolean): JsonObject {
  if (!gate || !isSince(target, FEATURE_SINCE))
    return failure.kind === "undecodable" ? status({ message: failure.error }) : internalError(failure.error);
  return internalError(corrupt(failure, failure.key.slice(prefix.length)));
}

/**
 * What clients that watch the resource see when the object is deleted unsafely. Only an object that does not decrypt
 * is recognised there; one that does not decode gives the bare decoder text.
 */
export function watchEvent(failure: Failure, gate: boolean): JsonObject {
  const { kind, error } = failure;
  const object =
    gate && kind === "untransformable"
      ? status({
          message: `saw a DELETED event, but object data is corrupt - ${described(failure)}`,
          reason: "StorageReadError",
        })
      : internalError(error);
  return { type: "ERROR", object };
}

function described({ kind, error, modRevision }: Failure): string {
  return kind === "untransformable"
    ? `data from the storage is not transformable revision=0: ${error}`
    : `object not decodable revision=${modRevision}: ${error}`;
}

const corrupt = (failure: Failure, key: string): string =>
  `StorageError: corrupt object, Code: 7, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${described(failure)}`;

const internalError = (text: string): JsonObject =>
  status({
    message: `Internal error occurred: ${text}`,
    reason: "InternalError",
    details: { causes: [{ message: text }] },
  });

/** In the order in which a server writes the members. */
const status = (rest: { message: string; reason?: string; details?: JsonObject }): JsonObject => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  ...rest,
  code: 500,
});

const qualified = ({ group, resource }: GroupResource): string =>
  group === "" ? resource : `${resource}.${group}`;
