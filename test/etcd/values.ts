/** Stored values of every form, made with node:crypto and tweetnacl, so without any code of the product. */
import { createCipheriv, createHash, createHmac } from "node:crypto";
import nacl from "tweetnacl";
import { field } from "./copies.js";

/** A key of so many bytes that depends on nothing but a word. */
export const keyOf = (word: string, length = 32): Buffer =>
  createHash("sha512").update(word).digest().subarray(0, length);

const nonce = (word: string, length: number): Buffer => keyOf(`nonce ${word}`, length);
const prefixed = (prefix: string, ...parts: Uint8Array[]): Buffer =>
  Buffer.concat([Buffer.from(prefix), ...parts]);

function cbc(key: Buffer, plain: Uint8Array, word: string): Buffer {
  const iv = nonce(word, 16);
  const cipher = createCipheriv(`aes-${key.length * 8}-cbc`, key, iv);
  return Buffer.concat([iv, cipher.update(plain), cipher.final()]);
}

function gcm(key: Buffer, plain: Uint8Array, etcdKey: string): Buffer {
  const iv = nonce(etcdKey, 12);
  const cipher = createCipheriv(
    key.length === 16 ? "aes-128-gcm" : key.length === 24 ? "aes-192-gcm" : "aes-256-gcm",
    key,
    iv,
  );
  cipher.setAAD(Buffer.from(etcdKey));
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

export const aescbc = (name: string, key: Buffer, plain: Uint8Array, etcdKey: string): Buffer =>
  prefixed(`k8s:enc:aescbc:v1:${name}:`, cbc(key, plain, etcdKey));

export const aesgcm = (name: string, key: Buffer, plain: Uint8Array, etcdKey: string): Buffer =>
  prefixed(`k8s:enc:aesgcm:v1:${name}:`, gcm(key, plain, etcdKey));

export function secretbox(name: string, key: Buffer, plain: Uint8Array, etcdKey: string): Buffer {
  const iv = nonce(etcdKey, 24);
  return prefixed(
    `k8s:enc:secretbox:v1:${name}:`,
    iv,
    nacl.secretbox(new Uint8Array(plain), new Uint8Array(iv), new Uint8Array(key)),
  );
}

export function kmsV1(
  provider: string,
  wrapped: Buffer,
  dek: Buffer,
  plain: Uint8Array,
  etcdKey: string,
  old = false,
): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(wrapped.length);
  return prefixed(
    `k8s:enc:kms:v1:${provider}:`,
    length,
    wrapped,
    old ? cbc(dek, plain, etcdKey) : gcm(dek, plain, etcdKey),
  );
}

export interface V2 {
  readonly provider: string;
  readonly keyID: string;
  readonly wrapped: Buffer;
  readonly source: Buffer;
  /** With a seed the key is made anew for every value. */
  readonly seed: boolean;
}

export function kmsV2(
  { provider, keyID, wrapped, source, seed }: V2,
  plain: Uint8Array,
  etcdKey: string,
): Buffer {
  const info = nonce(`info ${etcdKey}`, 32);
  const derived = createHmac("sha256", source)
    .update(Buffer.concat([info, Buffer.of(1)]))
    .digest();
  const data = seed ? Buffer.concat([info, gcm(derived, plain, etcdKey)]) : gcm(source, plain, etcdKey);
  return prefixed(
    `k8s:enc:kms:v2:${provider}:`,
    field(1, data),
    field(2, keyID),
    field(3, wrapped),
    ...(seed ? [Buffer.from([0x28, 1])] : []),
  );
}

type Item = string | number | boolean | null | readonly Item[] | { readonly [key: string]: Item };

/** CBOR as kube-apiserver writes it: byte strings for texts, keys sorted bytewise, the self-describing tag in front. */
export const cbor = (value: Item): Buffer => Buffer.concat([Buffer.from("d9d9f7", "hex"), item(value)]);

function head(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.of(major * 32 + argument);
  if (argument < 256) return Buffer.of(major * 32 + 24, argument);
  return Buffer.of(major * 32 + 25, argument >> 8, argument & 255);
}

function item(value: Item): Buffer {
  if (value === null) return Buffer.of(0xf6);
  if (typeof value === "boolean") return Buffer.of(value ? 0xf5 : 0xf4);
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string")
    return Buffer.concat([head(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(item)]);
  const entries = Object.entries(value)
    .map(([key, each]) => [item(key), item(each)] as const)
    .sort(([a], [b]) => Buffer.compare(a, b));
  return Buffer.concat([head(5, entries.length), ...entries.flat()]);
}
