/** Whether Git ignores a file, by the ignore files from the top of its work tree down and by info/exclude (gitignore(5)). */
import { join, relative, sep } from "node:path";
import { withoutEnd } from "../core/trim.js";
import { gitRoot, repositoryOf } from "./git-root.js";
import { lookAt } from "./look.js";
import { readRegular } from "./read-input.js";

interface Pattern {
  readonly negated: boolean;
  readonly foldersOnly: boolean;
  /** Of a path relative to the folder of the ignore file. */
  readonly expression: RegExp;
}

/**
 * True where Git ignores the file; outside of a work tree only the ignore file of its folder counts.
 * @param folder a real path
 */
export function isIgnoredByGit(folder: string, name: string): boolean {
  const top = gitRoot(folder);
  const root = top ?? folder;
  const repository = top === undefined ? undefined : repositoryOf(top);
  const steps = [...relative(root, folder).split(sep).filter(Boolean), name];
  const lists = [
    { depth: 0, patterns: repository === undefined ? [] : patternsIn(join(repository, "info/exclude")) },
  ];
  for (let depth = 0; depth < steps.length; depth++) {
    const at = join(root, ...steps.slice(0, depth));
    lists.push({ depth, patterns: patternsIn(join(at, ".gitignore")) });
    const isFolder = depth < steps.length - 1;
    const found = lists
      .flatMap(({ depth: from, patterns }) =>
        patterns.filter(
          ({ foldersOnly, expression }) =>
            (isFolder || !foldersOnly) && expression.test(steps.slice(from, depth + 1).join("/")),
        ),
      )
      .at(-1);
    // What is in an ignored folder cannot be included again.
    if (found?.negated === false) return true;
  }
  return false;
}

function patternsIn(file: string): readonly Pattern[] {
  if (lookAt(file)?.isFile() !== true) return [];
  return Buffer.from(readRegular(file).data)
    .toString()
    .split(/\r?\n/)
    .map(withoutBlanks)
    .filter((line) => line !== "" && !line.startsWith("#"))
    .flatMap((line) => patternOf(line) ?? []);
}

/** Blanks at the end do not count, except one behind a backslash. */
function withoutBlanks(line: string): string {
  const text = withoutEnd(line, " ");
  return text.endsWith("\\") && text !== line ? `${text} ` : text;
}

/** Each `*` of a name multiplies the time of a match by the length of the name. */
const MOST_STARS = 3;
/** Characters of a pattern; file systems know no longer paths that a run would write. */
const LONGEST = 1000;

/** Undefined for a pattern that Git does not read either, and for one that would take too long: neither ignores a file. */
function patternOf(line: string): Pattern | undefined {
  const negated = line.startsWith("!");
  const whole = negated ? line.slice(1) : line;
  const foldersOnly = whole.endsWith("/");
  const glob = foldersOnly ? whole.slice(0, -1) : whole;
  const below = glob.includes("/") ? "" : "(?:.*/)?";
  if (glob.length > LONGEST || stars(glob) > MOST_STARS * 2 || glob.split("/").some(hasManyStars))
    return undefined;
  try {
    const expression = new RegExp(`^${below}${expressionOf(glob.replace(/^\//, ""))}$`, "s");
    return { negated, foldersOnly, expression };
  } catch {
    // A range such as [z-a].
    return undefined;
  }
}

const stars = (text: string): number => text.split("*").length - 1;
const hasManyStars = (name: string): boolean => stars(name) > MOST_STARS;

const expressionOf = (glob: string): string =>
  glob.replace(
    /\*\*\/|\/\*\*$|\*+|\?|\[(!?)([^\]/]{1,60})\]|\\(.)|[\\^$.|+(){}[\]]/g,
    (found, not?: string, members?: string, escaped?: string) => {
      if (found === "**/") return "(?:.*/)?";
      if (found === "/**") return "/.*";
      if (found.startsWith("*")) return "[^/]*";
      if (found === "?") return "[^/]";
      if (members !== undefined) return `[${not === "" ? "" : "^"}${members.replace(/[\\^]/g, "\\$&")}]`;
      return `\\${escaped ?? found}`.replace(/^\\([A-Za-z0-9])$/, "$1");
    },
  );
