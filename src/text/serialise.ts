import type { Json } from "../core/json.js";

/** Characters that JSON leaves as they are and a YAML reader refuses, folds or takes for a byte order mark. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]/g;

/**
 * A value as JSON in one line, which is a YAML flow value wherever it stands: no quote, newline, `---`, `: ` or
 * `{{` of the value can break out of its place. Pairs of surrogates stay characters, lone ones are escaped.
 */
export function serialise(value: Json): string {
  return JSON.stringify(value).replace(UNSAFE, (found, offset: number, whole: string) => {
    const code = found.charCodeAt(0);
    if (code >= 0xd800 && code <= 0xdbff && isLow(whole.charCodeAt(offset + 1))) return found;
    if (isLow(code) && isHigh(whole.charCodeAt(offset - 1))) return found;
    return `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
