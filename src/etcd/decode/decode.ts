/**
 * From plain bytes to an object, as the codec of its API server would: which form it is, which type it names, and the
 * server's words where it is neither (docs/reference/storage-and-encryption.md §1.2, §1.5). Content of a value never
 * reaches an error text; where the server would quote it, the text is marked as approximate.
 */
import { isObject, type Json, type JsonObject } from "../../core/json.js";
import { readYaml, toJson } from "../../text/yaml-read.js";
import { WireFault } from "../read/varint.js";
import { CborFault, readCbor } from "./cbor.js";
import type { Message } from "./messages.js";
import { isEnvelope, nameIn, readEnvelope, readMessage, readTypeMeta } from "./protobuf.js";
import type { TypedBodies } from "./typed-body.js";

export type Media = "protobuf" | "json" | "cbor" | "yaml";

/** `typed`: a built-in kind of a server. `unstructured`: a custom resource. `any`: a server that is not known. */
export type Codec = "typed" | "unstructured" | "any";

/** Where the content is; valid as long as the value it came from. */
type Body =
  | { readonly data: Buffer; readonly start: number; readonly end: number }
  | { readonly value: JsonObject };

/** A type as values name it. Equal types are one and the same object. */
export interface TypeName {
  /** Undefined where the value names none and the server assumes its own. */
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
  /** Group of `apiVersion`. */
  readonly group: string;
  /** The server's words for an apiVersion that is none. */
  readonly fault: string | undefined;
}

interface Decodable {
  readonly ok: true;
  readonly media: Media;
  readonly type: TypeName;
  /** `metadata.name`; empty when there is none. */
  readonly objectName: string;
  /** `metadata.namespace`; empty when there is none. */
  readonly objectNamespace: string;
  /** The server's words where it decodes the object and cannot write it as JSON; a detail may differ. */
  readonly jsonFault?: string | undefined;
  readonly body: Body;
}

interface Undecodable {
  readonly ok: false;
  readonly media: Media | undefined;
  readonly type: TypeName;
  /** The server's words. */
  readonly error: string;
  /** True when the server's text would differ in a detail. */
  readonly approximate: boolean;
}

export type Decoded = Decodable | Undecodable;

const VERSION_KIND = "couldn't get version/kind; json parse error:";

/** The server's words for JSON that its decoder does not take for the type; undefined where it does. */
export type TypeCheck = (text: string, type: TypeName) => string | undefined;

/**
 * @param types of a built-in kind; without it the types of members are not looked at
 * @param bodies reads protobuf to its leaves; without it the fields of the object itself and its metadata are looked at
 */
export function decodeValue(data: Buffer, codec: Codec, types?: TypeCheck, bodies?: TypedBodies): Decoded {
  if (codec !== "unstructured" && isEnvelope(data)) return decodeEnvelope(data, bodies);
  if (codec !== "typed" && isCbor(data)) return decodeCbor(data, codec);
  if (firstByte(data) === 0x7b) return decodeJson(data, codec, types);
  if (codec === "typed") return decodeYaml(data, types);
  return refused(undefined, "invalid character looking for beginning of value");
}

const isCbor = (data: Buffer): boolean =>
  data.length > 3 && data[0] === 0xd9 && data[1] === 0xd9 && data[2] === 0xf7;

/** The object in the shape of its JSON form; of a protobuf value only the fields that `message` names. */
export const contentOf = ({ body }: Decodable, message: Message): JsonObject =>
  "value" in body ? body.value : readMessage(body.data, body.start, body.end, message);

const refused = (media: Media | undefined, error: string, type: TypeName = NO_TYPE): Undecodable => ({
  ok: false,
  media,
  type,
  error,
  approximate: true,
});

/** The first byte that is not white space as Go's JSON sniffing knows it. */
function firstByte(data: Buffer): number | undefined {
  let at = 0;
  while (at < data.length && isBlank(data[at] ?? 0)) at++;
  return data[at];
}
const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

function decodeEnvelope(data: Buffer, bodies: TypedBodies | undefined): Decoded {
  let type = NO_TYPE;
  try {
    const { typeMeta, start, end } = readEnvelope(data);
    type = typeOfMeta(typeMeta);
    if (type.fault !== undefined) return refused("protobuf", type.fault, type);
    if (type.apiVersion === undefined || type.kind === undefined)
      return refused("protobuf", NOT_MARSHALABLE, type);
    const read = bodies?.read(data, start, end, type.apiVersion, type.kind);
    const { name, namespace } = read ?? nameIn(data, start, end, type.kind);
    return {
      ok: true,
      media: "protobuf",
      type,
      objectName: name,
      objectNamespace: namespace,
      jsonFault: read?.jsonFault,
      body: { data, start, end },
    };
  } catch (error) {
    if (!(error instanceof WireFault)) throw error;
    // The type is read before the body, so a truncated value still says what it was.
    if (type === NO_TYPE) type = typeAtStart(data);
    return { ok: false, media: "protobuf", type, error: error.message, approximate: false };
  }
}

const NOT_MARSHALABLE =
  "object does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message";

/** The type that a damaged envelope names, when its first field is whole. */
function typeAtStart(data: Buffer): TypeName {
  const length = data[5] ?? 0;
  if (data[4] !== 0x0a || length >= 0x80 || 6 + length > data.length) return NO_TYPE;
  try {
    return typeOfMeta(data.toString("latin1", 6, 6 + length));
  } catch {
    return NO_TYPE;
  }
}

const LONGEST_NAME = 512;
const MOST_TYPES = 10_000;
const shortened = (text: string): string => text.replace(/\p{C}/gu, "\ufffd").slice(0, LONGEST_NAME);

const types = new Map<string, TypeName>();
const typesOfMeta = new Map<string, TypeName>();

/** The type of a TypeMeta message; kept, since a copy holds few different ones. */
function typeOfMeta(typeMeta: string): TypeName {
  const known = typesOfMeta.get(typeMeta);
  if (known !== undefined) return known;
  const { apiVersion, kind } = readTypeMeta(typeMeta);
  const type = typeName(apiVersion, kind);
  if (typesOfMeta.size < MOST_TYPES) typesOfMeta.set(typeMeta, type);
  return type;
}

function typeName(apiVersion: string, kind: string): TypeName {
  const id = `${apiVersion}\n${kind}`;
  const known = types.get(id);
  if (known !== undefined) return known;
  const slash = apiVersion.indexOf("/");
  const shown = shortened(apiVersion);
  const type: TypeName = {
    apiVersion: apiVersion === "" ? undefined : shown,
    kind: kind === "" ? undefined : shortened(kind),
    group: slash < 0 ? "" : apiVersion.slice(0, slash),
    fault: apiVersion.split("/").length > 2 ? `unexpected GroupVersion string: ${shown}` : undefined,
  };
  if (types.size < MOST_TYPES) types.set(id, type);
  return type;
}

const NO_TYPE: TypeName = typeName("", "");

function decodeJson(data: Buffer, codec: Codec, types: TypeCheck | undefined): Decoded {
  let value: unknown;
  // A custom resource is parsed at once, without a first look for its type.
  const place = codec === "unstructured" ? "" : `${VERSION_KIND} `;
  if (isTooDeep(data)) return refused("json", `${place}exceeded max depth`);
  const text = data.toString("utf8");
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refused("json", `${place}${endsEarly(text, error) ? CUT_SHORT : "the text is not JSON"}`);
  }
  return typed(decodeObject(value, "json", codec), text, types);
}

/** What was decoded, unless a member is of another type than it has in the kind. */
function typed(decoded: Decoded, text: string, types: TypeCheck | undefined): Decoded {
  const { media, type } = decoded;
  const fault = decoded.ok ? types?.(text, type) : undefined;
  return fault === undefined ? decoded : refused(media, fault, type);
}

const CUT_SHORT = "unexpected end of JSON input";

/** True when what is wrong with the text is that it ends; the parser's words hold content, and are not passed on. */
function endsEarly(text: string, error: unknown): boolean {
  if (!(error instanceof SyntaxError)) return false;
  const [, at] = /at position (\d+)/.exec(error.message) ?? [];
  return at === undefined ? /end of JSON input/.test(error.message) : Number(at) >= text.trimEnd().length;
}

/** Go's limit for objects and lists inside one another. */
const DEEPEST_JSON = 10_000;

/** Looks only at values that are long enough. */
function isTooDeep(data: Buffer): boolean {
  if (data.length <= 2 * DEEPEST_JSON) return false;
  let depth = 0;
  for (let at = 0; at < data.length; at++) {
    const byte = data[at];
    if (byte === QUOTE) at = closingQuote(data, at);
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > DEEPEST_JSON) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return false;
}

const QUOTE = 0x22;

function closingQuote(data: Buffer, opening: number): number {
  for (let at = opening + 1; at < data.length; at++)
    if (data[at] === 0x5c) at++;
    else if (data[at] === QUOTE) return at;
  return data.length;
}

function decodeCbor(data: Buffer, codec: Codec): Decoded {
  try {
    return decodeObject(readCbor(data), "cbor", codec);
  } catch (error) {
    if (!(error instanceof CborFault)) throw error;
    return refused("cbor", error.message);
  }
}

/** True for a control character that no YAML text holds. */
const isControl = (byte: number): boolean =>
  byte === 0x7f || (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d);
const utf8 = new TextDecoder("utf-8", { fatal: true });

function decodeYaml(data: Buffer, types: TypeCheck | undefined): Decoded {
  let text: string;
  try {
    text = utf8.decode(data);
  } catch {
    return refused(undefined, "yaml: invalid leading UTF-8 octet");
  }
  if (data.some(isControl)) return refused(undefined, "yaml: control characters are not allowed");
  const { documents, problems } = readYaml(text, "", { firstOnly: true });
  const fault = problems.find(({ severity }) => severity === undefined || severity === "error");
  if (fault !== undefined) return refused(undefined, "yaml: the text is not YAML");
  const root = documents[0]?.root;
  const value = root === undefined ? null : toJson(root);
  // The server makes JSON of it first.
  if (isObject(value)) return typed(decodeObject(value, "yaml", "typed"), JSON.stringify(value), types);
  // Nothing at all is an empty object to a server that knows which kind belongs here.
  if (value === null)
    return {
      ok: true,
      media: "yaml",
      type: NO_TYPE,
      objectName: "",
      objectNamespace: "",
      body: { value: {} },
    };
  return refused(
    undefined,
    `${VERSION_KIND} json: cannot unmarshal ${goType(value)} into Go value of type struct`,
  );
}

const goType = (value: Json): string =>
  Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function decodeObject(value: unknown, media: Media, codec: Codec): Decoded {
  if (!isJsonObject(value))
    return refused(media, `${VERSION_KIND} json: cannot unmarshal into Go value of type struct`);
  const { apiVersion = null, kind = null, metadata = null } = value;
  for (const each of [apiVersion, kind])
    if (each !== null && typeof each !== "string")
      return refused(media, `${VERSION_KIND} json: cannot unmarshal ${goType(each)} into Go struct field`);
  const type = typeName(String(apiVersion ?? ""), String(kind ?? ""));
  if (type.fault !== undefined) return refused(media, type.fault, type);
  if (codec !== "typed" && type.kind === undefined)
    return refused(media, "Object 'Kind' is missing in '<object>'", type);
  if (codec === "any" && type.apiVersion === undefined)
    return refused(media, "Object 'apiVersion' is missing in '<object>'", type);
  if (metadata !== null && !isObject(metadata))
    return refused(
      media,
      `json: cannot unmarshal ${goType(metadata)} into Go struct field .metadata of type v1.ObjectMeta`,
      type,
    );
  const names = { name: metadata?.["name"] ?? "", namespace: metadata?.["namespace"] ?? "" };
  for (const [member, each] of Object.entries(names))
    if (typeof each !== "string")
      return refused(
        media,
        `json: cannot unmarshal ${goType(each)} into Go struct field ObjectMeta.metadata.${member} of type string`,
        type,
      );
  const { name, namespace } = names;
  return {
    ok: true,
    media,
    type,
    objectName: String(name),
    objectNamespace: String(namespace),
    body: { value },
  };
}
