/**
 * Blocks of shell commands in the documentation. A block runs as printed, in the order of its page, from a clean clone,
 * unless its first line says what it needs: `# Requires: PROGRAM, …`, `# Replace: VALUE, …`, or both in this order.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface PageBlock {
  readonly text: string;
  readonly line: number;
  /** The first line, where it marks the block. */
  readonly mark: string | undefined;
}

/** Pages that people write; diagnostics.md is generated. */
export const PAGES: readonly string[] = [
  "README.md",
  ...readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.endsWith("diagnostics.md"))
    .map((name) => join("docs", name))
    .sort(),
];

/** Fenced blocks of a page with their language. */
export function fencesOf(page: string): readonly (PageBlock & { readonly language: string })[] {
  const text = readFileSync(page, "utf8");
  return [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(
    ({ 1: language = "", 2: block = "", index }) => ({
      language,
      text: block,
      line: text.slice(0, index).split("\n").length,
      mark: /^# (?:Requires|Replace).*/.exec(block)?.[0],
    }),
  );
}

export const blocksOf = (page: string): readonly PageBlock[] =>
  fencesOf(page).filter(({ language }) => language === "sh");

/** What a mark says; undefined where it is not in the form that readers know. */
export function markOf(
  line: string,
): { readonly requires: string; readonly replace: readonly string[] } | undefined {
  const [all, requires = "", replace = ""] =
    /^# (?:Requires: ([^.]+(?:\.\w[^.]*)*))?(?:(?:^# |\. |(?<=# ))Replace: (.+))?$/.exec(line) ?? [];
  if (all === undefined || (requires === "" && replace === "")) return undefined;
  return { requires, replace: replace === "" ? [] : replace.split(", ") };
}
