/**
 * Kubernetes' protobuf envelope and, without schemas, what stands in it: the wire format is checked to the end, and
 * the fields that a description names are read (facts/storage-and-encryption.md §1.2).
 */
import type { Json, JsonObject } from "../../core/json.js";
import { type Cursor, readInt64, readLength, readVarint, skipField, WireFault } from "../read/varint.js";
import { ANY_OBJECT, type Field, type Message, TIME } from "./messages.js";

export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** The object itself, without its type. */
  readonly raw: Buffer;
}

const MAGIC = Buffer.from("k8s\0", "latin1");

export const isEnvelope = (data: Buffer): boolean =>
  data.length >= MAGIC.length && data[3] === 0 && data.compare(MAGIC, 0, 4, 0, 4) === 0;

/** Reads the envelope; a `WireFault` carries the server's words. */
export function readEnvelope(data: Buffer): Envelope {
  if (data.length === MAGIC.length) throw new WireFault("empty body");
  const cursor: Cursor = { data, at: MAGIC.length, end: data.length };
  let apiVersion = "";
  let kind = "";
  let raw: Buffer = Buffer.alloc(0);
  while (cursor.at < cursor.end) {
    const tag = fieldTag(cursor, "Unknown");
    if (tag === 0x0a) {
      const end = readLength(cursor);
      const inner: Cursor = { data, at: cursor.at, end };
      while (inner.at < end) {
        const innerTag = fieldTag(inner, "TypeMeta");
        if (innerTag === 0x0a) apiVersion = readText(inner);
        else if (innerTag === 0x12) kind = readText(inner);
        else skipField(inner, innerTag & 7);
      }
      cursor.at = end;
    } else if (tag === 0x12) {
      const end = readLength(cursor);
      raw = data.subarray(cursor.at, end);
      cursor.at = end;
    } else skipField(cursor, tag & 7);
  }
  return { apiVersion, kind, raw };
}

function fieldTag(cursor: Cursor, message: string): number {
  const tag = readVarint(cursor);
  if ((tag & 7) === 4) throw new WireFault(`proto: ${message}: wiretype end group for non-group`);
  if (tag < 8) throw new WireFault(`proto: ${message}: illegal tag 0 (wire type ${tag & 7})`);
  return tag;
}

function readText(cursor: Cursor): string {
  const end = readLength(cursor);
  const text = cursor.data.toString("utf8", cursor.at, end);
  cursor.at = end;
  return text;
}

/** The name in the metadata of an object. Checks the wire format of the object's own fields and of its metadata. */
export function nameIn(raw: Buffer, kind: string): string {
  const cursor: Cursor = { data: raw, at: 0, end: raw.length };
  let name = "";
  while (cursor.at < cursor.end) {
    const tag = fieldTag(cursor, kind);
    if (tag !== 0x0a) {
      skipField(cursor, tag & 7);
      continue;
    }
    const end = readLength(cursor);
    const inner: Cursor = { data: raw, at: cursor.at, end };
    while (inner.at < end) {
      const innerTag = fieldTag(inner, "ObjectMeta");
      if (innerTag === 0x0a) name = readText(inner);
      else skipField(inner, innerTag & 7);
    }
    cursor.at = end;
  }
  return name;
}

/** The fields of an object that a description names, in the shape of its JSON form. */
export function readMessage(raw: Buffer, message: Message = ANY_OBJECT): JsonObject {
  return readFields({ data: raw, at: 0, end: raw.length }, message, 0);
}

const MAX_DEPTH = 32;

function readFields(cursor: Cursor, message: Message, depth: number): JsonObject {
  if (depth > MAX_DEPTH) throw new WireFault("proto: messages are nested too deeply");
  const object: Record<string, Json> = {};
  const lists = new Map<string, Json[]>();
  while (cursor.at < cursor.end) {
    const tag = fieldTag(cursor, "object");
    const field = message[Math.floor(tag / 8)];
    if (field === undefined) {
      skipField(cursor, tag & 7);
      continue;
    }
    const value = readField(cursor, field, tag & 7, depth);
    if (field.many !== true) object[field.name] = value;
    else {
      const list = lists.get(field.name) ?? [];
      list.push(value);
      lists.set(field.name, list);
      object[field.name] = list;
    }
  }
  return object;
}

function readField(cursor: Cursor, field: Field, wireType: number, depth: number): Json {
  const { name, type } = field;
  const expected = type === "bool" || type === "int" ? 0 : 2;
  if (wireType !== expected) throw new WireFault(`proto: wrong wireType = ${wireType} for field ${name}`);
  if (type === "string") return readText(cursor);
  if (type === "bool") return readInt64(cursor) !== 0n;
  if (type === "int") return Number(readInt64(cursor));
  const end = readLength(cursor);
  const value = readFields({ data: cursor.data, at: cursor.at, end }, type, depth + 1);
  cursor.at = end;
  return type === TIME ? timeText(value["seconds"]) : value;
}

const LAST_SECOND = 253402300799;

const timeText = (seconds: Json | undefined): string => {
  const value = typeof seconds === "number" ? Math.max(0, Math.min(seconds, LAST_SECOND)) : 0;
  return new Date(value * 1000).toISOString().replace(".000Z", "Z");
};
