/**
 * Randomness and keys that follow from a seed: who has the seed has every secret of the cluster, and makes it again
 * byte for byte. Each purpose has a stream of its own, AES-256 in counter mode under a key that HKDF (RFC 5869) derives
 * from seed, cluster and purpose, so that nothing depends on the order of draws. The derivation is a promise to everyone
 * who keeps a seed: another one needs another version in LABEL, and the old one beside it.
 */
import { createCipheriv, createECDH, createPrivateKey, hkdfSync } from "node:crypto";
import type { KeySource, RandomSource } from "../core/inputs.js";
import { hasSmallFactor, isPrime, oddNumber } from "./prime.js";
import { PRIME_BITS, rsaPrivateKey } from "./rsa-key.js";

/** Bytes of a seed. */
export const SEED_BYTES = 32;
const LABEL = "slipway seed v1";
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/**
 * @param seed SEED_BYTES unpredictable bytes
 * @param cluster name of the cluster, so that two clusters of one seed have nothing in common
 */
export function seeded(
  seed: Uint8Array,
  cluster: string,
): { readonly random: RandomSource; readonly keys: KeySource } {
  const open = (purpose: string): Stream => stream(seed, `${cluster}\0${purpose}`);
  return {
    random: { bytes: (length, purpose) => open(`bytes ${purpose}`)(length) },
    keys: {
      generate: (algorithm, name) =>
        algorithm === "rsa-2048"
          ? rsaKey(open(`rsa-2048 ${name}`))
          : Promise.resolve(ellipticKey(open(`ecdsa-p256 ${name}`))),
    },
  };
}

/** The next bytes of a stream. */
type Stream = (length: number) => Buffer;

function stream(seed: Uint8Array, info: string): Stream {
  const key = hkdfSync("sha256", seed, LABEL, info, 32);
  const cipher = createCipheriv("aes-256-ctr", Buffer.from(key), Buffer.alloc(16));
  return (length) => cipher.update(Buffer.alloc(length));
}

async function rsaKey(next: Stream): Promise<string> {
  for (;;) {
    const p = await prime(next);
    const key = rsaPrivateKey(p, await prime(next));
    if (key !== undefined) return key;
  }
}

/** FIPS 186-5 §A.1.3: random odd numbers until one is prime, since the derivation is a promise; `findPrime` is faster. */
async function prime(next: Stream): Promise<bigint> {
  for (;;) {
    const candidate = oddNumber(next(PRIME_BITS / 8));
    if (!hasSmallFactor(candidate) && (await isPrime(candidate))) return candidate;
  }
}

/** A private number that is as good as uniform: 128 bits more than the order has (FIPS 186-5 §A.2.1). */
function ellipticKey(next: Stream): string {
  const number = (BigInt(`0x${next(48).toString("hex")}`) % (ORDER - 1n)) + 1n;
  const d = Buffer.from(number.toString(16).padStart(64, "0"), "hex");
  const pair = createECDH("prime256v1");
  pair.setPrivateKey(d);
  const point = pair.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString("base64url"));
  const jwk = { kty: "EC", crv: "P-256", d: d.toString("base64url"), x: x ?? "", y: y ?? "" };
  return createPrivateKey({ key: jwk, format: "jwk" }).export({ type: "sec1", format: "pem" }).toString();
}
