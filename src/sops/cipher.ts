/** Single values as SOPS encrypts them: AES-256-GCM with the path of the value as additional data. */
import { createCipheriv, createDecipheriv } from "node:crypto";

/** The type of a value, as the ciphertext keeps it. */
export type ValueType = "str" | "int" | "float" | "bool" | "bytes" | "time" | "comment";

export interface PlainValue {
  readonly type: ValueType;
  /** As SOPS turns the value into bytes: a boolean is `True` or `False`. */
  readonly text: string;
}

/** Bytes of a data key. */
export const DATA_KEY_BYTES = 32;
/** Bytes of an initialisation vector; unusual for GCM, and what SOPS writes. */
export const VECTOR_BYTES = 32;
const TAG_BYTES = 16;
const ENCRYPTED = /^ENC\[AES256_GCM,data:([^,]*),iv:([^,]+),tag:([^,]+),type:([^,]+)\]$/;
const TYPES: readonly ValueType[] = ["str", "int", "float", "bool", "bytes", "time", "comment"];

/** An empty text is left as it is. */
export function encryptValue(
  { type, text }: PlainValue,
  key: Uint8Array,
  path: string,
  vector: Uint8Array,
): string {
  if (text === "") return "";
  const cipher = createCipheriv("aes-256-gcm", key, vector);
  cipher.setAAD(Buffer.from(path));
  const data = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  const parts = [data, vector, cipher.getAuthTag()].map((part) => Buffer.from(part).toString("base64"));
  return `ENC[AES256_GCM,data:${parts[0]},iv:${parts[1]},tag:${parts[2]},type:${type}]`;
}

/** Undefined for a text that SOPS did not write, or that was encrypted with another key or for another place. */
export function decryptValue(text: string, key: Uint8Array, path: string): PlainValue | undefined {
  if (text === "") return { type: "str", text };
  const [, data, iv, tag, name] = ENCRYPTED.exec(text) ?? [];
  const type = TYPES.find((each) => each === name);
  if (data === undefined || iv === undefined || tag === undefined || type === undefined) return undefined;
  const authTag = Buffer.from(tag, "base64");
  if (authTag.length !== TAG_BYTES) return undefined;
  try {
    const cipher = createDecipheriv("aes-256-gcm", key, Buffer.from(iv, "base64"));
    cipher.setAAD(Buffer.from(path));
    cipher.setAuthTag(authTag);
    const plain = Buffer.concat([cipher.update(data, "base64"), cipher.final()]);
    return { type, text: plain.toString("utf8") };
  } catch {
    return undefined;
  }
}
