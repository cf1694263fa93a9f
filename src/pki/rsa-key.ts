/**
 * RSA keys from two primes, in PKCS#1 (RFC 8017 §A.1.2). What two primes have to fulfil is FIPS 186-5 §A.1.3; finding
 * them is the caller's. OpenSSL's own generator builds each prime around auxiliary primes (FIPS 186-5 §A.1.6), which
 * the standard asks for in shorter keys only, and takes more than twice the time.
 */
import { integer, sequence } from "./der.js";
import { toPem } from "./pem.js";

export const RSA_BITS = 2048;
/** Length of each of the two primes. */
export const PRIME_BITS = RSA_BITS / 2;
const EXPONENT = 65537n;
/** Primes closer than this could be found from their product. */
const LEAST_DISTANCE = 1n << BigInt(PRIME_BITS - 100);

/** A private key as PEM under `RSA PRIVATE KEY`; undefined when the two do not make a sound key of 2,048 bits. */
export function rsaPrivateKey(first: bigint, second: bigint): string | undefined {
  const [p, q] = first > second ? [first, second] : [second, first];
  const n = p * q;
  if (n >> BigInt(RSA_BITS - 1) !== 1n || p - q <= LEAST_DISTANCE) return undefined;
  if ((p - 1n) % EXPONENT === 0n || (q - 1n) % EXPONENT === 0n) return undefined;
  const d = inverse(EXPONENT, ((p - 1n) * (q - 1n)) / greatestCommonDivisor(p - 1n, q - 1n));
  if (d >> BigInt(PRIME_BITS) === 0n) return undefined;
  const members = [0n, n, EXPONENT, d, p, q, d % (p - 1n), d % (q - 1n), inverse(q, p)];
  return toPem("RSA PRIVATE KEY", sequence(...members.map((member) => integer(bytesOf(member)))));
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommonDivisor(b, a % b);
}

/** The number below `modulus` whose product with `value` is 1 modulo `modulus`; both have no common divisor. */
function inverse(value: bigint, modulus: bigint): bigint {
  let [remainder, next] = [modulus, value % modulus];
  let [factor, nextFactor] = [0n, 1n];
  while (next !== 0n) {
    const quotient = remainder / next;
    [remainder, next] = [next, remainder - quotient * next];
    [factor, nextFactor] = [nextFactor, factor - quotient * nextFactor];
  }
  return factor < 0n ? factor + modulus : factor;
}

function bytesOf(value: bigint): Buffer {
  const digits = value.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
}
