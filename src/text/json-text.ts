/**
 * What JSON.parse does not tell of a text: where it stops being JSON, and where the members of an object stand. Every
 * step is by characters, since a single string may have megabytes.
 */

/** Line and column of an index, from 1. */
export function placeAt(text: string, index: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end >= 0 && end < index; end = text.indexOf("\n", start)) {
    line++;
    start = end + 1;
  }
  return { line, column: index - start + 1 };
}

const LITERAL = /(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)(?![\w.+-])/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** What may come next; `first` is behind the bracket that opens. */
type Expected = "value" | "first value" | "key" | "first key" | "colon" | "comma" | "end";

/** The index of the first character that no JSON text has there, or of the end of one that is cut off; undefined for JSON. */
export function jsonFault(text: string): number | undefined {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  let at = 0;
  const ended = (): Expected => (open.length === 0 ? "end" : "comma");
  for (;;) {
    at = skipBlanks(text, at);
    const character = text.charAt(at);
    if (character === "") return expected === "end" ? undefined : at;
    const inner = open.at(-1);
    const closes = (character === "}" && inner === "{") || (character === "]" && inner === "[");
    if (closes && (expected === "comma" || expected === "first value" || expected === "first key")) {
      open.pop();
      expected = ended();
      at++;
    } else if (expected === "comma" && character === ",") {
      expected = inner === "{" ? "key" : "value";
      at++;
    } else if (expected === "colon" && character === ":") {
      expected = "value";
      at++;
    } else if (expected === "key" || expected === "first key") {
      if (character !== '"') return at;
      const string = scanString(text, at);
      if (string.fault !== undefined) return string.fault;
      at = string.end;
      expected = "colon";
    } else if (expected === "value" || expected === "first value") {
      if (character === "{" || character === "[") {
        open.push(character);
        expected = character === "{" ? "first key" : "first value";
        at++;
        continue;
      }
      if (character === '"') {
        const string = scanString(text, at);
        if (string.fault !== undefined) return string.fault;
        at = string.end;
      } else {
        LITERAL.lastIndex = at;
        const [literal] = LITERAL.exec(text) ?? [];
        if (literal === undefined) return at;
        at += literal.length;
      }
      expected = ended();
    } else return at;
  }
}

type Scanned = { readonly end: number; readonly fault?: undefined } | { readonly fault: number };

/** The string that starts at an index: just behind its closing quote, or what does not belong into one. */
function scanString(text: string, start: number): Scanned {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return { end: at + 1 };
    if (code < SPACE) return { fault: at };
    if (code !== BACKSLASH) continue;
    ESCAPE.lastIndex = at;
    const [escaped] = ESCAPE.exec(text) ?? [];
    if (escaped === undefined) return { fault: at };
    at += escaped.length - 1;
  }
  return { fault: text.length };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** Key, start and end of the value of each member. The text is one JSON object, and a key may be there twice. */
export function* topLevelMembers(text: string): Generator<[key: string, start: number, end: number]> {
  let at = text.indexOf("{") + 1;
  for (;;) {
    at = skipBlanks(text, at);
    if (text[at] === "}" || at >= text.length) return;
    if (text[at] === ",") {
      at++;
      continue;
    }
    const keyEnd = endOfString(text, at);
    const key: unknown = JSON.parse(text.slice(at, keyEnd));
    const start = skipBlanks(text, skipBlanks(text, keyEnd) + 1);
    const end = endOfValue(text, start);
    yield [String(key), start, end];
    at = end;
  }
}

function skipBlanks(text: string, at: number): number {
  while (at < text.length && " \t\r\n".includes(text.charAt(at))) at++;
  return at;
}

/** Just behind the closing quote of the string that starts at `at`. */
function endOfString(text: string, at: number): number {
  for (let quote = text.indexOf('"', at + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (text[quote - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; ) {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") {
      depth--;
      if (depth === 0) return at + 1;
      if (depth < 0) return trimEnd(text, start, at);
    } else if (character === "," && depth === 0) return trimEnd(text, start, at);
    at++;
  }
  return text.length;
}

function trimEnd(text: string, start: number, end: number): number {
  while (end > start && " \t\r\n".includes(text.charAt(end - 1))) end--;
  return end;
}
