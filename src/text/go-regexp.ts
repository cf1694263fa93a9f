/**
 * Go's regular expressions (RE2 syntax) as ECMAScript ones. CustomResourceDefinitions are written for Go, and a pattern
 * that both dialects accept may mean different things (`[[:alpha:]]`, `\z`, `\s`), so the text is translated token by
 * token; what has no counterpart gives undefined, never another meaning.
 */

const POSIX: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7F",
  blank: "\\t ",
  cntrl: "\\x00-\\x1F\\x7F",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`\\{-~",
  space: "\\t\\n\\v\\f\\r ",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};
const SPACE = "\\t\\n\\f\\r ";

/** Thrown inside this module only, for what cannot be translated. */
class Untranslatable extends Error {}

/** The translated pattern, unanchored unless it anchors itself; undefined when it is wrong or cannot be translated. */
export function compileGoPattern(pattern: string): RegExp | undefined {
  const [, words = "", rest = pattern] = /^\(\?([ims]+)\)(.*)$/s.exec(pattern) ?? [];
  try {
    const body = new Translator(rest, words.includes("s")).translate();
    return new RegExp(body, `u${words.includes("i") ? "i" : ""}${words.includes("m") ? "m" : ""}`);
  } catch (error) {
    if (error instanceof Untranslatable || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

class Translator {
  private at = 0;
  private readonly chars: readonly string[];

  constructor(
    pattern: string,
    private readonly dotAll: boolean,
  ) {
    this.chars = [...pattern];
  }

  translate(): string {
    let out = "";
    while (this.at < this.chars.length) out += this.token();
    return out;
  }

  private peek(offset = 0): string {
    return this.chars[this.at + offset] ?? "";
  }

  /** The rest of the pattern, as far as a regular expression at its start reaches. */
  private take(shape: RegExp): RegExpExecArray | undefined {
    const found = shape.exec(this.chars.slice(this.at, this.at + 80).join(""));
    if (found === null || found.index !== 0) return undefined;
    this.at += [...found[0]].length;
    return found;
  }

  private token(): string {
    const char = this.peek();
    switch (char) {
      case "\\":
        return this.escape(false);
      case "[":
        return this.characterClass();
      case "(":
        return this.group();
      case ".":
        this.at++;
        return this.dotAll ? "[\\s\\S]" : "[^\\n]";
      case "{": {
        const quantifier = this.take(/^\{[0-9]{1,4}(?:,[0-9]{0,4})?\}/);
        if (quantifier !== undefined) return quantifier[0];
        this.at++;
        return "\\{";
      }
      case "}":
      case "]":
      case "/":
        this.at++;
        return `\\${char}`;
      default:
        this.at++;
        return char;
    }
  }

  private group(): string {
    if (this.take(/^\(\?:/) !== undefined) return "(?:";
    if (this.take(/^\(\?P?<[A-Za-z0-9_]+>/) !== undefined) return "(";
    if (this.peek(1) === "?") throw new Untranslatable();
    this.at++;
    return "(";
  }

  private escape(inClass: boolean): string {
    const code = this.take(/^\\(?:x\{([0-9A-Fa-f]+)\}|x([0-9A-Fa-f]{2})|([0-7]{3}|0[0-7]{0,2}))/);
    if (code !== undefined) {
      const [, braced, plain, octal] = code;
      const value =
        octal === undefined ? Number.parseInt(braced ?? plain ?? "", 16) : Number.parseInt(octal, 8);
      return `\\u{${value.toString(16)}}`;
    }
    const property = this.take(/^\\([pP])(?:\{(\^?)([A-Za-z_]+)\}|([A-Z]))/);
    if (property !== undefined) return this.property(property);
    const [, char] = [this.peek(), this.peek(1)];
    this.at += 2;
    switch (char) {
      case "A":
        return outside(inClass, "(?<![\\s\\S])");
      case "z":
        return outside(inClass, "(?![\\s\\S])");
      case "b":
      case "B":
        return outside(inClass, `\\${char}`);
      case "Q":
        return outside(inClass, this.literal());
      case "s":
        return inClass ? SPACE : `[${SPACE}]`;
      case "S":
        return outside(inClass, `[^${SPACE}]`);
      case "a":
        return "\\x07";
      case "d":
      case "D":
      case "w":
      case "W":
      case "f":
      case "n":
      case "r":
      case "t":
      case "v":
        return `\\${char}`;
      default:
        if (!/^[!-/:-@[-`{-~]$/.test(char)) throw new Untranslatable();
        return quote(char, inClass);
    }
  }

  private property([, letter, negated, name, short]: RegExpExecArray): string {
    const negative = (letter === "P") !== (negated === "^");
    const wanted = short ?? name ?? "";
    for (const candidate of [wanted, `Script=${wanted}`]) {
      const text = `\\${negative ? "P" : "p"}{${candidate}}`;
      try {
        new RegExp(text, "u");
        return text;
      } catch {}
    }
    throw new Untranslatable();
  }

  private literal(): string {
    let out = "";
    while (this.at < this.chars.length && this.take(/^\\E/) === undefined)
      out += quote(this.chars[this.at++] ?? "");
    return out;
  }

  private characterClass(): string {
    this.at++;
    let out = "[";
    if (this.peek() === "^") {
      this.at++;
      out += "^";
    }
    let first = true;
    while (first || this.peek() !== "]") {
      if (this.at >= this.chars.length) throw new Untranslatable();
      first = false;
      const posix = this.take(/^\[:(\^?)([a-z]+):\]/);
      if (posix !== undefined) {
        const members = POSIX[posix[2] ?? ""];
        if (members === undefined || posix[1] === "^") throw new Untranslatable();
        out += members;
        continue;
      }
      out += this.member();
      if (this.peek() !== "-" || this.peek(1) === "]") continue;
      this.at++;
      out += `-${this.member()}`;
    }
    this.at++;
    return `${out}]`;
  }

  private member(): string {
    return this.peek() === "\\" ? this.escape(true) : quote(this.chars[this.at++] ?? "", true);
  }
}

function outside(inClass: boolean, text: string): string {
  if (inClass) throw new Untranslatable();
  return text;
}

/** A dash is escaped inside a class only; outside it is no syntax and may not be escaped. */
const quote = (char: string, inClass = false): string =>
  /^[\^$\\.*+?()[\]{}|/]$/.test(char) || (inClass && char === "-") ? `\\${char}` : char;
