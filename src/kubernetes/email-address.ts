/** Addresses of e-mail as Go's `net/mail` ParseAddress reads them, which is what the API server's format `email` asks. */
import { isIP } from "node:net";
import { isBase64 } from "../core/base64.js";

/** True for one address, with a name before it or a comment behind it or without, or a group of one. */
export function isEmailAddress(text: string): boolean {
  const reader = new Reader(text);
  return reader.address(true) === 1 && reader.skipComments() && reader.isAtEnd();
}

const isBlank = (char: string): boolean => char === " " || char === "\t";
/** Printing characters, and all beyond ASCII. */
const isVisible = (char: string): boolean => char >= "!" && char !== "\x7f";
const SPECIALS = new Set('()<>[]:;@\\,"');
const isAtomic = (char: string): boolean => isVisible(char) && !SPECIALS.has(char);

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** How many addresses were read; undefined where there is a fault. */
  address(groups: boolean): number | undefined {
    this.skipBlanks();
    if (this.isAtEnd()) return undefined;
    const start = this.at;
    if (this.plainAddress()) {
      this.skipBlanks();
      return this.next() === "(" && !this.nameComment() ? undefined : 1;
    }
    this.at = start;
    if (this.next() !== "<" && !this.phrase()) return undefined;
    this.skipBlanks();
    if (groups && this.take(":")) return this.group();
    return this.take("<") && this.plainAddress() && this.take(">") ? 1 : undefined;
  }

  /** Blanks and comments. */
  skipComments(): boolean {
    this.skipBlanks();
    while (this.next() === "(") {
      if (this.comment() === undefined) return false;
      this.skipBlanks();
    }
    return true;
  }

  private group(): number | undefined {
    this.skipBlanks();
    if (this.take(";")) return this.skipComments() ? 0 : undefined;
    for (let count = 0; ; ) {
      const more = this.address(false);
      if (more === undefined || !this.skipComments()) return undefined;
      count += more;
      if (this.take(";")) return this.skipComments() ? count : undefined;
      if (!this.take(",")) return undefined;
    }
  }

  private plainAddress(): boolean {
    this.skipBlanks();
    if (this.next() === '"' ? !this.quoted() : !this.dotted()) return false;
    if (!this.take("@")) return false;
    this.skipBlanks();
    return this.next() === "[" ? this.domainLiteral() : this.dotted();
  }

  /** Words before an address. What is wrong behind the first of them is left to what comes next. */
  private phrase(): boolean {
    for (let words = 0; ; words++) {
      if (words > 0 && !this.skipComments()) return false;
      this.skipBlanks();
      const fits = this.next() === '"' ? this.quoted(true) : hasKnownCharset(this.atom());
      if (!fits) return words > 0;
    }
  }

  private quoted(mayBeEmpty = false): boolean {
    let end = this.at + 1;
    for (let escaped = false; ; end++) {
      const char = this.text[end];
      if (char === undefined || !(isVisible(char) || isBlank(char))) return false;
      if (escaped) escaped = false;
      else if (char === "\\") escaped = true;
      else if (char === '"') break;
    }
    const isEmpty = end === this.at + 1;
    this.at = end + 1;
    return mayBeEmpty || !isEmpty;
  }

  private dotted(): boolean {
    const atom = this.atom();
    return atom !== "" && !atom.startsWith(".") && !atom.endsWith(".") && !atom.includes("..");
  }

  private atom(): string {
    const start = this.at;
    while (!this.isAtEnd() && isAtomic(this.next())) this.at++;
    return this.text.slice(start, this.at);
  }

  private domainLiteral(): boolean {
    const end = this.text.indexOf("]", this.at);
    if (end < 0) return false;
    const address = this.text.slice(this.at + 1, end);
    this.at = end + 1;
    return isIP(address) !== 0 && !address.includes("%");
  }

  private nameComment(): boolean {
    const words = this.comment()?.split(/[ \t]+/);
    return words?.every((word) => word === "" || hasKnownCharset(word)) ?? false;
  }

  /** What stands in a comment; undefined where it is not closed. */
  private comment(): string | undefined {
    let inner = "";
    let depth = 1;
    for (this.at++; !this.isAtEnd(); this.at++) {
      if (this.next() === "\\" && this.at + 1 < this.text.length) this.at++;
      else if (this.next() === "(") depth++;
      else if (this.next() === ")") depth--;
      if (depth === 0) {
        this.at++;
        return inner;
      }
      inner += this.next();
    }
    return undefined;
  }

  private next(): string {
    return this.text[this.at] ?? "";
  }

  private take(char: string): boolean {
    if (this.next() !== char) return false;
    this.at++;
    return true;
  }

  private skipBlanks(): void {
    while (isBlank(this.next())) this.at++;
  }
}

const CHARSETS = ["utf-8", "iso-8859-1", "us-ascii"];
const ENCODED_WORD = /^=\?([^?]+)\?([bBqQ])\?([^?]*)\?=$/;

/** False for an encoded word (RFC 2047) in a character set that Go does not know; and for no word at all. */
function hasKnownCharset(word: string): boolean {
  const [, charset = "", encoding = "", content = ""] = ENCODED_WORD.exec(word) ?? [];
  if (charset === "" || CHARSETS.includes(charset.toLowerCase())) return word !== "";
  const decodes = /[bB]/.test(encoding)
    ? isBase64(content)
    : !/=(?![0-9A-Fa-f]{2})|[^\t\n\r -~]/.test(content);
  return !decodes;
}
