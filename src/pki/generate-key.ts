import { generateKeyPair, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import type { KeyAlgorithm } from "../core/inputs.js";
import { findPrime } from "./prime.js";
import { rsaPrivateKey } from "./rsa-key.js";

const pair = promisify(generateKeyPair);

/** A fresh private key as PEM, RSA in PKCS#1 and EC in SEC1 form (docs/reference/ignition-configs.md §1e). */
export const generateKey = (algorithm: KeyAlgorithm): Promise<string> =>
  algorithm === "rsa-2048" ? rsaKey() : ellipticKey();

async function rsaKey(): Promise<string> {
  for (;;) {
    const [p, q] = await Promise.all([findPrime(randomBytes), findPrime(randomBytes)]);
    const key = rsaPrivateKey(p, q);
    if (key !== undefined) return key;
  }
}

async function ellipticKey(): Promise<string> {
  const { privateKey } = await pair("ec", { namedCurve: "prime256v1" });
  return privateKey.export({ type: "sec1", format: "pem" }).toString();
}
