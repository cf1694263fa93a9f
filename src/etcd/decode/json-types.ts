/**
 * Whether a server's decoder takes the JSON of a built-in kind: each member that its Go type has must be of that type
 * (sigs.k8s.io/json `UnmarshalCaseSensitivePreserveInts`, the `UnmarshalJSON` of the types that have one). Null is
 * nothing anywhere, members that the type does not have are stepped over, and of a member that stands twice both count.
 * The text is looked at and not what a parser made of it, since 1 is an integer and 1.0 is none.
 */
import { isBase64 } from "../../core/base64.js";
import { isGoTime } from "../../core/time.js";
import { parseQuantity } from "../../kubernetes/quantities.js";
import { type FieldShape, type JsonForm, special } from "./json-form.js";

/** The server's words for a member of a wrong type, without its content; undefined where there is none. */
export function wrongType(
  text: string,
  apiVersion: string,
  kind: string,
  form: JsonForm,
): string | undefined {
  const message = form.messageOf(apiVersion, kind);
  if (message === undefined) return undefined;
  const reader = new Reader(text, form, kind);
  reader.takes(message);
  return reader.fault;
}

/** Beyond so many values inside one another nothing is looked at. */
const MAX_DEPTH = 200;

type Form = "object" | "array" | "string" | "bool" | "number" | "null";

/** Walks over a text that is known to be JSON. Every method leaves `at` behind the value, as long as there is no fault. */
class Reader {
  fault: string | undefined;
  private at = 0;
  private depth = 0;
  private readonly path: string[];

  constructor(
    private readonly text: string,
    private readonly form: JsonForm,
    kind: string,
  ) {
    this.path = [kind];
  }

  /** False where the value is not one of the type. */
  takes(type: string): boolean {
    const what = this.next();
    if (what === "null" || this.depth > MAX_DEPTH) return this.skipped();
    this.depth++;
    const fits = type.length === 1 ? this.scalar(type, what) : this.message(type, what);
    this.depth--;
    return fits;
  }

  /** What stands next, by its first character. */
  private next(): Form {
    while (this.text.charCodeAt(this.at) <= 0x20) this.at++;
    switch (this.text[this.at]) {
      case "{":
        return "object";
      case "[":
        return "array";
      case '"':
        return "string";
      case "t":
      case "f":
        return "bool";
      case "n":
        return "null";
      default:
        return "number";
    }
  }

  private refuse(what: Form, type: string): false {
    this.fault ??= `json: cannot unmarshal ${what} into Go struct field ${this.path.join(".")} of type ${type}`;
    return false;
  }

  /** The error of a type that reads its own JSON. */
  private refuseText(error: string): false {
    this.fault ??= error;
    return false;
  }

  private scalar(type: string, what: Form): boolean {
    switch (type) {
      case "s":
        return what === "string" ? this.skipped() : this.refuse(what, "string");
      case "b":
        return what === "bool" ? this.skipped() : this.refuse(what, "bool");
      case "i":
      case "l":
        return this.integer(what, type === "i" ? 32 : 64);
      case "d":
        return what === "number" && Number.isFinite(Number(this.literal()))
          ? true
          : this.refuse(what, "float64");
      default:
        return this.bytes(what);
    }
  }

  private integer(what: Form, bits: number): boolean {
    const literal = what === "number" ? this.literal() : "";
    const fits =
      /^-?[0-9]+$/.test(literal) && literal.length <= LONGEST_INTEGER && withinBits(BigInt(literal), bits);
    return fits || this.refuse(what, `int${bits}`);
  }

  /** A text in base64, whose line ends do not count, or a list of numbers. */
  private bytes(what: Form): boolean {
    if (what === "array")
      return this.list(() => {
        if (this.next() === "null") return this.skipped();
        const is = this.next();
        return (
          (is === "number" && /^(?:[1-9]?[0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])$/.test(this.literal())) ||
          this.refuse(is, "uint8")
        );
      });
    if (what !== "string") return this.refuse(what, "[]uint8");
    return isBase64(this.unquoted().replace(/[\r\n]+/g, "")) || this.refuseText("illegal base64 data");
  }

  private message(type: string, what: Form): boolean {
    const how = special(type);
    switch (how) {
      case "Quantity":
        return this.quantity(what);
      case "IntOrString":
        return what === "string" ? this.skipped() : this.integer(what, 32);
      case "Time":
      case "MicroTime":
        if (what !== "string") return this.refuse(what, "string");
        return isGoTime(this.unquoted(), how === "MicroTime") || this.refuseText("parsing time: it is none");
      case "FieldsV1":
      case "JSON":
      case "RawExtension":
        return this.skipped();
      case "JSONSchemaPropsOrArray":
      case "JSONSchemaPropsOrBool":
      case "JSONSchemaPropsOrStringArray":
        return this.schemaOr(how, type.slice(0, type.lastIndexOf("Or")), what);
      default: {
        const item = this.form.itemOf(type);
        if (item !== undefined) return this.list(() => this.takes(item), what);
        return this.object(this.form.membersOf(type) ?? NO_MEMBERS, type, what);
      }
    }
  }

  private quantity(what: Form): boolean {
    const from = this.at;
    this.skip();
    const text = this.text.slice(
      what === "string" ? from + 1 : from,
      what === "string" ? this.at - 1 : this.at,
    );
    return (
      parseQuantity(text.trim()) !== undefined ||
      this.refuseText(
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      )
    );
  }

  /** The forms of apiextensions that are a schema, or something simpler. Two of them take anything else for nothing. */
  private schemaOr(how: string, schema: string, what: Form): boolean {
    if (what === "object") return this.takes(schema);
    if (how === "JSONSchemaPropsOrBool")
      return what === "bool" ? this.skipped() : this.refuseText("boolean or JSON schema expected");
    if (what !== "array") return this.skipped();
    return this.list(() => this.takes(how === "JSONSchemaPropsOrArray" ? schema : "s"));
  }

  private object(members: ReadonlyMap<string, FieldShape>, type: string, what: Form): boolean {
    return this.entries(
      (name) => {
        const field = members.get(name) ?? (type === CLAIM ? TYPE_META.get(name) : undefined);
        if (field === undefined || field.gone) return this.skipped();
        this.path.push(name);
        const fits = this.field(field);
        this.path.pop();
        return fits;
      },
      what,
      type,
    );
  }

  private field({ many, type }: FieldShape): boolean {
    if (many === undefined) return this.takes(type);
    const what = this.next();
    if (what === "null") return this.skipped();
    return many === "list"
      ? this.list(() => this.takes(type), what)
      : this.entries(() => this.takes(type), what, "map");
  }

  /** True where each item is taken. */
  private list(item: () => boolean, what: Form = "array"): boolean {
    if (what !== "array") return this.refuse(what, "[]");
    this.at++;
    while (!this.closed("]")) if (!item()) return false;
    return true;
  }

  /** True where the value of each member is taken. */
  private entries(value: (name: string) => boolean, what: Form, type: string): boolean {
    if (what !== "object") return this.refuse(what, type);
    this.at++;
    while (!this.closed("}")) {
      const name = this.unquoted();
      this.at = this.text.indexOf(":", this.at) + 1;
      if (!value(name)) return false;
    }
    return true;
  }

  /** Steps over a comma, or over the end of a list or an object, which is answered with true. */
  private closed(end: string): boolean {
    this.next();
    if (this.text[this.at] === ",") {
      this.at++;
      this.next();
      return false;
    }
    if (this.text[this.at] !== end) return false;
    this.at++;
    return true;
  }

  private skipped(): true {
    this.skip();
    return true;
  }

  /** Steps over the value that stands next, whatever it is. */
  private skip(): void {
    let depth = 0;
    do {
      this.next();
      const char = this.text[this.at];
      if (char === undefined) return;
      if (char === '"') this.skipText();
      else if (char === "{" || char === "[") {
        depth++;
        this.at++;
      } else if (char === "}" || char === "]") {
        depth--;
        this.at++;
      } else if (char === "," || char === ":") this.at++;
      else this.literal();
    } while (depth > 0);
  }

  private skipText(): void {
    let end = this.text.indexOf('"', this.at + 1);
    while (isEscaped(this.text, end)) end = this.text.indexOf('"', end + 1);
    this.at = end + 1;
  }

  private unquoted(): string {
    const from = this.at;
    this.skipText();
    const inner = this.text.slice(from + 1, this.at - 1);
    if (!inner.includes("\\")) return inner;
    const text: unknown = JSON.parse(this.text.slice(from, this.at));
    return typeof text === "string" ? text : "";
  }

  /** A number or a word. */
  private literal(): string {
    LITERAL.lastIndex = this.at;
    const found = LITERAL.exec(this.text)?.[0] ?? "";
    this.at += Math.max(1, found.length);
    return found;
  }
}

/** The one kind that stands within another (in a StatefulSet), and so names its type there. Messages do not have that. */
const CLAIM = "core.v1.PersistentVolumeClaim";
const TYPE_META: ReadonlyMap<string, FieldShape> = new Map(
  ["apiVersion", "kind"].map((name) => [
    name,
    { name, many: undefined, pointer: false, always: false, gone: false, type: "s" },
  ]),
);
const NO_MEMBERS: ReadonlyMap<string, FieldShape> = new Map();
const LITERAL = /[-+.0-9A-Za-z]*/y;
/** Digits and sign of what may be within 64 bits. JSON has no zeros before a number. */
const LONGEST_INTEGER = 20;
const withinBits = (value: bigint, bits: number): boolean => BigInt.asIntN(bits, value) === value;

/** True for a quote behind an odd number of backslashes. */
function isEscaped(text: string, quote: number): boolean {
  let before = quote - 1;
  while (text[before] === "\\") before--;
  return (quote - before) % 2 === 0;
}
