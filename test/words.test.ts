/**
 * The wording of everything that a user reads. Phrases of `words.json` must not return: a file may have as many of them as
 * `left` says, and that number may only shrink. `allowed` has files that may have a phrase, with the reason.
 * `WORDS=update node scripts/test.mjs words` writes what is left, and refuses to write more.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const test = suite("words");

interface Words {
  readonly phrases: readonly string[];
  /** By file and phrase: why it stays. */
  readonly allowed: { readonly [file: string]: { readonly [phrase: string]: string } };
  /** By file and phrase: how often it is still there. */
  readonly left: { readonly [file: string]: { readonly [phrase: string]: number } };
}

const DATA = "test/words.json";
const words: Words = JSON.parse(readFileSync(DATA, "utf8"));

const below = (folder: string, ending: RegExp): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => ending.test(name))
    .map((name) => join(folder, name));

/** What users read: texts in code, comments of what is generated, schemas that `explain` shows, documents. */
const FILES = [
  ...below("src", /\.ts$/).filter((file) => !file.startsWith("src/generated/")),
  ...below("templates", /\.hbs$/),
  ...below("schemas", /\.json$/),
  ...below("tables", /\.json$/),
  ...below("docs", /\.md$/),
  "README.md",
  "CHANGELOG.md",
].sort();

/** The texts of a source file, without its comments, which only readers of the code see. */
function textsOf(file: string): string {
  const text = readFileSync(file, "utf8");
  if (!file.endsWith(".ts")) return text;
  const uncommented = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  return [...uncommented.matchAll(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)]
    .map(([literal]) => literal)
    .join("\n");
}

const escaped = (phrase: string): string =>
  phrase.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(" ", "\\s+");
const expressions = words.phrases.map(
  (phrase) => [phrase, new RegExp(`\\b${escaped(phrase)}`, "gi")] as const,
);

/** How often each phrase is in a file, but for what may stay. */
function foundIn(file: string): ReadonlyMap<string, number> {
  const text = textsOf(file);
  return new Map(
    expressions.flatMap(([phrase, expression]): [string, number][] => {
      const count = text.match(expression)?.length ?? 0;
      return count === 0 || words.allowed[file]?.[phrase] !== undefined ? [] : [[phrase, count]];
    }),
  );
}

const found = new Map(
  FILES.flatMap((file): [string, ReadonlyMap<string, number>][] => {
    const counts = foundIn(file);
    return counts.size === 0 ? [] : [[file, counts]];
  }),
);

if (process.env["WORDS"] === "update") {
  const isFirst = Object.keys(words.left).length === 0;
  const left = Object.fromEntries(
    [...found].map(([file, counts]) => [
      file,
      Object.fromEntries(
        [...counts].flatMap(([phrase, count]): [string, number][] => {
          const least = isFirst ? count : Math.min(count, words.left[file]?.[phrase] ?? 0);
          return least === 0 ? [] : [[phrase, least]];
        }),
      ),
    ]),
  );
  const kept = Object.fromEntries(
    Object.entries(left).filter(([, counts]) => Object.keys(counts).length > 0),
  );
  writeFileSync(DATA, `${JSON.stringify({ ...words, left: kept }, undefined, 2)}\n`);
}

const listed: Words = JSON.parse(readFileSync(DATA, "utf8"));

test("adds no phrase that reads like a translation", () => {
  const added = [...found].flatMap(([file, counts]) =>
    [...counts]
      .filter(([phrase, count]) => count > (listed.left[file]?.[phrase] ?? 0))
      .map(([phrase, count]) => `${file}: "${phrase}" ${count} times`),
  );
  assert.equal(added, []);
});

test("lists no phrase that is gone (WORDS=update removes it)", () => {
  const gone = Object.entries(listed.left).flatMap(([file, phrases]) =>
    Object.entries(phrases)
      .filter(([phrase, count]) => count > (found.get(file)?.get(phrase) ?? 0))
      .map(([phrase, count]) => `${file}: "${phrase}" ${count} times listed`),
  );
  assert.equal(gone, []);
});

test("gives a reason for every phrase that may stay", () => {
  for (const [file, phrases] of Object.entries(listed.allowed))
    for (const [phrase, reason] of Object.entries(phrases)) {
      assert.ok(listed.phrases.includes(phrase), `${file}: ${phrase}`);
      assert.ok(reason.length > 10, `${file}: ${phrase}`);
      assert.match(textsOf(file), new RegExp(escaped(phrase), "i"), `${file}: ${phrase}`);
    }
});

test.run();
