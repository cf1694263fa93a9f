/**
 * Compares what openshift-install wrote with what slipway writes for the same install-config: every file as parsed,
 * member by member. What may differ is a list with reasons (exceptions.ts).
 */
import { load, YAML11_SCHEMA } from "js-yaml";
import { equalJson, isJson, isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
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

/** Members that hold a document as text: the member's name, in the `data` of a ConfigMap or a Secret. */
const DOCUMENTS = new Set(["install-config", "config", "userData", "nmstate", "stringData", "cloud.conf"]);

function opened(value: Json): Json {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, member]): [string, Json] => [
    key,
    key === "data" || key === "stringData" ? openedMembers(member) : member,
  ]);
  return Object.fromEntries(entries);
}

function openedMembers(data: Json): Json {
  if (!isObject(data)) return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, member]): [string, Json] => [
      key,
      typeof member === "string" && DOCUMENTS.has(key) ? document(member) : member,
    ]),
  );
}

/** The document in a text, which may be base64; the text itself where it holds none. */
function document(text: string): Json {
  for (const each of [text, Buffer.from(text, "base64").toString("utf8")]) {
    try {
      const value = parsed(each);
      if (isObject(value) || isList(value)) return value;
    } catch {
      // Not a document in this form.
    }
  }
  return text;
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
