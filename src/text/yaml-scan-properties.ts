/** Scanning of what stands before a value or a document: anchors, aliases, tags and directives. */
import { type Cursor, YamlFault } from "./yaml-cursor.js";
import { makeToken, type Token } from "./yaml-token.js";

const WORD = /[0-9A-Za-z_-]/;
const URI = /[0-9A-Za-z_\-;/?:@&=+$,.!~*'()[\]%]/;

const here = ({ line, column }: Cursor): { line: number; column: number } => ({ line, column });

export const scanAlias = (cursor: Cursor): Token => scanName(cursor, "alias");
export const scanAnchor = (cursor: Cursor): Token => scanName(cursor, "anchor");

function scanName(cursor: Cursor, type: "alias" | "anchor"): Token {
  const start = here(cursor);
  cursor.at++;
  const text = scanWord(cursor);
  if (text === "" || !(cursor.isGap() || "?:,]}%@`".includes(cursor.char())))
    throw cursor.fault(
      type === "alias" ? "a value that starts with * is an alias" : "a value that starts with & is an anchor",
      "put the value in quotes",
    );
  return makeToken(type, start, { text });
}

export function scanTag(cursor: Cursor): Token {
  const start = here(cursor);
  let handle = "";
  let text: string;
  if (cursor.char(1) === "<") {
    cursor.at += 2;
    text = scanUri(cursor);
    if (text === "" || cursor.char() !== ">") throw cursor.fault('missing ">" at the end of the tag');
    cursor.at++;
  } else {
    handle = scanHandle(cursor);
    if (handle.length > 1 && handle.endsWith("!")) {
      text = scanUri(cursor);
      if (text === "") throw cursor.fault("the tag has no name");
    } else {
      text = handle.slice(1) + scanUri(cursor);
      handle = "!";
      if (text === "") [handle, text] = ["", "!"];
    }
  }
  if (!cursor.isGap()) throw cursor.fault("a value that starts with ! is a tag", "put the value in quotes");
  return makeToken("tag", start, { text, handle });
}

/** A line such as `%YAML 1.1` or `%TAG !e! prefix`; the cursor ends on the next line. */
export function scanDirective(cursor: Cursor): Token {
  const start = here(cursor);
  cursor.at++;
  const name = scanWord(cursor);
  if (name !== "YAML" && name !== "TAG")
    throw new YamlFault("a line that starts with % is a directive", start.line, start.column, "");
  if (!cursor.isGap()) throw cursor.fault("unknown directive");
  cursor.skipBlanks();
  const token = name === "YAML" ? scanVersion(cursor, start) : scanTagDirective(cursor, start);
  cursor.skipBlanks();
  if (cursor.char() === "#") cursor.skipToLineEnd();
  if (!cursor.isLineEnd()) throw cursor.fault("remove the text after the directive");
  if (!cursor.atEnd) cursor.takeBreak();
  return token;
}

function scanVersion(cursor: Cursor, start: { line: number; column: number }): Token {
  const text = /^[0-9]{1,2}\.[0-9]{1,2}/.exec(cursor.text.slice(cursor.at, cursor.at + 5))?.[0];
  if (text === undefined) throw cursor.fault("%YAML requires a version, such as 1.1");
  cursor.at += text.length;
  return makeToken("version", start, { text });
}

function scanTagDirective(cursor: Cursor, start: { line: number; column: number }): Token {
  const handle = scanHandle(cursor);
  if (!handle.endsWith("!")) throw cursor.fault("%TAG requires a handle, such as !e!");
  if (!cursor.isBlank()) throw cursor.fault("%TAG requires a handle and a prefix");
  cursor.skipBlanks();
  const text = scanUri(cursor);
  if (text === "" || !cursor.isGap()) throw cursor.fault("%TAG requires a prefix");
  return makeToken("tag-directive", start, { text, handle });
}

function scanWord(cursor: Cursor): string {
  const start = cursor.at;
  while (WORD.test(cursor.char())) cursor.at++;
  return cursor.text.slice(start, cursor.at);
}

/** `!`, `!name` or `!name!`. */
function scanHandle(cursor: Cursor): string {
  if (cursor.char() !== "!") throw cursor.fault("a tag must start with !");
  cursor.at++;
  const name = scanWord(cursor);
  if (cursor.char() !== "!") return `!${name}`;
  cursor.at++;
  return `!${name}!`;
}

function scanUri(cursor: Cursor): string {
  const start = cursor.at;
  while (URI.test(cursor.char())) cursor.at++;
  try {
    return decodeURIComponent(cursor.text.slice(start, cursor.at));
  } catch {
    throw cursor.fault("the tag contains an invalid escape sequence");
  }
}
