/** Objects of a copy in a form that somebody can apply: decoded, cleaned, in a version that a release serves. */
import { createHash } from "node:crypto";
import { isObject, type JsonObject, textAt } from "../../core/json.js";
import { contentOf } from "../decode/decode.js";
import { type JsonForm, requireExact } from "../decode/json-form.js";
import { ANY_OBJECT } from "../decode/messages.js";
import { KeyLayout, type KeyPlace, type Resource, restOf, shownKey } from "../key-layout.js";
import { CopyFault } from "../read/copy-file.js";
import { keyText, type StoredRecord } from "../read/record.js";
import { WireFault } from "../read/varint.js";
import { findVersion, isServed, type Minor, releaseName } from "../releases.js";
import { servedAs } from "../requests.js";
import { readValue, type ScanOptions, type Survey } from "../scan.js";
import { type CleanOptions, cleaned } from "./clean.js";
import { inVersion } from "./convert.js";
import { refusedAnew } from "./old-defaults.js";

export interface Recovered {
  readonly key: string;
  /** One folder holds all: the first digit is the order in which they can be created. */
  readonly file: string;
  readonly object: JsonObject;
  /** What somebody who applies it has to know. */
  readonly notes: readonly string[];
}

export interface NotRecovered {
  readonly key: string;
  readonly reason: string;
}

export interface RecoverOptions extends CleanOptions {
  readonly target: Minor;
  readonly form: JsonForm;
}

/** Which rows of a survey are wanted. */
export interface Selection {
  /** Whole keys; undefined for whatever the rest selects. */
  readonly keys: ReadonlySet<string> | undefined;
  /** `resource` or `resource.group`; empty for all. */
  readonly resources: readonly string[];
  readonly namespace: string | undefined;
}

/** Rows of API objects that are selected, in no order. Bookkeeping of servers is not an object that anybody creates. */
export function selectRows({ table, order }: Survey, { keys, resources, namespace }: Selection): number[] {
  const wanted = new Set(resources);
  return [...order()].filter((row) => {
    if (keys !== undefined) return keys.has(keyText(table.key(row)));
    const { family, group, resource, builtIn } = table.resourceOf(row);
    if (family === "none" || family === "unknown" || builtIn?.internal === true) return false;
    const rest = table.restOf(row);
    if (namespace !== undefined && (rest.length !== 2 || keyText(rest[0] ?? "") !== namespace)) return false;
    return wanted.size === 0 || wanted.has(resource) || wanted.has(qualified(resource, group));
  });
}

const qualified = (resource: string, group: string): string =>
  group === "" ? resource : `${resource}.${group}`;

/** Reads the copies once more and yields every selected object as it is met. */
export async function* recover(
  survey: Survey,
  rows: readonly number[],
  scan: ScanOptions,
  options: RecoverOptions,
): AsyncGenerator<Recovered | NotRecovered> {
  const { table } = survey;
  const wanted = new Map(rows.map((row) => [table.key(row), row]));
  const layout = new KeyLayout(scan.prefixes, survey.prefixes);
  let left = PAUSE_AFTER;
  for (const [index, copy] of scan.copies.entries())
    try {
      for (const record of copy.live(scan.at)) {
        const row = wanted.get(record.key);
        if (row !== undefined && table.copy(row) === index && table.modRevision(row) === record.modRevision) {
          wanted.delete(record.key);
          yield one(survey, record, layout.place(record.key), options);
        }
        if (--left > 0) continue;
        left = PAUSE_AFTER;
        await scan.pause?.();
      }
    } catch (error) {
      if (!(error instanceof CopyFault)) throw error;
      scan.report(error.problem);
    }
}

const PAUSE_AFTER = 1024;

function one(
  survey: Survey,
  { key, value }: StoredRecord,
  place: KeyPlace,
  options: RecoverOptions,
): Recovered | NotRecovered {
  const { resource } = place;
  const shown = shownKey(keyText(key));
  const { decoded, outcomes } = readValue(survey.readers.of(resource), place, key, value);
  if (decoded?.ok !== true)
    return {
      key: shown,
      reason: outcomes.find(({ error }) => error !== undefined)?.error ?? "the value cannot be read",
    };
  const unknownBefore = options.form.unknownFields;
  let object: JsonObject;
  try {
    object =
      "value" in decoded.body
        ? contentOf(decoded, ANY_OBJECT)
        : options.form.read(
            decoded.body.data,
            decoded.body.start,
            decoded.body.end,
            decoded.type.apiVersion ?? "",
            decoded.type.kind ?? "",
          );
    requireExact(object);
  } catch (error) {
    if (!(error instanceof WireFault)) throw error;
    return { key: shown, reason: error.message };
  }
  const notes: string[] = [];
  if (options.form.unknownFields > unknownBefore)
    notes.push(`${options.form.unknownFields - unknownBefore} fields that slipway does not know are omitted`);
  const rest = restOf(key, place).map(keyText);
  const name = rest.at(-1) ?? "";
  const namespace = rest.length > 1 ? rest[0] : undefined;
  const made = inServedVersion(survey, resource, cleaned(object, options), options, notes);
  return {
    key: shown,
    file: fileName(resource, namespace, name),
    object: placed(made, namespace, name, notes),
    notes,
  };
}

/** The key is where the object was found, so its names count. */
function placed(
  object: JsonObject,
  namespace: string | undefined,
  name: string,
  notes: string[],
): JsonObject {
  const { metadata, ...rest } = object;
  const { name: ownName, namespace: ownNamespace, ...others } = isObject(metadata) ? metadata : {};
  if (ownName !== name || (ownNamespace ?? "") !== (namespace ?? ""))
    notes.push(
      "the name and namespace of the object differ from its key; using the name and namespace in the key",
    );
  const { apiVersion, kind, ...body } = rest;
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), ...others },
    ...body,
  };
}

function inServedVersion(
  { cluster }: Survey,
  resource: Resource,
  object: JsonObject,
  { target, form }: RecoverOptions,
  notes: string[],
): JsonObject {
  const { builtIn } = resource;
  if (builtIn === undefined) return object;
  const stored = textAt(object, "apiVersion");
  const version = findVersion(builtIn, stored);
  if (version !== undefined && isServed(version, target)) return object;
  const served = servedAs(resource, cluster, target);
  if (served === undefined) {
    notes.push(`${releaseName(target)} serves no version of the resource`);
    return object;
  }
  const apiVersion = served.group === "" ? served.version : `${served.group}/${served.version}`;
  if (stored === "") return { apiVersion, kind: builtIn.kind, ...object };
  const converted = inVersion(object, apiVersion, form);
  if (converted === undefined)
    notes.push(
      `stored in ${stored}, which ${releaseName(target)} does not serve; rewrite the object in ${apiVersion}, which has different fields`,
    );
  else
    notes.push(
      ...refusedAnew(converted, apiVersion).map(
        (what) => `${apiVersion} does not allow creating it: ${what}; correct the file`,
      ),
    );
  return converted ?? object;
}

/**
 * Namespaces and what others are refused without come first; what may refuse others, or is made by others that would
 * then find its place taken (the addresses of services), comes last.
 */
const ORDER: ReadonlyMap<string, number> = new Map(
  [
    ["namespaces"],
    [
      "customresourcedefinitions.apiextensions.k8s.io",
      "priorityclasses.scheduling.k8s.io",
      "runtimeclasses.node.k8s.io",
      "serviceaccounts",
      "servicecidrs.networking.k8s.io",
      "storageclasses.storage.k8s.io",
    ],
    [
      "clusterroles.rbac.authorization.k8s.io",
      "configmaps",
      "persistentvolumeclaims",
      "persistentvolumes",
      "roles.rbac.authorization.k8s.io",
      "secrets",
      "services",
    ],
  ].flatMap((names, rank) => names.map((name) => [name, rank] as const)),
);
const LAST =
  /\.(?:admissionregistration|apiregistration)\.k8s\.io$|^(?:ipaddresses\.networking\.k8s\.io|limitranges|resourcequotas)$/;
const LONGEST_FILE = 200;

function fileName(
  { resource, group, family }: Resource,
  namespace: string | undefined,
  name: string,
): string {
  const full = qualified(resource, group);
  const rank = ORDER.get(full) ?? (LAST.test(full) ? 5 : family === "custom" ? 4 : 3);
  const parts = [full, ...(namespace === undefined ? [] : [namespace]), name].map(encoded);
  const whole = `${rank}_${parts.join("_")}`;
  // Names of RBAC may differ in case alone, which some file systems do not tell.
  if (whole.length <= LONGEST_FILE && !/[A-Z]/.test(`${namespace ?? ""}${name}`)) return whole;
  return `${whole.slice(0, LONGEST_FILE)}_${createHash("sha256").update(whole).digest("hex").slice(0, 8)}`;
}

/** Bytes that mean nothing to a file system or a shell; others as %XX, so that different names stay different. */
const encoded = (text: string): string =>
  Array.from(Buffer.from(text), (byte) => {
    const character = String.fromCharCode(byte);
    return /[-A-Za-z0-9.:]/.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
