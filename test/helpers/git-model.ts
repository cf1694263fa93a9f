/**
 * As much of Git as working copies of one repository need: commits, branches, a merge of lines with `merge=union` for
 * the record and with markers for everything else, ignore rules, and line ends that are changed on the way out.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export type Tree = ReadonlyMap<string, string>;

interface Commit {
  readonly id: number;
  readonly tree: Tree;
  readonly parents: readonly Commit[];
}

/** Folders and patterns that a repository ignores, as regular expressions over paths. */
export type Ignored = (path: string) => boolean;

export class Repository {
  readonly branches = new Map<string, Commit>();
  /** Paths that one side changed and the other deleted: the merge kept them, which people decide. */
  readonly kept = new Set<string>();
  private count = 0;

  constructor(readonly ignored: Ignored) {}

  commit(tree: Tree, parents: readonly Commit[]): Commit {
    return { id: this.count++, tree, parents };
  }
}

export class Clone {
  head: Commit | undefined;

  constructor(
    readonly repository: Repository,
    readonly dir: string,
    public branch: string,
    /** Git writes CR LF at the end of each line here. */
    readonly crlf: boolean,
  ) {}

  /** Commits everything that is not ignored; quiet when nothing changed. */
  commit(): void {
    const tree = this.tracked();
    if (this.head !== undefined && sameTree(tree, this.head.tree)) return;
    this.head = this.repository.commit(tree, this.head === undefined ? [] : [this.head]);
  }

  push(): boolean {
    const theirs = this.repository.branches.get(this.branch);
    if (this.head === undefined || (theirs !== undefined && !isAncestor(theirs, this.head))) return false;
    this.repository.branches.set(this.branch, this.head);
    return true;
  }

  /** Merges a branch of the repository; answers the paths with markers. */
  merge(branch: string): readonly string[] {
    const theirs = this.repository.branches.get(branch);
    if (theirs === undefined || this.head === undefined || isAncestor(theirs, this.head)) return [];
    if (isAncestor(this.head, theirs)) {
      this.checkout(theirs);
      return [];
    }
    const base = mergeBase(this.head, theirs);
    const conflicts: string[] = [];
    const tree = mergeTrees(
      base?.tree ?? new Map(),
      this.head.tree,
      theirs.tree,
      conflicts,
      this.repository.kept,
    );
    this.checkout(this.repository.commit(tree, [this.head, theirs]));
    return conflicts;
  }

  switchTo(branch: string): void {
    this.commit();
    const commit = this.repository.branches.get(branch) ?? this.head;
    this.branch = branch;
    if (commit !== undefined) this.checkout(commit);
  }

  /** Writes what differs from the files that lie here, as Git does: files that say the same are not touched. */
  checkout(commit: Commit): void {
    for (const path of this.head?.tree.keys() ?? [])
      if (!commit.tree.has(path)) rmSync(join(this.dir, path), { force: true });
    for (const [path, text] of commit.tree) {
      const file = join(this.dir, path);
      if (this.head?.tree.get(path) === text && existsSync(file)) continue;
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, this.crlf && !path.startsWith(".slipway/") ? text.replaceAll("\n", "\r\n") : text);
    }
    this.head = commit;
  }

  private tracked(): Tree {
    const tree = new Map<string, string>();
    for (const path of filesOf(this.dir))
      if (!this.repository.ignored(path))
        tree.set(path, readFileSync(join(this.dir, path), "utf8").replaceAll("\r\n", "\n"));
    return tree;
  }
}

export const filesOf = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name).slice(dir.length + 1))
    .sort();

const sameTree = (a: Tree, b: Tree): boolean =>
  a.size === b.size && [...a].every(([path, text]) => b.get(path) === text);

function isAncestor(commit: Commit, of: Commit): boolean {
  return ancestors(of).has(commit);
}

function ancestors(of: Commit): Set<Commit> {
  const found = new Set<Commit>();
  const open = [of];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...next.parents);
  }
  return found;
}

function mergeBase(a: Commit, b: Commit): Commit | undefined {
  const others = ancestors(b);
  return [...ancestors(a)].filter((each) => others.has(each)).sort((x, y) => y.id - x.id)[0];
}

function mergeTrees(base: Tree, ours: Tree, theirs: Tree, conflicts: string[], kept: Set<string>): Tree {
  const tree = new Map<string, string>();
  for (const path of new Set([...ours.keys(), ...theirs.keys()])) {
    const [b, o, t] = [base.get(path), ours.get(path), theirs.get(path)];
    const merged =
      o === t || t === b
        ? o
        : o === b
          ? t
          : o === undefined || t === undefined
            ? (o ?? t)
            : mergeLines(path, b ?? "", o, t);
    if (merged === undefined) continue;
    if ((o === undefined || t === undefined) && b !== undefined) kept.add(path);
    if (merged.includes("<<<<<<<")) conflicts.push(path);
    tree.set(path, merged);
  }
  return tree;
}

/** Lines that all three versions share hold the rest apart, as a merge of three versions does. */
function mergeLines(path: string, base: string, ours: string, theirs: string): string {
  const [b, o, t] = [base.split("\n"), ours.split("\n"), theirs.split("\n")];
  const merged: string[] = [];
  let [i, j, k] = [0, 0, 0];
  for (;;) {
    const anchor = b.findIndex((line, at) => at >= i && o.indexOf(line, j) >= 0 && t.indexOf(line, k) >= 0);
    const line = anchor < 0 ? "" : (b[anchor] ?? "");
    const [ends, oe, te] =
      anchor < 0 ? [b.length, o.length, t.length] : [anchor, o.indexOf(line, j), t.indexOf(line, k)];
    merged.push(...mergeSegment(path, b.slice(i, ends), o.slice(j, oe), t.slice(k, te)));
    if (anchor < 0) return merged.join("\n");
    merged.push(line);
    [i, j, k] = [anchor + 1, oe + 1, te + 1];
  }
}

function mergeSegment(
  path: string,
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): readonly string[] {
  const same = (a: readonly string[], b: readonly string[]): boolean => a.join("\n") === b.join("\n");
  if (same(ours, base)) return theirs;
  if (same(theirs, base) || same(ours, theirs)) return ours;
  if (path === ".slipway/record.json") return [...ours, ...theirs];
  return ["<<<<<<< HEAD", ...ours, "=======", ...theirs, ">>>>>>> theirs"];
}
