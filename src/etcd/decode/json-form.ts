/**
 * A protobuf body of a built-in kind in its JSON form, by a table of the messages that Kubernetes publishes
 * (tables/kubernetes-messages.json). The table is large and loaded by what needs it alone.
 */
import type { Json, JsonObject } from "../../core/json.js";
import { type Cursor, readInt64, readLength, readVarint, skipField, WireFault } from "../read/varint.js";
import { isEnvelope, readEnvelope, readTypeMeta } from "./protobuf.js";

/** tables/kubernetes-messages.json; `about` there says how fields are written. */
export interface MessageTable {
  readonly apiVersions: { readonly [apiVersion: string]: string };
  readonly messages: { readonly [home: string]: { readonly [message: string]: string } };
  readonly goNames: { readonly [message: string]: { readonly [member: string]: string } };
}

export interface FieldShape {
  /** Member of the JSON form; empty where the members of the message stand in its place. */
  readonly name: string;
  readonly many: "list" | "map" | undefined;
  /** A pointer in Go: what is there is kept, also when it is empty or zero. */
  readonly pointer: boolean;
  /** Kept when it is empty or zero, as a member without omitempty. */
  readonly always: boolean;
  /** No longer in the newest release that has the message. */
  readonly gone: boolean;
  /** One letter for a scalar, else a message by its full name. */
  readonly type: string;
}

interface Shape {
  readonly fields: ReadonlyMap<number, FieldShape>;
  /** True where the value is the one list in it. */
  readonly isList: boolean;
}

const MAX_DEPTH = 200;

/** What a server's Go types would print as JSON; members that a list or struct leaves empty are left out. */
export class JsonForm {
  private readonly shapes = new Map<string, Shape>();
  private readonly members = new Map<string, ReadonlyMap<string, FieldShape>>();
  /** Fields that were met and are not in the table, such as of a newer release. */
  unknownFields = 0;

  constructor(private readonly table: MessageTable) {}

  /** The message of a kind; undefined for one that the table does not have. */
  messageOf(apiVersion: string, kind: string): string | undefined {
    const home = this.table.apiVersions[apiVersion];
    return home === undefined || this.table.messages[home]?.[kind] === undefined
      ? undefined
      : `${home}.${kind}`;
  }

  /** Members of a message, for comparing versions of a kind. Undefined for what is not a plain message. */
  fieldsOf(message: string): ReadonlyMap<number, FieldShape> | undefined {
    return message.length === 1 || SPECIAL.has(special(message)) ? undefined : this.shape(message).fields;
  }

  /** Members of a message by name, those of inlined messages among them; undefined for what is not a plain message. */
  membersOf(message: string): ReadonlyMap<string, FieldShape> | undefined {
    const fields = this.fieldsOf(message);
    if (fields === undefined) return undefined;
    const known = this.members.get(message);
    if (known !== undefined) return known;
    const members = new Map<string, FieldShape>();
    for (const field of fields.values())
      if (field.name !== "") members.set(field.name, field);
      else for (const [name, inner] of this.membersOf(field.type) ?? []) members.set(name, inner);
    this.members.set(message, members);
    return members;
  }

  /** The name by which errors of the generated decoder call a member of a message. */
  nameInErrors(message: string, member: string, type: string): string {
    const own = this.table.goNames[message]?.[member] ?? this.table.goNames[""]?.[member];
    if (own !== undefined) return own;
    return member === ""
      ? type.slice(type.lastIndexOf(".") + 1)
      : member.charAt(0).toUpperCase() + member.slice(1);
  }

  /** The message that a list is made of, for a message whose value is the one list in it. */
  itemOf(message: string): string | undefined {
    const { isList, fields } = this.shape(message);
    return isList ? fields.get(1)?.type : undefined;
  }

  /** Reads the body of an object. Throws a `WireFault` where it is no message, or has a number too large for JSON here. */
  read(data: Buffer, start: number, end: number, apiVersion: string, kind: string): JsonObject {
    const message = this.messageOf(apiVersion, kind);
    if (message === undefined) throw new WireFault(`no message for ${kind} of ${apiVersion}`);
    const body = this.object({ data, at: start, end }, message, 0);
    return { apiVersion, kind, ...body };
  }

  private shape(message: string): Shape {
    const known = this.shapes.get(message);
    if (known !== undefined) return known;
    const at = message.lastIndexOf(".");
    const home = message.slice(0, at);
    const text = this.table.messages[home]?.[message.slice(at + 1)];
    if (text === undefined) throw new Error(`the table has no message ${message}`);
    const isList = text.startsWith("=");
    const fields = new Map<number, FieldShape>();
    for (const part of (isList ? text.slice(1) : text).split("|")) {
      const [, number, name = "", flags = "", type = ""] =
        /^([0-9]+) (\S*) ([[{*!~]{0,5})(\S+)$/.exec(part) ?? [];
      if (number === undefined) continue;
      fields.set(Number(number), {
        name,
        many: flags.includes("[") ? "list" : flags.includes("{") ? "map" : undefined,
        pointer: flags.includes("*"),
        always: flags.includes("!"),
        gone: flags.includes("~"),
        type: type.length === 1 || type.includes(".") ? type : `${home}.${type}`,
      });
    }
    const shape = { fields, isList };
    this.shapes.set(message, shape);
    return shape;
  }

  private object(cursor: Cursor, message: string, depth: number): { [name: string]: Json } {
    if (depth > MAX_DEPTH) throw new WireFault("proto: messages are nested too deeply");
    const { fields } = this.shape(message);
    const object: { [name: string]: Json } = {};
    const lists = new Map<string, Json[]>();
    const maps = new Map<string, Map<string, Json>>();
    while (cursor.at < cursor.end) {
      const tag = readVarint(cursor);
      const field = fields.get(Math.floor(tag / 8));
      if (field === undefined) {
        if (tag < 8) throw new WireFault("proto: illegal tag 0");
        this.unknownFields++;
        skipField(cursor, tag & 7);
        continue;
      }
      if (field.many === "map") {
        const map = maps.get(field.name) ?? new Map<string, Json>();
        maps.set(field.name, map);
        this.entry(cursor, map, field.type, depth);
        continue;
      }
      const value = this.value(cursor, field.type, tag & 7, depth);
      if (field.many === "list") {
        const list = lists.get(field.name) ?? [];
        lists.set(field.name, list);
        list.push(value);
      } else if (field.name === "") Object.assign(object, value);
      else if (isKept(field, value)) set(object, field.name, value);
    }
    for (const [name, list] of lists) set(object, name, list);
    for (const [name, map] of maps) set(object, name, Object.fromEntries(map));
    return object;
  }

  /** An entry of a map is a message of a key and a value, either of which may be left out. */
  private entry(cursor: Cursor, map: Map<string, Json>, type: string, depth: number): void {
    const end = readLength(cursor);
    const inner: Cursor = { data: cursor.data, at: cursor.at, end };
    let key = "";
    let value: Json | undefined;
    while (inner.at < end) {
      const tag = readVarint(inner);
      if (tag === 0x0a) key = text(inner);
      else if (tag >> 3 === 2) value = this.value(inner, type, tag & 7, depth);
      else skipField(inner, tag & 7);
    }
    cursor.at = end;
    const empty: Cursor = { data: cursor.data, at: end, end };
    map.set(key, value ?? (type.length === 1 ? (ZERO[type] ?? null) : this.message(empty, type, depth)));
  }

  private value(cursor: Cursor, type: string, wireType: number, depth: number): Json {
    const expected = type === "i" || type === "l" || type === "b" ? 0 : type === "d" ? 1 : 2;
    if (wireType !== expected) throw new WireFault(`proto: wrong wireType = ${wireType}`);
    switch (type) {
      case "i":
      case "l":
        return integer(readInt64(cursor));
      case "b":
        return readInt64(cursor) !== 0n;
      case "d":
        return double(cursor);
      case "s":
        return text(cursor);
      case "y":
        return bytes(cursor).toString("base64");
      default: {
        const end = readLength(cursor);
        const value = this.message({ data: cursor.data, at: cursor.at, end }, type, depth + 1);
        cursor.at = end;
        return value;
      }
    }
  }

  private message(cursor: Cursor, type: string, depth: number): Json {
    const how = special(type);
    switch (how) {
      case "Quantity":
        return firstText(cursor) || "0";
      case "IntOrString":
        return intOrString(cursor);
      case "Time":
        return time(cursor, false);
      case "MicroTime":
        return time(cursor, true);
      case "FieldsV1":
      case "JSON":
      case "RawExtension":
        return this.raw(cursor);
      case "JSONSchemaPropsOrArray":
      case "JSONSchemaPropsOrBool":
      case "JSONSchemaPropsOrStringArray":
        return this.schemaOr(cursor, how, type.slice(0, type.lastIndexOf("Or")), depth);
      default: {
        const { isList, fields } = this.shape(type);
        const object = this.object(cursor, type, depth);
        return isList ? (object[fields.get(1)?.name ?? ""] ?? []) : object;
      }
    }
  }

  /** JSON in the first field, or another object of the server's. */
  private raw(cursor: Cursor): Json {
    const data = firstBytes(cursor);
    if (data.length === 0) return null;
    if (!isEnvelope(data)) return parse(data.toString("utf8"));
    const { typeMeta, start, end } = readEnvelope(data);
    const { apiVersion, kind } = readTypeMeta(typeMeta);
    return this.read(data, start, end, apiVersion, kind);
  }

  /** The forms of apiextensions that are a schema, or something simpler. */
  private schemaOr(cursor: Cursor, how: string, schemaType: string, depth: number): Json {
    let allows = false;
    let schema: Json | undefined;
    const list: Json[] = [];
    while (cursor.at < cursor.end) {
      const tag = readVarint(cursor);
      const number = tag >> 3;
      if (how === "JSONSchemaPropsOrBool" && number === 1) allows = readInt64(cursor) !== 0n;
      else if (how === "JSONSchemaPropsOrBool" ? number === 2 : number === 1)
        schema = this.value(cursor, schemaType, tag & 7, depth + 1);
      else if (number === 2)
        list.push(
          this.value(cursor, how === "JSONSchemaPropsOrArray" ? schemaType : "s", tag & 7, depth + 1),
        );
      else skipField(cursor, tag & 7);
    }
    if (how === "JSONSchemaPropsOrBool") return schema ?? allows;
    return how === "JSONSchemaPropsOrArray" && list.length === 0 ? (schema ?? null) : (schema ?? list);
  }
}

const ZERO: { readonly [type: string]: Json } = { s: "", i: 0, l: 0, b: false, y: "", d: 0 };

const SPECIAL = new Set([
  "Quantity",
  "IntOrString",
  "Time",
  "MicroTime",
  "FieldsV1",
  "RawExtension",
  "JSON",
  "JSONSchemaPropsOrArray",
  "JSONSchemaPropsOrBool",
  "JSONSchemaPropsOrStringArray",
]);
const HOMES = /^(?:resource|intstr|meta\.v1|runtime|apiextensions\.v1(?:beta1)?)\.(\w+)$/;
/** The name of a message with a JSON form of its own; empty for any other. */
export const special = (message: string): string => {
  const name = HOMES.exec(message)?.[1] ?? "";
  return SPECIAL.has(name) ? name : "";
};

/** As Go's JSON encoder decides, except that an optional struct without content is left out. */
function isKept({ pointer, always, type }: FieldShape, value: Json): boolean {
  if (value === null) return false;
  if (pointer) return true;
  if (type.length === 1) return always || value !== ZERO[type];
  return always || typeof value !== "object" || Array.isArray(value) || Object.keys(value).length > 0;
}

/** A member may have any name, `__proto__` too. */
const set = (object: { [name: string]: Json }, name: string, value: Json): void =>
  void Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });

function integer(value: bigint | number): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new WireFault(NOT_EXACT);
  return number;
}

/** Said of numbers that would come out as another one. */
const NOT_EXACT = "it contains a number with too many digits";

function double(cursor: Cursor): number {
  if (cursor.end - cursor.at < 8) throw new WireFault("unexpected EOF");
  const value = cursor.data.readDoubleLE(cursor.at);
  cursor.at += 8;
  if (!Number.isFinite(value)) throw new WireFault("it contains an invalid JSON number");
  return value;
}

function bytes(cursor: Cursor): Buffer {
  const end = readLength(cursor);
  const data = cursor.data.subarray(cursor.at, end);
  cursor.at = end;
  return data;
}

const text = (cursor: Cursor): string => bytes(cursor).toString("utf8");

function firstBytes(cursor: Cursor): Buffer {
  let found: Buffer = Buffer.alloc(0);
  while (cursor.at < cursor.end) {
    const tag = readVarint(cursor);
    if (tag === 0x0a) found = bytes(cursor);
    else skipField(cursor, tag & 7);
  }
  return found;
}
const firstText = (cursor: Cursor): string => firstBytes(cursor).toString("utf8");

/** Fields: 1 which of the two it is, 2 the number, 3 the text. */
function intOrString(cursor: Cursor): Json {
  let isText = false;
  let number = 0;
  let word = "";
  while (cursor.at < cursor.end) {
    const tag = readVarint(cursor);
    if (tag === 0x08) isText = readInt64(cursor) !== 0n;
    else if (tag === 0x10) number = integer(readInt64(cursor));
    else if (tag === 0x1a) word = text(cursor);
    else skipField(cursor, tag & 7);
  }
  return isText ? word : number;
}

/** RFC 3339 in UTC, to the second or to the microsecond; null for the zero time, as Go prints it. */
function time(cursor: Cursor, micro: boolean): string | null {
  let seconds = 0n;
  let nanos = 0n;
  while (cursor.at < cursor.end) {
    const tag = readVarint(cursor);
    if (tag === 0x08) seconds = readInt64(cursor);
    else if (tag === 0x10) nanos = readInt64(cursor);
    else skipField(cursor, tag & 7);
  }
  if (seconds === 0n && nanos === 0n) return null;
  if (seconds < -62135596800n || seconds > 253402300799n)
    throw new WireFault("it contains a time that is out of range");
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, -5);
  return micro ? `${whole}.${String(nanos / 1000n).padStart(6, "0")}Z` : `${whole}Z`;
}

/** JSON inside a message. */
function parse(source: string): Json {
  let value: Json;
  try {
    value = JSON.parse(source);
  } catch {
    throw new WireFault("it contains JSON that cannot be parsed");
  }
  requireExact(value);
  return value;
}

/** Throws a `WireFault` where an integer is beyond what is exact here, and so came in as another one. */
export function requireExact(value: Json): void {
  if (typeof value === "number") {
    if (Number.isInteger(value)) integer(value);
  } else if (typeof value === "object" && value !== null)
    for (const each of Object.values(value)) requireExact(each);
}
