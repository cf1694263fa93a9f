/**
 * ECDSA over P-256 with SHA-256 and the nonce of RFC 6979, so that the same key signs the same bytes in the same
 * way. The point is computed by OpenSSL (an ECDH public key is the nonce times the generator); only the arithmetic
 * modulo the group order is ours.
 */
import { createECDH, createHash, createHmac, type KeyObject } from "node:crypto";
import { integer, sequence } from "./der.js";

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const SIZE = 32;

/** The signature as DER `SEQUENCE { r, s }`. */
export function signP256(message: Uint8Array, key: KeyObject): Buffer {
  const { r, s } = signatureOf(message, key);
  return sequence(integer(r), integer(s));
}

/** The signature as both numbers one after the other, as JSON Web Signatures have it (RFC 7518 §3.4). */
export function signP256Plain(message: Uint8Array, key: KeyObject): Buffer {
  const { r, s } = signatureOf(message, key);
  return Buffer.concat([r, s]);
}

function signatureOf(message: Uint8Array, key: KeyObject): { readonly r: Buffer; readonly s: Buffer } {
  const { d } = key.export({ format: "jwk" });
  if (d === undefined) throw new Error("not a private P-256 key");
  const secret = Buffer.from(d, "base64url");
  const digest = createHash("sha256").update(message).digest();
  const hashed = toNumber(digest);
  for (const nonce of nonces(secret, digest)) {
    const r = abscissa(nonce) % ORDER;
    const s = modulo(inverse(toNumber(nonce)) * (hashed + r * toNumber(secret)));
    if (r !== 0n && s !== 0n) return { r: toBytes(r), s: toBytes(s) };
  }
  throw new Error("unreachable: the sequence of nonces has no end");
}

/** RFC 6979 §3.2: an endless sequence of candidates, of which the first is as good as always taken. */
function* nonces(secret: Buffer, digest: Buffer): Generator<Buffer> {
  const seed = Buffer.concat([secret, toBytes(modulo(toNumber(digest)))]);
  let v: Buffer = Buffer.alloc(SIZE, 1);
  let k: Buffer = Buffer.alloc(SIZE, 0);
  const mac = (...parts: Buffer[]): Buffer => createHmac("sha256", k).update(Buffer.concat(parts)).digest();
  for (const separator of [0, 1]) {
    k = mac(v, Buffer.from([separator]), seed);
    v = mac(v);
  }
  for (;;) {
    v = mac(v);
    const candidate = toNumber(v);
    if (candidate > 0n && candidate < ORDER) yield v;
    k = mac(v, Buffer.from([0]));
    v = mac(v);
  }
}

function abscissa(nonce: Buffer): bigint {
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(nonce);
  return toNumber(curve.getPublicKey().subarray(1, 1 + SIZE));
}

const toNumber = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString("hex")}`);
const toBytes = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(2 * SIZE, "0"), "hex");
const modulo = (value: bigint): bigint => ((value % ORDER) + ORDER) % ORDER;

/** Inverse modulo the order, by Euclid's algorithm. */
function inverse(value: bigint): bigint {
  let [r, next, s, following] = [modulo(value), ORDER, 1n, 0n];
  while (next !== 0n) {
    const quotient = r / next;
    [r, next] = [next, r - quotient * next];
    [s, following] = [following, s - quotient * following];
  }
  return modulo(s);
}
