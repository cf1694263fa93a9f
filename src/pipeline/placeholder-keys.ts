/** Keys of no cluster, for runs that write nothing. */
import { generateKeyPairSync } from "node:crypto";
import type { Inputs, KeySource } from "../core/inputs.js";

/** A key that is made at once, whatever algorithm the cluster's keys have; PEM in SEC1 form. */
export function placeholderKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  return privateKey.export({ type: "sec1", format: "pem" }).toString();
}

/** Inputs whose keys cost nothing: what a run that writes nothing would throw away. */
export const withPlaceholderKeys = (inputs: Inputs): Inputs => ({
  clock: inputs.clock,
  random: inputs.random,
  keys: STAND_INS,
});

const STAND_INS: KeySource = { generate: async () => placeholderKey(), from: () => STAND_INS };
