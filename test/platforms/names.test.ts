/**
 * No name of a platform outside src/platforms: what differs by platform is a trait there. The sources are read as
 * syntax, so that comments may name what they like.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ts } from "ts-morph";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PLATFORM_NAMES } from "../../src/platforms/registry.js";

/** Names that are words of the language too: as such they mean a platform only where platforms are spoken of. */
const WORDS: ReadonlySet<string> = new Set(["none", "external"]);

/** What may name a platform all the same, by file. */
const ALLOWED: Readonly<Record<string, { readonly count: number; readonly why: string }>> = {
  "src/core/codes.ts": { count: 2, why: "a code's meaning is for good, also that of a code of one platform" },
  "src/explain/codes/cloud.ts": { count: 7, why: "examples of files, and what explain says of such codes" },
  "src/explain/codes/install-config.ts": { count: 13, why: "the same" },
  "src/cli/commands/create/install-config.ts": { count: 1, why: "an example of help" },
  "src/cli/commands/explain/explain.ts": { count: 1, why: "an example of help" },
  "src/cli/commands/explain/flags.ts": { count: 1, why: "an example of help" },
  "src/transfer/checks/place.ts": { count: 3, why: "azureFile, a kind of volume" },
};

/** True for a word in an expression or a declaration, of a line or two, that speaks of platforms. */
function isBesidePlatform(word: ts.Node): boolean {
  let around = word;
  const ends = (node: ts.Node): boolean =>
    ts.isSourceFile(node) || ts.isBlock(node) || node.getText().length >= 160;
  while (!ends(around.parent)) around = around.parent;
  return /platform|\bactive\b/i.test(around.getText());
}

/** The places of a source that name a platform, as `line: text`. */
function namedIn(text: string): string[] {
  const source = ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest, true);
  const clear = PLATFORM_NAMES.filter((name) => !WORDS.has(name));
  const anywhere = new RegExp(`\\b(?:${clear.join("|")})\\b|\\bplatforms?[./](?:${[...WORDS].join("|")})\\b`);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const given = ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node) || ts.isIdentifier(node);
    const word = given && WORDS.has(node.text);
    const member = ts.isIdentifier(node) && /\bplatforms?\??\.$/.test(text.slice(0, node.getStart(source)));
    const literal = ts.isStringLiteralLike(node) && isBesidePlatform(node);
    if (given && (anywhere.test(node.text) || (word && (member || literal)))) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      found.push(`${line + 1}: ${node.text}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const test = suite("names of platforms");

test("a name is found as a literal, a member, a key and part of a text, and not as a word", () => {
  const names = (text: string): string[] => namedIn(text).map((each) => each.replace(/^\d+: /, ""));
  assert.equal(names('if (name === "aws") f(config.platform.azure?.["x"], { gcp: 1 });'), [
    "aws",
    "azure",
    "gcp",
  ]);
  assert.equal(names("say(`of baremetal`, 'platform.none.x', config.platform?.external);"), [
    "of baremetal",
    "platform.none.x",
    "external",
  ]);
  assert.equal(names('const those: PlatformName[] = ["none"]; f(active === "external", other === "none");'), [
    "none",
    "external",
    "none",
  ]);
  assert.equal(names('if (input.platform.name === "none") {\n  f();\n}\nconst { action = "none" } = x;'), [
    "none",
  ]);
  assert.equal(names('import { rules } from "../platforms/none/index.js";'), ["../platforms/none/index.js"]);
  assert.equal(names('f("none", { action: "none", external: x.none }); // aws'), []);
});

test("none outside src/platforms", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" })
    .map((each) => join("src", each))
    .filter((each) => each.endsWith(".ts") && !/^src\/(platforms|generated)\//.test(each))
    .sort();
  assert.ok(files.length > 300);
  const found: string[] = [];
  for (const file of files) {
    const here = namedIn(readFileSync(file, "utf8"));
    if (here.length !== (ALLOWED[file]?.count ?? 0)) found.push(...here.map((each) => `${file}:${each}`));
  }
  assert.equal(found, []);
});

test("no table of facts has a row for a platform", () => {
  const keys = (value: unknown): string[] =>
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, each]) => [
          ...(Array.isArray(value) ? [] : [key]),
          ...keys(each),
        ])
      : [];
  for (const file of readdirSync("tables").filter((each) => each.endsWith(".json"))) {
    const table: unknown = JSON.parse(readFileSync(join("tables", file), "utf8"));
    const named = keys(table).filter((key) => PLATFORM_NAMES.some((name) => name === key));
    assert.equal(named, [], file);
  }
});

test.run();
