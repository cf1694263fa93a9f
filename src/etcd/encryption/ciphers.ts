/**
 * Decryption with one key, and the words in which the server fails (docs/reference/storage-and-encryption.md §1.3). The
 * ciphers themselves are node:crypto's, and XSalsa20-Poly1305 of @noble/ciphers.
 */
import { createDecipheriv, createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";

/** Plain bytes, or the server's words for why there are none. */
export type Decrypted =
  | { readonly ok: true; readonly data: Buffer }
  | { readonly ok: false; readonly errors: readonly string[]; readonly approximate?: boolean };

export const failed = (...errors: string[]): Decrypted & { readonly ok: false } => ({ ok: false, errors });

/** Keys as node:crypto wants them; made once for each, since a copy holds many values of few keys. */
const keyObjects = new WeakMap<Buffer, KeyObject>();

function keyObject(key: Buffer): KeyObject {
  const known = keyObjects.get(key) ?? createSecretKey(key);
  keyObjects.set(key, known);
  return known;
}

const SHORT = "the stored data was shorter than the required size";
const BLOCK = 16;
const GCM_NONCE = 12;
const GCM_TAG = 16;
const BOX_NONCE = 24;
const BOX_TAG = 16;
const INFO = 32;
const SEED = 32;

/** AES-CBC with PKCS#7; not authenticated, so a wrong key passes for about one value in 256. */
export function openCbc(key: Buffer, body: Buffer): Decrypted {
  if (body.length < BLOCK) return failed(SHORT);
  const data = body.subarray(BLOCK);
  if (data.length % BLOCK !== 0) return failed("the stored data is not a multiple of the block size");
  const unpadded = "invalid PKCS7 data (empty or not padded)";
  // The server indexes past the end here; there is nothing that it could return.
  if (data.length === 0) return { ...failed(unpadded), approximate: true };
  const cipher = createDecipheriv(
    `aes-${key.length * 8}-cbc`,
    keyObject(key),
    body.subarray(0, BLOCK),
  ).setAutoPadding(false);
  const plain = Buffer.concat([cipher.update(data), cipher.final()]);
  const padding = plain.at(-1) ?? 0;
  if (padding === 0 || padding > plain.length) return failed(unpadded);
  const size = plain.length - padding;
  for (let at = size; at < plain.length; at++)
    if (plain[at] !== padding) return failed("invalid padding on input");
  return { ok: true, data: plain.subarray(0, size) };
}

/** AES-GCM; `authenticated` is the whole etcd key. */
export function openGcm(key: Buffer, body: Buffer, authenticated: Buffer): Decrypted {
  if (body.length < GCM_NONCE) return failed(SHORT);
  const refused = failed("cipher: message authentication failed");
  if (body.length < GCM_NONCE + GCM_TAG) return refused;
  const cipher = createDecipheriv(gcmName(key), keyObject(key), body.subarray(0, GCM_NONCE), {
    authTagLength: GCM_TAG,
  });
  cipher.setAAD(authenticated).setAuthTag(body.subarray(body.length - GCM_TAG));
  try {
    const data = cipher.update(body.subarray(GCM_NONCE, body.length - GCM_TAG));
    cipher.final();
    return { ok: true, data };
  } catch {
    return refused;
  }
}

const GCM_NAMES = { 16: "aes-128-gcm", 24: "aes-192-gcm", 32: "aes-256-gcm" } as const;
const gcmName = (key: Buffer): (typeof GCM_NAMES)[keyof typeof GCM_NAMES] =>
  key.length === 16 ? GCM_NAMES[16] : key.length === 24 ? GCM_NAMES[24] : GCM_NAMES[32];

export const isAesKey = (key: Buffer): boolean => key.length === 16 || key.length === 24 || key.length === 32;

/** The words of Go's cipher for a key of another size. */
export const badKeySize = (key: Buffer): Decrypted => failed(`crypto/aes: invalid key size ${key.length}`);

/** KMS v2 with a seed: 32 bytes of info in front, from which HKDF-Expand alone (no extract step) makes the key. */
export function openSeeded(seed: Buffer, body: Buffer, authenticated: Buffer): Decrypted {
  if (seed.length < SEED) return failed(`invalid seed length ${seed.length} used for key generation`);
  if (body.length < INFO) return failed(SHORT);
  const info = body.subarray(0, INFO);
  const key = createHmac("sha256", seed).update(info).update(Buffer.of(1)).digest();
  return openGcm(key, body.subarray(INFO), authenticated);
}

export function openSecretbox(key: Buffer, body: Buffer): Decrypted {
  if (body.length < BOX_NONCE + BOX_TAG) return failed(SHORT);
  try {
    return {
      ok: true,
      data: Buffer.from(xsalsa20poly1305(key, body.subarray(0, BOX_NONCE)).decrypt(body.subarray(BOX_NONCE))),
    };
  } catch {
    // Not what went wrong, but what the server says.
    return failed("output array was not large enough for encryption");
  }
}
