/**
 * A place in a YAML text that moves forward, and what kinds of characters there are. Line breaks are those of
 * YAML 1.1 (which Kubernetes' readers follow): LF, CR LF, CR, NEL, LS and PS.
 */

const LF = 10;
const CR = 13;
const NEL = 0x85;
const LS = 0x2028;
const PS = 0x2029;
const SPACE = 32;
const TAB = 9;

export const TAB_MESSAGE = "tabs are not allowed for indentation";
export const TAB_HINT = "indent with spaces";

/**
 * What is told apart among the faults of a text: an alias, a line that has no `:` where a key must have one, and one whose
 * indentation makes it part of nothing.
 */
export type FaultReason = "" | "alias" | "no-colon" | "indent";

/** Why a text cannot be read; caught by the reader alone. `line` and `column` start at 0. */
export class YamlFault extends Error {
  constructor(
    override readonly message: string,
    readonly line: number,
    readonly column: number,
    readonly hint = "",
    readonly reason: FaultReason = "",
  ) {
    super(message);
  }
}

/** A part of the text in a message, cut. */
export const cut = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}...` : text);

export const isBreak = (code: number): boolean =>
  code === LF || code === CR || code === NEL || code === LS || code === PS;
export const isBlank = (code: number): boolean => code === SPACE || code === TAB;

export class Cursor {
  /** Offset of the next character. */
  at = 0;
  /** Number of the line, from 0. */
  line = 0;
  private lineStart = 0;

  constructor(readonly text: string) {
    if (text.charCodeAt(0) === 0xfeff) {
      this.at = 1;
      this.lineStart = 1;
    }
  }

  get column(): number {
    return this.at - this.lineStart;
  }

  /** The code of the character `ahead` places further, NaN beyond the end. */
  code(ahead = 0): number {
    return this.text.charCodeAt(this.at + ahead);
  }

  char(ahead = 0): string {
    return this.text.charAt(this.at + ahead);
  }

  get atEnd(): boolean {
    return this.at >= this.text.length;
  }

  isBreak(ahead = 0): boolean {
    return isBreak(this.code(ahead));
  }

  isBlank(ahead = 0): boolean {
    return isBlank(this.code(ahead));
  }

  /** True at a line break and at the end of the text. */
  isLineEnd(ahead = 0): boolean {
    return this.at + ahead >= this.text.length || isBreak(this.code(ahead));
  }

  /** True at a blank, a line break and the end of the text: what separates tokens. */
  isGap(ahead = 0): boolean {
    return this.isLineEnd(ahead) || isBlank(this.code(ahead));
  }

  /** Steps over a line break and returns it as it enters a scalar: LF, or LS and PS themselves. */
  takeBreak(): string {
    const code = this.code();
    this.at += code === CR && this.code(1) === LF ? 2 : 1;
    this.line++;
    this.lineStart = this.at;
    return code === LS || code === PS ? String.fromCharCode(code) : "\n";
  }

  skipBlanks(): void {
    while (isBlank(this.code())) this.at++;
  }

  skipToLineEnd(): void {
    while (!this.isLineEnd()) this.at++;
  }

  /** `---` or `...` at the start of a line, followed by a gap. */
  isDocumentMarker(marker: "---" | "..."): boolean {
    return this.column === 0 && this.text.startsWith(marker, this.at) && this.isGap(3);
  }

  /** A fault at this place. */
  fault(message: string, hint = ""): YamlFault {
    return new YamlFault(message, this.line, this.column, hint);
  }
}
