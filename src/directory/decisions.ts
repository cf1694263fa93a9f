/**
 * `--ours` and `--theirs`: paths, folders or globs that decide conflicts. A path wins over a glob, a glob over a
 * folder, a longer folder over a shorter one.
 */
import { isAbsolute, relative, resolve } from "node:path";
import { type Problem, problem } from "../core/problem.js";
import { withoutEnd } from "../core/trim.js";
import { closest } from "../text/closest.js";
import type { Decision } from "./reconcile.js";
import type { Side } from "./types.js";

export interface DecisionFlags {
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
}

export interface Decisions {
  decide(path: string): Decision | undefined;
  /** After all paths were decided: flags that name nothing, and paths that both flags name. */
  problems(): readonly Problem[];
}

type Matcher = (path: string) => boolean;

interface Pattern {
  readonly side: Side;
  readonly text: string;
  /** The pattern relative to the directory: as written, and where it was written relative to the working folder. */
  readonly forms: readonly string[];
  readonly globs: readonly Matcher[];
}

interface Match {
  readonly pattern: Pattern;
  /** Larger wins. */
  readonly weight: number;
}

const EXACT = Number.MAX_SAFE_INTEGER;
const GLOB = EXACT - 1;

/**
 * @param root the asset directory
 * @param cwd where relative patterns may start as well, since a shell completes and expands them from there
 */
export async function readDecisions(flags: DecisionFlags, root: string, cwd: string): Promise<Decisions> {
  const given: { side: Side; text: string }[] = [
    ...flags.ours.map((text) => ({ side: "ours" as const, text })),
    ...flags.theirs.map((text) => ({ side: "theirs" as const, text })),
  ];
  const patterns: Pattern[] = [];
  for (const { side, text } of given) {
    const forms = formsOf(text, root, cwd);
    const globs = await Promise.all(forms.filter(isGlob).map(matcherOf));
    patterns.push({ side, text, forms, globs });
  }
  return new DecisionTable(patterns);
}

/** `manifests/x.yaml` in the directory, whatever way it was written. Empty for the directory itself. */
function formsOf(text: string, root: string, cwd: string): string[] {
  const tidy = withoutEnd(text.replace(/^(?:\.\/+)+/, ""), "/");
  const written = isAbsolute(text) ? [] : [tidy === "." ? "" : tidy];
  const below = relative(root, resolve(cwd, text)).replaceAll("\\", "/");
  const inside = !isAbsolute(below) && below !== ".." && !below.startsWith("../");
  return [...new Set(inside ? [...written, below] : written)];
}

const isGlob = (text: string): boolean => /[*?[{]/.test(text);

async function matcherOf(glob: string): Promise<Matcher> {
  const { default: picomatch } = await import("picomatch");
  return picomatch(glob, { dot: true });
}

class DecisionTable implements Decisions {
  private readonly used = new Set<Pattern>();
  private readonly seen: string[] = [];
  private readonly contradictions: string[] = [];

  constructor(private readonly patterns: readonly Pattern[]) {}

  decide(path: string): Decision | undefined {
    if (this.patterns.length === 0) return undefined;
    this.seen.push(path);
    const matches = this.patterns.flatMap((pattern): Match[] => {
      const weight = weigh(pattern, path);
      return weight === undefined ? [] : [{ pattern, weight }];
    });
    for (const { pattern } of matches) this.used.add(pattern);
    const weight = Math.max(...matches.map((each) => each.weight));
    const best = matches.filter((each) => each.weight === weight);
    const [first] = best;
    if (first === undefined) return undefined;
    if (best.some(({ pattern }) => pattern.side !== first.pattern.side)) {
      this.contradictions.push(path);
      return undefined;
    }
    return { side: first.pattern.side, exact: weight === EXACT };
  }

  problems(): readonly Problem[] {
    const both = this.contradictions.map(
      (path): Problem =>
        problem("DIR032", "Invalid", "", `${path} is set in both --ours and --theirs`, {
          file: path,
          hint: "remove it from one of them; a path takes precedence over a glob, a glob over a folder",
        }),
    );
    const unused = this.patterns
      .filter((pattern) => !this.used.has(pattern))
      .map(({ side, text, forms }): Problem => {
        const near = closest(forms[0] ?? text, this.seen);
        return problem(
          "DIR031",
          "NotFound",
          "",
          `--${side}: no file in this directory matches ${JSON.stringify(text)}`,
          near === undefined ? "use paths relative to the directory" : `did you mean ${near}?`,
        );
      });
    return [...both, ...unused];
  }
}

/** How closely a pattern names a path; undefined when it does not. */
function weigh({ forms, globs }: Pattern, path: string): number | undefined {
  if (forms.includes(path)) return EXACT;
  if (globs.some((matches) => matches(path))) return GLOB;
  const folders = forms.filter((form) => form === "" || path.startsWith(`${form}/`));
  return folders.length === 0 ? undefined : Math.max(...folders.map((each) => each.length));
}
