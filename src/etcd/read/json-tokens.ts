/**
 * JSON as a stream of tokens over a file of any size. Numbers are handed out as written, since 64-bit identifiers do
 * not survive a float; strings are handed out as bytes, since the values of a dump are megabytes of base64.
 */
import { CopyFault, type CopyFile } from "./copy-file.js";

const CHUNK = 1 << 20;
/** The longest string that is read: base64 of many times the largest value that etcd accepts by default. */
const LONGEST = 96 << 20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const PUNCTUATION = new Set([..."{}[]:,"].map((each) => each.charCodeAt(0)));
const LITERAL = /^(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)$/;

export type Token =
  | { readonly type: "punctuation"; readonly text: string }
  /** A number, true, false or null, as written. */
  | { readonly type: "literal"; readonly text: string }
  /** `text` is the content as bytes, one character a byte, escapes resolved when there are any. */
  | { readonly type: "string"; readonly text: string }
  | { readonly type: "end" };

export class JsonTokens {
  private buffer = Buffer.allocUnsafe(CHUNK);
  /** The unread part of the buffer. */
  private from = 0;
  private to = 0;
  /** Position of the buffer's first byte in the file. */
  private base = 0;

  constructor(private readonly file: CopyFile) {}

  /** Byte of the file that is read next. */
  get position(): number {
    return this.base + this.from;
  }

  next(): Token {
    const byte = this.skipBlanks();
    if (byte === undefined) return { type: "end" };
    if (PUNCTUATION.has(byte)) {
      this.from++;
      return { type: "punctuation", text: String.fromCharCode(byte) };
    }
    return byte === QUOTE
      ? { type: "string", text: this.string() }
      : { type: "literal", text: this.literal() };
  }

  /** The next token, which has to be this punctuation. */
  expect(text: string): void {
    const token = this.next();
    if (token.type !== "punctuation" || token.text !== text)
      throw this.fault(`expected ${JSON.stringify(text)}, found ${describe(token)}`);
  }

  /** Steps over one value, whatever it is; `first` is its first token when that is read already. */
  skipValue(first: Token = this.next()): void {
    let depth = 0;
    for (let token = first; ; token = this.next()) {
      if (token.type === "end") throw this.fault("the text ends inside a value");
      if (token.type === "punctuation") {
        if (token.text === "{" || token.text === "[") depth++;
        else if (token.text === "}" || token.text === "]") depth--;
        else if (depth === 0) throw this.fault(`expected a value, found ${token.text}`);
      }
      if (depth < 0) throw this.fault("expected a value");
      if (depth === 0) return;
    }
  }

  fault(reason: string): CopyFault {
    return new CopyFault(
      this.file,
      "ETC007",
      `byte ${this.position}: ${reason}`,
      "use the complete and unchanged output of etcdctl get --prefix '' -w json",
      "Parse",
    );
  }

  private skipBlanks(): number | undefined {
    for (;;) {
      if (this.from >= this.to && !this.fill()) return undefined;
      const byte = this.buffer[this.from] ?? 0;
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
      this.from++;
    }
  }

  private string(): string {
    let scan = this.from + 1;
    for (;;) {
      const end = this.buffer.subarray(0, this.to).indexOf(QUOTE, scan);
      if (end < 0) {
        const scanned = this.to - this.from;
        if (!this.fill()) throw this.fault("the text ends inside a string");
        scan = this.from + scanned;
        continue;
      }
      if (this.escapedAt(end)) {
        scan = end + 1;
        continue;
      }
      const raw = this.buffer.toString("latin1", this.from + 1, end);
      const text = raw.includes("\\") ? this.unescape(raw) : raw;
      this.from = end + 1;
      return text;
    }
  }

  /** True when the quote at `end` has an odd number of backslashes before it. */
  private escapedAt(end: number): boolean {
    let at = end;
    while (at - 1 > this.from && this.buffer[at - 1] === BACKSLASH) at--;
    return (end - at) % 2 === 1;
  }

  private unescape(raw: string): string {
    try {
      const value: unknown = JSON.parse(`"${Buffer.from(raw, "latin1").toString("utf8")}"`);
      return Buffer.from(String(value), "utf8").toString("latin1");
    } catch {
      throw this.fault("a string contains an invalid escape");
    }
  }

  private literal(): string {
    let scan = this.from;
    for (;;) {
      if (scan >= this.to) {
        const scanned = scan - this.from;
        if (!this.fill()) break;
        scan = this.from + scanned;
      }
      const byte = this.buffer[scan] ?? 0;
      const part =
        (byte >= 0x30 && byte <= 0x7a && byte !== QUOTE && !PUNCTUATION.has(byte)) ||
        byte === 0x2d ||
        byte === 0x2b ||
        byte === 0x2e;
      if (!part) break;
      if (++scan - this.from > 64) throw this.fault("a number is longer than 64 characters");
    }
    const text = this.buffer.toString("latin1", this.from, scan);
    if (!LITERAL.test(text)) throw this.fault("the text is not JSON");
    this.from = scan;
    return text;
  }

  /** Reads more behind what is unread, which moves to the front; false at the end of the file. */
  private fill(): boolean {
    const unread = this.to - this.from;
    if (unread > LONGEST) throw this.fault(`a string is longer than ${LONGEST} bytes`);
    const room =
      this.buffer.length - unread >= CHUNK / 2 ? this.buffer : Buffer.allocUnsafe(this.buffer.length * 2);
    this.buffer.copy(room, 0, this.from, this.to);
    this.buffer = room;
    this.base += this.from;
    this.from = 0;
    this.to = unread;
    const read = this.file.readInto(room.subarray(unread), this.base + unread);
    this.to += read;
    return read > 0;
  }
}

const describe = (token: Token): string =>
  token.type === "end" ? "the end" : token.type === "string" ? "a string" : token.text;
