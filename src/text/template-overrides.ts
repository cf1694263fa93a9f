/** Templates that a user brings (`--templates DIR`): checked and compiled when they are used at all. */
import { type Problem, problem } from "../core/problem.js";
import { TEMPLATE_NAMES } from "../generated/templates/names.js";
import { closest } from "./closest.js";
import type { TemplateOverride } from "./render.js";
import { lintTemplate } from "./template-lint.js";

/** Sources by template name; every fault is reported with file and line. */
export async function compileOverrides(
  sources: ReadonlyMap<string, { readonly file: string; readonly text: string }>,
  report: (problem: Problem) => void,
): Promise<ReadonlyMap<string, TemplateOverride>> {
  const compiled = new Map<string, TemplateOverride>();
  if (sources.size === 0) return compiled;
  const { default: Handlebars } = await import("handlebars");
  const known: readonly string[] = TEMPLATE_NAMES;
  for (const [name, { file, text }] of sources) {
    const refuse = (line: number, column: number, message: string, hint: string): void =>
      report(problem("TPL001", "Invalid", "", message, { file, line, column, hint }));
    if (!known.includes(name)) {
      const near = closest(name, known);
      refuse(
        1,
        1,
        `no built-in template is named ${name}`,
        near === undefined ? "" : `did you mean ${near}?`,
      );
      continue;
    }
    try {
      const tree = Handlebars.parse(text);
      const problems = lintTemplate(tree);
      for (const { line, column, message } of problems) refuse(line, column, message, "");
      if (problems.length > 0) continue;
      const render = Handlebars.compile(tree, {
        noEscape: true,
        strict: true,
        knownHelpers: { value: true, has: true },
      });
      compiled.set(name, { file, render: (view, helpers) => render(view, { helpers }) });
    } catch (error) {
      const { line, column } = placeOf(error);
      refuse(line, column, `invalid template: ${firstLine(error)}`, "");
    }
  }
  return compiled;
}

/** Handlebars numbers lines of syntax errors in its message only, those of its own exceptions in members. */
function placeOf(error: unknown): { line: number; column: number } {
  if (typeof error !== "object" || error === null) return { line: 1, column: 1 };
  const line =
    "lineNumber" in error ? Number(error.lineNumber) : Number(/line (\d+)/.exec(String(error))?.[1] ?? 1);
  const column = "column" in error ? Number(error.column) + 1 : 1;
  return { line: Number.isInteger(line) ? line : 1, column: Number.isInteger(column) ? column : 1 };
}

const firstLine = (error: unknown): string =>
  error instanceof Error ? (error.message.split("\n")[0] ?? "") : "";
