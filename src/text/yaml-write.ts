/**
 * The canonical YAML form of everything that we write: keys sorted, two blanks, lists flush with their key, no
 * document marker, one final newline; a scalar that YAML 1.1 or 1.2 would read as another type is quoted.
 */
import { dump } from "js-yaml";
import { type Json, sortKeys } from "../core/json.js";
import { restoreText, shortenBase64 } from "./long-texts.js";

export function writeYaml(value: Json): string {
  const { value: short, texts } = shortenBase64(value);
  return restoreText(dump(sortKeys(short), { noRefs: true, lineWidth: -1, seqNoIndent: true }), texts);
}
