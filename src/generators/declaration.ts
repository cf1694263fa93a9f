/**
 * One declaration of a hand-written file brought up to date, every other byte left alone. A variable gets the generated
 * object, a type alias the union of names, both with the comments of the old one. Without a change no compiler is loaded.
 */

import type { Report } from "../core/diagnostics.js";
import { problem, problemList } from "../core/problem.js";
import { closest } from "../text/closest.js";
import { type Layout, printLines } from "./code-lines.js";
import type { FoundDeclaration } from "./compiler.js";
import { type Declarations, printUnion } from "./declarations.js";
import { reportDropped } from "./dropped.js";
import { keepComments } from "./kept-comments.js";
import { isCertainlyCode } from "./source-scan.js";

export interface DeclarationRequest {
  readonly file: string;
  readonly text: string;
  readonly name: string;
  readonly declarations: Declarations;
}

const BYTE_ORDER_MARK = "\ufeff";

/** The text with the declaration brought up to date; undefined when it cannot be, which is reported. */
export async function updateDeclaration(
  request: DeclarationRequest,
  report: Report,
): Promise<string | undefined> {
  // The compiler does not count a byte order mark.
  if (request.text.startsWith(BYTE_ORDER_MARK)) {
    const updated = await updateDeclaration({ ...request, text: request.text.slice(1) }, report);
    return updated === undefined ? undefined : BYTE_ORDER_MARK + updated;
  }
  const quick = isUpToDate(request);
  if (quick) return request.text;
  const { text, file, name, declarations } = request;
  const { parseSource } = await import("./compiler.js");
  const parsed = await parseSource(text, file);
  for (const { line, column, message } of parsed.faults)
    report(problem("GEN001", "Parse", "", message, { file, line, column, hint: "correct the file first" }));
  if (parsed.faults.length > 0) return undefined;
  const target = chosen(parsed.declarations, name, file, report);
  if (target?.span === undefined) {
    if (target !== undefined)
      problemList(report, name, { file, line: target.line, column: target.column }).report(
        "GEN003",
        "NotSupported",
        `${name} has no value to replace`,
        `use a variable with a value (const ${name} = {}) or a type alias`,
      );
    return undefined;
  }
  const { start, end } = target.span;
  const isUnion = target.kind === "type";
  const layout = layoutAt(text, isUnion ? target.offset : start);
  const kept = keepComments(
    text.slice(start, end),
    isUnion ? printUnion(declarations.union, layout) : printLines(declarations.object, layout),
    layout.newline,
    isUnion ? "union" : "literal",
  );
  reportDropped(kept.dropped, { file, name, line: target.line, column: target.column }, report);
  // A union has a line for each member, below the name; blanks before the old type are only layout.
  const head = text.slice(0, start);
  return (isUnion ? head.trimEnd() : head) + kept.text + text.slice(end);
}

function chosen(
  declarations: readonly FoundDeclaration[],
  name: string,
  file: string,
  report: Report,
): FoundDeclaration | undefined {
  const found = declarations.filter((each) => each.name === name);
  const [first, second] = found;
  if (first === undefined) {
    const near = closest(name, new Set(declarations.map((each) => each.name)));
    problemList(report, name, { file, line: 1, column: 1 }).report(
      "GEN002",
      "NotFound",
      `the file does not declare ${name}`,
      near === undefined ? `add: export const ${name} = {};` : `did you mean ${near}?`,
    );
    return undefined;
  }
  if (second !== undefined) {
    problemList(report, name, { file, line: second.line, column: second.column }).report(
      "GEN004",
      "Duplicate",
      `${name} is declared more than once, first on line ${first.line}`,
      "rename one of them",
    );
    return undefined;
  }
  return first;
}

/** Newline, indentation step and the indentation of the line that holds an offset. */
export function layoutAt(text: string, offset: number): Layout {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const base = /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
  return { newline, base, unit: unitOf(text) };
}

/** The smallest indentation that the file uses; two blanks in a file without any. */
function unitOf(text: string): string {
  let smallest: string | undefined;
  for (const [, blanks = ""] of text.matchAll(/^([ \t]+)[^\s*]/gm)) {
    if (blanks.startsWith("\t")) return "\t";
    if (blanks.length > 1 && (smallest === undefined || blanks.length < smallest.length)) smallest = blanks;
  }
  return smallest ?? "  ";
}

/**
 * True when the file certainly holds the declaration as it would be generated: its name is declared once, and behind it
 * the very text follows. Anything less certain is left to the compiler.
 */
function isUpToDate({ text, name, declarations }: DeclarationRequest): boolean {
  const escaped = name.replace(/[$]/g, "\\$&");
  const heads = [
    ...text.matchAll(
      new RegExp(`\\b(const|let|var|type|interface|class|function|enum)\\s+${escaped}(?![\\w$])`, "g"),
    ),
  ];
  const [head] = heads;
  if (head === undefined || heads.length > 1 || !isCertainlyCode(text, head.index)) return false;
  const after = head.index + head[0].length;
  const [, equals] = /^[^={}()"'`]*(=)[ \t]*/.exec(text.slice(after, after + 1000)) ?? [];
  if (equals === undefined) return false;
  const at = after + text.slice(after).indexOf("=") + 1;
  if (head[1] === "type") {
    const union = printUnion(declarations.union, layoutAt(text, head.index));
    return text.startsWith(union, at) && /^\s*;/.test(text.slice(at + union.length));
  }
  const rest = text.slice(at).replace(/^[ \t]+/, "");
  const code = printLines(declarations.object, layoutAt(text, text.length - rest.length));
  return rest.startsWith(code) && /^\s*(;|as\b|satisfies\b|$|\r?\n)/.test(rest.slice(code.length));
}
