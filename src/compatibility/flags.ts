/**
 * Texts of component flags with the place of every item, and the readings that all flags share
 * (docs/reference/compatibility-versions.md §3.1, §4.4).
 */
import type { Position } from "../core/diagnostics.js";

/** One occurrence of a flag. */
export interface FlagText {
  /** Name with dashes, such as `--feature-gates`. */
  readonly flag: string;
  readonly text: string;
  /** Where the text begins. */
  readonly place: Position;
  /** True when an offset in the text is an offset in the line, as on a command line; else only the start is known. */
  readonly exact: boolean;
}

export interface FlagItem {
  readonly text: string;
  readonly flag: string;
  readonly place: Position;
}

/** A flag as given on the command line: the "file" of its diagnostics is the flag itself. */
export const commandLineFlag = (flag: string, text: string): FlagText => ({
  flag,
  text,
  place: { file: flag, line: 1, column: 1 },
  exact: true,
});

/** The items between commas, empty ones included, each with the place of its first character that is not a blank. */
export function splitItems({ flag, text, place, exact }: FlagText): FlagItem[] {
  let offset = 0;
  return text.split(",").map((item) => {
    const lead = item.length - item.trimStart().length;
    const column = place.column + (exact ? offset + (lead === item.length ? 0 : lead) : 0);
    offset += item.length + 1;
    return { text: item, flag, place: { ...place, column } };
  });
}

const TRUES = new Set(["1", "t", "T", "TRUE", "true", "True"]);
const FALSES = new Set(["0", "f", "F", "FALSE", "false", "False"]);
export const BOOLEAN_TEXTS = [...TRUES, ...FALSES].join(" ");

/** Go's booleans. */
export function parseBoolean(text: string): boolean | undefined {
  if (TRUES.has(text)) return true;
  return FALSES.has(text) ? false : undefined;
}

/** White space as Go's strings.TrimSpace takes it: Unicode's, which is JavaScript's without the byte order mark, and U+0085. */
export function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isSpace(text.charAt(start))) start++;
  while (end > start && isSpace(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

const isSpace = (character: string): boolean => /[^\S\ufeff]|\u0085/.test(character);
