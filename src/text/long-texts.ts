/**
 * Keeps long texts out of the YAML reader and writer, which look at every character: a short word stands for each of
 * them on the way through. Secrets that wrap whole files are what this is for.
 */
import { isList, isObject, type Json } from "../core/json.js";

/** Shorter texts are not worth the detour. */
const LONG = 256;
const WORD = "slipway-long-text-";
const WORDS = new RegExp(`${WORD}([0-9]+)-`, "g");

export interface Shortened<T> {
  readonly value: T;
  /** The long texts, by the number in the word that stands for each. */
  readonly texts: readonly string[];
}

/**
 * A copy with words in place of the long texts that `isMeant` picks. Where a text of the value looks like such a word
 * itself, nothing is replaced.
 */
function shorten<T extends Json | object>(value: T, isMeant: (text: string) => boolean): Shortened<T> {
  const texts: string[] = [];
  let ambiguous = false;
  const visit = (each: unknown): unknown => {
    if (typeof each === "string") {
      if (each.length > LONG && isMeant(each)) return `${WORD}${texts.push(each) - 1}-`;
      ambiguous ||= each.includes(WORD);
      return each;
    }
    if (Array.isArray(each)) return each.map(visit);
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(
      Object.entries(each).map(([key, inner]) => {
        ambiguous ||= key.includes(WORD);
        return [key, visit(inner)];
      }),
    );
  };
  const isSame = (copy: unknown): copy is T => typeof copy === typeof value;
  const copy = visit(value);
  return ambiguous || texts.length === 0 || !isSame(copy) ? { value, texts: [] } : { value: copy, texts };
}

/** For the way through a template and back: any long text. */
export const shortenAll = <T extends Json | object>(value: T): Shortened<T> => shorten(value, () => true);

/** Puts the long texts back into a value that came back. */
export function restore(value: Json, texts: readonly string[]): Json {
  if (texts.length === 0) return value;
  if (typeof value === "string")
    return value.startsWith(WORD) ? (texts[Number(value.slice(WORD.length, -1))] ?? value) : value;
  if (isList(value)) return value.map((each) => restore(each, texts));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, restore(each, texts)]));
}

/** For the way to YAML text: long base64, which is a plain scalar in every dialect unless it could be a number. */
export const shortenBase64 = (value: Json): Shortened<Json> =>
  shorten(value, (text) => /^[A-Za-z0-9+/]+={0,2}$/.test(text) && /[G-WYZg-nq-wyz]/.test(text));

/** Puts the long texts back into YAML text, where a word stands for a plain scalar. */
export const restoreText = (text: string, texts: readonly string[]): string =>
  texts.length === 0 ? text : text.replace(WORDS, (word, number: string) => texts[Number(number)] ?? word);
