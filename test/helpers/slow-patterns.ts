/**
 * Looks for a text that makes a regular expression slow: one whose time grows with more than its length. The texts are
 * made of the expression's own shape. A part that matches in more than one way is what is slow, so every piece that some
 * part of the expression takes is repeated behind every start that the expression has, with an end that fits nothing.
 */
import { cpuMs } from "./cpu.js";

/** A part of an expression, with some texts that it takes. */
interface Part {
  readonly examples: readonly string[];
  /** The most of its repetitions that may be there, those inside it multiplied. */
  readonly most: number;
  /** Texts of its parts and runs of parts. */
  readonly stepSpecs: readonly string[];
  /** Texts that lead to each place inside it. */
  readonly starts: readonly string[];
}

const ENOUGH = 3;
const few = (texts: readonly string[], most = ENOUGH): string[] => [...new Set(texts)].slice(0, most);
const joined = (heads: readonly string[], tails: readonly string[]): string[] =>
  few(heads.flatMap((head) => tails.map((tail) => head + tail)));

/** A reader of the syntax as far as the shape of a text depends on it. */
class Reader {
  private at = 0;
  private readonly groups: (readonly string[])[] = [];
  constructor(
    private readonly source: string,
    private readonly flags: string,
    private readonly alphabet: readonly string[],
  ) {}

  alternatives(): Part {
    const options = [this.sequence()];
    while (this.take("|")) options.push(this.sequence());
    return {
      examples: few(
        options.flatMap(({ examples }) => examples.slice(0, 2)),
        4,
      ),
      most: Math.max(...options.map(({ most }) => most)),
      stepSpecs: options.flatMap(({ stepSpecs }) => stepSpecs),
      starts: options.flatMap(({ starts }) => starts),
    };
  }

  private sequence(): Part {
    const items: Part[] = [];
    while (this.at < this.source.length && this.peek() !== "|" && this.peek() !== ")")
      items.push(this.item());
    const before = items.map((_, i) =>
      items.slice(0, i).reduce<string[]>((heads, { examples }) => joined(heads, examples), [""]),
    );
    const runs = items.flatMap((_, i) =>
      [2, 3].flatMap((count) =>
        items
          .slice(i, i + count)
          .reduce<string[]>((heads, { examples }) => joined(heads, examples), [""])
          .slice(0, 2),
      ),
    );
    return {
      examples: items.reduce<string[]>((heads, { examples }) => joined(heads, examples), [""]),
      most: Math.max(1, ...items.map(({ most }) => most)),
      stepSpecs: [...items.flatMap(({ stepSpecs }) => stepSpecs), ...runs],
      starts: items.flatMap(({ starts }, i) => [
        ...(before[i] ?? []).slice(0, 1),
        ...joined((before[i] ?? []).slice(0, 1), starts),
      ]),
    };
  }

  private item(): Part {
    const atom = this.atom();
    const found = /^(?:[*+?]|\{(\d+)(,(\d*))?\})\??/.exec(this.source.slice(this.at));
    if (found === null) return atom;
    this.at += found[0].length;
    const sign = found[0].charAt(0);
    const least = sign === "{" ? Number(found[1]) : sign === "+" ? 1 : 0;
    const most =
      sign === "?"
        ? 1
        : sign !== "{" || found[3] === ""
          ? Number.POSITIVE_INFINITY
          : Number(found[3] ?? found[1]);
    const examples = atom.examples.map((text) => text.repeat(Math.max(1, Math.min(least, 700))));
    return {
      examples: few(least === 0 ? [...examples.slice(0, 2), ""] : examples),
      most: most * atom.most,
      stepSpecs: [...atom.stepSpecs, ...atom.examples, ...examples],
      starts: ["", ...atom.starts],
    };
  }

  private atom(): Part {
    const char = this.peek();
    if (char === "(") return this.group();
    if (char === "[") return this.one(this.upTo(/^\[\^?(?:\\.|[^\]\\])*\]/s));
    if (char === "^" || char === "$") {
      this.at++;
      return this.nothing();
    }
    if (char !== "\\") return this.one(this.upTo(/^./su));
    const text = this.upTo(
      /^\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|k<[^>]*>|[1-9]\d?|.)/s,
    );
    if (text === "\\b" || text === "\\B") return this.nothing();
    const back = /^\\([1-9]\d?)$/.exec(text)?.[1];
    if (back === undefined) return this.one(text);
    return { ...this.nothing(), examples: this.groups[Number(back) - 1]?.slice(0, 2) ?? [""] };
  }

  private group(): Part {
    const head = this.upTo(/^\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/);
    const own = head === "(" || /^\(\?<[^=!]/.test(head);
    const slot = own ? this.groups.push([]) - 1 : -1;
    const inner = this.alternatives();
    this.at++;
    if (own) this.groups[slot] = inner.examples;
    return /^\(\?<?[=!]/.test(head)
      ? { ...inner, examples: [""], stepSpecs: [...inner.stepSpecs, ...inner.examples] }
      : inner;
  }

  /** One character: those of the expression's own alphabet that it takes. */
  private one(text: string): Part {
    const takes = new RegExp(`^${text}$`, this.flags);
    const examples = this.alphabet.filter((each) => takes.test(each));
    return { examples: few(examples), most: 1, stepSpecs: few(examples, 6), starts: [] };
  }

  private nothing = (): Part => ({ examples: [""], most: 1, stepSpecs: [], starts: [] });
  private peek = (): string => this.source.charAt(this.at);
  private take(char: string): boolean {
    if (this.peek() !== char) return false;
    this.at++;
    return true;
  }
  private upTo(form: RegExp): string {
    const [text = this.peek()] = form.exec(this.source.slice(this.at)) ?? [];
    this.at += text.length;
    return text;
  }
}

/** What an expression distinguishes: its own characters, and one of each common kind. */
function alphabetOf(source: string): string[] {
  const plain = source
    .replaceAll(/\\[nrtsSdDwWbBpPux]/g, "")
    .replaceAll(/\(\?(?:[:=!]|<[=!])|\{\d+,?\d*\}/g, "");
  return [
    ...new Set([
      ...plain.replaceAll(/[\\^$*+?()|{}]/g, ""),
      ..."a0A \n-./:\"'\\([{)]}|$^*+?,@#=<>%_é\t\r;&!~`",
    ]),
  ];
}

/** So few repetitions cost the same whatever the length of the text. */
const FEW = 32;
const LARGEST = 32_000;
/** Below this the measure says nothing. */
const TELLING_MS = 15;
const LONG_MS = 200;
/** A square gives 4, a line 2. */
const MOST = 3.4;
/** Up to so many pieces an expression that doubles its time with each is told by how wildly it grows. */
const SHORT = 150;
const WILD = 20;
const ENDS = ["\u0001", "\n\u0001"];

/** How the cost grows where the text is twice as long, as soon as that can be told; undefined where it is too quick. */
function growth(
  work: (text: string) => unknown,
  textOf: (count: number) => string,
  unit: number,
): number | undefined {
  const measure = (count: number, tries: number): number => {
    const text = textOf(count);
    return Math.min(...Array.from({ length: tries }, () => cpuMs(() => void work(text))));
  };
  for (let count = 24; ; ) {
    const ms = measure(count, 1);
    const whole = count * unit >= LARGEST;
    if (whole && ms < TELLING_MS) return undefined;
    const ratio = (): number =>
      measure(count, ms > LONG_MS ? 1 : 3) / Math.max(0.01, measure(Math.floor(count / 2), 3));
    if (whole || ms > LONG_MS) return ratio();
    if (count <= SHORT && ms > TELLING_MS) {
      const found = ratio();
      if (found > WILD) return found;
    }
    const factor = count < SHORT ? 1.5 : ms < 0.5 ? 4 : ms < 8 ? 2 : 1.5;
    count = Math.ceil(Math.min(count * factor, LARGEST / unit));
  }
}

const MEASURES = 3;

/**
 * The least of some measures, as far as one is too large: what is a square is one every time, while an engine that
 * compiles an expression meanwhile, or a busy machine, is late once.
 */
function leastGrowth(
  work: (text: string) => unknown,
  textOf: (count: number) => string,
  unit: number,
): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < MEASURES && least > MOST; i++) least = Math.min(least, growth(work, textOf, unit) ?? 0);
  return least;
}

/** Sizes that tell what is exponential, what is of a high order and what is a square, before it takes for ever. */
const GLANCES = [24, 36, 54, 150, 600, 6000];
const LATE_MS = 1;

/** True where an expression takes long enough for its growth to be measured; most never do. */
function isSuspect(
  work: (text: string) => unknown,
  textOf: (count: number) => string,
  unit: number,
): boolean {
  return GLANCES.some((size) => {
    const text = textOf(Math.ceil(size > SHORT ? size / unit : size));
    // The processor's time, since on a busy machine other programs have their turn meanwhile.
    const takes = (): boolean => cpuMs(() => void work(text)) > LATE_MS;
    return takes() && takes() && takes();
  });
}

/**
 * A text that the expression is slow at, and how much more twice of it costs; undefined where none was found. What an
 * expression without long repetitions does at each place of a text has a bound of its own.
 */
export function slowText(expression: RegExp): string | undefined {
  const { source } = expression;
  const flags = expression.flags.replaceAll(/[gy]/g, "");
  const every = new RegExp(source, `${flags}${expression.sticky ? "y" : "g"}`);
  const { most, stepSpecs, starts } = new Reader(source, flags, alphabetOf(source)).alternatives();
  if (most <= FEW) return undefined;
  const work = (text: string): string => text.replace(every, "");
  for (const start of new Set(["", ...starts]))
    for (const stepSpec of new Set([...stepSpecs, ...starts])) {
      if (stepSpec === "") continue;
      for (const end of ENDS) {
        const textOf = (count: number): string => start + stepSpec.repeat(count) + end;
        if (!isSuspect(work, textOf, stepSpec.length)) continue;
        const found = leastGrowth(work, textOf, stepSpec.length);
        if (found > MOST)
          return `${JSON.stringify(start)} + ${JSON.stringify(stepSpec)} … + ${JSON.stringify(end)}: ${found.toFixed(1)}`;
      }
    }
  return undefined;
}
