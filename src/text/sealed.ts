/**
 * Values that SOPS encrypted and that no available key opens. Such a value is present and has some content. Nothing
 * else is known of it, so it is neither missing nor empty, and no rule can judge it.
 */
import { isObject, type Json, type JsonObject } from "../core/json.js";
import { isSecretName } from "./redact.js";
import type { YamlNode } from "./yaml-read.js";

/** The start of every encrypted value. */
export const CIPHERTEXT = "ENC[AES256_GCM,";

export const isSealedText = (text: string): boolean => text.startsWith(CIPHERTEXT) && text.endsWith("]");

/** Names of logins, which are passed on as they are. */
const LOGIN = /^user(?:name)?$/i;
const PROXY = /^https?Proxy$/;

/**
 * A value in the place of a sealed text, for a field whose value is only passed on: what differs between the outputs of
 * two words follows from the sealed value. Undefined for a field whose value decides what is generated.
 */
export function placeholderFor(name: string, word: string): string | undefined {
  if (PROXY.test(name)) return `http://${word}.invalid:3128`;
  return LOGIN.test(name) || isSecretName(name) ? word : undefined;
}

/** The names of the fields whose values are sealed; items of lists have the name of the list. */
export function sealedNames(node: YamlNode, name = ""): readonly string[] {
  switch (node.type) {
    case "scalar":
      return isSealedText(node.text) ? [name] : [];
    case "sequence":
      return node.items.flatMap((item) => sealedNames(item, name));
    case "mapping":
      return node.entries.flatMap((entry) => sealedNames(entry.value, entry.name));
  }
}

/** Fields of a Secret whose values are passed on as they are. */
const SECRET_VALUES = ["data", "stringData"];

/** True for a Secret of which only values are sealed, so that it is known which object it is. */
export const isReadableSecret = (object: Json | undefined): object is JsonObject =>
  isObject(object) &&
  object["kind"] === "Secret" &&
  Object.entries(object).every(([name, value]) => SECRET_VALUES.includes(name) || !holdsSealed(value));

const holdsSealed = (value: Json): boolean =>
  typeof value === "string"
    ? isSealedText(value)
    : Array.isArray(value)
      ? value.some(holdsSealed)
      : isObject(value) && Object.values(value).some(holdsSealed);

/** The Secret with a word in the place of each sealed value. */
export function withPlaceholders(secret: JsonObject, word: string): JsonObject {
  const replaced = (name: string, values: Json): Json =>
    isObject(values) && SECRET_VALUES.includes(name)
      ? Object.fromEntries(
          Object.entries(values).map(([key, value]) => [
            key,
            typeof value !== "string" || !isSealedText(value)
              ? value
              : name === "data"
                ? Buffer.from(word).toString("base64")
                : word,
          ]),
        )
      : values;
  return Object.fromEntries(Object.entries(secret).map(([name, value]) => [name, replaced(name, value)]));
}
