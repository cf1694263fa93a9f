import type { RandomSource } from "./inputs.js";

/**
 * `count` characters of an alphabet, each equally likely (the remainder of 64 bits by its length is uneven by less
 * than one part in 2^56).
 */
export function sample(random: RandomSource, alphabet: string, count: number, purpose: string): string {
  const bytes = Buffer.from(random.bytes(8 * count, purpose));
  const size = BigInt(alphabet.length);
  return Array.from({ length: count }, (_, index) =>
    alphabet.charAt(Number(bytes.readBigUInt64BE(8 * index) % size)),
  ).join("");
}
