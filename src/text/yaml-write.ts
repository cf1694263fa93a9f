/**
 * The canonical YAML form of everything that we write: keys sorted, two blanks, lists flush with their key, no
 * document marker, one final newline; a scalar that YAML 1.1 or 1.2 would read as another type is quoted.
 */
import { DEFAULT_SCALAR_STYLE_RULES, type DumpOptions, dump } from "js-yaml";
import { type Json, sortKeys } from "../core/json.js";

const { quoteInvalidPlain, ...others } = DEFAULT_SCALAR_STYLE_RULES;

/**
 * Base64 of some length, with a letter or sign that no number has: plain in every dialect. The general rule finds
 * the same with patterns that take most of the time of writing a Secret.
 */
const isPlainBase64 = (text: string): boolean =>
  text.length >= 40 && /^[A-Za-z0-9+/]+={0,2}$/.test(text) && /[G-WYZg-wyz+/]/.test(text);

const OPTIONS: DumpOptions = {
  noRefs: true,
  lineWidth: -1,
  seqNoIndent: true,
  scalarStyleRules: [
    others.applyQuoteFlowKeysOption,
    others.doubleQuoteForInvisibles,
    others.doubleQuoteWhitespaceOnly,
    others.applyForceQuotesOption,
    others.tryLongOrMultilineAsBlock,
    (layout) => {
      if (!isPlainBase64(layout.node.value)) quoteInvalidPlain(layout);
    },
    others.fallbackToDoubleQuoted,
  ],
};

export function writeYaml(value: Json): string {
  return dump(sortKeys(value), OPTIONS);
}
