import { generateKeyPair, generatePrime } from "node:crypto";
import { promisify } from "node:util";
import type { KeyAlgorithm } from "../core/inputs.js";
import { PRIME_BITS, rsaPrivateKey } from "./rsa-key.js";

const pair = promisify(generateKeyPair);

/** A fresh private key as PEM, RSA in PKCS#1 and EC in SEC1 form (docs/reference/ignition-configs.md §1e). */
export const generateKey = (algorithm: KeyAlgorithm): Promise<string> =>
  algorithm === "rsa-2048" ? rsaKey() : ellipticKey();

async function rsaKey(): Promise<string> {
  for (;;) {
    const [p, q] = await Promise.all([prime(), prime()]);
    const key = rsaPrivateKey(p, q);
    if (key !== undefined) return key;
  }
}

const prime = (): Promise<bigint> =>
  new Promise((resolve, reject) =>
    generatePrime(PRIME_BITS, { bigint: true }, (error, found) => (error ? reject(error) : resolve(found))),
  );

async function ellipticKey(): Promise<string> {
  const { privateKey } = await pair("ec", { namedCurve: "prime256v1" });
  return privateKey.export({ type: "sec1", format: "pem" }).toString();
}
