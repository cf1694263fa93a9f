/**
 * Compares what openshift-install wrote with what slipway generates for the same install-config: every file as parsed,
 * member by member. What may differ is a list with reasons (exceptions.ts).
 */
import { X509Certificate } from "node:crypto";
import { load, YAML11_SCHEMA } from "js-yaml";
import { equalJson, isJson, isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { pemBlocks } from "../../src/pki/pem.js";
import { type Exception, exceptionFor } from "./exceptions.js";

/** Files by path, as text. */
export type FileTexts = ReadonlyMap<string, string>;

export interface Difference {
  readonly file: string;
  /** Path of the member, such as `spec.providerSpec.value`; empty where the whole file is missing on one side. */
  readonly field: string;
  /** The value as JSON; undefined where it is missing. */
  readonly installer: string | undefined;
  readonly slipway: string | undefined;
}

export interface Comparison {
  readonly differences: readonly Difference[];
  /** The exceptions that applied. */
  readonly excepted: ReadonlySet<Exception>;
  /** Number of files that both wrote. */
  readonly compared: number;
}

export function compareFiles(installer: FileTexts, slipway: FileTexts): Comparison {
  const differences: Difference[] = [];
  const excepted = new Set<Exception>();
  const add = (difference: Difference): void => {
    const exception = exceptionFor(difference);
    if (exception === undefined) differences.push(difference);
    else excepted.add(exception);
  };
  let compared = 0;
  for (const file of [...new Set([...installer.keys(), ...slipway.keys()])].sort()) {
    const [theirs, ours] = [installer.get(file), slipway.get(file)];
    if (theirs === undefined || ours === undefined) {
      const [a, b] = [theirs, ours].map((text) => (text === undefined ? undefined : "a file"));
      add({ file, field: "", installer: a, slipway: b });
      continue;
    }
    compared++;
    for (const found of differencesOf(comparable(theirs), comparable(ours)))
      add({ file, field: found.path, installer: shown(found.a), slipway: shown(found.b) });
  }
  return { differences, excepted, compared };
}

const shown = (value: Json | undefined): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);

/**
 * A file as a value: YAML 1.1 as Kubernetes' readers take it, dates as text, members that hold YAML or JSON as text
 * opened (an install-config in a ConfigMap, a cloud provider's config), base64 of a JSON document as well.
 */
export function comparable(text: string): Json {
  return opened(parsed(text));
}

const parsed = (text: string): Json => plain(load(text, { schema: YAML11_SCHEMA }));

function plain(value: unknown): Json {
  if (value instanceof Date) return value.toISOString().replace(/\.\d+Z$/, "Z");
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
  if (value === undefined) return null;
  if (!isJson(value)) throw new Error(`${String(value)} is not JSON`);
  return value;
}

/** Members of `data` that hold a document as text. */
const DOCUMENTS = new Set(["install-config", "config", "userData", "nmstate", "cloud.conf"]);

function opened(value: Json): Json {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, member]): [string, Json] => [
    key,
    (key === "data" || key === "stringData") && isObject(member) ? openedMembers(member) : member,
  ]);
  return Object.fromEntries(entries);
}

const openedMembers = (data: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(data).map(([key, member]) => [
      key,
      typeof member === "string" ? openedText(member, DOCUMENTS.has(key)) : member,
    ]),
  );

/** What a text, which may be base64, holds: PEM blocks or, where one is expected, a document; else the text itself. */
function openedText(text: string, isDocument: boolean): Json {
  for (const each of [text, Buffer.from(text, "base64").toString("utf8")]) {
    if (each.startsWith("-----BEGIN ")) return pemBlocks(each).map(shownBlock);
    const value = isDocument ? documentIn(each) : undefined;
    if (value !== undefined) return withOpenedUrls(value);
  }
  return text;
}

function documentIn(text: string): Json | undefined {
  try {
    const value = parsed(text);
    return isObject(value) || isList(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The data URLs of an Ignition config, opened. */
function withOpenedUrls(value: Json): Json {
  if (typeof value === "string") {
    const [, data] = /^data:[^,]*;base64,(.*)$/s.exec(value) ?? [];
    return data === undefined ? value : openedText(data, false);
  }
  if (isList(value)) return value.map(withOpenedUrls);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withOpenedUrls(member)]));
}

const DAY_MS = 86_400_000;

/** What can be compared of a key or a certificate that is drawn: its form, its names and what it is for. */
function shownBlock({ label, der }: ReturnType<typeof pemBlocks>[number]): Json {
  if (label !== "CERTIFICATE") return label;
  const certificate = new X509Certificate(der);
  const { subject, issuer, subjectAltName = "", ca, keyUsage, validFrom, validTo } = certificate;
  const days = Math.round((Date.parse(validTo) - Date.parse(validFrom)) / DAY_MS);
  const usage: Json = [...(keyUsage ?? [])];
  return { subject, issuer, subjectAltName, ca, usage, days };
}

interface Found {
  readonly path: string;
  readonly a: Json | undefined;
  readonly b: Json | undefined;
}

/** Where two values differ, as deep as possible. */
export function differencesOf(a: Json | undefined, b: Json | undefined, path = ""): Found[] {
  if (isObject(a) && isObject(b)) return membersOf(a, b, path);
  if (isList(a) && isList(b) && a.length === b.length)
    return a.flatMap((each, index) => differencesOf(each, b[index], `${path}[${index}]`));
  return equalJson(a, b) ? [] : [{ path, a, b }];
}

function membersOf(a: JsonObject, b: JsonObject, path: string): Found[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .sort()
    .flatMap((key) => differencesOf(a[key], b[key], path === "" ? key : `${path}.${key}`));
}
