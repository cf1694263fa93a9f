/**
 * CBOR as kube-apiserver reads it: text and byte strings alike, no duplicate keys, no NaN, infinity, bignum or simple
 * value beside true, false and null (docs/reference/storage-and-encryption.md §1.2). A small bounded reader of our own,
 * since byte strings as keys and the refusals are what a library would have to be bent to.
 */
import type { Json } from "../../core/json.js";

/** Why the bytes are not CBOR that a server reads; never holds content. */
export class CborFault extends Error {
  override readonly name = "CborFault";
}

const MAX_DEPTH = 1000;
const MAX_INT64 = (1n << 63n) - 1n;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The one data item that the bytes hold. */
export function readCbor(data: Buffer): Json {
  const reader = new Reader(data);
  const value = reader.item(0);
  if (reader.at !== data.length)
    throw new CborFault(
      `cbor: ${data.length - reader.at} bytes of extraneous data starting at index ${reader.at}`,
    );
  return value;
}

class Reader {
  at = 0;

  constructor(private readonly data: Buffer) {}

  item(depth: number): Json {
    if (depth > MAX_DEPTH) throw new CborFault(`cbor: exceeded max nested level ${MAX_DEPTH}`);
    const initial = this.take(1).readUInt8(0);
    const major = initial >> 5;
    const info = initial & 31;
    switch (major) {
      case 0:
        return this.integer(info, false);
      case 1:
        return this.integer(info, true);
      case 2:
        return this.bytes(info, 2).toString("utf8");
      case 3:
        return text(this.bytes(info, 3));
      case 4:
        return this.list(info, depth);
      case 5:
        return this.map(info, depth);
      case 6:
        return this.tagged(Number(this.argument(info)), depth);
      default:
        return this.simple(info);
    }
  }

  private take(length: number): Buffer {
    if (length > this.data.length - this.at) throw new CborFault("unexpected EOF");
    const from = this.at;
    this.at += length;
    return this.data.subarray(from, this.at);
  }

  private argument(info: number): bigint {
    if (info < 24) return BigInt(info);
    if (info === 24) return BigInt(this.take(1).readUInt8(0));
    if (info === 25) return BigInt(this.take(2).readUInt16BE(0));
    if (info === 26) return BigInt(this.take(4).readUInt32BE(0));
    if (info === 27) return this.take(8).readBigUInt64BE(0);
    throw new CborFault(`cbor: invalid additional information ${info}`);
  }

  private integer(info: number, negative: boolean): number {
    const argument = this.argument(info);
    if (argument > MAX_INT64) throw new CborFault("cbor: cannot unmarshal an integer that overflows int64");
    return Number(negative ? -1n - argument : argument);
  }

  /** A length that cannot be more than what is left, so that nothing is allocated on a lie. */
  private length(info: number): number {
    const length = this.argument(info);
    if (length > BigInt(this.data.length - this.at)) throw new CborFault("unexpected EOF");
    return Number(length);
  }

  private bytes(info: number, major: number): Buffer {
    if (info !== 31) return this.take(this.length(info));
    const parts: Buffer[] = [];
    for (;;) {
      const initial = this.take(1).readUInt8(0);
      if (initial === 0xff) return Buffer.concat(parts);
      if (initial >> 5 !== major || (initial & 31) === 31)
        throw new CborFault("cbor: wrong element type in an indefinite-length string");
      parts.push(this.take(this.length(initial & 31)));
    }
  }

  private atBreak(): boolean {
    if (this.at >= this.data.length) throw new CborFault("unexpected EOF");
    if (this.data[this.at] !== 0xff) return false;
    this.at++;
    return true;
  }

  private list(info: number, depth: number): Json[] {
    const items: Json[] = [];
    if (info === 31) while (!this.atBreak()) items.push(this.item(depth + 1));
    else for (let left = this.length(info); left > 0; left--) items.push(this.item(depth + 1));
    return items;
  }

  private map(info: number, depth: number): Json {
    const map = new Map<string, Json>();
    const entry = (): void => {
      const key = this.key();
      if (map.has(key)) throw new CborFault("cbor: found duplicate map key");
      map.set(key, this.item(depth + 1));
    };
    if (info === 31) while (!this.atBreak()) entry();
    else for (let left = this.length(info); left > 0; left--) entry();
    return Object.fromEntries(map);
  }

  private key(): string {
    const initial = this.take(1).readUInt8(0);
    const major = initial >> 5;
    if (major === 2) return this.bytes(initial & 31, 2).toString("utf8");
    if (major === 3) return text(this.bytes(initial & 31, 3));
    throw new CborFault("cbor: cannot unmarshal a map key that is not a string");
  }

  private tagged(tag: number, depth: number): Json {
    if (tag === 2 || tag === 3) throw new CborFault("cbor: cannot unmarshal a bignum");
    if (tag >= 21 && tag <= 23 && (this.data[this.at] ?? 0) >> 5 === 2) {
      const initial = this.take(1).readUInt8(0);
      const content = this.bytes(initial & 31, 2);
      return content.toString(tag === 21 ? "base64url" : tag === 22 ? "base64" : "hex");
    }
    const content = this.item(depth + 1);
    return tag === 0 || tag === 1 ? timeOf(tag, content) : content;
  }

  private simple(info: number): Json {
    switch (info) {
      case 20:
        return false;
      case 21:
        return true;
      case 22:
        return null;
      case 25:
        return finite(half(this.take(2).readUInt16BE(0)));
      case 26:
        return finite(this.take(4).readFloatBE(0));
      case 27:
        return finite(this.take(8).readDoubleBE(0));
      default:
        throw new CborFault("cbor: a simple value other than true, false and null");
    }
  }
}

const RFC_3339 =
  /^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](?:[.,][0-9]+)?(?:Z|[-+][0-2][0-9]:[0-5][0-9])$/;

/** A time as text, from text (tag 0) or from seconds since 1970 (tag 1). A year has four digits. */
function timeOf(tag: 0 | 1, content: Json): string {
  if (tag === 0) {
    if (typeof content === "string" && RFC_3339.test(content)) return content;
    throw new CborFault("cbor: a time that is not one of RFC 3339");
  }
  if (typeof content !== "number") throw new CborFault("cbor: a time that is not a number of seconds");
  const seconds = Math.floor(content);
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND) throw new CborFault("cbor: a time out of range");
  return new Date(content * 1000).toISOString();
}

/** From the year 0 to the year 9999. */
const FIRST_SECOND = -62167219200;
const LAST_SECOND = 253402300799;

function text(data: Buffer): string {
  try {
    return utf8.decode(data);
  } catch {
    throw new CborFault("cbor: invalid UTF-8 string");
  }
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new CborFault("cbor: NaN or infinity");
  return value;
}

/** IEEE 754 binary16. */
function half(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const sign = (bits & 0x8000) === 0 ? 1 : -1;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}
