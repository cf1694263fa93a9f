/**
 * No regular expression of slipway has a time that grows with more than the length of a text: every literal of the
 * sources, every one that is made of texts, every pattern of the schemas and of the data is tried against texts of its
 * own shape. One that fails here tries a stretch of a text from each of its places; say what it looks for so that only
 * one way fits, or cut the text up without an expression (core/trim.ts).
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ts } from "ts-morph";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slowText } from "../helpers/slow-patterns.js";

const test = suite("regular expressions");

const filesIn = (folder: string, end: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && each.name.endsWith(end))
    .map((each) => join(each.parentPath, each.name).replaceAll("\\", "/"));

/** Expressions, each with a place where it stands. */
type Found = Map<string, { readonly expression: RegExp; readonly place: string }>;

function add(found: Found, expression: RegExp, place: string): void {
  if (!found.has(String(expression))) found.set(String(expression), { expression, place });
}

/** A text that stands for whatever is put into an expression. */
const ANYTHING = "x";

/** The texts that an expression of the language may be: constants of the same file, arguments of its functions. */
function textsOf(node: ts.Node | undefined, file: ts.SourceFile): string[] {
  if (node === undefined) return [ANYTHING];
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node))
    return node.templateSpans.reduce(
      (heads, { expression, literal }) =>
        heads.flatMap((head) => textsOf(expression, file).map((text) => head + text + literal.text)),
      [node.head.text],
    );
  if (!ts.isIdentifier(node)) return [ANYTHING];
  const constant = everyNode(file).find(
    (each) => ts.isVariableDeclaration(each) && each.name.getText(file) === node.text,
  );
  if (constant !== undefined && ts.isVariableDeclaration(constant))
    return textsOf(constant.initializer, file);
  return argumentsFor(node, file);
}

/** What the calls in a file give for a parameter. */
function argumentsFor(node: ts.Identifier, file: ts.SourceFile): string[] {
  for (let at: ts.Node = node; at.parent !== undefined; at = at.parent) {
    if (!ts.isFunctionLike(at)) continue;
    const index = at.parameters.findIndex(({ name }) => name.getText(file) === node.text);
    const name = at.name ?? (ts.isVariableDeclaration(at.parent) ? at.parent.name : undefined);
    if (index < 0 || name === undefined) continue;
    const calls = everyNode(file)
      .filter(ts.isCallExpression)
      .filter(({ expression }) => expression.getText(file) === name.getText(file));
    if (calls.length > 0) return calls.flatMap((call) => textsOf(call.arguments[index], file));
  }
  return [ANYTHING];
}

const nodes = new Map<ts.SourceFile, readonly ts.Node[]>();

function everyNode(file: ts.SourceFile): readonly ts.Node[] {
  const known = nodes.get(file);
  if (known !== undefined) return known;
  const all: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    all.push(node);
    ts.forEachChild(node, visit);
  };
  visit(file);
  nodes.set(file, all);
  return all;
}

function addOfSource(found: Found, path: string): void {
  const text = readFileSync(path, "utf8");
  if (!text.includes("RegExp") && !/\/[gimsuy]*[.),;]/.test(text)) return;
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
  for (const node of everyNode(file)) {
    const place = (): string => `${path}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}`;
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      add(found, new RegExp(node.text.slice(1, end), node.text.slice(end + 1)), place());
    } else if (
      (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
      node.expression.getText(file) === "RegExp"
    ) {
      const [source, flags] = node.arguments ?? [];
      for (const each of textsOf(source, file))
        add(found, new RegExp(each, textsOf(flags, file)[0]?.replace(ANYTHING, "") ?? ""), place());
    }
  }
}

/** Members of documents that hold an expression. */
const PATTERN_NAMES = ["pattern", "regions"];

function addOfValue(found: Found, value: unknown, place: string): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (PATTERN_NAMES.includes(name) && typeof member === "string")
      add(found, new RegExp(member, "u"), place);
    if (name === "patternProperties" && typeof member === "object" && member !== null)
      for (const pattern of Object.keys(member)) add(found, new RegExp(pattern, "u"), place);
    addOfValue(found, member, place);
  }
}

/** Definitions of the API, whose patterns are Go's: they are matched in linear time (text/go-regexp.ts). */
const DEFINITIONS = "tables/definitions/";

function everyExpression(): Found {
  const found: Found = new Map();
  for (const path of filesIn("src", ".ts")) if (!path.startsWith("src/generated/")) addOfSource(found, path);
  for (const path of [...filesIn("schemas", ".json"), ...filesIn("src/platforms", ".json")])
    if (!path.startsWith(DEFINITIONS)) addOfValue(found, JSON.parse(readFileSync(path, "utf8")), path);
  return found;
}

/** Forms of all kinds that are slow, and forms alike that are not. */
const SLOW: readonly RegExp[] = [
  / +$/,
  /^(a+)+$/,
  /\[[^\]]*\]$/,
  /^[a-z]*\d?[a-z]*\d?[a-z]*$/,
  /<!--[\s\S]*?-->/,
  /:\s*\n\s*-/,
  /^(?:a|aa)*b/,
  /"(?:[^"\\]|\\.)*"/,
  /(\w+)=(\w+)/g,
  /^\/(.*?)\/host\/(.*)$/,
  /(['"])[^\n]*\1,[^\n]*;/,
];
const QUICK: readonly RegExp[] = [
  /^ +$/,
  /\[[^[\]]*\]$/,
  /^(?:a|b)+$/,
  /^[a-z]*\d[a-z]*$/,
  /<!--[\s\S]*?(?:-->|$)/g,
];

test("the search finds what is slow, and nothing else", () => {
  for (const expression of SLOW) assert.ok(slowText(expression) !== undefined, String(expression));
  for (const expression of QUICK) assert.is(slowText(expression), undefined, String(expression));
});

test("expressions that are made of texts are found with their texts", () => {
  const file = ts.createSourceFile(
    "a.ts",
    "const A = '[a-z]'; const of = (each: string) => new RegExp(`^$" + "{A}$" + "{each}$`); of('b'); of(A);",
    ts.ScriptTarget.ESNext,
    true,
  );
  const made = everyNode(file).filter(ts.isNewExpression)[0];
  assert.equal(textsOf(made?.arguments?.[0], file), ["^[a-z]b$", "^[a-z][a-z]$"]);
});

test("every expression takes a time that grows with the text alone", () => {
  const every = [...everyExpression().values()];
  assert.ok(every.length > 600, `${every.length} expressions`);
  assert.equal(
    every.flatMap(({ expression, place }) => {
      const slow = slowText(expression);
      return slow === undefined ? [] : [`${place} ${expression} is slow at ${slow}`];
    }),
    [],
  );
});

test.run();
