/**
 * Whether a server decodes the protobuf body of a built-in kind, to its leaves, and whether it can write as JSON what it
 * decoded. One pass over the bytes by the table of messages (tables/kubernetes-messages.json) of the newest release:
 * fields are only added to messages, so that only damage inside a field that an older target does not know is judged too
 * strictly.
 */
import { WireFault } from "../read/varint.js";
import { CborFault, readCbor } from "./cbor.js";
import { type JsonForm, special } from "./json-form.js";
import { quantityFault } from "./quantity-fault.js";
import { endOfField, passField, passVarint, readTag, wideVarint, wrongWireType } from "./wire.js";

type Leaf =
  | "varint"
  | "bytes"
  | "double"
  | "message"
  | "map"
  | "name"
  | "namespace"
  | "quantity"
  | "intOrString"
  | "fields"
  | "raw"
  | "json";

interface Field {
  /** Name in errors. */
  readonly go: string;
  readonly wireType: 0 | 1 | 2;
  readonly leaf: Leaf;
  /** Numbers of a list may also be packed into one field. */
  readonly isPacked: boolean;
  readonly type: Type | undefined;
  /** The values of a map. */
  readonly values: Field | undefined;
}

interface Type {
  /** Name in errors. */
  readonly name: string;
  /** By number. */
  readonly fields: (Field | undefined)[];
}

export interface TypedBody {
  readonly name: string;
  readonly namespace: string;
  /** The server's words where the object cannot be written as JSON. */
  readonly jsonFault: string | undefined;
}

/** Deeper values would need a stack that no server's own objects need: JSON schemas alone contain themselves. */
const MAX_DEPTH = 1000;
const META = "meta.v1.ObjectMeta";

export class TypedBodies {
  private readonly types = new Map<string, Type>();
  /** Kind and apiVersion → type; undefined for a kind that the table does not have. */
  private readonly kinds = new Map<string, Type | undefined>();

  constructor(private readonly form: JsonForm) {}

  /** Reads a body; undefined for a kind that the table does not have. A `WireFault` carries the server's words. */
  read(data: Buffer, start: number, end: number, apiVersion: string, kind: string): TypedBody | undefined {
    const type = this.ofKind(apiVersion, kind);
    if (type === undefined) return undefined;
    const walk = new Walk(data);
    walk.at = start;
    walk.message(end, type, 0);
    return walk;
  }

  private ofKind(apiVersion: string, kind: string): Type | undefined {
    const id = `${apiVersion} ${kind}`;
    if (this.kinds.has(id)) return this.kinds.get(id);
    const message = this.form.messageOf(apiVersion, kind);
    let type = message === undefined ? undefined : this.type(message);
    // Only of the object itself name and namespace are kept.
    if (
      message !== undefined &&
      type?.fields[1] !== undefined &&
      this.form.fieldsOf(message)?.get(1)?.type === META
    ) {
      const { name, fields } = this.type(META);
      const named = [...fields];
      named[1] = field("Name", "name");
      named[3] = field("Namespace", "namespace");
      const own = [...type.fields];
      own[1] = { ...type.fields[1], type: { name, fields: named } };
      type = { name: type.name, fields: own };
    }
    if (this.kinds.size < MOST_KINDS) this.kinds.set(id, type);
    return type;
  }

  private type(message: string): Type {
    const known = this.types.get(message);
    if (known !== undefined) return known;
    const short = message.slice(message.lastIndexOf(".") + 1);
    const how = special(message);
    const type: Type = { name: how === "Time" || how === "MicroTime" ? "Timestamp" : short, fields: [] };
    this.types.set(message, type);
    if (how !== "") {
      const schema = message.slice(0, message.lastIndexOf("Or"));
      for (const [number, each] of this.specialFields(how, schema)) type.fields[number] = each;
      return type;
    }
    for (const [number, { name, many, gone, type: of }] of this.form.fieldsOf(message) ?? []) {
      if (gone) continue;
      const go = this.form.nameInErrors(message, name, of);
      const leaf = leafOf(of);
      const inner = leaf === "message" ? this.type(of) : undefined;
      const isPacked = many === "list" && leaf === "varint";
      const each: Field = { ...field(go, leaf), type: inner, isPacked };
      type.fields[number] = many === "map" ? { ...field(go, "map"), values: each } : each;
    }
    return type;
  }

  /** Fields of the messages that the table does not have, since their JSON form is one of their own. */
  private specialFields(how: string, schema: string): readonly (readonly [number, Field])[] {
    const schemas = (go: string): Field => ({ ...field(go, "message"), type: this.type(schema) });
    switch (how) {
      case "Quantity":
        return [[1, field("String_", "quantity")]];
      case "IntOrString":
        return [
          [1, field("Type", "intOrString")],
          [2, field("IntVal", "varint")],
          [3, field("StrVal", "bytes")],
        ];
      case "FieldsV1":
        return [[1, field("Raw", "fields")]];
      case "RawExtension":
        return [[1, field("Raw", "raw")]];
      case "JSON":
        return [[1, field("Raw", "json")]];
      case "JSONSchemaPropsOrBool":
        return [
          [1, field("Allows", "varint")],
          [2, schemas("Schema")],
        ];
      case "JSONSchemaPropsOrArray":
        return [
          [1, schemas("Schema")],
          [2, schemas("JSONSchemas")],
        ];
      case "JSONSchemaPropsOrStringArray":
        return [
          [1, schemas("Schema")],
          [2, field("Property", "bytes")],
        ];
      default:
        return [
          [1, field("Seconds", "varint")],
          [2, field("Nanos", "varint")],
        ];
    }
  }
}

const MOST_KINDS = 10_000;

const field = (go: string, leaf: Leaf): Field => ({
  go,
  wireType: leaf === "varint" || leaf === "intOrString" ? 0 : leaf === "double" ? 1 : 2,
  leaf,
  isPacked: false,
  type: undefined,
  values: undefined,
});

/** By the letters of the table. */
function leafOf(type: string): Leaf {
  if (type.length > 1) return "message";
  return type === "d" ? "double" : type === "s" || type === "y" ? "bytes" : "varint";
}

class Walk implements TypedBody {
  name = "";
  namespace = "";
  jsonFault: string | undefined;
  at = 0;

  constructor(readonly data: Buffer) {}

  message(end: number, type: Type, depth: number): void {
    if (depth > MAX_DEPTH) throw new WireFault("proto: messages are nested too deeply");
    const { data } = this;
    const { fields } = type;
    while (this.at < end) {
      const start = this.at;
      // Nearly every tag is one byte, or two.
      let tag = data[start] ?? 0;
      const second = data[start + 1] ?? 0;
      if (tag < 0x80 && tag >= 8 && (tag & 7) !== 4) this.at++;
      else if (tag >= 0x80 && second < 0x80 && second > 0 && start + 1 < end && (tag & 7) !== 4) {
        tag = (tag & 0x7f) | (second << 7);
        this.at += 2;
      } else tag = readTag(this, end, type.name);
      const known = fields[tag >>> 3];
      if (known === undefined) {
        this.at = start;
        passField(this, end);
        continue;
      }
      if ((tag & 7) === known.wireType) this.value(end, known, depth);
      else if (known.isPacked && (tag & 7) === 2) this.packed(end);
      else throw wrongWireType(tag & 7, known.go);
    }
  }

  private value(end: number, known: Field, depth: number): void {
    switch (known.leaf) {
      case "varint":
        passVarint(this, end);
        return;
      case "bytes": {
        const length = this.data[this.at] ?? 0;
        const after = this.at + 1 + length;
        this.at = length < 0x80 && after <= end ? after : endOfField(this, end);
        return;
      }
      case "message": {
        const after = endOfField(this, end);
        if (known.type !== undefined) this.message(after, known.type, depth + 1);
        this.at = after;
        return;
      }
      case "map": {
        const after = endOfField(this, end);
        this.entry(after, end, known, depth);
        this.at = after;
        return;
      }
      case "double":
        this.double(end);
        return;
      case "intOrString": {
        const which = wideVarint(this, end);
        if (which > 1n) this.unwritable("intstr.IntOrString", "impossible IntOrString.Type");
        return;
      }
      default:
        this.text(end, known.leaf);
    }
  }

  /** The leaves whose content counts. */
  private text(end: number, leaf: Leaf): void {
    const after = endOfField(this, end);
    const { data, at } = this;
    this.at = after;
    switch (leaf) {
      case "name":
        this.name = data.toString("utf8", at, after);
        return;
      case "namespace":
        this.namespace = data.toString("utf8", at, after);
        return;
      case "quantity": {
        const fault = quantityFault(data.toString("latin1", at, after));
        if (fault !== undefined) throw new WireFault(fault);
        return;
      }
      case "fields":
        if (at === after || isJsonIn(data, at, after)) return;
        if ((data[at] ?? 0) >> 5 === CBOR_MAP && isCborIn(data, at, after)) return;
        this.unwritable("*v1.FieldsV1", NOT_JSON);
        return;
      case "raw":
        if ((isCbor(data, at, after) ? isCborIn : isJsonIn)(data, at, after)) return;
        this.unwritable("runtime.RawExtension", NOT_JSON);
        return;
      default:
        if (at < after && !isJsonIn(data, at, after)) this.unwritable("v1.JSON", NOT_JSON);
    }
  }

  private double(end: number): void {
    if (this.at + 8 > end) throw new WireFault("unexpected EOF");
    if (!Number.isFinite(this.data.readDoubleLE(this.at)))
      this.jsonFault ??= "json: unsupported value: NaN or infinity";
    this.at += 8;
  }

  private unwritable(type: string, why: string): void {
    this.jsonFault ??= `json: error calling MarshalJSON for type ${type}: ${why}`;
  }

  /** Numbers one after the other; the generated code lets the last of them reach beyond their length. */
  private packed(end: number): void {
    const after = endOfField(this, end);
    while (this.at < after) passVarint(this, end);
  }

  /** A key and a value. Their wire types are not looked at, and they may reach beyond the entry within the message. */
  private entry(after: number, end: number, known: Field, depth: number): void {
    while (this.at < after) {
      const start = this.at;
      const tag = this.data[start] ?? 0;
      const number = tag < 0x80 ? tag >>> 3 : Number(BigInt.asIntN(32, wideVarint(this, end) >> 3n));
      if (tag < 0x80) this.at++;
      if (number === 1) this.at = endOfField(this, end);
      else if (number === 2 && known.values !== undefined) this.value(end, known.values, depth);
      else {
        this.at = start;
        passField(this, end);
        if (this.at > after) throw new WireFault("unexpected EOF");
      }
    }
  }
}

const NOT_JSON = "the text is not JSON";
const CBOR_MAP = 5;
const isCbor = (data: Buffer, from: number, to: number): boolean =>
  to - from >= 3 && data[from] === 0xd9 && data[from + 1] === 0xd9 && data[from + 2] === 0xf7;

/** Texts that are known to be JSON: what managers of fields write down is the same for all objects of a controller. */
const known = new Set<string>();
const MOST_KNOWN = 2000;
const LONGEST_KNOWN = 8192;

/** True for JSON as Go checks it: bytes that are no UTF-8 may be in texts. */
function isJsonIn(data: Buffer, from: number, to: number): boolean {
  const text = data.toString("latin1", from, to);
  if (known.has(text)) return true;
  try {
    JSON.parse(text);
  } catch {
    return false;
  }
  if (text.length > LONGEST_KNOWN) return true;
  if (known.size >= MOST_KNOWN) known.clear();
  known.add(text);
  return true;
}

function isCborIn(data: Buffer, from: number, to: number): boolean {
  try {
    readCbor(data.subarray(from, to));
    return true;
  } catch (error) {
    if (!(error instanceof CborFault)) throw error;
    return false;
  }
}
