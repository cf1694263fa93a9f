/**
 * Rules of the API server for objects that no CRD describes: metadata of every object, Secret, ConfigMap and
 * Namespace (apimachinery `validation`, core `ValidateSecret`, `ValidateConfigMap`, `ValidateNamespace`).
 */
import type { Code } from "../core/codes.js";
import type { ErrorKind, Severity } from "../core/diagnostics.js";
import { isObject, type Json, type JsonObject } from "../core/json.js";
import { identityOf } from "./identity.js";
import {
  DNS_LABEL_HINT,
  DNS_SUBDOMAIN_HINT,
  isDnsLabel,
  isDnsSubdomain,
  isLabelValue,
  isQualifiedName,
} from "./names.js";
import { ANNOTATIONS_LIMIT, DATA_LIMIT, decodeBase64, isSecretKey, SECRET_KEY_HINT } from "./secrets.js";

/** Something wrong with an object, at a Kubernetes field path; keys with dots stand in brackets. */
export interface Finding {
  readonly code: Code;
  readonly kind: ErrorKind;
  readonly field: string;
  readonly message: string;
  readonly hint?: string;
  /** `error` when absent. */
  readonly severity?: Severity;
}

type Refuse = (finding: Finding) => void;

/** Every broken rule of an object; kinds without rules of their own are held to those of metadata. */
export function objectFindings(object: JsonObject): Finding[] {
  const findings: Finding[] = [];
  const refuse: Refuse = (finding) => void findings.push(finding);
  const { group, kind } = identityOf(object);
  const core = group === "" ? kind : "";
  metadataFindings(object, core === "Namespace", refuse);
  if (core === "Secret") secretFindings(object, refuse);
  if (core === "ConfigMap") configMapFindings(object, refuse);
  return findings;
}

const bytesOf = (text: string): number => Buffer.byteLength(text, "utf8");

function metadataFindings(object: JsonObject, isNamespace: boolean, refuse: Refuse): void {
  const metadata = object["metadata"] ?? {};
  if (!isObject(metadata)) {
    refuse({ code: "KUB001", kind: "Invalid", field: "metadata", message: "must be a mapping" });
    return;
  }
  const { name, namespace, labels, annotations } = metadata;
  if (name === undefined || name === null || name === "")
    refuse({ code: "KUB001", kind: "Required", field: "metadata.name", message: "the object needs a name" });
  else if (typeof name !== "string" || !(isNamespace ? isDnsLabel(name) : isDnsSubdomain(name)))
    refuse({
      code: "KUB001",
      kind: "Invalid",
      field: "metadata.name",
      message: `${JSON.stringify(name)} is not a legal name`,
      hint: isNamespace ? DNS_LABEL_HINT : DNS_SUBDOMAIN_HINT,
    });
  if (namespace !== undefined && namespace !== null) {
    if (isNamespace)
      refuse({
        code: "KUB001",
        kind: "Forbidden",
        field: "metadata.namespace",
        message: "a Namespace is in no namespace",
      });
    else if (typeof namespace !== "string" || (namespace !== "" && !isDnsLabel(namespace)))
      refuse({
        code: "KUB001",
        kind: "Invalid",
        field: "metadata.namespace",
        message: `${JSON.stringify(namespace)} is not a legal namespace`,
        hint: DNS_LABEL_HINT,
      });
  }
  mapFindings(labels, "metadata.labels", isLabelValue, refuse);
  const size = mapFindings(annotations, "metadata.annotations", () => true, refuse);
  if (size > ANNOTATIONS_LIMIT)
    refuse({
      code: "KUB001",
      kind: "TooLong",
      field: "metadata.annotations",
      message: `${size} bytes, more than the ${ANNOTATIONS_LIMIT} that all annotations may have together`,
    });
}

/** Checks a map of labels or annotations; answers the bytes of its keys and values. */
function mapFindings(
  map: Json | undefined,
  field: string,
  legal: (value: string) => boolean,
  refuse: Refuse,
): number {
  if (map === undefined || map === null) return 0;
  if (!isObject(map)) {
    refuse({ code: "KUB001", kind: "Invalid", field, message: "must be a mapping of texts" });
    return 0;
  }
  let size = 0;
  for (const [key, value] of Object.entries(map)) {
    const at = `${field}[${key}]`;
    if (!isQualifiedName(key))
      refuse({
        code: "KUB001",
        kind: "Invalid",
        field: at,
        message: `${JSON.stringify(key)} is not a legal key`,
        hint: "an optional DNS name and '/', then at most 63 letters, digits, '-', '_' or '.'",
      });
    if (typeof value !== "string")
      refuse({ code: "KUB001", kind: "Invalid", field: at, message: "must be a text", hint: "quote it" });
    else if (!legal(value))
      refuse({
        code: "KUB001",
        kind: "Invalid",
        field: at,
        message: `${JSON.stringify(value.slice(0, 80))} is not a legal label value`,
        hint: "at most 63 letters, digits, '-', '_' or '.', starting and ending with a letter or digit",
      });
    size += bytesOf(key) + (typeof value === "string" ? bytesOf(value) : 0);
  }
  return size;
}

/** Calls back with every entry of a map of texts that is what it should be; never quotes a value. */
function entriesOf(
  map: Json | undefined,
  field: string,
  refuse: Refuse,
  each: (key: string, value: string, at: string) => void,
): void {
  if (map === undefined || map === null) return;
  if (!isObject(map)) {
    refuse({ code: "KUB002", kind: "Invalid", field, message: "must be a mapping of texts" });
    return;
  }
  for (const [key, value] of Object.entries(map)) {
    const at = `${field}[${key}]`;
    if (!isSecretKey(key))
      refuse({
        code: "KUB002",
        kind: "Invalid",
        field: at,
        message: `${JSON.stringify(key)} is not a legal key`,
        hint: SECRET_KEY_HINT,
      });
    if (value === null) continue;
    if (typeof value !== "string")
      refuse({
        code: "KUB002",
        kind: "Invalid",
        field: at,
        message: "the value must be a text",
        hint: "quote it",
      });
    else each(key, value, at);
  }
}

/** Keys of `data` that a type of Secret cannot do without (core `ValidateSecret`). */
const REQUIRED_KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ["kubernetes.io/tls", ["tls.crt", "tls.key"]],
  ["kubernetes.io/dockerconfigjson", [".dockerconfigjson"]],
  ["kubernetes.io/dockercfg", [".dockercfg"]],
  ["kubernetes.io/ssh-auth", ["ssh-privatekey"]],
]);

function secretFindings(object: JsonObject, refuse: Refuse): void {
  const sizes = new Map<string, number>();
  entriesOf(object["data"], "data", refuse, (key, value, at) => {
    const bytes = decodeBase64(value);
    if (bytes === undefined)
      refuse({
        code: "KUB002",
        kind: "Invalid",
        field: at,
        message: "the value is not standard base64",
        hint: "encode it with base64, or move it to stringData as it is",
      });
    else sizes.set(key, bytes.length);
  });
  entriesOf(object["stringData"], "stringData", refuse, (key, value) => void sizes.set(key, bytesOf(value)));
  sizeFinding([...sizes.values()], refuse);
  const { type } = object;
  for (const key of REQUIRED_KEYS.get(typeof type === "string" ? type : "") ?? [])
    if (!sizes.has(key))
      refuse({
        code: "KUB002",
        kind: "Required",
        field: `data[${key}]`,
        message: `a Secret of type ${JSON.stringify(type)} needs this key`,
      });
  if (type !== undefined && type !== null && typeof type !== "string")
    refuse({ code: "KUB002", kind: "Invalid", field: "type", message: "must be a text" });
  boolFinding(object["immutable"], refuse);
}

function configMapFindings(object: JsonObject, refuse: Refuse): void {
  const sizes: number[] = [];
  const seen = new Set<string>();
  entriesOf(object["data"], "data", refuse, (key, value) => {
    seen.add(key);
    sizes.push(bytesOf(value));
  });
  entriesOf(object["binaryData"], "binaryData", refuse, (key, value, at) => {
    if (seen.has(key))
      refuse({ code: "KUB002", kind: "Duplicate", field: at, message: "the key stands in data as well" });
    const bytes = decodeBase64(value);
    if (bytes === undefined)
      refuse({ code: "KUB002", kind: "Invalid", field: at, message: "the value is not standard base64" });
    else sizes.push(bytes.length);
  });
  sizeFinding(sizes, refuse);
  boolFinding(object["immutable"], refuse);
}

function sizeFinding(sizes: readonly number[], refuse: Refuse): void {
  const sum = sizes.reduce((total, size) => total + size, 0);
  if (sum > DATA_LIMIT)
    refuse({
      code: "KUB002",
      kind: "TooLong",
      field: "data",
      message: `the values have ${sum} bytes, more than the ${DATA_LIMIT} that one object may hold`,
    });
}

function boolFinding(value: Json | undefined, refuse: Refuse): void {
  if (value !== undefined && value !== null && typeof value !== "boolean")
    refuse({ code: "KUB002", kind: "Invalid", field: "immutable", message: "must be true or false" });
}
