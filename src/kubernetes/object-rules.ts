/**
 * Rules of the API server for objects that no CRD describes: metadata of every object, Secret, ConfigMap, Namespace
 * (apimachinery `validation`, core `ValidateSecret`, `ValidateConfigMap`, `ValidateNamespace`), roles and their bindings.
 */

import { isObject, type Json, type JsonObject } from "../core/json.js";
import { type Found, problem, problemList, required } from "../core/problem.js";
import { AUTHORIZATION_GROUP, authorizationFindings } from "./authorization-rules.js";
import type { Refuse } from "./finding.js";
import { identityOf } from "./identity.js";
import { annotationsOf, labelsOf } from "./labels.js";
import { type MetadataOptions, metadataFindings, textHint } from "./metadata-rules.js";
import { RBAC_GROUP, rbacFindings } from "./rbac-rules.js";
import { DATA_LIMIT, decodeBase64, isEncrypted, isSecretKey, SECRET_KEY_HINT } from "./secrets.js";

/** Every broken rule of an object; kinds without rules of their own are held to those of metadata. */
export function objectFindings(object: JsonObject, options: MetadataOptions = {}): Found[] {
  const findings: Found[] = [];
  const refuse: Refuse = (finding) => void findings.push(finding);
  const { group, kind } = identityOf(object);
  const core = group === "" ? kind : "";
  if (isEncrypted(object)) return [ENCRYPTED];
  metadataFindings(object, refuse, options);
  if (core === "Namespace") podSecurityFindings(object, refuse);
  if (core === "Secret") secretFindings(object, refuse);
  if (core === "ConfigMap") configMapFindings(object, refuse);
  if (group === RBAC_GROUP) rbacFindings(kind, object, refuse);
  if (group === AUTHORIZATION_GROUP) authorizationFindings(kind, object, refuse);
  return findings;
}

const ENCRYPTED: Found = problem(
  "KUB008",
  "Invalid",
  "sops",
  "the object is encrypted with SOPS and cannot be checked",
  "decrypt the file first with sops -d",
);

const bytesOf = (text: string): number => Buffer.byteLength(text, "utf8");

/** Calls back with every entry of a map of texts that is what it should be; never quotes a value. */
function entriesOf(
  map: Json | undefined,
  field: string,
  refuse: Refuse,
  each: (key: string, value: string, at: string) => void,
): void {
  if (map === undefined || map === null) return;
  if (!isObject(map)) {
    refuse(problem("KUB002", "Invalid", field, "must be a mapping of strings"));
    return;
  }
  for (const [key, value] of Object.entries(map)) {
    const at = `${field}[${key}]`;
    if (!isSecretKey(key))
      refuse(problem("KUB002", "Invalid", at, `invalid key ${JSON.stringify(key)}`, SECRET_KEY_HINT));
    // A null counts as the empty text.
    const text = value === null ? "" : value;
    if (typeof text !== "string")
      refuse(problem("KUB002", "Invalid", at, "must be a string", textHint(text)));
    else each(key, text, at);
  }
}

/** Keys of `data` that a type of Secret cannot do without (core `ValidateSecret`). */
const REQUIRED_KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ["kubernetes.io/tls", ["tls.crt", "tls.key"]],
  ["kubernetes.io/dockerconfigjson", [".dockerconfigjson"]],
  ["kubernetes.io/dockercfg", [".dockercfg"]],
  ["kubernetes.io/ssh-auth", ["ssh-privatekey"]],
]);
const DOCKER_TYPES: readonly string[] = ["kubernetes.io/dockerconfigjson", "kubernetes.io/dockercfg"];
const SERVICE_ACCOUNT_NAME = "kubernetes.io/service-account.name";

function secretFindings(object: JsonObject, refuse: Refuse): void {
  const values = new Map<string, Uint8Array>();
  entriesOf(object["data"], "data", refuse, (key, value, at) => {
    const bytes = decodeBase64(value);
    if (bytes === undefined)
      problemList(refuse, at).report(
        "KUB002",
        "Invalid",
        "must be standard base64",
        "encode the value with base64, or move it to stringData without encoding",
      );
    else values.set(key, bytes);
  });
  entriesOf(
    object["stringData"],
    "stringData",
    refuse,
    (key, value) => void values.set(key, Buffer.from(value)),
  );
  sizeFinding(
    [...values.values()].map(({ length }) => length),
    refuse,
  );
  // Of a key whose value cannot be read that is said; it is not missing.
  const given = new Set(
    [object["data"], object["stringData"]].flatMap((map) => (isObject(map) ? Object.keys(map) : [])),
  );
  const unread = new Set([...given].filter((key) => !values.has(key)));
  const { type } = object;
  if (type !== undefined && type !== null && typeof type !== "string")
    refuse(problem("KUB002", "Invalid", "type", "must be a string"));
  else if (typeof type === "string") typeFindings(type, { values, unread }, object, refuse);
  boolFinding(object["immutable"], refuse);
}

/** What a type of Secret asks of its data. */
function typeFindings(
  type: string,
  {
    values,
    unread,
  }: { readonly values: ReadonlyMap<string, Uint8Array>; readonly unread: ReadonlySet<string> },
  object: JsonObject,
  refuse: Refuse,
): void {
  const needed = (field: string, what = "this key"): void =>
    refuse(required("KUB002", field, `a Secret of type ${JSON.stringify(type)} requires ${what}`));
  for (const key of REQUIRED_KEYS.get(type) ?? []) {
    const value = values.get(key);
    if (unread.has(key)) continue;
    if (value === undefined || (type === "kubernetes.io/ssh-auth" && value.length === 0))
      needed(`data[${key}]`);
    else if (DOCKER_TYPES.includes(type) && !isJsonObject(value))
      refuse(problem("KUB002", "Invalid", `data[${key}]`, "must be a JSON object"));
  }
  const has = (key: string): boolean => values.has(key) || unread.has(key);
  if (type === "kubernetes.io/basic-auth" && !has("username") && !has("password"))
    needed("data", "username or password");
  if (type === "kubernetes.io/service-account-token" && !annotationsOf(object).get(SERVICE_ACCOUNT_NAME))
    needed(`metadata.annotations[${SERVICE_ACCOUNT_NAME}]`, "this annotation");
}

const POD_SECURITY_LABEL = /^pod-security\.kubernetes\.io\/(?:enforce|audit|warn)(?:-version)?$/;
const POD_SECURITY_LEVELS: readonly string[] = ["privileged", "baseline", "restricted"];

/** Admission refuses a Namespace whose labels of Pod Security mean nothing (pod-security-admission `PolicyToEvaluate`). */
function podSecurityFindings(object: JsonObject, refuse: Refuse): void {
  for (const [key, value] of labelsOf(object)) {
    if (!POD_SECURITY_LABEL.test(key)) continue;
    const isVersion = key.endsWith("-version");
    if (isVersion ? /^(?:latest|v1\.(?:0|[1-9]\d*))$/.test(value) : POD_SECURITY_LEVELS.includes(value))
      continue;
    problemList(refuse, `metadata.labels[${key}]`).report(
      "KUB001",
      "NotSupported",
      `unsupported Pod Security ${isVersion ? "version" : "level"} ${JSON.stringify(value)}`,
      isVersion
        ? "use latest, or a minor release such as v1.33"
        : `use one of ${POD_SECURITY_LEVELS.join(", ")}`,
    );
  }
}

function isJsonObject(data: Uint8Array): boolean {
  try {
    const value: unknown = JSON.parse(Buffer.from(data).toString("utf8"));
    // Go decodes null into a map as well.
    return typeof value === "object" && !Array.isArray(value);
  } catch {
    return false;
  }
}

function configMapFindings(object: JsonObject, refuse: Refuse): void {
  const sizes: number[] = [];
  const seen = new Set<string>();
  entriesOf(object["data"], "data", refuse, (key, value) => {
    seen.add(key);
    sizes.push(bytesOf(value));
  });
  entriesOf(object["binaryData"], "binaryData", refuse, (key, value, at) => {
    if (seen.has(key)) refuse(problem("KUB002", "Duplicate", at, "duplicate key: it is also in data"));
    const bytes = decodeBase64(value);
    if (bytes === undefined) refuse(problem("KUB002", "Invalid", at, "must be standard base64"));
    else sizes.push(bytes.length);
  });
  sizeFinding(sizes, refuse);
  boolFinding(object["immutable"], refuse);
}

function sizeFinding(sizes: readonly number[], refuse: Refuse): void {
  const sum = sizes.reduce((total, size) => total + size, 0);
  if (sum > DATA_LIMIT)
    problemList(refuse, "data").report(
      "KUB002",
      "TooLong",
      `must have at most ${DATA_LIMIT} bytes in total, has ${sum}`,
    );
}

function boolFinding(value: Json | undefined, refuse: Refuse): void {
  if (value !== undefined && value !== null && typeof value !== "boolean")
    refuse(problem("KUB002", "Invalid", "immutable", "must be true or false"));
}
