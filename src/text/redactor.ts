/**
 * Messages about one document without its secrets. A value that went astray in a broken document (a pull secret that
 * runs into the next key, say) has nothing that marks it as secret where it stands; so the secret values are gathered
 * from the text, readable or not, and masked wherever they turn up.
 */
import type { Problem } from "../core/diagnostics.js";
import { withoutComment } from "./line-comment.js";
import { isSecretName, quotedEnd, REDACTED, redactText, wordEnd } from "./redact.js";

const KEY_LINE = /^(\s*(?:- +){0,50})(["']?)([A-Za-z_.][\w.-]*)\2\s*:(?:\s\s*(.*)|)$/s;
/** What stands before a value within a line, and a value without quotes. */
const FLOW_NAME = /(\\?["']?)\b([A-Za-z_][\w.-]{0,80})\1\s*:\s*/g;
const FLOW_WORD = /[^\s,{}[\]"'][^\s,{}[\]"']*/y;
/** Addresses whose user and password are secret, but not the rest. */
const ADDRESS_NAME = /^https?proxy$/i;
/** User and password of an address that has lost its name, as where its line was broken; a path has none. */
const USER_INFO = /\/\/([^/]*)@/g;

/** A key in a message: as it is when it looks like one, else only its length, since anything may have become a key. */
export const showKey = (name: string): string =>
  /^[A-Za-z0-9_.$/{}<>[\]@%-]{1,48}$/.test(name) && redactText(name) === name
    ? name
    : `(a key of ${name.length} characters)`;

/** Masks the secrets of one document wherever they turn up in what is said about it. */
export interface Redactor {
  text(text: string): string;
  problem(problem: Problem): Problem;
}

/** Texts shorter than this are too common to be masked wherever they stand. */
const SHORTEST = 6;
/**
 * The type of an ssh key, and a word that a script was to replace, such as `${PULL_SECRET}`. No loop is over a
 * group or has a least number, for the reason in redact.ts.
 */
const NEVER_SECRET =
  /^(?:ssh-\w\w*|ecdsa-sha2-\w\w*|sk-\S\S*|\$?\{?[A-Z](?!\w*__)[A-Z0-9]*_[A-Z0-9_]*(?<!_)\}?)$/;

/**
 * A redactor that knows the secret values of a document, readable or not. The document is looked at when needed.
 * What `isName` knows stays in field paths, even when it is the value of a secret too.
 */
export function redactorFor(source: string, isName: (step: string) => boolean = () => false): Redactor {
  let occurring: ((text: string) => readonly string[]) | undefined;
  const text = (given: string): string => {
    occurring ??= finderOf(secretsIn(source));
    const shown = redactText(given);
    return occurring(shown).reduce((masked, secret) => masked.replaceAll(secret, REDACTED), shown);
  };
  const field = (path: string): string =>
    path.replace(/[^.[\]][^.[\]]*/g, (step) => (isName(step) ? step : text(step)));
  return {
    text,
    problem: (problem) => ({
      ...problem,
      message: text(problem.message),
      ...(problem.hint === undefined ? {} : { hint: text(problem.hint) }),
      ...(problem.field === undefined ? {} : { field: field(problem.field) }),
    }),
  };
}

/**
 * Tells which of some texts occur in another one, in their order. A document of tens of thousands of secrets may have as
 * many problems: each of these must not be searched for each of those.
 *
 * @param texts each of them {@link SHORTEST} characters at least
 */
function finderOf(texts: readonly string[]): (text: string) => readonly string[] {
  const ranks = new Map(texts.map((each, rank) => [each, rank]));
  const lengths = new Map<string, Set<number>>();
  for (const each of texts) {
    const beginning = each.slice(0, SHORTEST);
    lengths.set(beginning, (lengths.get(beginning) ?? new Set()).add(each.length));
  }
  return (text) => {
    const found = new Map<string, number>();
    for (let i = 0; i + SHORTEST <= text.length; i++)
      for (const length of lengths.get(text.slice(i, i + SHORTEST)) ?? []) {
        const part = text.slice(i, i + length);
        const rank = ranks.get(part);
        if (rank !== undefined) found.set(part, rank);
      }
    return [...found].sort(([, a], [, b]) => a - b).map(([part]) => part);
  };
}

/** The secret values of a text and their parts, longest first. */
function secretsIn(source: string): string[] {
  const found = new Set<string>();
  const add = (value: string): void => {
    const keys = new Set([...value.matchAll(/\\?"([^"\\][^"\\]*)\\?"\s*:/g)].map(([, name]) => name));
    for (const part of value.split(/[\s"'\\,{}]/))
      if (part.length >= SHORTEST && !NEVER_SECRET.test(part) && !keys.has(part)) found.add(part);
  };
  let within = -1;
  for (const whole of source.split(/\r\n|[\r\n]/)) {
    const line = withoutComment(whole);
    const indent = line.search(/\S/);
    const named = KEY_LINE.exec(line);
    const name = named?.[3] ?? "";
    if (named !== null && isSecretName(name)) {
      within = (named[1] ?? "").length;
      add(named[4] ?? "");
    } else if (named !== null && ADDRESS_NAME.test(name)) {
      within = -1;
      const user = /^["']?(?:[^\s/]*\/\/)?(.*)@/.exec(named[4] ?? "")?.[1] ?? "";
      for (const part of user.split(":")) add(part);
    } else if (within >= 0 && (named === null || indent > within)) add(line);
    else within = -1;
    for (const [, user = ""] of line.matchAll(USER_INFO)) user.split(":").forEach(add);
    for (const [member, value] of flowMembers(line)) if (isSecretName(member)) add(value);
  }
  return [...found].sort((a, b) => b.length - a.length);
}

/** Every `name: value` within a line. Its length counts once: a value is looked for where the one before it ended. */
function* flowMembers(line: string): Generator<readonly [name: string, value: string]> {
  const names = new RegExp(FLOW_NAME);
  for (let found = names.exec(line); found !== null; found = names.exec(line)) {
    const start = names.lastIndex;
    const end = valueEnd(line, start);
    yield [found[2] ?? "", line.slice(start, end)];
    // In what a quote that nobody closed runs into, members are looked for too.
    names.lastIndex = Math.max(end ?? start, found.index + 1);
  }
}

/** Where a value ends; undefined where its quote is not closed. */
const valueEnd = (line: string, start: number): number | undefined =>
  /["']/.test(line.charAt(start)) ? quotedEnd(line, start) : wordEnd(FLOW_WORD, line, start);
