/** Time, randomness and keys of a real process. */
import type { Inputs } from "../core/inputs.js";

/** The clock, the random source of the operating system, and keys that are drawn; `now` fixes the moment. */
export const systemInputs = (now: () => Date = () => new Date()): Inputs => ({
  clock: { now },
  random: { bytes: (length) => globalThis.crypto.getRandomValues(new Uint8Array(length)) },
  keys: {
    generate: async (algorithm) => (await import("../pki/generate-key.js")).generateKey(algorithm),
  },
});
