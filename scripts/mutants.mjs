// Do the tests notice? Changes one place of src at a time, at random, and runs the tests that the change can reach until
// one fails: node scripts/mutants.mjs [COUNT] [SEED] [--all]. With `--all`, those that survive the fast tier are given to
// what only the slow one does when all have been judged. It works in a working tree of its own (SLIPWAY_MUTANTS_TREE, default
// build/mutants) at the last commit.
import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ts } from "ts-morph";
import { filesBelow, root } from "./generate.mjs";

const [count = 60, seed = 1] = process.argv
  .slice(2)
  .filter((word) => /^\d+$/.test(word))
  .map(Number);
const all = process.argv.includes("--all");
const tree = process.env.SLIPWAY_MUTANTS_TREE ?? join(root, "build/mutants");
const report = join(root, "build/mutants.jsonl");

/** mulberry32: the same mutants for the same seed and sources. */
function random(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const SWAPS = new Map([
  ["===", "!=="],
  ["!==", "==="],
  ["<", "<="],
  ["<=", "<"],
  [">", ">="],
  [">=", ">"],
  ["&&", "||"],
  ["||", "&&"],
  ["+", "-"],
  ["-", "+"],
  ["*", "/"],
]);

/** The changes that can be made at a node: what is replaced, and by what. */
function changesAt(node, text) {
  const own = text.slice(node.getStart(), node.getEnd());
  const change = (what, by, at = node) => ({ what, start: at.getStart(), end: at.getEnd(), by });
  if (ts.isBinaryExpression(node)) {
    const by = SWAPS.get(node.operatorToken.getText());
    if (by !== undefined) return [change(`${node.operatorToken.getText()} -> ${by}`, by, node.operatorToken)];
    if (node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken)
      return [change("without ??", `(${node.left.getText()})!`)];
  }
  if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
    const condition = ts.isIfStatement(node) ? node.expression : node.condition;
    return [change("condition negated", `!(${condition.getText()})`, condition)];
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword && !ts.isLiteralTypeNode(node.parent))
    return [change("true -> false", "false")];
  if (node.kind === ts.SyntaxKind.FalseKeyword && !ts.isLiteralTypeNode(node.parent))
    return [change("false -> true", "true")];
  if (
    ts.isNumericLiteral(node) &&
    !ts.isLiteralTypeNode(node.parent) &&
    !ts.isPropertyAssignment(node.parent.parent)
  )
    return [change(`${own} -> ${Number(node.text) + 1}`, String(Number(node.text) + 1))];
  if (
    ts.isExpressionStatement(node) &&
    (ts.isCallExpression(node.expression) || ts.isBinaryExpression(node.expression))
  )
    return [change("statement removed", ";")];
  if (
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    ["filter", "sort", "reverse", "trim", "slice"].includes(node.expression.name.text)
  )
    return [change(`without .${node.expression.name.text}()`, node.expression.expression.getText())];
  if (
    ts.isReturnStatement(node) &&
    node.expression !== undefined &&
    ts.isArrayLiteralExpression(node.expression) &&
    node.expression.elements.length > 0
  )
    return [change("empty list returned", "return [];")];
  if (
    (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) &&
    node.text !== "" &&
    !ts.isImportDeclaration(node.parent) &&
    !ts.isExportDeclaration(node.parent) &&
    !ts.isLiteralTypeNode(node.parent) &&
    node.parent.name !== node &&
    !(ts.isCallExpression(node.parent) && node.parent.expression.kind === ts.SyntaxKind.ImportKeyword)
  )
    return [change(`${own.slice(0, 40)} -> text changed`, JSON.stringify(`${node.text}~`))];
  return [];
}

function changesIn(file) {
  const text = readFileSync(join(root, file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node) => {
    for (const each of changesAt(node, text))
      found.push({ file, line: text.slice(0, each.start).split("\n").length, ...each });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** A working tree at the last commit, with the installed packages and the generated code. */
function prepare() {
  if (!existsSync(tree))
    execFileSync("git", ["worktree", "add", "--detach", "--quiet", tree, "HEAD"], { cwd: root });
  execFileSync(
    "git",
    [
      "checkout",
      "--quiet",
      "--detach",
      execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim(),
    ],
    { cwd: tree },
  );
  execFileSync("git", ["checkout", "--quiet", "--", "."], { cwd: tree });
  if (!existsSync(join(tree, "node_modules")))
    symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
  if (!existsSync(join(tree, "src/generated"))) {
    cpSync(join(root, "src/generated"), join(tree, "src/generated"), { recursive: true });
    cpSync(join(root, "build/stamps"), join(tree, "build/stamps"), { recursive: true });
  }
}

/** The first failure of the tests that the change reaches; undefined where there is none. */
function judged(flags) {
  const { stdout, status } = spawnSync(
    process.execPath,
    // A change of the text is no matter of lint, which finds its layout.
    ["scripts/test.mjs", "--changed", "--bail", "--no-lint", ...flags],
    {
      cwd: tree,
      encoding: "utf8",
      maxBuffer: 1 << 28,
      env: { SLIPWAY_SHARED: join(root, "../shared"), ...process.env, SLIPWAY_TEST_MINUTES: "10" },
    },
  );
  if (status === 0) return undefined;
  return /^failed: (.*)$/m.exec(stdout)?.[1] ?? `exit ${status}: ${stdout.slice(-200)}`;
}

prepare();
const next = random(seed);
const sites = filesBelow(join(root, "src"), ".ts")
  .map((file) => relative(root, file))
  .filter((file) => !file.startsWith("src/generated/") && !file.endsWith(".d.ts"))
  .flatMap(changesIn);
process.stdout.write(`${sites.length} places; seed ${seed}\n`);

/** Judges a mutant by the tests of a tier. */
function judge(mutant, count, flags, tier) {
  const path = join(tree, mutant.file);
  const text = readFileSync(path, "utf8");
  const started = Date.now();
  writeFileSync(path, text.slice(0, mutant.start) + mutant.by + text.slice(mutant.end));
  const by = judged(flags);
  writeFileSync(path, text);
  const seconds = Math.round((Date.now() - started) / 1000);
  const { file, line, what } = mutant;
  mutant.tier = by === undefined ? "survived" : tier;
  appendFileSync(report, `${JSON.stringify({ seed, file, line, what, tier: mutant.tier, by, seconds })}\n`);
  process.stdout.write(
    `${count} ${file}:${line} ${what}: ${mutant.tier}${by === undefined ? "" : ` (${by})`}, ${seconds} s\n`,
  );
}

const mutants = Array.from(
  { length: count },
  () => sites.splice(Math.floor(next() * sites.length), 1)[0],
).filter((mutant) => mutant !== undefined);
const tally = (tier) => mutants.filter((each) => each.tier === tier).length;
for (const [i, mutant] of mutants.entries()) judge(mutant, `${i + 1}/${mutants.length}`, [], "fast");
if (all)
  for (const mutant of mutants.filter((each) => each.tier === "survived"))
    judge(mutant, "again", ["--slow"], "all");
process.stdout.write(
  `${tally("fast")} found by the fast tier, ${tally("all")} by the slow one only, ${tally("survived")} survived\n`,
);
