/** Scanning of the five kinds of YAML scalars into their decoded text. */
import { type Cursor, isBlank, isBreak, TAB_HINT, TAB_MESSAGE, YamlFault } from "./yaml-cursor.js";

export type ScalarStyle = "plain" | "single" | "double" | "literal" | "folded";

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["0", "\0"],
  ["a", "\x07"],
  ["b", "\b"],
  ["t", "\t"],
  ["\t", "\t"],
  ["n", "\n"],
  ["v", "\v"],
  ["f", "\f"],
  ["r", "\r"],
  ["e", "\x1b"],
  [" ", " "],
  ['"', '"'],
  ["'", "'"],
  ["\\", "\\"],
  ["N", "\x85"],
  ["_", "\xa0"],
  ["L", "\u2028"],
  ["P", "\u2029"],
]);
const HEX_ESCAPES: ReadonlyMap<string, number> = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);

/** Joins the lines of a folded text: one break becomes a blank, further ones stay. LS and PS are kept. */
class LineFolder {
  private first = "";
  private further = "";
  active = false;

  add(lineBreak: string): void {
    if (this.active) this.further += lineBreak;
    else this.first = lineBreak;
    this.active = true;
  }

  /** What stands for the breaks between two lines. */
  take(): string {
    const { first, further } = this;
    this.first = "";
    this.further = "";
    this.active = false;
    if (first === "\n") return further === "" ? " " : further;
    return first + further;
  }
}

/** A quoted scalar; the cursor stands on its opening quote. */
export function scanQuoted(cursor: Cursor, style: "single" | "double"): ScannedScalar {
  const { line, column } = cursor;
  const quote = style === "single" ? "'" : '"';
  const quoteCode = quote.charCodeAt(0);
  const unclosed = (what: string): YamlFault =>
    new YamlFault(
      `the ${style}-quoted string that starts here ${what}`,
      line,
      column,
      `add the closing ${quote}`,
    );
  let text = "";
  const folder = new LineFolder();
  cursor.at++;
  for (;;) {
    if (cursor.isDocumentMarker("---") || cursor.isDocumentMarker("..."))
      throw unclosed("has no closing quote before the end of the document");
    if (cursor.atEnd) throw unclosed("has no closing quote");
    folder.active = false;
    while (!cursor.isGap()) {
      const code = cursor.code();
      if (code === quoteCode) {
        if (style === "double" || cursor.code(1) !== quoteCode) break;
        text += "'";
        cursor.at += 2;
      } else if (style === "double" && code === 92) {
        if (cursor.isBreak(1)) {
          cursor.at++;
          cursor.takeBreak();
          folder.active = true;
          break;
        }
        text += scanEscape(cursor);
      } else {
        const start = cursor.at;
        do cursor.at++;
        while (!cursor.isGap() && cursor.code() !== quoteCode && cursor.code() !== 92);
        text += cursor.text.slice(start, cursor.at);
      }
    }
    if (cursor.code() === quoteCode) {
      cursor.at++;
      return { text, endLine: cursor.line };
    }
    const blanks = cursor.at;
    let blankEnd = cursor.at;
    while (!cursor.atEnd && (cursor.isBlank() || cursor.isBreak())) {
      if (cursor.isBreak()) folder.add(cursor.takeBreak());
      else {
        cursor.at++;
        if (!folder.active) blankEnd = cursor.at;
      }
    }
    text += folder.active ? folder.take() : cursor.text.slice(blanks, blankEnd);
  }
}

function scanEscape(cursor: Cursor): string {
  const letter = cursor.char(1);
  const simple = ESCAPES.get(letter);
  if (simple !== undefined) {
    cursor.at += 2;
    return simple;
  }
  const length = HEX_ESCAPES.get(letter);
  if (length === undefined)
    throw cursor.fault(
      `invalid escape sequence \\${letter} in double quotes`,
      "use \\\\ for a backslash, or single quotes",
    );
  const digits = cursor.text.slice(cursor.at + 2, cursor.at + 2 + length);
  if (digits.length < length || !/^[0-9a-fA-F]+$/.test(digits))
    throw cursor.fault(`\\${letter} must be followed by ${length} hexadecimal digits`);
  const value = Number.parseInt(digits, 16);
  if ((value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff)
    throw cursor.fault(`\\${letter}${digits} is not a Unicode character`);
  cursor.at += 2 + length;
  return String.fromCodePoint(value);
}

export interface ScannedScalar {
  readonly text: string;
  /** The line on which the text ends, from 0. */
  readonly endLine: number;
}

export interface PlainScalar extends ScannedScalar {
  /** True when the scalar ended at a line break, so that a key may follow. */
  readonly endedLine: boolean;
}

/** A plain scalar; it ends at `: `, ` #`, a flow indicator inside a flow collection, or a line indented too little. */
export function scanPlain(cursor: Cursor, parentIndent: number, inFlow: boolean): PlainScalar {
  const indent = parentIndent + 1;
  let text = "";
  let blanks = "";
  let endLine = cursor.line;
  const folder = new LineFolder();
  for (;;) {
    if (cursor.isDocumentMarker("---") || cursor.isDocumentMarker("...")) break;
    if (cursor.char() === "#") break;
    const start = cursor.at;
    while (!cursor.isGap()) {
      const char = cursor.char();
      if (char === ":" && cursor.isGap(1)) break;
      if (inFlow && ",?[]{}".includes(char)) break;
      cursor.at++;
    }
    if (cursor.at > start) {
      text += folder.active ? folder.take() : blanks;
      text += cursor.text.slice(start, cursor.at);
      blanks = "";
      endLine = cursor.line;
    }
    if (cursor.atEnd || !(cursor.isBlank() || cursor.isBreak())) break;
    while (!cursor.atEnd && (cursor.isBlank() || cursor.isBreak())) {
      if (cursor.isBreak()) {
        folder.add(cursor.takeBreak());
        continue;
      }
      if (folder.active && cursor.column < indent && cursor.char() === "\t")
        throw cursor.fault(TAB_MESSAGE, TAB_HINT);
      if (!folder.active) blanks += cursor.char();
      cursor.at++;
    }
    if (!inFlow && cursor.column < indent) break;
  }
  return { text, endLine, endedLine: folder.active };
}

/** A block scalar; the cursor stands on `|` or `>`. */
export function scanBlock(cursor: Cursor, parentIndent: number, style: "literal" | "folded"): ScannedScalar {
  cursor.at++;
  let endLine = cursor.line;
  const { chomp, increment } = scanBlockHeader(cursor);
  let indent = increment === 0 ? 0 : Math.max(parentIndent, 0) + increment;
  let text = "";
  let lineBreak = "";
  let [further, found] = scanBlockBreaks(cursor, indent, parentIndent);
  indent = found;
  let blankBefore = false;
  while (cursor.column === indent && !cursor.atEnd) {
    const startsBlank = isBlank(cursor.code());
    if (style === "folded" && lineBreak === "\n" && !blankBefore && !startsBlank)
      text += further === "" ? " " : further;
    else text += lineBreak + further;
    blankBefore = startsBlank;
    const start = cursor.at;
    endLine = cursor.line;
    cursor.skipToLineEnd();
    text += cursor.text.slice(start, cursor.at);
    lineBreak = cursor.atEnd ? "" : cursor.takeBreak();
    [further, found] = scanBlockBreaks(cursor, indent, parentIndent);
  }
  if (chomp !== "-") text += lineBreak;
  if (chomp === "+") text += further;
  return { text, endLine };
}

function scanBlockHeader(cursor: Cursor): { chomp: string; increment: number } {
  let chomp = "";
  let increment = 0;
  const takeChomp = (): void => {
    if (cursor.char() === "+" || cursor.char() === "-") chomp = cursor.text.charAt(cursor.at++);
  };
  const takeDigit = (): void => {
    if (!/[0-9]/.test(cursor.char())) return;
    increment = Number(cursor.char());
    if (increment === 0) throw cursor.fault("the indentation indicator of a block scalar must not be 0");
    cursor.at++;
  };
  takeChomp();
  takeDigit();
  if (chomp === "") takeChomp();
  cursor.skipBlanks();
  if (cursor.char() === "#") cursor.skipToLineEnd();
  if (!cursor.isLineEnd())
    throw cursor.fault(
      "a block scalar must start on the line after | or >",
      "move the text to the next line and indent it",
    );
  if (!cursor.atEnd) cursor.takeBreak();
  return { chomp, increment };
}

/** Empty lines and the indentation before a line of a block: the breaks, and the indent of the block. */
function scanBlockBreaks(cursor: Cursor, indent: number, parentIndent: number): [string, number] {
  let breaks = "";
  let widest = 0;
  for (;;) {
    while ((indent === 0 || cursor.column < indent) && cursor.char() === " ") cursor.at++;
    widest = Math.max(widest, cursor.column);
    if ((indent === 0 || cursor.column < indent) && cursor.char() === "\t")
      throw cursor.fault(TAB_MESSAGE, TAB_HINT);
    if (!isBreak(cursor.code())) break;
    breaks += cursor.takeBreak();
  }
  return [breaks, indent === 0 ? Math.max(widest, parentIndent + 1, 1) : indent];
}
