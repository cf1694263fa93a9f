/**
 * Kubernetes' protobuf envelope and, without schemas, what stands in it: the wire format is checked to the end, and
 * the fields that a description names are read (docs/reference/storage-and-encryption.md §1.2).
 */
import type { Json, JsonObject } from "../../core/json.js";
import { type Cursor, readInt64, readLength, readVarint, skipField, WireFault } from "../read/varint.js";
import { ANY_OBJECT, type Field, type Message, TIME } from "./messages.js";
import { endOfField, type Place, passField, readTag, wrongWireType } from "./wire.js";

export interface Envelope {
  /** The message with apiVersion and kind, one character a byte: the same for every object of a kind. */
  readonly typeMeta: string;
  /** Where the object itself stands, without its type. */
  readonly start: number;
  readonly end: number;
}

/** "k8s" and a zero byte. */
export const isEnvelope = (data: Buffer): boolean =>
  data.length >= 4 && data[0] === 0x6b && data[1] === 0x38 && data[2] === 0x73 && data[3] === 0;

const MAGIC_LENGTH = 4;

/** Reads the envelope (`runtime.Unknown`); a `WireFault` carries the server's words. */
export function readEnvelope(data: Buffer): Envelope {
  if (data.length === MAGIC_LENGTH) throw new WireFault("empty body");
  const place: Place = { data, at: MAGIC_LENGTH };
  const last = data.length;
  let typeMeta = "";
  let start = 0;
  let end = 0;
  while (place.at < last) {
    const before = place.at;
    const tag = readTag(place, last, "Unknown");
    const name = ENVELOPE_FIELDS[tag >>> 3];
    if (name === undefined) {
      place.at = before;
      passField(place, last);
      continue;
    }
    if ((tag & 7) !== 2) throw wrongWireType(tag & 7, name);
    const after = endOfField(place, last);
    if (name === "TypeMeta") typeMeta = data.toString("latin1", place.at, after);
    else if (name === "Raw") {
      start = place.at;
      end = after;
    }
    place.at = after;
  }
  return { typeMeta, start, end };
}

const ENVELOPE_FIELDS = [undefined, "TypeMeta", "Raw", "ContentEncoding", "ContentType"];

/** The two fields of a TypeMeta message. */
export function readTypeMeta(typeMeta: string): { readonly apiVersion: string; readonly kind: string } {
  const data = Buffer.from(typeMeta, "latin1");
  const place: Place = { data, at: 0 };
  const end = data.length;
  let apiVersion = "";
  let kind = "";
  while (place.at < end) {
    const before = place.at;
    const tag = readTag(place, end, "TypeMeta");
    const name = TYPE_FIELDS[tag >>> 3];
    if (name === undefined) {
      place.at = before;
      passField(place, end);
      continue;
    }
    if ((tag & 7) !== 2) throw wrongWireType(tag & 7, name);
    const after = endOfField(place, end);
    const text = data.toString("utf8", place.at, after);
    if (name === "Kind") kind = text;
    else apiVersion = text;
    place.at = after;
  }
  return { apiVersion, kind };
}

const TYPE_FIELDS = [undefined, "APIVersion", "Kind"];

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

/**
 * Name and namespace in the metadata of an object. Checks the wire format of the object's own fields and of its
 * metadata.
 */
export function nameIn(
  data: Buffer,
  from: number,
  to: number,
  kind: string,
): { readonly name: string; readonly namespace: string } {
  const cursor: Cursor = { data, at: from, end: to };
  let name = "";
  let namespace = "";
  while (cursor.at < cursor.end) {
    const tag = fieldTag(cursor, kind);
    if (tag !== 0x0a) {
      skipField(cursor, tag & 7);
      continue;
    }
    const end = readLength(cursor);
    const inner: Cursor = { data, at: cursor.at, end };
    while (inner.at < end) {
      const innerTag = fieldTag(inner, "ObjectMeta");
      if (innerTag === 0x0a) name = readText(inner);
      else if (innerTag === 0x1a) namespace = readText(inner);
      else skipField(inner, innerTag & 7);
    }
    cursor.at = end;
  }
  return { name, namespace };
}

/** The fields of an object that a description names, in the shape of its JSON form. */
export function readMessage(
  data: Buffer,
  from: number,
  to: number,
  message: Message = ANY_OBJECT,
): JsonObject {
  return readFields({ data, at: from, end: to }, message, 0);
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
