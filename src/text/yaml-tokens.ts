/**
 * YAML text to tokens, as Kubernetes' readers split it (YAML 1.1 with the habits of libyaml: a key is at most 1024
 * characters long and on one line; quoted text may be indented less than its key; a tab never indents).
 *
 * Tokens are made only as far as they are asked for: what follows the first document is never looked at.
 */
import { DEPTH_LIMIT } from "../core/json.js";
import { Cursor, TAB_HINT, TAB_MESSAGE, YamlFault } from "./yaml-cursor.js";
import { scanAlias, scanAnchor, scanDirective, scanTag } from "./yaml-scan-properties.js";
import {
  type ScalarStyle,
  type ScannedScalar,
  scanBlock,
  scanPlain,
  scanQuoted,
} from "./yaml-scan-scalars.js";
import { makeToken, type Token, type TokenType } from "./yaml-token.js";

/** A token that may turn out to be a key without a `?`. */
/** Both from 0. */
interface Position {
  readonly line: number;
  readonly column: number;
}

interface PossibleKey extends Position {
  readonly token: number;
  readonly at: number;
  /** At the indentation of a block mapping nothing but a key may stand. */
  readonly required: boolean;
}

const KEY_LENGTH = 1024;
/** What YAML 1.1 allows in no text: control characters but TAB, LF, CR and NEL. */
const CONTROL = /[^\t\n\r -~\u0085\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const NEVER_PLAIN = "-?:,[]{}#&*!|>'\"%@`";

export class Tokens {
  private readonly cursor: Cursor;
  private readonly controlAt: number;
  private queue: Token[] = [];
  private taken = 0;
  private finished = false;
  private indent = -1;
  private readonly indents: number[] = [];
  private keyAllowed = true;
  /** Where the plain text began that was read last, if it goes over several lines. */
  private longText: Position | undefined;
  /** The possible key of every open flow level; the first is of the block level. */
  private readonly keys: (PossibleKey | undefined)[] = [undefined];

  constructor(text: string) {
    this.cursor = new Cursor(text);
    this.controlAt = text.search(CONTROL);
  }

  /** The next token, which stays. */
  peek(): Token {
    while (this.queue.length === 0 || this.mayBeKey(this.taken)) {
      if (this.finished) break;
      this.fetch();
    }
    const [token] = this.queue;
    if (token === undefined) throw new Error("the YAML scanner has no token after the end");
    return token;
  }

  /** The next token, which is taken away. */
  next(): Token {
    const token = this.peek();
    if (token.type !== "end") {
      this.queue.shift();
      this.taken++;
    }
    return token;
  }

  private get inFlow(): boolean {
    return this.keys.length > 1;
  }

  /** True while the token of that number waits for a `:` that would make it a key. */
  private mayBeKey(number: number): boolean {
    for (let level = this.keys.length - 1; level >= 0; level--) {
      const key = this.keys[level];
      if (key?.token === number) return this.stillPossible(level);
    }
    return false;
  }

  private stillPossible(level: number): boolean {
    const key = this.keys[level];
    if (key === undefined) return false;
    if (key.line === this.cursor.line && this.cursor.at - key.at <= KEY_LENGTH) return true;
    if (key.required) throw missingColon(key);
    this.keys[level] = undefined;
    return false;
  }

  private fetch(): void {
    const { cursor } = this;
    this.skipToToken();
    this.closeBlocks(cursor.column);
    if (this.controlAt >= 0 && this.controlAt <= cursor.at) this.refuseControl();
    if (cursor.atEnd) this.fetchEnd();
    else if (cursor.column === 0 && cursor.char() === "%") this.fetchDirective();
    else if (cursor.isDocumentMarker("---")) this.fetchMarker("document-start");
    else if (cursor.isDocumentMarker("...")) this.fetchMarker("document-end");
    else this.fetchByFirst(cursor.char());
  }

  private fetchByFirst(char: string): void {
    const { cursor } = this;
    if (char === "[") this.openFlow("flow-sequence-start");
    else if (char === "{") this.openFlow("flow-mapping-start");
    else if (char === "]") this.closeFlow("flow-sequence-end");
    else if (char === "}") this.closeFlow("flow-mapping-end");
    else if (char === ",") this.fetchComma();
    else if (char === "-" && cursor.isGap(1)) this.fetchEntry();
    else if (char === "?" && (this.inFlow || cursor.isGap(1))) this.fetchKey();
    else if (char === ":" && (this.inFlow || cursor.isGap(1))) this.fetchValue();
    else if (char === "*") this.fetchProperty(scanAlias);
    else if (char === "&") this.fetchProperty(scanAnchor);
    else if (char === "!") this.fetchProperty(scanTag);
    else if (char === "'") this.fetchScalar("single");
    else if (char === '"') this.fetchScalar("double");
    else if (char === "|" && !this.inFlow) this.fetchScalar("literal");
    else if (char === ">" && !this.inFlow) this.fetchScalar("folded");
    else if (this.startsPlain(char)) this.fetchScalar("plain");
    else if (char === "\t") throw cursor.fault(TAB_MESSAGE, TAB_HINT);
    else throw cursor.fault(`a value must not start with ${char}`, "put the value in quotes");
  }

  private startsPlain(char: string): boolean {
    const { cursor } = this;
    if (!cursor.isGap() && !NEVER_PLAIN.includes(char)) return true;
    if (char === "-") return !cursor.isBlank(1);
    return !this.inFlow && (char === "?" || char === ":") && !cursor.isGap(1);
  }

  private skipToToken(): void {
    const { cursor } = this;
    for (;;) {
      while (cursor.char() === " " || (cursor.char() === "\t" && (this.inFlow || !this.keyAllowed)))
        cursor.at++;
      if (cursor.char() === "#") cursor.skipToLineEnd();
      if (!cursor.isBreak()) return;
      cursor.takeBreak();
      if (!this.inFlow) this.keyAllowed = true;
    }
  }

  private add(type: TokenType, at: Position, more: Partial<Token> = {}): void {
    this.queue.push(makeToken(type, at, more));
  }

  private here(): Position {
    return { line: this.cursor.line, column: this.cursor.column };
  }

  private indicator(type: TokenType): void {
    this.add(type, this.here());
    this.cursor.at++;
  }

  private openBlock(column: number, type: TokenType, at: Position, number: number): void {
    if (this.inFlow || this.indent >= column) return;
    this.indents.push(this.indent);
    if (this.indents.length > DEPTH_LIMIT) throw tooDeep(at);
    this.indent = column;
    this.queue.splice(number - this.taken, 0, makeToken(type, at, {}));
  }

  private closeBlocks(column: number): void {
    if (this.inFlow) return;
    while (this.indent > column) {
      this.add("block-end", this.here());
      this.indent = this.indents.pop() ?? -1;
    }
  }

  private get nextNumber(): number {
    return this.taken + this.queue.length;
  }

  /** Remembers that the token to come may be a key. */
  private rememberKey(): void {
    if (!this.keyAllowed) return;
    this.forgetKey();
    const { cursor } = this;
    this.keys[this.keys.length - 1] = {
      token: this.nextNumber,
      ...this.here(),
      at: cursor.at,
      required: !this.inFlow && this.indent === cursor.column,
    };
  }

  private forgetKey(): void {
    const key = this.keys.at(-1);
    if (key?.required) throw missingColon(key);
    this.keys[this.keys.length - 1] = undefined;
  }

  private fetchEnd(): void {
    this.closeBlocks(-1);
    this.forgetKey();
    this.add("end", this.here());
    this.finished = true;
  }

  private fetchMarker(type: "document-start" | "document-end"): void {
    this.closeBlocks(-1);
    this.forgetKey();
    this.keyAllowed = false;
    this.add(type, this.here());
    this.cursor.at += 3;
  }

  private openFlow(type: TokenType): void {
    this.rememberKey();
    this.keys.push(undefined);
    if (this.keys.length > DEPTH_LIMIT) throw tooDeep(this.here());
    this.keyAllowed = true;
    this.indicator(type);
  }

  private closeFlow(type: TokenType): void {
    this.forgetKey();
    if (this.inFlow) this.keys.pop();
    this.keyAllowed = false;
    this.indicator(type);
  }

  private fetchComma(): void {
    this.forgetKey();
    this.keyAllowed = true;
    this.indicator("flow-entry");
  }

  private fetchEntry(): void {
    if (!this.inFlow) {
      if (!this.keyAllowed)
        throw this.cursor.fault(
          "a list must not start on the same line as its key",
          "move the - to the next line, or put the value in quotes",
        );
      this.openBlock(this.cursor.column, "block-sequence-start", this.here(), this.nextNumber);
    }
    this.forgetKey();
    this.keyAllowed = true;
    this.indicator("entry");
  }

  private fetchKey(): void {
    if (!this.inFlow) {
      if (!this.keyAllowed) throw this.cursor.fault("a key is not allowed here");
      this.openBlock(this.cursor.column, "block-mapping-start", this.here(), this.nextNumber);
    }
    this.forgetKey();
    this.keyAllowed = !this.inFlow;
    this.indicator("key");
  }

  private fetchValue(): void {
    const level = this.keys.length - 1;
    const key = this.stillPossible(level) ? this.keys[level] : undefined;
    if (key !== undefined) {
      this.queue.splice(key.token - this.taken, 0, makeToken("key", key, {}));
      this.openBlock(key.column, "block-mapping-start", key, key.token);
      this.keys[level] = undefined;
      this.keyAllowed = false;
    } else {
      if (!this.inFlow) {
        if (!this.keyAllowed) throw this.misplacedColon();
        this.openBlock(this.cursor.column, "block-mapping-start", this.here(), this.nextNumber);
      }
      this.keyAllowed = !this.inFlow;
    }
    this.indicator("value");
  }

  /** A `:` where no key can end: most often because its line is indented into the value of the line before. */
  private misplacedColon(): YamlFault {
    const { cursor, longText } = this;
    if (longText === undefined)
      return cursor.fault(
        "a line must not contain two keys",
        "put the value in quotes, or move the nested mapping to the next line",
      );
    if (this.indent < 0) return missingColon(longText);
    const line = longText.line + 1;
    return cursor.fault(
      `the line continues the value on line ${line} because it is indented further, so this ":" is not part of a key`,
      `indent it like line ${line}, or put the whole value in quotes`,
    );
  }

  private fetchScalar(style: ScalarStyle): void {
    const { cursor } = this;
    const block = style === "literal" || style === "folded";
    if (block) this.forgetKey();
    else this.rememberKey();
    const start = this.here();
    this.keyAllowed = block;
    let scanned: ScannedScalar;
    if (style === "literal" || style === "folded") scanned = scanBlock(cursor, this.indent, style);
    else if (style === "plain") {
      const plain = scanPlain(cursor, this.indent, this.inFlow);
      if (plain.endedLine) this.keyAllowed = true;
      scanned = plain;
    } else scanned = scanQuoted(cursor, style);
    if (this.controlAt >= 0 && this.controlAt < cursor.at) this.refuseControl();
    this.longText = style === "plain" && scanned.endLine > start.line ? start : undefined;
    this.add("scalar", start, { text: scanned.text, endLine: scanned.endLine, style });
  }

  private fetchProperty(scan: (cursor: Cursor) => Token): void {
    this.rememberKey();
    this.keyAllowed = false;
    this.queue.push(scan(this.cursor));
  }

  private fetchDirective(): void {
    this.closeBlocks(-1);
    this.forgetKey();
    this.keyAllowed = false;
    this.queue.push(scanDirective(this.cursor));
  }

  private refuseControl(): never {
    const before = this.cursor.text.slice(0, this.controlAt).split(/\r\n|[\r\n\x85\u2028\u2029]/);
    const code = this.cursor.text.charCodeAt(this.controlAt).toString(16).toUpperCase().padStart(4, "0");
    throw new YamlFault(
      `control character U+${code} is not allowed`,
      before.length - 1,
      before.at(-1)?.length ?? 0,
      "remove it, or write it as an escape in double quotes",
    );
  }
}

const missingColon = ({ line, column }: Position): YamlFault =>
  new YamlFault('missing ":" after the key', line, column, "", "no-colon");

const tooDeep = ({ line, column }: Position): YamlFault =>
  new YamlFault(`nested more than ${DEPTH_LIMIT} levels deep`, line, column);
