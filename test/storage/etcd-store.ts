/** The rewrite loop's store over the HTTP gateway of a real etcd, and a codec for real stored forms. */
import { isObject, type Json, type JsonObject } from "../../src/core/json.js";
import type {
  Codec,
  Entry,
  Failed,
  Page,
  RewriteStore,
  RewriteType,
} from "../../src/storage/rewrite-loop.js";
import { field } from "../etcd/copies.js";

const base64 = (data: Uint8Array | string): string => Buffer.from(data).toString("base64");
const bytes = (text: unknown): Buffer => Buffer.from(String(text ?? ""), "base64");
/** The first key behind all that begin with a prefix. */
const endOf = (prefix: string): string =>
  `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`;

export interface Live {
  readonly key: string;
  readonly value: Buffer;
  /** Number of writes since the key was made. */
  readonly writes: number;
  readonly modRevision: string;
}

export class EtcdStore implements RewriteStore<Uint8Array> {
  constructor(private readonly url: string) {}

  private async post(path: string, body: object): Promise<{ answer: JsonObject } | Failed> {
    try {
      const response = await fetch(`${this.url}${path}`, { method: "POST", body: JSON.stringify(body) });
      const answer: Json = JSON.parse(await response.text());
      if (!response.ok || !isObject(answer)) return { failed: `${path}: HTTP ${response.status}` };
      return { answer };
    } catch (error) {
      return { failed: `${path}: ${error instanceof Error ? error.message : "failed"}` };
    }
  }

  private async range(
    key: string,
    end: string,
    limit: number,
  ): Promise<{ live: Live[]; more: boolean } | Failed> {
    const found = await this.post("/v3/kv/range", { key: base64(key), rangeEnd: base64(end), limit });
    if ("failed" in found) return found;
    const { answer } = found;
    const kvs = Array.isArray(answer["kvs"]) ? answer["kvs"] : [];
    const live = kvs.filter(isObject).map((each) => ({
      key: bytes(each["key"]).toString(),
      value: bytes(each["value"]),
      writes: Number(each["version"]),
      modRevision: String(each["mod_revision"]),
    }));
    return { live, more: answer["more"] === true };
  }

  async all(prefix: string): Promise<Live[]> {
    const found = await this.range(prefix, endOf(prefix), 0);
    if ("failed" in found) throw new Error(found.failed);
    return found.live;
  }

  async list(prefix: string, after: string | undefined, limit: number): Promise<Page<Uint8Array> | Failed> {
    const found = await this.range(after === undefined ? prefix : `${after}\0`, endOf(prefix), limit);
    if ("failed" in found) return found;
    return { entries: found.live.map(entryOf), more: found.more };
  }

  async get(key: string): Promise<Entry<Uint8Array> | undefined | Failed> {
    const found = await this.range(key, `${key}\0`, 1);
    if ("failed" in found) return found;
    const [only] = found.live;
    return only && entryOf(only);
  }

  async replace(
    { key, revision }: Entry<Uint8Array>,
    value: Uint8Array,
  ): Promise<"written" | "conflict" | Failed> {
    const found = await this.post("/v3/kv/txn", {
      compare: [{ key: base64(key), target: "MOD", result: "EQUAL", modRevision: revision }],
      success: [{ requestPut: { key: base64(key), value: base64(value) } }],
    });
    if ("failed" in found) return found;
    return found.answer["succeeded"] === true ? "written" : "conflict";
  }
}

const entryOf = ({ key, value, modRevision }: Live): Entry<Uint8Array> => ({
  key,
  value,
  revision: modRevision,
});

const MAGIC = Buffer.from("k8s\0");

interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** What follows the type, as it is. */
  readonly rest: Buffer;
}

function varint(data: Buffer, at: number): { value: number; next: number } | undefined {
  let value = 0;
  for (let shift = 0, i = at; i < data.length && shift < 35; i++, shift += 7) {
    const byte = data[i] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, next: i + 1 };
  }
  return undefined;
}

/** The length-delimited fields of a message, each with its number, content and end. */
function fields(data: Buffer): { number: number; content: Buffer; end: number }[] | undefined {
  const found: { number: number; content: Buffer; end: number }[] = [];
  for (let at = 0; at < data.length; ) {
    const tag = varint(data, at);
    const length = tag === undefined || tag.value % 8 !== 2 ? undefined : varint(data, tag.next);
    if (tag === undefined || length === undefined || length.next + length.value > data.length)
      return undefined;
    const end = length.next + length.value;
    found.push({ number: Math.floor(tag.value / 8), content: data.subarray(length.next, end), end });
    at = end;
  }
  return found;
}

function readEnvelope(value: Buffer): Envelope | undefined {
  const [type] = fields(value.subarray(4)) ?? [];
  if (type?.number !== 1) return undefined;
  const meta = fields(type.content) ?? [];
  const text = (number: number): string =>
    meta.find((each) => each.number === number)?.content.toString() ?? "";
  return { apiVersion: text(1), kind: text(2), rest: value.subarray(4 + type.end) };
}

function readJson(value: Buffer): Record<string, Json> | undefined {
  try {
    const parsed: Json = JSON.parse(value.toString());
    return isObject(parsed) ? { ...parsed } : undefined;
  } catch {
    return undefined;
  }
}

const isEnvelope = (value: Buffer): boolean => value.subarray(0, 4).equals(MAGIC);

/**
 * Versions whose types do not differ: converting is naming the other one. An object that asks for it in `convertible`
 * fails, as one would that the API server's own conversion refuses.
 */
export const CODEC: Codec<Uint8Array> = {
  versionOf(data) {
    const value = Buffer.from(data);
    const apiVersion = isEnvelope(value) ? readEnvelope(value)?.apiVersion : readJson(value)?.["apiVersion"];
    return typeof apiVersion === "string" ? (apiVersion.split("/")[1] ?? apiVersion) : undefined;
  },
  convert(data, version) {
    const value = Buffer.from(data);
    if (isEnvelope(value)) {
      const envelope = readEnvelope(value);
      if (envelope === undefined) return { failed: "no envelope" };
      const { apiVersion, kind, rest } = envelope;
      const type = Buffer.concat([field(1, apiVersion.replace(/[^/]+$/, version)), field(2, kind)]);
      return { value: Buffer.concat([MAGIC, field(1, type), rest]) };
    }
    const object = readJson(value);
    if (object === undefined) return { failed: "no object" };
    if (object["convertible"] === false) return { failed: "the object cannot be converted" };
    const apiVersion = String(object["apiVersion"]).replace(/[^/]+$/, version);
    return { value: Buffer.from(`${JSON.stringify({ ...object, apiVersion })}\n`) };
  },
};

/** What a release two after the one that preferred v1beta1 does: v1beta1 is actively migrated, v1alpha1 is only read. */
export const TYPES: readonly RewriteType[] = [
  ["widgets.example.com", "/registry/example.com/widgets/"],
  ["cronjobs.batch", "/registry/cronjobs/"],
].map(([name = "", prefix = ""]) => ({
  name,
  prefix,
  preferred: "v1",
  behaviorOf: (version) =>
    version === "v1"
      ? "preferred"
      : version === "v1beta1"
        ? "actively-migrated"
        : version === "v1alpha1"
          ? "supported"
          : undefined,
}));
