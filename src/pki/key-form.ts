/** The form in which a release's installer writes private keys: the traditional one of their kind, or PKCS#8. */
import { createPrivateKey } from "node:crypto";

export type KeyForm = "traditional" | "pkcs8";

const PKCS8 = "-----BEGIN PRIVATE KEY-----";

/** True when a text has no key in PKCS#8, which releases before 5.0 do not read. */
export const isTraditional = (key: string): boolean => !key.includes(PKCS8);

/** The same key in the form that is asked for; the text itself where it has that form, or holds no key. */
export function inKeyForm(key: string, form: KeyForm): string {
  if (key.startsWith(PKCS8) === (form === "pkcs8")) return key;
  try {
    const read = createPrivateKey(key);
    const type = form === "pkcs8" ? "pkcs8" : read.asymmetricKeyType === "rsa" ? "pkcs1" : "sec1";
    return read.export({ type, format: "pem" }).toString();
  } catch {
    return key;
  }
}
