/** Types of CEL expressions, and when a value of one may stand where another is wanted (google/cel-go checker/types.go). */

export interface CelType {
  /** `list`, `map`, `optional_type` and `type` have parameters; a name with a question mark is not known yet. */
  readonly name: string;
  readonly of: readonly CelType[];
  /** Members of an object. Two objects are of one type where they are one declaration, whatever their members are. */
  readonly fields?: ReadonlyMap<string, CelType>;
}

/** Words that are no name of a variable; of those that are members, rules of older releases write another form. */
export const CEL_KEYWORDS = new Set<string>(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

const simple = (name: string): CelType => ({ name, of: [] });

export const BOOL = simple("bool");
export const INT = simple("int");
export const UINT = simple("uint");
export const DOUBLE = simple("double");
export const STRING = simple("string");
export const BYTES = simple("bytes");
export const DURATION = simple("duration");
export const TIMESTAMP = simple("timestamp");
export const NULL = simple("null");
/** Of any type, which is seen when the expression is evaluated. */
export const DYN = simple("dyn");
/** Of a part that is wrong, or that nothing is known of: it fits everywhere, so that one fault is told once. */
export const ERROR = simple("error");

export const listOf = (item: CelType): CelType => ({ name: "list", of: [item] });
export const mapOf = (key: CelType, value: CelType): CelType => ({ name: "map", of: [key, value] });
export const optionalOf = (value: CelType): CelType => ({ name: "optional_type", of: [value] });
export const typeOfType = (type: CelType): CelType => ({ name: "type", of: [type] });

/** Reads a type as signatures write it, such as `map(string, list(A))`; one capital letter is a parameter. */
export function parseType(text: string): CelType {
  const open = text.indexOf("(");
  if (open < 0) return text === DYN.name ? DYN : simple(text);
  return { name: text.slice(0, open), of: splitTypes(text.slice(open + 1, -1)).map(parseType) };
}

/** The parts of a list of types, whose commas may stand in parentheses. */
export function splitTypes(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const [i, character] of [...text].entries()) {
    if (character === "(") depth++;
    if (character === ")") depth--;
    if (character !== "," || depth > 0) continue;
    parts.push(text.slice(start, i));
    start = i + 1;
  }
  return [...parts, text.slice(start)].map((part) => part.trim()).filter((part) => part !== "");
}

const isVariable = ({ name }: CelType): boolean => name.startsWith("?");
/** True for what fits everywhere. */
export const isWild = ({ name }: CelType): boolean => name === "dyn" || name === "error";
/** Values that may be null: objects, times, durations and what libraries define, but no text, number, list or map. */
const isNullable = ({ name, fields }: CelType): boolean =>
  fields !== undefined ||
  !["bool", "int", "uint", "double", "string", "bytes", "list", "map", "type"].includes(name);

export const isSameType = (a: CelType, b: CelType): boolean =>
  a === b ||
  (a.fields === undefined &&
    b.fields === undefined &&
    a.name === b.name &&
    a.of.length === b.of.length &&
    a.of.every((each, i) => isSameType(each, b.of[i] ?? ERROR)));

/** As messages name it. */
export function formatType({ name, of }: CelType): string {
  if (name.startsWith("?")) return "dyn";
  return of.length === 0 ? name : `${name}(${of.map(formatType).join(", ")})`;
}

/** What is known of the types that were open, such as that of the items of an empty list. */
export class OpenTypes {
  readonly #known = new Map<string, CelType>();
  /** What was learnt, with what was known before, so that it can be forgotten. */
  readonly #learnt: { readonly name: string; readonly before: CelType | undefined }[] = [];
  #count = 0;

  fresh(): CelType {
    return simple(`?${this.#count++}`);
  }

  /** True where values of each type may stand for those of the other; only then is something learnt of open ones. */
  fits(given: readonly CelType[], wanted: readonly CelType[]): boolean {
    const mark = this.#learnt.length;
    if (given.length === wanted.length && given.every((each, i) => this.#fit(each, wanted[i] ?? ERROR)))
      return true;
    for (const { name, before } of this.#learnt.splice(mark).reverse())
      if (before === undefined) this.#known.delete(name);
      else this.#known.set(name, before);
    return false;
  }

  /** The type with what is known by now; `closed` takes what is still open for dynamic. */
  known(type: CelType, closed = false): CelType {
    const found = this.#known.get(type.name);
    if (found !== undefined) return this.known(found, closed);
    if (closed && isVariable(type)) return DYN;
    return type.of.length === 0 ? type : { ...type, of: type.of.map((each) => this.known(each, closed)) };
  }

  /** Of two types that fit, the one that says less. */
  moreGeneral(a: CelType, b: CelType): CelType {
    return saysNoMore(a, b) ? a : b;
  }

  #fit(a: CelType, b: CelType): boolean {
    if (isVariable(b)) {
      const { fits, wasKnown } = this.#learn(b, a);
      if (fits || wasKnown) return fits;
    }
    if (isVariable(a)) return this.#learn(a, b).fits;
    if (isWild(a) || isWild(b)) return true;
    if (a.name === "null") return isNullable(b);
    if (b.name === "null") return isNullable(a);
    if (a.name === "type") return b.name === "type";
    if (a.fields !== undefined || b.fields !== undefined) return a === b;
    return (
      a.name === b.name &&
      a.of.length === b.of.length &&
      a.of.every((each, i) => this.#fit(each, b.of[i] ?? ERROR))
    );
  }

  #learn(open: CelType, type: CelType): { fits: boolean; wasKnown: boolean } {
    if (isSameType(open, type)) return { fits: true, wasKnown: true };
    const found = this.#known.get(open.name);
    if (found === undefined) {
      const fits = !this.#holds(type, open);
      if (fits) this.#note(open, type);
      return { fits, wasKnown: false };
    }
    if (isSameType(type, found)) return { fits: true, wasKnown: true };
    if (!this.#fit(type, found)) return { fits: false, wasKnown: true };
    const general = this.moreGeneral(type, found);
    if (!this.#holds(general, open)) this.#note(open, general);
    return { fits: true, wasKnown: true };
  }

  #note({ name }: CelType, type: CelType): void {
    this.#learnt.push({ name, before: this.#known.get(name) });
    this.#known.set(name, type);
  }

  /** True where the open type is a part of the other. */
  #holds(type: CelType, open: CelType): boolean {
    if (isSameType(type, open)) return true;
    const found = this.#known.get(type.name);
    if (found !== undefined) return this.#holds(found, open);
    return type.of.some((each) => this.#holds(each, open));
  }
}

function saysNoMore(a: CelType, b: CelType): boolean {
  if (a.name === "dyn" || isVariable(a)) return true;
  if (b.name === "dyn" || isVariable(b)) return false;
  if (a.name === "type") return b.name === "type";
  if (a.fields !== undefined || b.fields !== undefined) return a === b;
  return (
    a.name === b.name &&
    a.of.length === b.of.length &&
    a.of.every((each, i) => saysNoMore(each, b.of[i] ?? ERROR))
  );
}
