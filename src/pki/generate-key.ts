import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import type { KeyAlgorithm } from "../core/inputs.js";

const generate = promisify(generateKeyPair);

/** A fresh private key as PEM, RSA in PKCS#1 and EC in SEC1 form (facts/ignition-configs.md §1e). */
export async function generateKey(algorithm: KeyAlgorithm): Promise<string> {
  if (algorithm === "rsa-2048") {
    const { privateKey } = await generate("rsa", { modulusLength: 2048, publicExponent: 65537 });
    return privateKey.export({ type: "pkcs1", format: "pem" }).toString();
  }
  const { privateKey } = await generate("ec", { namedCurve: "prime256v1" });
  return privateKey.export({ type: "sec1", format: "pem" }).toString();
}
