/**
 * The search for a prime of an RSA key: odd numbers in a row from a random start, sieved by small primes, until OpenSSL
 * calls one prime (incremental search, Handbook of Applied Cryptography, note 4.51). OpenSSL's own search draws anew for
 * each number it tests and sieves by 128 primes only, so that it tests 60 numbers where this tests 40.
 */
import { checkPrime } from "node:crypto";
import { PRIME_BITS } from "./rsa-key.js";

/** Odd numbers that one start gives; that none of them is prime happens once in 10^9 starts. */
const WINDOW = 4096;
/** A larger sieve costs more than it spares where a run makes two keys. */
const SIEVE_LIMIT = 1 << 15;

/** Small primes whose product a double holds exactly, so that one division of a large number serves all of them. */
interface Group {
  readonly product: bigint;
  readonly primes: readonly number[];
}

let made: readonly Group[] | undefined;
const smallPrimes = (): readonly Group[] => {
  made ??= groups();
  return made;
};

/**
 * A prime of PRIME_BITS whose upper two bits are set, so that a product of two has full length.
 * @param random so many unpredictable bytes
 */
export async function findPrime(random: (length: number) => Uint8Array): Promise<bigint> {
  for (;;) {
    const start = oddNumber(random(PRIME_BITS / 8));
    const composite = sieve(start);
    for (let step = composite.indexOf(0); step >= 0; step = composite.indexOf(0, step + 1)) {
      const candidate = start + 2n * BigInt(step);
      if (await isPrime(candidate)) return candidate;
    }
  }
}

/** The odd number of these bytes with the upper two bits set. */
export function oddNumber(bytes: Uint8Array): bigint {
  const [first = 0, ...rest] = bytes;
  return BigInt(`0x${Buffer.from([first | 0xc0, ...rest]).toString("hex")}`) | 1n;
}

/** OpenSSL's test: trial divisions, then 64 rounds of Miller and Rabin. */
export const isPrime = (candidate: bigint): Promise<boolean> =>
  new Promise((resolve, reject) =>
    checkPrime(candidate, { checks: 64 }, (error, result) => (error ? reject(error) : resolve(result))),
  );

/** Spares most numbers the way to OpenSSL. */
export const hasSmallFactor = (candidate: bigint): boolean =>
  smallPrimes().some(({ product, primes }) => {
    const remainder = Number(candidate % product);
    return primes.some((prime) => remainder % prime === 0);
  });

/** At each place k of the window, 1 where a small prime divides `start + 2k`. */
function sieve(start: bigint): Uint8Array {
  const composite = new Uint8Array(WINDOW);
  for (const { product, primes } of smallPrimes()) {
    const remainder = Number(start % product);
    for (const prime of primes) {
      const missing = (prime - (remainder % prime)) % prime;
      for (let k = (missing % 2 === 0 ? missing : missing + prime) / 2; k < WINDOW; k += prime)
        composite[k] = 1;
    }
  }
  return composite;
}

function groups(): readonly Group[] {
  const found: { product: number; primes: number[] }[] = [];
  const composite = new Uint8Array(SIEVE_LIMIT);
  for (let prime = 3; prime < SIEVE_LIMIT; prime += 2) {
    if (composite[prime] === 1) continue;
    for (let k = prime * prime; k < SIEVE_LIMIT; k += 2 * prime) composite[k] = 1;
    const last = found.at(-1);
    if (last === undefined || last.product * prime > Number.MAX_SAFE_INTEGER)
      found.push({ product: prime, primes: [prime] });
    else {
      last.product *= prime;
      last.primes.push(prime);
    }
  }
  return found.map(({ product, primes }) => ({ product: BigInt(product), primes }));
}
