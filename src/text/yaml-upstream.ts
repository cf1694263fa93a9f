/**
 * YAML byte for byte as the installer writes it (docs/reference/install-config-and-manifests.md §3.1).
 *
 * It matters where the installer compares bytes: the text of the install-config in the state. When it is not exactly
 * what the installer itself makes of the install-config.yaml beside it, the installer takes the file for changed and
 * discards every manifest (tried with its 4.22 asset store; docs/reference/install-config-and-manifests.md §2.2).
 * Everything else that we write is canonical YAML (`yaml-write.ts`).
 */
import { isList, isObject, type Json } from "../core/json.js";
import { resolvePlain } from "./yaml-scalars.js";

/** A scalar is broken at a blank once the column is past this. */
const WIDTH = 80;
const INDENT = 2;
/** In bytes. */
const LONGEST_KEY = 128;

export function writeUpstreamYaml(value: Json): string {
  const writer = new Writer();
  writer.node(value, 0, false);
  return writer.text();
}

/** A number as Go prints one that went through JSON: beyond 64 bits, and with a fraction, in the shorter of two forms. */
function goNumber(value: number): string {
  if (Number.isInteger(value) && value < 2 ** 64 && value >= -(2 ** 63)) return String(value);
  const [digits = "", exponent = ""] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

type Style = "plain" | "single" | "double" | "literal";

class Writer {
  private out = "";
  private column = 0;

  text(): string {
    return this.out.endsWith("\n") ? this.out : `${this.out}\n`;
  }

  /** @param indent of the lines of the value; `afterKey`: the cursor stands behind `key:` */
  node(value: Json, indent: number, afterKey: boolean): void {
    if (isObject(value) && Object.keys(value).length > 0)
      this.mapping(Object.entries(value), indent, afterKey);
    else if (isList(value) && value.length > 0) this.sequence(value, indent, afterKey);
    else {
      if (afterKey) this.put(" ");
      if (isObject(value)) this.put("{}");
      else if (isList(value)) this.put("[]");
      else if (typeof value === "string") this.string(value, styleOf(value), indent, true);
      else this.put(typeof value === "number" ? goNumber(value) : String(value));
    }
  }

  private mapping(entries: readonly [string, Json][], indent: number, afterKey: boolean): void {
    const sorted = [...entries].sort(([a], [b]) => compareKeys(a, b));
    sorted.forEach(([key, value], i) => {
      if (i > 0 || afterKey) this.newLine(indent);
      this.key(key, indent);
      this.put(":");
      // A list stands flush with its key, everything else one step deeper.
      this.node(value, isList(value) ? indent : indent + INDENT, true);
    });
  }

  /** A key that is long or has several lines gets a line of its own. */
  private key(key: string, indent: number): void {
    if (!key.includes("\n") && Buffer.byteLength(key) <= LONGEST_KEY) {
      this.string(key, keyStyleOf(key), indent, false);
      return;
    }
    this.put("? ");
    this.string(key, styleOf(key), indent + INDENT, true);
    this.newLine(indent);
  }

  private sequence(items: readonly Json[], indent: number, afterKey: boolean): void {
    items.forEach((item, i) => {
      if (i > 0 || afterKey) this.newLine(indent);
      this.put("- ");
      this.node(item, indent + INDENT, false);
    });
  }

  private string(text: string, style: Style, indent: number, mayBreak: boolean): void {
    if (style === "literal") this.literal(text, indent);
    else if (style === "plain") this.folded(text, indent, mayBreak ? "anywhere" : "nowhere", asItIs);
    else if (style === "single") {
      this.put("'");
      this.folded(text, indent, mayBreak ? "inside" : "nowhere", doubleQuote);
      this.put("'");
    } else {
      // The installer's writer escapes the whole of a text that begins with a byte order mark.
      const whole = text.startsWith("\ufeff");
      this.put('"');
      this.folded(
        text,
        indent,
        mayBreak && !whole ? "inside, doubled" : "nowhere",
        whole ? escapeAlways : escaped,
      );
      this.put('"');
    }
  }

  /**
   * Beyond the width, the first of some blanks becomes a line break. Only in double quotes several blanks may stand
   * there; the next line then begins with a backslash.
   */
  private folded(
    text: string,
    indent: number,
    where: "anywhere" | "inside" | "inside, doubled" | "nowhere",
    form: (character: string) => string,
  ): void {
    if (where === "nowhere" || !text.includes(" ")) {
      this.put([...text].map(form).join(""));
      return;
    }
    const characters = [...text];
    let previousBlank = false;
    characters.forEach((character, i) => {
      const blank = character === " ";
      const nextBlank = characters[i + 1] === " ";
      const breaks =
        blank &&
        !previousBlank &&
        this.column > WIDTH &&
        (where === "inside, doubled" || !nextBlank) &&
        (where === "anywhere" || (i > 0 && i < characters.length - 1));
      if (breaks) this.newLine(indent);
      if (breaks && nextBlank) this.put("\\");
      if (!breaks) this.put(form(character));
      previousBlank = blank;
    });
  }

  private literal(text: string, indent: number): void {
    const hint = /^[ \n]/.test(text) ? String(INDENT) : "";
    const chomp = !text.endsWith("\n") ? "-" : text === "\n" || text.endsWith("\n\n") ? "+" : "";
    const blanks = " ".repeat(indent);
    const lines = text.split("\n").map((line) => (line === "" ? "" : blanks + line));
    this.out += `|${hint}${chomp}\n${lines.join("\n")}`;
    this.column = lines.at(-1)?.length ?? 0;
  }

  private put(text: string): void {
    this.out += text;
    this.column += [...text].length;
  }

  private newLine(indent: number): void {
    if (this.column > 0) this.out += "\n";
    this.out += " ".repeat(indent);
    this.column = indent;
  }
}

const asItIs = (character: string): string => character;
const doubleQuote = (character: string): string => (character === "'" ? "''" : character);

/** No tab or other control character, nothing beyond the basic plane, no byte order mark. */
const UNPRINTABLE = /[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u;
/** Line breaks of YAML 1.1 beside the usual one; with the key `<<` the only text for which we do not follow the installer. */
const RARE_BREAK = /[\u2028\u2029]/;

function styleOf(text: string): Style {
  if (UNPRINTABLE.test(text) || RARE_BREAK.test(text) || text.includes(" \n")) return "double";
  if (text.includes("\n")) return text.endsWith(" ") ? "double" : "literal";
  if (resolvesOtherwise(text)) return "double";
  return isPlain(text) ? "plain" : "single";
}

/** The installer's writer leaves the key `<<` plain, which every reader, its own too, takes for a merge. */
const keyStyleOf = (key: string): Style => (key === "<<" ? "double" : styleOf(key));

/** Text that has no indicator of YAML where a reader would look for one. */
function isPlain(text: string): boolean {
  return !(
    /^[#,[\]{}&*!|>'"%@`]/.test(text) ||
    /^[-?:](?:[ \t]|$)/.test(text) ||
    /^(?:---|\.\.\.)/.test(text) ||
    /^ | $/.test(text) ||
    /:(?:[ \t]|$)/.test(text) ||
    /[ \t\0]#/.test(text)
  );
}

const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const TIMESTAMP =
  /^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[Tt]([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(?:Z|[-+][0-9]{2}:[0-9]{2})| ([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?)?$/;

/** Whether a reader of YAML 1.1 would take the plain text for something else than text. */
function resolvesOtherwise(text: string): boolean {
  return resolvePlain(text).kind !== "string" || BASE_60.test(text) || isTimestamp(text);
}

function isTimestamp(text: string): boolean {
  const found = TIMESTAMP.exec(text);
  if (found === null) return false;
  const [, year, month, day, ...time] = found.map(Number);
  const [hour = 0, minute = 0, second = 0] = time.filter((each) => !Number.isNaN(each));
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day));
  const real = date.getUTCMonth() === (month ?? 0) - 1 && date.getUTCDate() === day;
  return real && hour < 24 && minute < 60 && second < 60;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\0": "0",
  "\x07": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  "\x1b": "e",
  '"': '"',
  "\\": "\\",
  "\u0085": "N",
  "\u2028": "L",
  "\u2029": "P",
};

function escaped(character: string): string {
  const known = ESCAPES[character];
  if (known !== undefined) return `\\${known}`;
  return UNPRINTABLE.test(character) ? byNumber(character) : character;
}

function escapeAlways(character: string): string {
  const known = ESCAPES[character];
  return known === undefined ? byNumber(character) : `\\${known}`;
}

function byNumber(character: string): string {
  if (character === "\u00a0") return "\\_";
  const code = character.codePointAt(0) ?? 0;
  const [letter, length] =
    code <= 0xff ? (["x", 2] as const) : code <= 0xffff ? (["u", 4] as const) : (["U", 8] as const);
  return `\\${letter}${code.toString(16).toUpperCase().padStart(length, "0")}`;
}

/** The order of keys: letters after everything else, runs of digits by their value. */
export function compareKeys(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (let i = 0; i < left.length && i < right.length; i++) {
    const [x, y] = [left[i] ?? "", right[i] ?? ""];
    if (x === y) continue;
    const [xLetter, yLetter] = [isLetter(x), isLetter(y)];
    if (xLetter && yLetter) return byCodePoint(x, y);
    if (xLetter || yLetter) return yLetter ? -1 : 1;
    const lead = (x === "0" || y === "0") && hasSignificantDigit(left, i) ? 1 : 0;
    const [xRun, yRun] = [digitsAt(left, i), digitsAt(right, i)];
    const [xValue, yValue] = [
      lead * 10 ** xRun.length + Number(xRun),
      lead * 10 ** yRun.length + Number(yRun),
    ];
    return xValue - yValue || xRun.length - yRun.length || byCodePoint(x, y);
  }
  return left.length - right.length;
}

const isLetter = (character: string): boolean => /^\p{L}$/u.test(character);
const byCodePoint = (a: string, b: string): number => (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0);

/** True when the digits just before a position hold one that is not zero. */
function hasSignificantDigit(characters: readonly string[], at: number): boolean {
  for (let i = at - 1; i >= 0 && /^[0-9]$/.test(characters[i] ?? ""); i--)
    if (characters[i] !== "0") return true;
  return false;
}

function digitsAt(characters: readonly string[], at: number): string {
  let end = at;
  while (/^[0-9]$/.test(characters[end] ?? "")) end++;
  return characters.slice(at, end).join("");
}
