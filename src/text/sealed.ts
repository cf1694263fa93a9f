/**
 * Values that SOPS encrypted and that no available key opens. Such a value is present and has some content. Nothing
 * else is known of it, so it is neither missing nor empty, and no rule can judge it.
 */
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
export function standInFor(name: string, word: string): string | undefined {
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
