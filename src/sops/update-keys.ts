/**
 * The recipients of an encrypted file brought to what the creation rules say. A new recipient gets the data key, and
 * nothing else in the file changes. Where a recipient goes, the file gets another data key, since the old one would open
 * what is written later, too: every value and comment is encrypted again where it stands.
 */
import { decode, encode } from "../core/files.js";
import type { RandomSource } from "../core/inputs.js";
import { isObject, type JsonObject } from "../core/json.js";
import { type MappingNode, readYaml, toJson } from "../text/yaml-read.js";
import { writeYaml } from "../text/yaml-write.js";
import { wrapKey } from "./age.js";
import { DATA_KEY_BYTES, decryptValue, encryptValue, type PlainValue, VECTOR_BYTES } from "./cipher.js";
import { commentPaths, type Opened } from "./file.js";
import { SOPS, type WrappedKey } from "./metadata.js";

export interface KeyUpdate {
  /** The file as it is to be written; undefined where `refused` says why not. */
  readonly data: Uint8Array | undefined;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /**
   * `keys`: keys of other kinds open the file, and cannot be given another data key; `recipient`: one of the new ones
   * cannot be used; `layout`: a value, a comment or the recipients are not written as sops writes them.
   */
  readonly refused?: "keys" | "recipient" | "layout";
}

export interface KeyUpdateRequest {
  readonly path: string;
  /** As it is on disk. */
  readonly data: Uint8Array;
  readonly opened: Opened;
  readonly recipients: readonly string[];
  /** RFC 3339, whole seconds. */
  readonly now: string;
  readonly random: RandomSource;
}

/** Undefined where the file has these recipients already. */
export async function updateKeys(request: KeyUpdateRequest): Promise<KeyUpdate | undefined> {
  const { path, data, opened, recipients } = request;
  const wanted = [...new Set(recipients)];
  const present = opened.metadata.age.map(({ recipient }) => recipient);
  const added = wanted.filter((each) => !present.includes(each));
  const removed = present.filter((each) => !wanted.includes(each));
  if (added.length + removed.length === 0) return undefined;
  const refused = (why: NonNullable<KeyUpdate["refused"]>): KeyUpdate => ({
    data: undefined,
    added,
    removed,
    refused: why,
  });
  if (removed.length === 0) {
    const wrapped = await wrapKey(opened.dataKey, added);
    if (wrapped === undefined) return refused("recipient");
    const text = withRecipients(decode(data) ?? "", path, [...opened.metadata.age, ...wrapped]);
    return text === undefined ? refused("layout") : { data: encode(text), added, removed };
  }
  if (OTHER_KEYS.some((name) => isUsed(opened.metadata.raw, name))) return refused("keys");
  const dataKey = request.random.bytes(DATA_KEY_BYTES, `sops data key ${path}`);
  const wrapped = await wrapKey(dataKey, wanted);
  if (wrapped === undefined) return refused("recipient");
  const again = encryptedAgain(request, dataKey);
  const text = again === undefined ? undefined : withRecipients(again, path, wrapped);
  return text === undefined ? refused("layout") : { data: encode(text), added, removed };
}

const ENCRYPTED = /ENC\[AES256_GCM,[^\][]*\]/g;

/**
 * The text with every value, comment and the authentication code encrypted with another data key; undefined where one
 * is not in the text as one word.
 */
function encryptedAgain(
  { path, data, opened, now, random }: KeyUpdateRequest,
  dataKey: Uint8Array,
): string | undefined {
  const { mac } = opened.metadata;
  const known = new Map([...opened.values.values()].map((each) => [each.encrypted, each]));
  const pending = new Set([...known.keys(), mac].filter((each) => each !== ""));
  const paths = commentPaths(path, data);
  let index = 0;
  let isWhole = true;
  const openedOf = (word: string): { plain: PlainValue; aad: string } | undefined => {
    const value = known.get(word);
    if (value !== undefined) return value;
    if (word === mac) return { plain: opened.mac, aad: now };
    for (const aad of paths) {
      const plain = decryptValue(word, opened.dataKey, aad);
      if (plain !== undefined) return { plain, aad };
    }
    return undefined;
  };
  const text = (decode(data) ?? "").replace(ENCRYPTED, (word) => {
    const found = openedOf(word);
    isWhole &&= found !== undefined;
    if (found === undefined) return word;
    pending.delete(word);
    const vector = random.bytes(VECTOR_BYTES, `sops vector ${path} ${index++}`);
    return encryptValue(found.plain, dataKey, found.aad, vector);
  });
  return isWhole && pending.size === 0 ? withTime(text, path, now) : undefined;
}

const isYaml = (path: string): boolean => /\.ya?ml$/.test(path);

/** Members of the metadata with keys that need a network or another program. */
const OTHER_KEYS = ["pgp", "kms", "gcp_kms", "azure_kv", "hc_vault", "hckms", "key_groups"];
const isUsed = (raw: JsonObject, name: string): boolean => {
  const value = raw[name];
  return Array.isArray(value) && value.length > 0;
};

const TIME = /^(\s*["']?lastmodified["']?\s*:\s*["']?)[^"',\s]+/;
/** The text with another time of the last change; undefined where that is not a line of its own. */
function withTime(text: string, path: string, now: string): string | undefined {
  const root = readYaml(text, path).documents[0]?.root;
  const sops = root?.type === "mapping" ? memberOf(root, SOPS) : undefined;
  const key = sops?.entries.find(({ name }) => name === "lastmodified")?.key;
  if (key === undefined) return undefined;
  const lines = text.split("\n");
  const line = lines[key.line - 1] ?? "";
  const [whole = "", before = ""] = TIME.exec(line) ?? [];
  if (whole === "") return undefined;
  return lines.with(key.line - 1, `${before}${now}${line.slice(whole.length)}`).join("\n");
}

/** The text with other wrapped keys, and every other line as it is; undefined where they are not lines of their own. */
function withRecipients(text: string, path: string, age: readonly WrappedKey[]): string | undefined {
  const [document] = readYaml(text, path).documents;
  const root = document?.root;
  if (root?.type !== "mapping") return undefined;
  const entries = age.map(({ recipient, enc }) => ({ recipient, enc }));
  if (!isYaml(path)) {
    const value = toJson(root);
    const metadata = isObject(value) ? value[SOPS] : undefined;
    if (!isObject(value) || !isObject(metadata)) return undefined;
    const whole = { ...value, [SOPS]: { ...metadata, age: entries } };
    return `${JSON.stringify(whole, null, "\t")}\n`;
  }
  const sops = memberOf(root, SOPS);
  const index = sops?.entries.findIndex(({ name }) => name === "age") ?? -1;
  const key = sops?.entries[index]?.key;
  if (sops === undefined || key === undefined) return undefined;
  const lines = text.split("\n");
  const first = key.line - 1;
  const [, indent = ""] = /^( *)["']?age["']?\s*:\s*$/.exec(lines[first] ?? "") ?? [];
  if (indent === "") return undefined;
  const end = lines.findIndex(
    (line, i) =>
      i > first && line.trim() !== "" && !line.startsWith(`${indent} `) && !line.startsWith(`${indent}-`),
  );
  const block = writeYaml({ age: entries }).trimEnd().split("\n");
  const rest = end < 0 ? [""] : lines.slice(end);
  return [...lines.slice(0, first), ...block.map((line) => `${indent}${line}`), ...rest].join("\n");
}

function memberOf(root: MappingNode, name: string): MappingNode | undefined {
  const value = root.entries.find((each) => each.name === name)?.value;
  return value?.type === "mapping" ? value : undefined;
}
