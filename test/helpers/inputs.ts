/** Injected randomness and keys of tests. */
import { createHash, generateKeyPairSync } from "node:crypto";
import type { KeySource, RandomSource } from "../../src/core/inputs.js";

/** Bytes that a seed decides: SHA-256 over the seed and a counter. */
export function seededRandom(seed: string): RandomSource {
  let counter = 0;
  const block = (): Buffer => createHash("sha256").update(`${seed} ${counter++}`).digest();
  return {
    bytes(length) {
      const blocks: Buffer[] = [];
      for (let size = 0; size < length; size += 32) blocks.push(block());
      return new Uint8Array(Buffer.concat(blocks).subarray(0, length));
    },
  };
}

export const ellipticKey = (): string =>
  generateKeyPairSync("ec", { namedCurve: "prime256v1" })
    .privateKey.export({ type: "sec1", format: "pem" })
    .toString();

export const rsaKey = (): string =>
  generateKeyPairSync("rsa", { modulusLength: 2048 })
    .privateKey.export({ type: "pkcs1", format: "pem" })
    .toString();

/** Quick keys whatever is asked for; `asked` records the algorithms. */
export function quickKeys(): KeySource & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    generate: async (algorithm) => {
      asked.push(algorithm);
      return ellipticKey();
    },
  };
}
