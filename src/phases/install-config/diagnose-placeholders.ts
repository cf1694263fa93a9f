/**
 * Values that were to be replaced: variables of shells and templates, `<words>`, REPLACE_ME,
 * dots. Found before anything judges the values, since what the rules would say of them only distracts
 * (docs/reference/real-inputs.md §1).
 */
import type { Problem } from "../../core/diagnostics.js";
import { problem } from "../../core/problem.js";
import { type Form, type FormNotes, typeOf } from "../../text/form.js";
import type { ScalarNode } from "../../text/yaml-read.js";

/** `expression`: of a template, a shell or in braces; `variable`: $NAME; `word`: to be replaced by hand; `dots`. */
type SignKind = "expression" | "variable" | "word" | "dots";

export interface Placeholder {
  readonly kind: SignKind;
  /** How it is called in a message. */
  readonly what: string;
  /** The sign itself, such as `${NAME}`; cut. */
  readonly sign: string;
  readonly hint: string;
  /** True when the sign is the whole value. */
  readonly whole: boolean;
  /** False for words that may as well be meant. */
  readonly certain: boolean;
}

interface Pattern {
  readonly kind: SignKind;
  readonly sign: RegExp;
  readonly what: string;
  readonly hint: string;
  readonly uncertain?: boolean;
}

const EXPAND = "expand the variables first, for example with envsubst";
const RENDER = "render the template first";
const UNEXPANDED = "an unexpanded variable";
export const FILL = "replace it with the actual value";

/** In the order in which they are looked for. Every repetition is bounded: a value may be a megabyte of signs. */
const PATTERNS: readonly Pattern[] = [
  { kind: "expression", sign: /\{\{.{0,200}?\}\}|\{\{/s, what: "a template expression", hint: RENDER },
  { kind: "expression", sign: /\{%.{0,200}?%\}|<%.{0,200}?%>/s, what: "a template statement", hint: RENDER },
  { kind: "expression", sign: /\$\{[^}\s]{0,200}\}/, what: UNEXPANDED, hint: EXPAND },
  { kind: "expression", sign: /\$\([^)]{0,200}\)/, what: "an unexpanded shell command", hint: EXPAND },
  { kind: "variable", sign: /\$[A-Za-z_][A-Za-z0-9_]*/, what: UNEXPANDED, hint: EXPAND },
  { kind: "word", sign: /<[A-Za-z][^<>\n]{0,200}>/, what: "a placeholder", hint: FILL },
  {
    kind: "word",
    sign: /@[A-Z][A-Z0-9_]{1,60}@|__[A-Z][A-Z0-9_]{1,60}__|%[A-Z][A-Z0-9_]{1,60}%/,
    what: "a placeholder",
    hint: FILL,
  },
  {
    kind: "word",
    sign: /(?<![A-Za-z0-9])(?:(?:REPLACE|CHANGE|FILL)[-_ ]?(?:ME|THIS|IT|IN)|FIXME|TODO|TBD|PLACEHOLDER|YOUR[-_][A-Z0-9_-]{1,60})(?![A-Za-z0-9])/,
    what: "a placeholder",
    hint: FILL,
  },
  {
    kind: "word",
    sign: /^(?:(?:replace|change|fill)[-_ ]?(?:me|this|it|in)|fixme|todo|tbd|placeholder|your[-_][a-z0-9_-]+|x{3,})(?:@[a-z0-9.-]{1,100})?$/i,
    what: "a word that looks like a placeholder",
    hint: FILL,
    uncertain: true,
  },
  {
    // The nil UUID is nothing's.
    kind: "word",
    sign: /^0{8}-0{4}-0{4}-0{4}-0{12}$/,
    what: "an all-zero UUID",
    hint: FILL,
    uncertain: true,
  },
  { kind: "dots", sign: /\.{3}|…/, what: "an ellipsis", hint: FILL },
];

/** What every sign has in it; most values have none of it, and are not looked at twice. */
const ANY_SIGN = /[{$<%@…]|__|\.\.\.|x{3}|0{8}-|change|replace|fill|fixme|todo|tbd|placeholder|your/i;

/** The sign of a placeholder in a text: one that is the whole of it, else the first kind that is found. */
export function placeholderIn(text: string): Placeholder | undefined {
  if (!ANY_SIGN.test(text)) return undefined;
  let first: Placeholder | undefined;
  for (const { kind, sign, what, hint, uncertain } of PATTERNS) {
    const match = sign.exec(text)?.[0];
    if (match === undefined) continue;
    const found: Placeholder = {
      kind,
      what,
      sign: match.length > 40 ? `${match.slice(0, 37)}...` : match,
      hint,
      whole: match.length === text.trim().length,
      certain: uncertain !== true,
    };
    if (found.whole) return found;
    first ??= found;
  }
  return first;
}

/** A token in capitals with an underscore, as build scripts replace them. */
export const isToken = (text: string): boolean =>
  text.length <= 80 && /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(text);

/** What to say of a value in a field; undefined when nothing in it reads like a placeholder. */
export function placeholderProblem(node: ScalarNode, form: Form, notes: FormNotes): Problem | undefined {
  if (node.kind !== "string") return undefined;
  const { text } = node;
  const expectsText = typeOf(form) === "string" || typeOf(form) === "any";
  const at = { line: node.line, column: node.column };
  if (isToken(text) && (!expectsText || notes.closed === true))
    return problem("IC002", "Invalid", "", `the placeholder ${text} was not replaced`, { ...at, hint: FILL });
  const found = placeholderIn(text);
  if (found === undefined) return undefined;
  const severity = severityOf(found, notes.placeholders);
  if (severity === undefined) return undefined;
  const shown = form.writeOnly === true || found.kind === "dots" ? "" : ` (${found.sign})`;
  const message = `the value ${found.whole ? "is" : "contains"} ${found.what}${shown}`;
  return problem("IC002", "Invalid", "", message, { ...at, severity, hint: found.hint });
}

/** What our own starters leave to be filled in (platforms/starter.ts): words in angle brackets, which are no password. */
const isOfStarter = (text: string): boolean => /^<[A-Za-z][^<>]*>$/.test(text) && text.includes(" ");

/** An error where the sign cannot be meant, a warning where it may be, nothing where it is as good as any text. */
function severityOf(found: Placeholder, legal: FormNotes["placeholders"]): "error" | "warning" | undefined {
  if (legal === undefined) return found.certain ? "error" : "warning";
  if (found.whole) {
    const isMeant = legal === "anywhere" && !isOfStarter(found.sign);
    return found.certain && !isMeant ? "error" : "warning";
  }
  if (legal === "own") return undefined;
  if (found.kind === "expression") return "warning";
  return legal === "inside" && found.kind !== "variable" ? "warning" : undefined;
}
