/**
 * The canonical YAML form of everything that we write: keys sorted, two blanks, lists flush with their key, no
 * document marker, one final newline; a scalar that YAML 1.1 or 1.2 would read as another type is quoted.
 */
import { dump } from "js-yaml";
import { type Json, sortKeys } from "../core/json.js";

export function writeYaml(value: Json): string {
  return dump(sortKeys(value), { noRefs: true, lineWidth: -1, seqNoIndent: true });
}
