/** The 26 private keys of a cluster (docs/reference/ignition-configs.md §1e, §5a). */
import type { KeyAlgorithm, KeySource } from "../core/inputs.js";
import { KEY_NAMES, type KeyName, pkiEntry } from "./graph.js";

/** A private key as PEM under each name. */
export type Keys = { readonly [Name in KeyName]: string };

/**
 * Starts to make keys, all at once, so that they come up in parallel; what is awaited first is named first. Keys
 * without a certificate sign tokens and open SSH sessions and stay RSA under every algorithm.
 */
export const startKeys = (
  source: KeySource,
  algorithm: KeyAlgorithm,
  names: readonly KeyName[],
): ReadonlyMap<KeyName, Promise<string>> =>
  new Map(
    names.map((name) => [
      name,
      source.generate(pkiEntry(name).kind === "plain" ? "rsa-2048" : algorithm, name),
    ]),
  );

/** Makes all keys of the table. */
export async function makeKeys(source: KeySource, algorithm: KeyAlgorithm = "rsa-2048"): Promise<Keys> {
  const pending = [...startKeys(source, algorithm, KEY_NAMES)];
  const pairs = await Promise.all(
    pending.map(async ([name, key]): Promise<[KeyName, string]> => [name, await key]),
  );
  const keys = Object.fromEntries(pairs);
  if (!isComplete(keys)) throw new Error("a key of the table was not made");
  return keys;
}

/** True when every name of the table has a key; what a state holds is checked so. */
export const isComplete = (keys: { readonly [name: string]: string }): keys is Keys =>
  KEY_NAMES.every((name) => Object.hasOwn(keys, name));
