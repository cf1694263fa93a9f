/**
 * Files encrypted with SOPS: opened with an age identity, sealed for age recipients. A YAML file keeps its structure
 * and has its values encrypted; any other file is one value in a JSON envelope, which gives back the very bytes
 * (SOPS calls that store "binary"). A file that changes keeps data key, recipients and the ciphertext of every value
 * that stays, so that a diff shows what changed.
 */
import { createHash } from "node:crypto";
import { decode, encode } from "../core/files.js";
import type { RandomSource } from "../core/inputs.js";
import { isObject, type Json, type JsonObject } from "../core/json.js";
import { type Problem, problem } from "../core/problem.js";
import { CIPHERTEXT, isSealedText } from "../text/sealed.js";
import { pathWord } from "../text/shell.js";
import {
  type MappingNode,
  readYaml,
  type ScalarNode,
  setMember,
  toJson,
  type YamlNode,
} from "../text/yaml-read.js";
import { writeYaml } from "../text/yaml-write.js";
import { unwrapKey, wrapKey } from "./age.js";
import { DATA_KEY_BYTES, decryptValue, encryptValue, type PlainValue, VECTOR_BYTES } from "./cipher.js";
import {
  DEFAULT_RULE,
  type EncryptionRule,
  encryptedBy,
  type Metadata,
  readMetadata,
  SOPS,
  withoutRule,
} from "./metadata.js";

/** The oldest SOPS that reads everything written here; newer ones do as well. */
const VERSION = "3.9.0";
const MAC_ONLY_ENCRYPTED = Buffer.from(
  "8a3fd2ad54ce66527b1034f3d147be0b0b975b3bf44f72c6fdadec8176f27d69",
  "hex",
);

const isYaml = (path: string): boolean => /\.ya?ml$/.test(path);

interface OpenedValue {
  readonly plain: PlainValue;
  readonly encrypted: string;
  readonly aad: string;
}

/** An encrypted file that could be read. */
export interface Opened {
  /** The plain bytes; a YAML file in canonical form. */
  readonly data: Uint8Array;
  readonly dataKey: Uint8Array;
  readonly metadata: Metadata;
  /** Plain and encrypted form of every value, by path, and the path as it is authenticated. */
  readonly values: ReadonlyMap<string, OpenedValue>;
  /** The authentication code as it was encrypted. */
  readonly mac: PlainValue;
}

/** True for a file that SOPS encrypted, whether or not it can be opened. */
export function isSealed(path: string, data: Uint8Array): boolean {
  // The two words are spared a reader for nearly every file.
  const text = decode(data);
  if (text === undefined || !/"?sops"?\s*:/.test(text) || !/"?mac"?\s*:/.test(text)) return false;
  return readYaml(text, path).documents.some(
    ({ root }) => root !== undefined && readMetadata(toJson(root)) !== undefined,
  );
}

/**
 * True for a file with values that SOPS encrypted and without what opens them: it was cut off, or Git left the marks of
 * a merge in it. A text that has an encrypted file somewhere in it is none.
 */
export function isTorn(path: string, data: Uint8Array): boolean {
  const { documents, problems } = readYaml(decode(data) ?? "", path);
  let found = problems.length > 0;
  for (const { root } of documents) {
    if (root?.type !== "mapping") continue;
    found ||= root.entries.some(({ name, value }) => name === SOPS && value.type === "mapping");
    mapLeaves(root, [], ({ text }) => {
      found ||= text.startsWith(CIPHERTEXT);
      return null;
    });
  }
  return found;
}

/** Where a sealed file lies. */
export interface SealedPlace {
  /** Its name in messages. */
  readonly path: string;
  /** As a word of a command that is typed where the user is. */
  readonly word: string;
  /** The user wrote it: nothing makes it anew. */
  readonly isInput: boolean;
}

/** Takes the values as they stand, and authenticates them anew. */
const rewriteCommand = (word: string): string => `run: sops --rotate --in-place --ignore-mac ${word}`;

/**
 * The problem of a file that only another copy of it can mend. Either side of a generated file will do; what two people
 * wrote into an input would be lost with one of them.
 * @param bothOpen both versions of a merge could be opened, so that a run that writes takes one of them
 */
export function tornProblem({ path, word, isInput }: SealedPlace, bothOpen = false): Problem {
  const settled = `resolve the conflict in an editor, keep mac and lastmodified of one side, then ${rewriteCommand(word)}`;
  return problem(
    "SOPS001",
    "Invalid",
    "",
    "the SOPS-encrypted file is truncated or contains merge conflict markers",
    {
      file: path,
      hint: isInput
        ? `restore it from version control; after a merge, ${settled}`
        : bothOpen
          ? `run slipway create, which settles the merge of generated files; if both sides edited this one manually, ${settled}`
          : `restore it from version control; after a merge, use either side (git checkout --theirs ${word}) and run slipway create; if both sides edited it manually, ${settled}`,
    },
  );
}

function rootOf(text: string, path: string): { readonly node: YamlNode; readonly json: Json } | undefined {
  const { documents, problems } = readYaml(text, path);
  const [document, ...more] = documents.filter(({ root }) => root !== undefined);
  if (document?.root === undefined || more.length > 0 || problems.length > 0) return undefined;
  return { node: document.root, json: toJson(document.root) };
}

/**
 * Opens a sealed file; undefined when that is not possible, which is reported. No secret is in a message.
 * @param word the file as a word of a command
 */
export async function open(
  path: string,
  data: Uint8Array,
  identities: readonly string[],
  report: (problem: Problem) => void,
  word = pathWord(path),
): Promise<Opened | undefined> {
  const refuse = (message: string, hint: string): undefined =>
    void report(problem("SOPS001", "Invalid", "", message, { file: path, hint }));
  const root = rootOf(decode(data) ?? "", path);
  if (root === undefined)
    return refuse(
      "the file cannot be decrypted: it contains several documents or is damaged",
      "restore it from version control, or decrypt it with sops and encrypt each document in a separate file",
    );
  const metadata = readMetadata(root.json);
  if (root.node.type !== "mapping" || metadata === undefined)
    return refuse("the file is not encrypted with SOPS", "restore it from version control");
  const isEncrypted = typeof metadata === "string" ? undefined : encryptedBy(metadata.rule);
  if (typeof metadata === "string" || isEncrypted === undefined)
    return void report(
      problem(
        "SOPS002",
        "NotSupported",
        "",
        `the file cannot be decrypted: ${typeof metadata === "string" ? metadata : "its pattern for encrypted values is not supported"}`,
        { file: path, hint: "decrypt it with sops" },
      ),
    );
  const dataKey = await unwrapKey(metadata.age, identities);
  if (dataKey?.length !== DATA_KEY_BYTES)
    return void report(
      metadata.age.length === 0
        ? problem("SOPS002", "NotSupported", "", "the file has no age recipient", {
            file: path,
            hint: "add one with sops rotate --add-age; slipway works offline and cannot use other kinds of keys",
          })
        : problem(
            "SOPS002",
            "Forbidden",
            "",
            `the file is encrypted for ${metadata.age.map(({ recipient }) => recipient).join(", ")}, and no available key matches`,
            {
              file: path,
              hint: "set --age-key-file or SOPS_AGE_KEY_FILE to the file with your age key, or SOPS_AGE_KEY to the key",
            },
          ),
    );
  const hash = createHash("sha512");
  if (metadata.macOnlyEncrypted) hash.update(MAC_ONLY_ENCRYPTED);
  const values = new Map<string, OpenedValue>();
  let broken: string | undefined;
  const value = mapLeaves(root.node, [], (scalar, keys, place) => {
    if (scalar.kind === "null") return null;
    const encrypted = isEncrypted(keys);
    const plain = encrypted ? decryptValue(scalar.text, dataKey, aad(keys)) : plainValue(scalar);
    if (plain === undefined) {
      if (encrypted) broken ??= keys.join(".");
      return null;
    }
    // SOPS makes items of a list's comments.
    if (plain.type === "comment") return undefined;
    if (encrypted || !metadata.macOnlyEncrypted) hash.update(plain.text);
    if (encrypted) values.set(place, { plain, encrypted: scalar.text, aad: aad(keys) });
    return encrypted ? jsonOf(plain) : toJson(scalar);
  });
  if (broken !== undefined)
    return refuse(
      `the value of ${broken} cannot be decrypted: it was changed or moved`,
      "restore it from version control, or set it again with sops",
    );
  const mac = decryptValue(metadata.mac, dataKey, metadata.lastModified);
  if (mac === undefined || mac.text !== hash.digest("hex").toUpperCase())
    return refuse(
      "the MAC does not match: the file was changed without sops",
      `restore it from version control; if the change was intended, ${rewriteCommand(word)}`,
    );
  const plain = isYaml(path) ? writeYaml(value ?? {}) : envelopeText(value ?? {});
  return { data: encode(plain), dataKey, metadata, values, mac };
}

/**
 * A YAML or JSON file without what SOPS added to it, so that whatever is not encrypted can be read: encrypted values stay as
 * they are (`text/sealed.ts`), and so do the lines of everything. Undefined where every value is encrypted.
 */
export function readablePart(path: string, data: Uint8Array): Uint8Array | undefined {
  const text = decode(data) ?? "";
  const node = rootOf(text, path)?.node;
  if (node?.type !== "mapping") return undefined;
  let isLeft = false;
  const value = mapLeaves(node, [], (scalar) => {
    isLeft ||= scalar.kind !== "null" && !isSealedText(scalar.text);
    return toJson(scalar);
  });
  if (!isLeft || !isObject(value)) return undefined;
  return encode(withoutMetadata(text, node) ?? writeYaml(value));
}

/** The text with empty lines in the place of the metadata; undefined where these are not lines of their own. */
function withoutMetadata(text: string, { entries }: MappingNode): string | undefined {
  const lines = text.split("\n");
  const index = entries.findIndex(({ name }) => name === SOPS);
  const first = (entries[index]?.key.line ?? 0) - 1;
  const next = entries[index + 1]?.key.line;
  if (!/^["']?sops["']?\s*:/.test(lines[first] ?? "")) return undefined;
  return lines.map((line, i) => (i < first || (next !== undefined && i >= next - 1) ? line : "")).join("\n");
}

/** A binary file is the one member `data`; a JSON file that sops encrypted value by value is JSON again. */
function envelopeText(value: Json): string {
  const text = isObject(value) && Object.keys(value).length === 1 ? value["data"] : undefined;
  return typeof text === "string" ? text : `${JSON.stringify(value, null, 4)}\n`;
}

export interface SealRequest {
  readonly path: string;
  /** Plain bytes, UTF-8. A YAML file holds one mapping. */
  readonly data: Uint8Array;
  /** The file as it is, where it is sealed and could be opened. */
  readonly previous: Opened | undefined;
  readonly recipients: readonly string[];
  /** Which values of a YAML file are encrypted: by the first rule that leaves no secret readable, else by the last. */
  readonly rules: readonly EncryptionRule[];
  /** RFC 3339, whole seconds. */
  readonly now: string;
  readonly random: RandomSource;
}

/** The sealed form of a file; undefined when a recipient or the rule cannot be used, which the caller has checked. */
export async function seal(request: SealRequest): Promise<Uint8Array | undefined> {
  const { path, data, previous, now, random } = request;
  const text = decode(data) ?? "";
  // The authentication code goes by the order of the text, and what is written is in canonical order.
  const given = isYaml(path) ? rootOf(text, path)?.json : { data: text };
  const root = given === undefined ? undefined : rootOf(writeYaml(given), path)?.node;
  const dataKey = previous?.dataKey ?? random.bytes(DATA_KEY_BYTES, `sops data key ${path}`);
  const age = previous === undefined ? await wrapKey(dataKey, request.recipients) : [];
  if (root?.type !== "mapping" || age === undefined) return undefined;
  const before = previous === undefined ? [] : [previous.metadata.rule];
  const rules = [...before, ...(isYaml(path) ? request.rules : [DEFAULT_RULE])];
  const rule = rules.find((each) => leavesNoSecret(root, each)) ?? rules.at(-1) ?? DEFAULT_RULE;
  const isEncrypted = encryptedBy(rule);
  if (isEncrypted === undefined) return undefined;
  const macOnlyEncrypted = previous?.metadata.macOnlyEncrypted === true;
  const hash = createHash("sha512");
  if (macOnlyEncrypted) hash.update(MAC_ONLY_ENCRYPTED);
  const sealed = mapLeaves(root, [], (scalar, keys, place) => {
    const value = plainValue(scalar);
    if (value === undefined) return null;
    const encrypted = isEncrypted(keys);
    if (encrypted || !macOnlyEncrypted) hash.update(value.text);
    if (!encrypted) return toJson(scalar);
    const before = previous?.values.get(place);
    if (before !== undefined && before.plain.type === value.type && before.plain.text === value.text)
      return before.encrypted;
    return encryptValue(
      value,
      dataKey,
      aad(keys),
      random.bytes(VECTOR_BYTES, `sops vector ${path} ${place}`),
    );
  });
  const mac = { type: "str", text: hash.digest("hex").toUpperCase() } as const;
  const vector = random.bytes(VECTOR_BYTES, `sops vector ${path} mac`);
  const metadata: JsonObject = {
    ...(previous === undefined
      ? { age: age.map(({ recipient, enc }) => ({ recipient, enc })), version: VERSION }
      : withoutRule(previous.metadata.raw)),
    ...(isYaml(path) ? rule : {}),
    lastmodified: now,
    mac: encryptValue(mac, dataKey, now, vector),
  };
  const whole = { ...(isObject(sealed) ? sealed : {}), [SOPS]: metadata };
  return encode(isYaml(path) ? writeYaml(whole) : `${JSON.stringify(whole, null, "\t")}\n`);
}

/** Members that say what an object is, and may be readable in a file with secrets. */
const READABLE: readonly string[] = ["apiVersion", "kind", "metadata", "type", "immutable"];

/** True where a rule encrypts everything of a file with secrets but what says which object it is. */
function leavesNoSecret(root: YamlNode, rule: EncryptionRule): boolean {
  const isEncrypted = encryptedBy(rule);
  let isOpen = isEncrypted === undefined;
  mapLeaves(root, [], (_, keys) => {
    isOpen ||= !READABLE.includes(keys[0] ?? "") && isEncrypted?.(keys) !== true;
    return null;
  });
  return !isOpen;
}

/** The additional data that comments of a file can have: those of every mapping and list. */
export function commentPaths(path: string, data: Uint8Array): readonly string[] {
  const node = rootOf(decode(data) ?? "", path)?.node;
  const paths = new Set([aad([])]);
  if (node !== undefined)
    mapLeaves(node, [], (_, keys) => {
      for (const index of keys.keys()) paths.add(aad(keys.slice(0, index + 1)));
      return null;
    });
  return [...paths];
}

/** Additional data of a value: the keys above it, items of lists left out. */
const aad = (keys: readonly string[]): string => `${keys.join(":")}:`;

/**
 * The value of a document with every scalar replaced, in the order of the text, which is the order of the
 * authentication code. The member `sops` of the document is left out.
 * @param keys the keys above the node; a list adds none
 * @param leaf undefined for what is left out
 * @param place tells the values of a document apart
 */
function mapLeaves(
  node: YamlNode,
  keys: readonly string[],
  leaf: (scalar: ScalarNode, keys: readonly string[], place: string) => Json | undefined,
  place = "",
): Json | undefined {
  switch (node.type) {
    case "scalar":
      return leaf(node, keys, place);
    case "sequence":
      return node.items
        .map((item, index) => mapLeaves(item, keys, leaf, `${place}[${index}]`))
        .filter((item) => item !== undefined);
    case "mapping": {
      const object: Record<string, Json> = {};
      const isTop = place === "";
      for (const { name, value } of node.entries) {
        if (isTop && name === SOPS) continue;
        const member = mapLeaves(value, [...keys, name], leaf, `${place}.${JSON.stringify(name)}`);
        if (member !== undefined) setMember(object, name, member);
      }
      return object;
    }
  }
}

/** A scalar as SOPS hashes and encrypts it; undefined for null, which it leaves alone. */
function plainValue({ kind, value, text, style }: ScalarNode): PlainValue | undefined {
  // go-yaml v3 takes the words of YAML 1.1 (yes, on) as text where it is not told the type.
  if (kind === "bool" && style === "plain" && !/^(?:true|false)$/i.test(text)) return { type: "str", text };
  if (kind === "null") return undefined;
  if (kind === "bool") return { type: "bool", text: value === true ? "True" : "False" };
  if (kind === "int") return { type: "int", text: String(value) };
  if (kind === "float") return { type: "float", text: String(value) };
  if (style === "plain" && DATE.test(text)) return { type: "time", text: moment(text) };
  return { type: "str", text };
}

const DATE = /^\d{4}-\d\d?-\d\d?(?:$|[Tt ]\s*\d\d?:\d\d:\d\d)/;

/** A timestamp as Go writes it in RFC 3339. */
function moment(text: string): string {
  const date = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  return Number.isNaN(date.getTime()) ? text : date.toISOString().replace(/(?:\.000|0{0,2})Z$/, "Z");
}

function jsonOf({ type, text }: PlainValue): Json {
  if (type === "bool") return text === "True" || text === "true";
  if (type === "int" || type === "float") return Number(text);
  return text;
}
