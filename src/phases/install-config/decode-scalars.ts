/** Scalars into the fields of a form: what fits, what becomes text, and what to say of the rest. */
import type { Problem } from "../../core/diagnostics.js";
import type { Json } from "../../core/json.js";
import { problem, warning } from "../../core/problem.js";
import { parseCidr } from "../../kubernetes/network.js";
import { parseQuantity } from "../../kubernetes/quantities.js";
import { type Form, resolveForm, typeOf } from "../../text/form.js";
import { quote } from "../../text/quote.js";
import type { ScalarNode, YamlNode } from "../../text/yaml-read.js";
import { formatFloat32, resolveYaml12, type Scalar } from "../../text/yaml-scalars.js";
import { foldKey } from "./decode-unknown.js";

export interface ScalarContext {
  readonly path: string;
  /** Reports what leaves the field unread. */
  refuse(problem: Problem): void;
  report(problem: Problem): void;
}

/** Least and greatest value of an integer, by its format. */
const RANGES: { readonly [format: string]: readonly [bigint, bigint] } = {
  int32: [-(1n << 31n), (1n << 31n) - 1n],
  uint32: [0n, (1n << 32n) - 1n],
  int64: [-(1n << 63n), (1n << 63n) - 1n],
  "int-or-string": [-(1n << 31n), (1n << 31n) - 1n],
};

/** The value of a scalar in a field; undefined when it does not fit, which is reported. */
export function decodeScalar(node: ScalarNode, form: Form, context: ScalarContext): Json | undefined {
  const refuse: Refuse = (message, hint) =>
    void context.refuse(problem("IC013", "Invalid", context.path, message, { ...at(node), hint }));
  const type = typeOf(form);
  if (type === "string") return decodeText(node, form, context, refuse);
  reportDialects(node, form, context);
  switch (type) {
    case "boolean":
      if (typeof node.value === "boolean") return node.value;
      break;
    case "integer": {
      if (form.format === "int-or-string" && node.kind === "string") return node.text;
      const value = integerOf(node);
      if (value === undefined) break;
      const [least, greatest] = RANGES[form.format ?? "int64"] ?? [value, value];
      if (value >= least && value <= greatest) return Number(value);
      return refuse(
        `invalid value ${cut(String(value))}: must be from ${least} to ${greatest}`,
        "use a value in this range",
      );
    }
    case "number":
      if (typeof node.value === "number" && Number.isFinite(node.value)) return node.value;
      return refuse("invalid value: must be a finite number", QUOTE);
  }
  return void context.refuse(typeFault(node, form, form, context.path));
}

type Refuse = (message: string, hint: string) => undefined;

const QUOTE = "quote the value";

function decodeText(node: ScalarNode, form: Form, context: ScalarContext, refuse: Refuse): Json | undefined {
  const { format } = form;
  if (format === "cidr" || format === "date-time") {
    reportDialects(node, form, context);
    if (typeof node.value !== "string") return void context.refuse(typeFault(node, form, form, context.path));
    return format === "cidr" ? decodeCidr(node.value, refuse) : decodeTime(node.value, refuse);
  }
  if (form["x-slipway"]?.literal === true && node.kind !== "string")
    return void context.refuse({ ...typeFault(node, form, form, context.path), hint: QUOTE });
  const text = textOf(node);
  if (format === "quantity") return decodeQuantity(text, refuse);
  if (node.kind !== "string" && text !== node.text) {
    const differs = reportDialects(node, form, context);
    if (!differs)
      context.report(
        ambiguous(node, context.path, QUOTE, form, (written) => {
          const type = node.kind === "bool" ? "a boolean" : "a number";
          return `${written} is ${type} and is converted to the string ${shown(text)}`;
        }),
      );
  } else reportDialects(node, form, context);
  return text;
}

/** A number or truth value as the text that it becomes in a field for text. */
function textOf(node: ScalarNode): string {
  if (node.kind === "float") return formatFloat32(Number(node.value));
  return node.value === null ? "" : String(node.value);
}

/** An integer, also when written as a float such as 3.0 or 1e2: Go passes it on in its shortest decimal form. */
function integerOf(node: ScalarNode): bigint | undefined {
  const { kind, value } = node;
  if (kind === "int" && value !== null) return BigInt(value);
  if (kind !== "float" || typeof value !== "number") return undefined;
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? BigInt(String(value)) : undefined;
}

function decodeCidr(text: string, refuse: Refuse): string | undefined {
  // As written: the rules see the difference between an IPv4 block and one that is written inside IPv6.
  if (parseCidr(text) !== undefined) return text;
  return refuse(
    `invalid value ${shown(text)}: must be a CIDR`,
    text.includes("/")
      ? "use an address with a prefix length, such as 10.0.0.0/16 or fd00::/48"
      : "add the prefix length, such as 10.0.0.0/16",
  );
}

function decodeTime(text: string, refuse: Refuse): string | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d+)?(Z|[-+]\d{2}:\d{2})$/.exec(text);
  if (parts !== null) {
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number);
    const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
    const date = month >= 1 && month <= 12 && day >= 1 && day <= days;
    if (date && hour < 24 && minute < 60 && second < 60) return text;
  }
  return refuse(
    `invalid value ${shown(text)}: must be an RFC 3339 time`,
    "use a time such as 2027-01-15T08:00:00Z",
  );
}

function decodeQuantity(text: string, refuse: Refuse): string | undefined {
  // Go trims blanks before it reads the number.
  if (parseQuantity(text.trim()) !== undefined) return text.trim();
  return refuse(`invalid value ${shown(text)}: must be a quantity`, "use a number with a unit, such as 20Gi");
}

/** Why a node does not fit a form, with how it may have been meant. */
export function typeFault(node: YamlNode, form: Form, root: Form, path: string): Problem {
  const expected = EXPECTED[typeOf(form)] ?? "another type";
  const found = node.type === "scalar" ? FOUND_SCALAR[node.kind] : FOUND[node.type];
  return problem("IC013", "Invalid", path, `invalid type: expected ${expected}, found ${found}`, {
    ...at(node),
    hint: repair(node, form, root, path),
  });
}

const EXPECTED: { readonly [type: string]: string } = {
  object: "a mapping",
  array: "a list",
  string: "a string",
  boolean: "a boolean",
  integer: "an integer",
};
const FOUND = { mapping: "a mapping", sequence: "a list" } as const;
const FOUND_SCALAR = {
  null: "null",
  bool: "a boolean",
  int: "an integer",
  float: "a floating-point number",
  string: "a string",
} as const;

/** Fields whose texts are address blocks. */
const BLOCKS = /(?:^|\.)(?:cidr|machineCIDR|serviceCIDR|internalJoinSubnet|serviceNetwork\[\d+\])$/;

function repair(node: YamlNode, form: Form, root: Form, path: string): string {
  const type = typeOf(form);
  const name = path
    .replace(/^.*[.]/, "")
    .split("[", 1)
    .join();
  if (type === "array") return `write a list below ${name}:, each item on its own line after "- "`;
  if (type === "object" && node.type === "scalar") {
    const { properties = {} } = resolveForm(form, root);
    const member = Object.keys(properties).find((each) => foldKey(each) === foldKey(node.text));
    if (member !== undefined) return `write ${name}: and on the next line, indented, ${member}: {}`;
    return "write its fields below the key, indented";
  }
  if (type === "object") return "write its fields below the key, without a dash";
  if (node.type === "sequence") return "use a single value instead of a list";
  if (node.type === "mapping") {
    // A secret that begins with a brace, without quotes: its text is the key.
    if (form.writeOnly === true) return QUOTE;
    const [only, ...others] = node.entries;
    return only !== undefined && others.length === 0 && only.value.type === "scalar"
      ? `use only the value, without ${quote(only.name)}`
      : "use a single value instead of a mapping";
  }
  if (type === "string" && BLOCKS.test(path)) return "use a CIDR, such as 10.0.0.0/16";
  const bare = node.style === "single" || node.style === "double";
  if (form.format === "int-or-string") return QUOTE;
  if (type === "integer" && bare && /^[-+]?[0-9]+$/.test(node.text)) return "remove the quotes";
  if (type === "boolean" && bare && /^(true|false)$/i.test(node.text)) return "remove the quotes";
  if (type === "boolean") return "use true or false";
  if (type === "string") return QUOTE;
  return "";
}

/** Warns of a plain scalar that YAML 1.1 and 1.2 read differently; true when it did. */
export function reportDialects(
  node: ScalarNode,
  form: Form,
  context: Pick<ScalarContext, "path" | "report">,
): boolean {
  const other = otherReading(node);
  if (other === undefined) return false;
  const here = describe(textValue(node, form));
  const hint = typeOf(form) === "string" ? QUOTE : "use a form that every YAML parser reads the same way";
  context.report(
    ambiguous(
      node,
      context.path,
      hint,
      form,
      (written) =>
        `${written} is read as ${here} by the installer and as ${describe(other.value)} by ${other.by}`,
    ),
  );
  return true;
}

/** The value that other readers see, where it is not the one that Kubernetes' readers see. */
export function otherReading(node: ScalarNode): { readonly value: Scalar; readonly by: string } | undefined {
  if (node.style !== "plain" || node.tag !== "") return undefined;
  const value = resolveYaml12(node.text);
  const same = typeof value === typeof node.value && (Object.is(value, node.value) || value === node.value);
  if (!same) return { value, by: "YAML 1.2 parsers" };
  const sexagesimal = /^([1-9][0-9]*):([0-5]?[0-9])(?::([0-5]?[0-9]))?$/.exec(node.text);
  if (sexagesimal === null) return undefined;
  const parts = sexagesimal.slice(1).filter((part) => part !== undefined);
  return { value: parts.reduce((sum, part) => sum * 60 + Number(part), 0), by: "other YAML 1.1 parsers" };
}

/** In a field for text a number or truth value is its text. */
const textValue = (node: ScalarNode, form: Form): Scalar =>
  typeOf(form) === "string" && node.value !== null ? textOf(node) : node.value;

function describe(value: Scalar): string {
  if (value === null) return "null";
  return typeof value === "string" ? `the string ${shown(value)}` : cut(String(value));
}

/** A warning whose message shows the value as it is written, unless that is secret. */
const ambiguous = (
  node: ScalarNode,
  path: string,
  hint: string,
  form: Form,
  message: (written: string) => string,
): Problem =>
  warning(
    "YAML005",
    "Invalid",
    path,
    form.writeOnly === true ? "other YAML parsers read this value differently" : message(cut(node.text)),
    { ...at(node), hint },
  );

/** A value in a message, cut. */
const shown = (text: string): string => JSON.stringify(cut(text));

const cut = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}...` : text);

const at = ({ line, column }: YamlNode): { line: number; column: number } => ({ line, column });
