/**
 * Comparison with what the real installer wrote (shared/data/upstream-4.22, and cases of the same layout): the
 * identity, the password and the certificates are taken from the case's state, so that only the objects may differ.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load, YAML11_SCHEMA } from "js-yaml";
import { isJson, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import type { CertifiedKey } from "../../src/pki/sign.js";

/**
 * The cases were made by main of June 2026, which had left release-4.22 in April: 5.0, but for its default stream and the
 * channel of the release that it was then thought to be.
 */
export const RELEASE_OF_CASES = "5.0";

/** The install-config of a case, with the stream that was the default then. */
export function installConfigOf(folder: string): string {
  const text = readFileSync(join(folder, "install-config.yaml"), "utf8");
  return /^osImageStream:/m.test(text) ? text : `${text.trimEnd()}\nosImageStream: rhel-9\n`;
}

/** What a case's state says of the things that chance decides. */
export interface UpstreamState {
  readonly infraID: string;
  readonly clusterID: string;
  readonly password: string;
  readonly hash: string;
  readonly rootCA: CertifiedKey;
  readonly machineConfigServer: CertifiedKey;
}

export function readState(folder: string): UpstreamState {
  const state: Json = JSON.parse(readFileSync(join(folder, "state.json"), "utf8"));
  const member = (name: string): JsonObject => {
    const found = isObject(state) ? state[name] : undefined;
    if (!isObject(found)) throw new Error(`the state has no ${name}`);
    return found;
  };
  const text = (name: string, field: string): string => String(member(name)[field]);
  const decoded = (name: string, field: string): string =>
    Buffer.from(text(name, field), "base64").toString("utf8");
  const pair = (name: string): CertifiedKey => ({
    key: decoded(name, "KeyRaw"),
    certificate: decoded(name, "CertRaw"),
  });
  return {
    infraID: text("*installconfig.ClusterID", "InfraID"),
    clusterID: text("*installconfig.ClusterID", "UUID"),
    password: text("*password.KubeadminPassword", "Password"),
    hash: decoded("*password.KubeadminPassword", "PasswordHash"),
    rootCA: pair("*tls.RootCA"),
    machineConfigServer: pair("*tls.MCSCertKey"),
  };
}

/** The files of `manifests/` and `openshift/` of a case, parsed as a Kubernetes reader parses them. */
export function upstreamFiles(folder: string): Map<string, Json> {
  const files = ["manifests", "openshift"].flatMap((part) =>
    readdirSync(join(folder, part)).map((name) => `${part}/${name}`),
  );
  return new Map(
    files.sort().map((path) => [path, comparable(path, readFileSync(join(folder, path), "utf8"))]),
  );
}

/** The files of `cluster-api/` of a case in the same form, by their paths in the asset directory. */
export function upstreamClusterApi(folder: string): Map<string, Json> {
  const names = readdirSync(join(folder, "cluster-api"), { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => name.endsWith(".yaml")).map((name) => `cluster-api/${name}`);
  return new Map(
    files.sort().map((path) => [path, comparable(path, readFileSync(join(folder, path), "utf8"))]),
  );
}

/**
 * The object of a file in the form in which files are compared: dates are text, a text that is itself YAML or JSON
 * is parsed, and what SOURCES.md lets differ is taken out.
 */
export function comparable(path: string, text: string): Json {
  const object = unaltered(text);
  if (!isObject(object)) throw new Error(`${path} is not an object`);
  const rest: { [name: string]: Json } = { ...withoutNullTimes(object) };
  if (isObject(rest["status"]) && Object.keys(rest["status"]).length === 0) delete rest["status"];
  if (path === "openshift/openshift-install-manifests.yaml") rest["data"] = {};
  if (path === "manifests/cvo-overrides.yaml" && isObject(rest["spec"]))
    rest["spec"] = { ...rest["spec"], channel: "stable" };
  return open(path, rest);
}

/** YAML 1.1 as Go's reader takes it, dates as RFC 3339 text. */
function unaltered(text: string): Json {
  const value = load(text, { schema: YAML11_SCHEMA });
  return plain(value);
}

function plain(value: unknown): Json {
  if (value instanceof Date) return value.toISOString().replace(/\.\d+Z$/, "Z");
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
  if (!isJson(value)) throw new Error("not JSON");
  return value;
}

function withoutNullTimes(object: JsonObject): JsonObject {
  const entries = Object.entries(object)
    .filter(([key, value]) => key !== "creationTimestamp" || value !== null)
    .map(([key, value]): [string, Json] => [key, isObject(value) ? withoutNullTimes(value) : value]);
  return Object.fromEntries(entries);
}

/** Texts inside: the install-config of cluster-config.yaml, the pointer config of a user-data Secret. */
function open(path: string, object: JsonObject): Json {
  const data = object["data"];
  if (!isObject(data)) return object;
  if (path === "manifests/cluster-config.yaml") {
    const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
    const annotations = { "kubernetes.io/description": "" };
    const config = withoutNullTimes(asObject(unaltered(String(data["install-config"]))));
    return { ...object, metadata: { ...metadata, annotations }, data: { "install-config": config } };
  }
  if (path.endsWith("-user-data-secret.yaml")) {
    const config: Json = JSON.parse(Buffer.from(String(data["userData"]), "base64").toString("utf8"));
    return { ...object, data: { ...data, userData: config } };
  }
  return object;
}

function asObject(value: Json): JsonObject {
  if (!isObject(value)) throw new Error("not a mapping");
  return value;
}
