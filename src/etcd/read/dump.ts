/**
 * The JSON that `etcdctl get -w json` and etcd's HTTP gateway print: live keys only, one document or several after
 * one another, numbers as digits or as strings (docs/reference/storage-and-encryption.md §2.3).
 */

import { counted } from "../../core/counted.js";
import type { Problem } from "../../core/diagnostics.js";
import { problemList } from "../../core/problem.js";
import type { CopyFile } from "./copy-file.js";
import { JsonTokens } from "./json-tokens.js";
import type { StoredRecord } from "./record.js";

/** What a dump says of itself, known once it was read to its end. */
export interface DumpHeader {
  /** Newest revision of the store when the dump was taken. */
  revision: bigint | undefined;
  /** What all keys of each document begin with: nothing is known of keys that begin otherwise. */
  extents: readonly string[];
}

const REVISION = "revision";
const HINT = "take the dump again without --limit, --keys-only and --print-value-only";

/** Every key of a dump, in the order written. Oddities that do not stop the reading go to `report`. */
export function* readDump(
  file: CopyFile,
  header: DumpHeader,
  report: (problem: Problem) => void,
): Generator<StoredRecord> {
  const tokens = new JsonTokens(file);
  const head = Buffer.alloc(64);
  const start = head.toString("latin1", 0, file.readInto(head, 0)).trimStart();
  if (start !== "" && !start.startsWith("{"))
    throw tokens.fault(
      "the file contains no JSON object; -w protobuf, -w fields and a plain get print another format",
    );
  let documents = 0;
  const extents: string[] = [];
  for (;;) {
    const token = tokens.next();
    if (token.type === "end") break;
    if (token.type !== "punctuation" || token.text !== "{")
      throw tokens.fault("the text is not a JSON object");
    const extent = yield* readDocument(file, tokens, header, report);
    if (extent !== undefined) extents.push(extent);
    documents++;
  }
  header.extents = extents;
  if (documents === 0) throw tokens.fault("the file is empty");
}

/** Answers what all of its keys begin with; undefined without any key. */
function* readDocument(
  file: CopyFile,
  tokens: JsonTokens,
  header: DumpHeader,
  report: (problem: Problem) => void,
): Generator<StoredRecord, string | undefined> {
  let extent: string | undefined;
  let keys = 0;
  let empty = 0;
  let count: bigint | undefined;
  let recognised = false;
  for (const name of members(tokens)) {
    switch (name) {
      case "header":
        readHeader(tokens, header);
        recognised = true;
        break;
      case "kvs":
        recognised = true;
        for (const record of readRecords(tokens)) {
          keys++;
          if (record.value.length === 0) empty++;
          extent = extent === undefined ? record.key : commonStart(extent, record.key);
          yield record;
        }
        break;
      case "count":
        count = int64(tokens, name);
        break;
      case "more":
        if (literal(tokens) === "true")
          problemList(report, "", { file: file.name }).report(
            "ETC008",
            "Invalid",
            "the dump is incomplete: it was taken with a limit",
            HINT,
          );
        break;
      default:
        tokens.skipValue();
    }
  }
  if (!recognised) throw tokens.fault("the object has neither header nor kvs");
  // No object is empty, so a dump without any value was taken without them, and says nothing about the objects.
  if (keys > 0 && empty === keys)
    problemList(report, "", { file: file.name }).report(
      "ETC008",
      "Invalid",
      `the dump contains ${counted(keys, "key", "keys")} without values, as with --keys-only`,
      HINT,
    );
  if (count !== undefined && count !== BigInt(keys))
    problemList(report, "", { file: file.name }).report(
      "ETC008",
      "Invalid",
      `the dump contains ${keys} of ${count} keys`,
      HINT,
    );
  return extent;
}

function commonStart(start: string, key: string): string {
  if (key.startsWith(start)) return start;
  let length = 0;
  while (length < key.length && start[length] === key[length]) length++;
  return start.slice(0, length);
}

/** The names of an object's members; the caller reads each value. The opening brace is read already. */
function* members(tokens: JsonTokens): Generator<string> {
  let token = tokens.next();
  if (token.type === "punctuation" && token.text === "}") return;
  for (;;) {
    if (token.type !== "string") throw tokens.fault("expected the name of a member");
    tokens.expect(":");
    yield token.text;
    const after = tokens.next();
    if (after.type !== "punctuation" || (after.text !== "," && after.text !== "}"))
      throw tokens.fault("expected a comma or a brace");
    if (after.text === "}") return;
    token = tokens.next();
  }
}

function readHeader(tokens: JsonTokens, header: DumpHeader): void {
  tokens.expect("{");
  for (const name of members(tokens)) {
    if (name !== REVISION) tokens.skipValue();
    else {
      const revision = int64(tokens, name);
      if (header.revision === undefined || revision > header.revision) header.revision = revision;
    }
  }
}

function* readRecords(tokens: JsonTokens): Generator<StoredRecord> {
  tokens.expect("[");
  let token = tokens.next();
  if (token.type === "punctuation" && token.text === "]") return;
  for (;;) {
    if (token.type !== "punctuation" || token.text !== "{")
      throw tokens.fault("expected a key with its value");
    yield readRecord(tokens);
    const after = tokens.next();
    if (after.type !== "punctuation" || (after.text !== "," && after.text !== "]"))
      throw tokens.fault("expected a comma or a bracket");
    if (after.text === "]") return;
    token = tokens.next();
  }
}

function readRecord(tokens: JsonTokens): StoredRecord {
  const numbers = { create: 0n, mod: 0n, version: 0n, lease: 0n };
  let key: string | undefined;
  let value: Buffer = Buffer.alloc(0);
  for (const name of members(tokens)) {
    switch (name) {
      case "key":
        key = base64(tokens, name).toString("latin1");
        break;
      case "value":
        value = base64(tokens, name);
        break;
      case "create_revision":
      case "createRevision":
        numbers.create = int64(tokens, name);
        break;
      case "mod_revision":
      case "modRevision":
        numbers.mod = int64(tokens, name);
        break;
      case "version":
        numbers.version = int64(tokens, name);
        break;
      case "lease":
        numbers.lease = int64(tokens, name);
        break;
      default:
        tokens.skipValue();
    }
  }
  // etcd takes no empty key, and the gateway leaves an empty text out.
  if (key === undefined || key === "") throw tokens.fault("an entry has no key");
  const { create, mod, version, lease } = numbers;
  return { key, createRevision: create, modRevision: mod, version, lease, value };
}

function literal(tokens: JsonTokens): string {
  const token = tokens.next();
  if (token.type !== "literal" && token.type !== "string") throw tokens.fault("expected a scalar");
  return token.text;
}

function int64(tokens: JsonTokens, name: string): bigint {
  const text = literal(tokens);
  if (!/^-?[0-9]{1,19}$/.test(text)) throw tokens.fault(`${name} is not a 64-bit integer`);
  const value = BigInt(text);
  if (BigInt.asIntN(64, value) !== value) throw tokens.fault(`${name} does not fit into 64 bits`);
  return value;
}

function base64(tokens: JsonTokens, name: string): Buffer {
  const token = tokens.next();
  if (token.type === "literal" && token.text === "null") return Buffer.alloc(0);
  if (token.type !== "string") throw tokens.fault(`${name} is not a string`);
  const { text } = token;
  const data = Buffer.from(text, "base64");
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  // Node skips what it does not know, so a length that fits says that every character was base64.
  if (text.length % 4 !== 0 || data.length !== (text.length / 4) * 3 - padding || /[-_]/.test(text))
    throw tokens.fault(`${name} is not base64`);
  return data;
}
