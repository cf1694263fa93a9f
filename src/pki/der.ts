/** Distinguished Encoding Rules: the few ASN.1 types that certificates are made of, written and read. */

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Context-specific tag; constructed when it wraps further values. */
export const contextTag = (number: number, constructed: boolean): number =>
  0x80 | (constructed ? 0x20 : 0) | number;

/** A value with its tag and its length in the shortest form. */
export function tlv(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

export const sequence = (...members: readonly Uint8Array[]): Buffer => tlv(TAG.sequence, ...members);

/** Members of a SET stand in the order of their encodings. */
export const setOf = (...members: readonly Uint8Array[]): Buffer =>
  tlv(TAG.set, ...[...members].sort(Buffer.compare));

export const boolean = (value: boolean): Buffer => tlv(TAG.boolean, Buffer.from([value ? 0xff : 0]));

export const asn1Null = (): Buffer => tlv(TAG.null);

/** A non-negative integer given by its big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first === -1 ? Buffer.from([0]) : Buffer.from(bytes.subarray(first));
  const negative = (digits[0] ?? 0) >= 0x80;
  return tlv(TAG.integer, ...(negative ? [Buffer.from([0]), digits] : [digits]));
}

export const octetString = (content: Uint8Array): Buffer => tlv(TAG.octetString, content);

export const bitString = (content: Uint8Array, unusedBits = 0): Buffer =>
  tlv(TAG.bitString, Buffer.from([unusedBits]), content);

/** An object identifier in dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tlv(TAG.oid, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

function base128(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128))
    bytes.unshift(0x80 | (rest % 128));
  return bytes;
}

const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?]*$/;

/** PrintableString where the text allows it, else UTF8String. */
export const directoryString = (text: string): Buffer =>
  tlv(PRINTABLE.test(text) ? TAG.printableString : TAG.utf8String, Buffer.from(text, "utf8"));

/** UTCTime through 2049 and GeneralizedTime after it (RFC 5280 §4.1.2.5); whole seconds. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, "");
  return date.getUTCFullYear() < 2050
    ? tlv(TAG.utcTime, Buffer.from(digits.slice(2), "ascii"))
    : tlv(TAG.generalizedTime, Buffer.from(digits, "ascii"));
}

/** A value as it stands in DER. */
export interface Value {
  readonly tag: number;
  /** Without tag and length. */
  readonly content: Buffer;
  /** With tag and length. */
  readonly raw: Buffer;
}

/** The values that follow one another in `bytes`. Throws on a truncated or indefinite length. */
export function readValues(bytes: Buffer): Value[] {
  const values: Value[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at];
    let length = bytes[at + 1];
    let start = at + 2;
    if (tag === undefined || length === undefined || length === 0x80) throw new Error("not DER");
    if (length > 0x80) {
      const size = length - 0x80;
      if (size > 4 || start + size > bytes.length) throw new Error("not DER");
      length = bytes.readUIntBE(start, size);
      start += size;
    }
    if (start + length > bytes.length) throw new Error("not DER");
    const raw = bytes.subarray(at, start + length);
    values.push({ tag, content: bytes.subarray(start, start + length), raw });
    at = start + length;
  }
  return values;
}

/** The one value that `bytes` holds. */
export function readValue(bytes: Buffer): Value {
  const [value, ...rest] = readValues(bytes);
  if (value === undefined || rest.length > 0) throw new Error("not DER: one value expected");
  return value;
}

/** The dotted form of an object identifier's content. */
export function readOid(content: Buffer): string {
  const numbers: number[] = [];
  let value = 0;
  for (const byte of content) {
    value = value * 128 + (byte & 0x7f);
    if ((byte & 0x80) !== 0) continue;
    if (numbers.length === 0) {
      const first = Math.min(2, Math.floor(value / 40));
      numbers.push(first, value - first * 40);
    } else numbers.push(value);
    value = 0;
  }
  return numbers.join(".");
}

/** A UTCTime or GeneralizedTime in Zulu form. */
export function readTime({ tag, content }: Value): Date {
  const text = content.toString("ascii");
  const digits = tag === TAG.utcTime ? `${Number(text.slice(0, 2)) < 50 ? "20" : "19"}${text}` : text;
  const date = new Date(
    digits.replace(/^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/, "$1-$2-$3T$4:$5:$6Z"),
  );
  if (Number.isNaN(date.getTime())) throw new Error("not a time in DER");
  return date;
}
