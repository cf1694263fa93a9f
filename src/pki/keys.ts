/** The 26 private keys of a cluster (facts/ignition-configs.md §1e, §5a). */
import type { KeyAlgorithm, KeySource } from "../core/inputs.js";
import { KEY_NAMES, type KeyName, pkiEntry } from "./graph.js";

/** A private key as PEM under each name. */
export type Keys = { readonly [Name in KeyName]: string };

/**
 * Makes all keys at once, so that they come up in parallel: start it first and await it late. Keys without a
 * certificate sign tokens and open SSH sessions and stay RSA under every algorithm.
 */
export async function makeKeys(source: KeySource, algorithm: KeyAlgorithm = "rsa-2048"): Promise<Keys> {
  const pairs = await Promise.all(
    KEY_NAMES.map(async (name): Promise<[KeyName, string]> => {
      const plain = pkiEntry(name).kind === "plain";
      return [name, await source.generate(plain ? "rsa-2048" : algorithm)];
    }),
  );
  const keys = Object.fromEntries(pairs);
  if (!isComplete(keys)) throw new Error("a key of the table was not made");
  return keys;
}

/** True when every name of the table has a key; what a state holds is checked so. */
export const isComplete = (keys: { readonly [name: string]: string }): keys is Keys =>
  KEY_NAMES.every((name) => Object.hasOwn(keys, name));
