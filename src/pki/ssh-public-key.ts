/**
 * Public keys in the form of an `authorized_keys` line (RFC 4253 §6.6, RFC 5656, RFC 8709, OpenSSH's certificates and
 * security keys). A line may begin with options; lines that hold no key are skipped, as sshd does.
 */
import { ECDH } from "node:crypto";
import { isBase64 } from "../core/base64.js";

const CURVES: Readonly<Record<string, { readonly name: string; readonly size: number }>> = {
  nistp256: { name: "prime256v1", size: 32 },
  nistp384: { name: "secp384r1", size: 48 },
  nistp521: { name: "secp521r1", size: 66 },
};
const CERTIFICATE = /^(.*)-cert-v01@openssh\.com$/;
const ED25519_SIZE = 32;
/** The only size that SSH knows for DSA. */
const DSA_BITS = 1024;

export interface SshKey {
  /** The type that the key itself tells, such as `ssh-ed25519`. */
  readonly type: string;
  /** The word that stands before it, which sshd compares with the type; upstream's reader passes over it. */
  readonly written: string;
  /** True when its comment holds what looks like another key. */
  readonly hasAnother: boolean;
  /** Bits of the modulus of an RSA key; 0 for keys of other types. */
  readonly rsaBits: number;
}

/** The type of the first key in a text, such as `ssh-ed25519`; undefined when the text holds no key. */
export const sshKeyType = (text: string): string | undefined => firstSshKey(text)?.type;

/** Bits of the first key in a text when it is an RSA key, else 0. */
export const rsaKeyBits = (text: string): number => firstSshKey(text)?.rsaBits ?? 0;

/** The first key in a text; undefined when the text holds none. */
export function firstSshKey(text: string): SshKey | undefined {
  for (const line of text.split("\n")) {
    const key = keyOfLine(line.split("\r", 1)[0]?.trim() ?? "");
    if (key !== undefined) return key;
  }
  return undefined;
}

function keyOfLine(line: string): SshKey | undefined {
  if (line === "" || line.startsWith("#")) return undefined;
  const plain = keyAfterFirstWord(line);
  if (plain !== undefined) return plain;
  const options = endOfOptions(line);
  return options < 0 ? undefined : keyAfterFirstWord(line.slice(options).replace(/^[ \t]+/, ""));
}

/** Where the options at the head of a line end: the first blank outside quotes; -1 when there is none. */
function endOfOptions(line: string): number {
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const character = line[i];
    if (!quoted && (character === " " || character === "\t")) return i;
    if (character === '"' && line[i - 1] !== "\\") quoted = !quoted;
  }
  return -1;
}

function keyAfterFirstWord(line: string): SshKey | undefined {
  const blank = line.search(/[ \t]/);
  if (blank < 0) return undefined;
  const [encoded = "", ...comment] = line
    .slice(blank)
    .trim()
    .split(/[ \t]+/);
  if (!isBase64(encoded)) return undefined;
  try {
    const data = Buffer.from(encoded, "base64");
    const type = readKey(data);
    return {
      type,
      written: line.slice(0, blank),
      hasAnother: comment.some((word) => word.startsWith("AAAA")),
      rsaBits: type === "ssh-rsa" ? modulusBits(data) : 0,
    };
  } catch (error) {
    if (error instanceof MalformedKey) return undefined;
    throw error;
  }
}

class MalformedKey extends Error {}

class Reader {
  private at = 0;
  constructor(private readonly data: Buffer) {}

  number(): number {
    if (this.at + 4 > this.data.length) throw new MalformedKey("too short");
    this.at += 4;
    return this.data.readUInt32BE(this.at - 4);
  }

  bytes(): Buffer {
    const length = this.number();
    if (this.at + length > this.data.length) throw new MalformedKey("too short");
    this.at += length;
    return this.data.subarray(this.at - length, this.at);
  }

  text(): string {
    return this.bytes().toString("latin1");
  }

  skip(length: number): void {
    if (this.at + length > this.data.length) throw new MalformedKey("too short");
    this.at += length;
  }

  get empty(): boolean {
    return this.at === this.data.length;
  }

  end(): void {
    if (!this.empty) throw new MalformedKey("trailing bytes");
  }
}

function readKey(data: Buffer): string {
  const reader = new Reader(data);
  const algorithm = reader.text();
  const certified = CERTIFICATE.exec(algorithm)?.[1];
  const type = certified === undefined ? readBody(reader, algorithm) : readCertificate(reader, certified);
  reader.end();
  return type;
}

/** Of an RSA key, which begins with its type and its exponent. */
function modulusBits(data: Buffer): number {
  const reader = new Reader(data);
  reader.bytes();
  reader.bytes();
  return bitLength(reader.bytes());
}

/** Reads the members of a key and returns its type; a certificate's key has no length before its members. */
function readBody(reader: Reader, algorithm: string): string {
  switch (algorithm) {
    case "ssh-rsa": {
      const written = reader.bytes();
      const exponent = withoutZeros(written);
      reader.bytes();
      const negative = (written[0] ?? 0) >= 128;
      const value = negative || exponent.length > 3 ? 0 : exponent.reduce((sum, byte) => sum * 256 + byte, 0);
      if (value < 3 || value % 2 === 0) throw new MalformedKey("exponent");
      return algorithm;
    }
    case "ssh-dss": {
      const [prime] = [reader.bytes(), reader.bytes(), reader.bytes(), reader.bytes()];
      if (bitLength(prime) !== DSA_BITS) throw new MalformedKey("size");
      return algorithm;
    }
    case "ecdsa-sha2-nistp256":
    case "ecdsa-sha2-nistp384":
    case "ecdsa-sha2-nistp521":
      return `ecdsa-sha2-${readPoint(reader, Object.keys(CURVES))}`;
    case "sk-ecdsa-sha2-nistp256@openssh.com":
      readPoint(reader, ["nistp256"]);
      reader.bytes();
      return algorithm;
    case "ssh-ed25519":
    case "sk-ssh-ed25519@openssh.com":
      if (reader.bytes().length !== ED25519_SIZE) throw new MalformedKey("size");
      if (algorithm.startsWith("sk-")) reader.bytes();
      return algorithm;
    default:
      throw new MalformedKey("algorithm");
  }
}

function readPoint(reader: Reader, allowed: readonly string[]): string {
  const name = reader.text();
  const point = reader.bytes();
  const curve = allowed.includes(name) ? CURVES[name] : undefined;
  if (curve === undefined || point[0] !== 4 || point.length !== 1 + 2 * curve.size)
    throw new MalformedKey("point");
  try {
    ECDH.convertKey(point, curve.name, undefined, undefined, "uncompressed");
  } catch {
    throw new MalformedKey("point");
  }
  return name;
}

/** https://cvsweb.openbsd.org/src/usr.bin/ssh/PROTOCOL.certkeys */
function readCertificate(reader: Reader, algorithm: string): string {
  reader.bytes();
  const type = readBody(reader, algorithm);
  reader.skip(8);
  reader.number();
  reader.bytes();
  const principals = new Reader(reader.bytes());
  while (!principals.empty) principals.bytes();
  reader.skip(16);
  readOptions(new Reader(reader.bytes()));
  readOptions(new Reader(reader.bytes()));
  reader.bytes();
  if (CERTIFICATE.test(readKey(reader.bytes()))) throw new MalformedKey("signature key");
  const signature = new Reader(reader.bytes());
  const format = signature.text();
  signature.bytes();
  if (!format.startsWith("sk-")) signature.end();
  return `${type}-cert-v01@openssh.com`;
}

/** Options stand in order of their names; a value, when there is one, is a string inside the string. */
function readOptions(reader: Reader): void {
  let last: string | undefined;
  while (!reader.empty) {
    const name = reader.text();
    if (last !== undefined && name <= last) throw new MalformedKey("option order");
    last = name;
    const value = new Reader(reader.bytes());
    if (value.empty) continue;
    value.bytes();
    value.end();
  }
}

const withoutZeros = (bytes: Buffer): number[] => {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? [] : [...bytes.subarray(first)];
};

function bitLength(bytes: Buffer | undefined): number {
  const significant = bytes === undefined ? [] : withoutZeros(bytes);
  const [first] = significant;
  return first === undefined ? 0 : 8 * significant.length - Math.clz32(first) + 24;
}
