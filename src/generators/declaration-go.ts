/**
 * One variable of a hand-written Go file brought up to date. No compiler for Go is at hand: a variable is found by its
 * text, and what it is given is the literal of the same type in the generated source.
 */

import type { Report } from "../core/diagnostics.js";
import { problem, problemList } from "../core/problem.js";
import { closest } from "../text/closest.js";
import { layoutAt } from "./declaration.js";
import { reportDropped } from "./dropped.js";
import { keepComments } from "./kept-comments.js";
import { readTable } from "./literal.js";
import { isCertainlyCode } from "./source-scan.js";

interface Variable {
  readonly name: string;
  /** Type of the literal, without names of packages. */
  readonly type: string;
  readonly at: number;
  /** From the opening brace to behind the closing one. */
  readonly start: number;
  readonly end: number;
}

/** Variables with a map or a slice, at any depth. */
function variablesOf(text: string): Variable[] {
  const found = text.matchAll(
    /(?<![\w.])(?!(?:var|const|return)\b)(\w+)\b(?:[^=\n{}()]{0,100}[^=\n{}():])?=[ \t]*((?:map\[[\w.]+\]|\[\])[\w.[\]*]*)\{/g,
  );
  return [...found].flatMap(({ 0: head, 1: name = "", 2: type = "", index }) => {
    const start = index + head.length - 1;
    const table = isCertainlyCode(text, index) ? readTable(text, start) : undefined;
    if (table === undefined) return [];
    return [
      {
        name,
        type: type.replace(/\w+\.?/g, (word) => (word.endsWith(".") ? "" : word)),
        at: index,
        start,
        end: table.end,
      },
    ];
  });
}

/** The text with the variable brought up to date; undefined when it cannot be, which is reported. */
export function updateGoVariable(
  { file, text, name, source }: { file: string; text: string; name: string; source: string },
  report: Report,
): string | undefined {
  const variables = variablesOf(text);
  const named = variables.filter((each) => each.name === name);
  const generated = variablesOf(source);
  const [variable, other] = named;
  const place = (at: number): { line: number; column: number } => {
    const before = text.slice(0, at).split("\n");
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  };
  const types = generated.map(({ type }) => type);
  if (variable === undefined) {
    const near = closest(name, new Set(variables.map((each) => each.name)));
    problemList(report, name, { file, line: 1, column: 1 }).report(
      "GEN002",
      "NotFound",
      `the file does not declare a variable ${name} with a map or slice literal`,
      near === undefined ? `add: var ${name} = ${types[0] ?? "map"}{}` : `did you mean ${near}?`,
    );
    return undefined;
  }
  if (other !== undefined) {
    report(
      problem(
        "GEN004",
        "Duplicate",
        name,
        `${name} is declared more than once, first on line ${place(variable.at).line}`,
        { file, ...place(other.at), hint: "rename one of them" },
      ),
    );
    return undefined;
  }
  const fresh = generated.find(({ type }) => type === variable.type);
  if (fresh === undefined) {
    report(
      problem("GEN003", "NotSupported", name, `unsupported type ${variable.type} of ${name}`, {
        file,
        ...place(variable.at),
        hint: `use the type ${types.join(" or ")}`,
      }),
    );
    return undefined;
  }
  const { newline, base } = layoutAt(text, variable.at);
  const old = text.slice(variable.start, variable.end);
  const literal = namedAsThere(fresh, source, variable, text, variables)
    .split("\n")
    .map((line, i) => (i === 0 || line === "" ? line : base + line))
    .join(newline);
  const kept = keepComments(old, literal, newline);
  reportDropped(kept.dropped, { file, name, ...place(variable.at) }, report);
  return text.slice(0, variable.start) + aligned(kept.text, newline) + text.slice(variable.end);
}

/** Constants that a file declares of a type, by their value; `Name T = "value"`, as the generated source has them. */
function constantsOf(text: string, type: string): ReadonlyMap<string, string> {
  const found = text.matchAll(
    /(?<![\w.])([A-Za-z_]\w*)[ \t]+(?:\w+\.)?([A-Za-z_]\w*)[ \t]*=[ \t]*("(?:[^"\\\n]|\\.)*")/g,
  );
  return new Map(
    [...found].flatMap(({ 1: name = "", 2: own = "", 3: value = "", index }) =>
      own === type && isCertainlyCode(text, index) ? [[value, name] as const] : [],
    ),
  );
}

/**
 * The generated literal with the names that the hand-written file has for the constants of the generated one: what stands
 * there as a key, be it a text or a name of another package such as `genericfeatures.APIListChunking`, else a constant
 * that the file declares. What it has no name for is written as a text, which every file understands.
 */
function namedAsThere(
  fresh: Variable,
  source: string,
  { start, end, type }: Variable,
  text: string,
  variables: readonly Variable[],
): string {
  const literal = source.slice(fresh.start, fresh.end);
  const keyType = /^map\[(\w+)\]/.exec(type)?.[1] ?? "";
  const constants = constantsOf(source, keyType);
  const declared = constantsOf(text, keyType);
  const keysOf = (from: number, to: number): string[] =>
    (readTable(text.slice(from, to), 0)?.entries ?? []).map(({ key }) => key);
  const keys = [...keysOf(start, end), ...variables.flatMap((each) => keysOf(each.start, each.end))];
  const names = new Map(
    [...constants].map(([value, name]) => {
      const own = declared.get(value);
      const there = keys.find((key) => key === value || key === own || key.replace(/^\w+\./, "") === name);
      return [name, there ?? own ?? value] as const;
    }),
  );
  const replaced = (part: string): string =>
    part.replace(/"(?:[^"\\\n]|\\.)*"?|[\w.]+/g, (word) => names.get(word) ?? word);
  const listsKeys = type.endsWith(`[]${keyType}`);
  let result = literal;
  for (const { key, start: at, end: behind } of [...(readTable(literal, 0)?.entries ?? [])].reverse()) {
    // Members of the values, such as Default, may be called as a gate is.
    const value = literal.slice(at + key.length, behind);
    result =
      result.slice(0, at) + replaced(key) + (listsKeys ? replaced(value) : value) + result.slice(behind);
  }
  return result;
}

/** As gofmt aligns comments behind lines that follow each other. */
function aligned(text: string, newline: string): string {
  const lines = text.split(newline);
  const split = lines.map((line) => /^(\s*\{.*\},) (\/\/.*)$/s.exec(line));
  return lines
    .map((line, i) => {
      const [, code, comment] = split[i] ?? [];
      if (code === undefined) return line;
      let first = i;
      while (split[first - 1]) first--;
      const run = split.slice(first).findIndex((each) => !each);
      const block = split.slice(first, run < 0 ? undefined : first + run);
      const width = Math.max(...block.map((each) => each?.[1]?.length ?? 0));
      return `${code.padEnd(width)} ${comment}`;
    })
    .join(newline);
}
