import fc from "fast-check";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Composer } from "../../src/text/yaml-compose.js";
import type { YamlDocument } from "../../src/text/yaml-nodes.js";
import { parseYaml } from "../../src/text/yaml-parse.js";
import { readSimpleDocuments } from "../../src/text/yaml-simple.js";

const test = suite("plain YAML");

/** Where a plain scalar ends is the one thing that the two readers may tell differently. */
const comparable = (documents: readonly YamlDocument[]): string =>
  JSON.stringify(documents, (key, value: unknown) =>
    key === "endLine" ? undefined : typeof value === "bigint" ? `${value}n` : value,
  );

/** The documents as the reader of all of YAML composes them. */
function composed(text: string, firstOnly: boolean): YamlDocument[] {
  const composer = new Composer(text, "x.yaml", "own-wins");
  const documents: YamlDocument[] = [];
  for (let document = composer.document(); document !== undefined; document = composer.document()) {
    documents.push(document);
    if (firstOnly) break;
  }
  return documents;
}

/** True when the fast reader took the text; then it must say what the full one says. */
function agrees(text: string): boolean {
  const [all, first] = [false, true].map((firstOnly) => {
    const fast = readSimpleDocuments(text, firstOnly);
    if (fast !== undefined) assert.is(comparable(fast), comparable(composed(text, firstOnly)), text);
    return fast !== undefined;
  });
  assert.ok(first || !all, text);
  return all === true;
}

test("it reads the forms that tables are written in, as the full reader does", () => {
  for (const text of [
    "a: b\n",
    "---\na: b\n",
    "a: 'b'\n",
    '# comment\n\n- name: X\n  versionedSpecs:\n  - default: false\n    version: "1.35"\n  - default: true\n- name: Y\n',
    "a:\n  b:\n    - c\n    - d: 1\n      e: 2\n  f: null\n",
    "a:\n- 1\n- true\nb: 1.30\n",
    'a: [x, "y", []]\nb: {c: d, e: [1, 2]}\nc: {}\n',
    'a:   b   \n\n\n  \nc: "d e"  \n',
    "- a\n-  b: c\n   d: e\n",
    "a:\n  b: 1\n  # comment\n  c: 2\nd: 3\n",
    '- x: {first: "1.16", last: "1.37"}\n',
    "a: b c 1.2\n",
    "a: true x\nb: 1 2\nc: 0x1F 3\n",
    "a: LS0tLS1CRUdJTi+/aA==\nb: c=d\n",
    "a: b sha256:12 c\n",
  ])
    assert.ok(agrees(text), text);
});

test("words on a line are one text to both readers", () => {
  const word = fc.stringMatching(/^[A-Za-z0-9_.:=#+-]{1,6}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
      agrees(`a: ${words.join(" ")}\nb: c\n`);
    }),
    { numRuns: 2000 },
  );
});

test("what we wrote ourselves reads as js-yaml reads it", () => {
  const unit = fc.constantFrom(..."0123456789abefnostxyENOTF_./:+-~");
  fc.assert(
    fc.property(fc.string({ unit, minLength: 1, maxLength: 7 }), (word) => {
      const text = `a: ${word}\nb: "1"\nc:\n- 12\n- x: true\n`;
      let expected: unknown;
      try {
        expected = load(text);
      } catch {
        assert.throws(() => parseYaml(text), text);
        return;
      }
      assert.equal(parseYaml(text), expected, text);
    }),
    { numRuns: 2_000 },
  );
});

test("documents are told apart as the full reader does", () => {
  for (const text of [
    "",
    "# none\n",
    "\n---\n# none\n---\n",
    "---\n---\na: b\n",
    "a: b\n---\n# none\n---\nc: d\n",
    "a: b\n\n---\n\nc: d\n---\n",
  ])
    assert.ok(agrees(text), JSON.stringify(text));
  assert.is(readSimpleDocuments("a: b\n---\nc: [\n", true)?.length, 1);
});

test("it gives up where it is not sure", () => {
  for (const text of [
    "a: b\n...\nc: d\n",
    "a: b\n--- \nc: d\n",
    "%YAML 1.1\n---\na: b\n",
    "a: |\n  text\n",
    "a: b # comment\n",
    "a: b # c\n",
    "a: b - c\n",
    "a: b: c\n",
    "a: b c: d\n",
    "a: b c:\n",
    "a: b  c\n",
    "a: =\n",
    "a: b =\n",
    "a: &x b\n",
    "a: *x\n",
    "a: !!str 1\n",
    "a: b\n  c\n",
    "a:\nb: c\n",
    "a: b\na: c\n",
    "on: x\n",
    "\ta: b\n",
    "a: b\r\n",
    "ä: b\n",
    'a: "b\\n"\n',
    "a: {b: c, b: d}\n",
    "a: {b: c,d: e}\n",
    "a: [b c]\n",
    "a: b\n c: d\n",
    "- - a\n",
    "-\n  a: b\n",
    "a: b: c\n",
    "  a: b\nc: d\n",
    "a:\n   b: c\n  d: e\n",
    "- a\nb: c\n",
    `a: ${"[".repeat(20_000)}\n`,
    `a: ${"[".repeat(60)}${"]".repeat(60)}\n`,
    Array.from({ length: 60 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n"),
    `${"k".repeat(1_100)}: 1\n`,
    `- ${"k".repeat(1_100)}: 1\n`,
    `a: {${"k".repeat(1_100)}: 1}\n`,
    "just text\n",
    "? a\n: b\n",
    "a: [b\n",
  ])
    assert.is(readSimpleDocuments(text), undefined, JSON.stringify(text));
});

const word = fc.constantFrom(
  "a",
  "b",
  "key",
  "1",
  "1.30",
  "true",
  "no",
  "null",
  "x/y",
  "0x1F",
  "1_000",
  '"q"',
  '"1.3"',
  "~",
  "-",
  "y",
  "1e3",
);
const value: fc.Arbitrary<string> = fc.oneof(
  word,
  fc.constantFrom(
    "{a: b}",
    "[a, b]",
    "{}",
    "[]",
    "[1, {a: 2}]",
    "{a: [x]}",
    "a b",
    "'s'",
    "{a:b}",
    "[a,b]",
    "{a: b, c}",
  ),
);
const line = fc
  .tuple(
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom("", "- ", "- - "),
    fc.constantFrom("a: ", "b:", "c: ", "key:  ", ""),
    value,
    fc.constantFrom("", " ", " # c"),
  )
  .map(
    ([indent, dash, key, text, end]) =>
      `${"  ".repeat(indent)}${dash}${key}${key.endsWith(":") ? "" : text}${end}`,
  );

const row = fc.oneof(
  { weight: 8, arbitrary: line },
  { weight: 1, arbitrary: fc.constantFrom("---", "", "# c") },
);

test("whatever it takes, the full reader reads the same", () => {
  let taken = 0;
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 6 }), (rows) => {
      if (agrees(`${rows.join("\n")}\n`)) taken++;
    }),
    { numRuns: 3000 },
  );
  assert.ok(taken > 50, `only ${taken} texts were taken`);
});

test.run();
