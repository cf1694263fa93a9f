import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { child, readYaml, toJson } from "../../src/text/yaml-read.js";
import { resolveYaml11, resolveYaml12 } from "../../src/text/yaml-scalars.js";
import { runs } from "../helpers/runs.js";

const test = suite("yaml-read");

const only = (text: string) => {
  const { documents, problems } = readYaml(text, "input.yaml");
  assert.equal(problems, []);
  assert.is(documents.length, 1);
  const root = documents[0]?.root;
  if (root === undefined) throw new Error("empty document");
  return root;
};

test("every key and value has its line and column", () => {
  const root = only("a:\n  - b: 'quoted'\n    c: [1, two]\n");
  const list = child(root, "a");
  assert.is(list?.type, "sequence");
  const item = list?.type === "sequence" ? list.items[0] : undefined;
  const quoted = child(item, "b");
  assert.equal([quoted?.line, quoted?.column], [2, 8]);
  const flow = child(item, "c");
  const two = flow?.type === "sequence" ? flow.items[1] : undefined;
  assert.equal([two?.line, two?.column], [3, 12]);
});

test("anchors, aliases and merge keys", () => {
  const root = only("base: &b {x: 1, z: 2}\nuse:\n  <<: *b\n  z: 3\nagain: *b\n");
  assert.equal(toJson(root), { base: { x: 1, z: 2 }, use: { z: 3, x: 1 }, again: { x: 1, z: 2 } });
});

test("aliases that would expand without bound are refused quickly", () => {
  const levels = Array.from(
    { length: 12 },
    (_, i) => `l${i + 1}: &l${i + 1} [${Array(10).fill(`*l${i}`).join(", ")}]`,
  );
  const { problems } = readYaml(`l0: &l0 [a, b]\n${levels.join("\n")}\n`, "bomb.yaml");
  assert.is(problems.length, 1);
  assert.is(problems[0]?.code, "YAML003");
});

test("a key that is reported at its second place", () => {
  const { problems } = readYaml("a: 1\nb: 2\na: 3\n", "f.yaml");
  assert.equal(
    problems.map(({ code, line, column }) => [code, line, column]),
    [["YAML002", 3, 1]],
  );
});

test("an object behind another one without --- is one problem, which says so", () => {
  const object = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
  const { problems } = readYaml(object("a") + object("b"), "input.yaml");
  assert.equal(
    problems.map(({ code, line, hint }) => [code, line, hint]),
    [
      [
        "YAML002",
        4,
        "remove one of them; the first is on line 1; if another object starts here, put --- before it",
      ],
    ],
  );
  assert.is(readYaml("apiVersion: v1\nmetadata: {}\napiVersion: v1\nmetadata: {}\n", "a").problems.length, 2);
});

test("malformed text is one problem with a position", () => {
  const { problems } = readYaml('a: "x\nb: 1\n', "f.yaml");
  assert.is(problems.length, 1);
  assert.is(problems[0]?.code, "YAML001");
  assert.ok((problems[0]?.line ?? 0) >= 1);
});

test("empty documents and several documents", () => {
  assert.equal(
    readYaml("", "f").documents.filter(({ root }) => root !== undefined),
    [],
  );
  assert.equal(
    readYaml("# only a comment\n---\n", "f").documents.filter(({ root }) => root !== undefined),
    [],
  );
  assert.is(readYaml("a: 1\n---\nb: 2\n", "f").documents.length, 2);
});

test("plain scalars in both dialects", () => {
  const cases: [string, unknown, unknown][] = [
    ["on", true, "on"],
    ["y", true, "y"],
    ["yEs", "yEs", "yEs"],
    ["0644", 420, 644],
    ["0o644", 420, 420],
    ["1_000", 1000, "1_000"],
    ["1:30", "1:30", "1:30"],
    ["0x1F", 31, 31],
    ["0b11", 3, "0b11"],
    ["1e3", 1000, 1000],
    ["~", null, null],
    ["", null, null],
    ["2026-11-27", "2026-11-27", "2026-11-27"],
    ["18446744073709551615", 18446744073709551615n, 18446744073709551615n],
    [".inf", Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    ["-", "-", "-"],
  ];
  for (const [text, yaml11, yaml12] of cases) {
    assert.is(resolveYaml11(text), yaml11, `1.1 ${text}`);
    assert.is(resolveYaml12(text), yaml12, `1.2 ${text}`);
  }
});

/** What the first document of a text is for Kubernetes' readers; undefined when they refuse it. */
const firstOf = (text: string): unknown => {
  const [first] = readYaml(text, "f", { firstOnly: true, merge: "refuse" }).documents;
  if (first === undefined) return null;
  return first.problems.length > 0 ? undefined : first.root === undefined ? null : toJson(first.root);
};

test("the habits of Kubernetes' readers, where YAML 1.2 says otherwise", () => {
  const cases: [string, unknown][] = [
    // Quoted text may be indented less than its key, and closed on a line of its own.
    ["a:\n  b: 'x\ny'\nc: 1\n", { a: { b: "x y" }, c: 1 }],
    ["a: 'x\n'\nb: 1\n", { a: "x ", b: 1 }],
    // A document ends where a line is indented less than its first one; what follows is not looked at.
    [" a: 1\nb: 2\n", { a: 1 }],
    ["{a: 1}\nEOF\n", { a: 1 }],
    ["a: 1\n---\n[broken\n", { a: 1 }],
    ["a: 1\n...\n@\n", { a: 1 }],
    ["---\n---\na: 1\n", null],
    ["...\n", undefined],
    // Tabs separate, and never indent.
    ["a:\tb\n", { a: "b" }],
    ['{\n\t"a": 1\n}\n', { a: 1 }],
    ["a:\n\tb: 1\n", undefined],
    ["a: b\n\tc\n", undefined],
    ["a: |\n\tb\n", undefined],
    // Keys: at most 1024 characters, on one line, strings after resolution.
    [`${"k".repeat(1024)}: 1\n`, { ["k".repeat(1024)]: 1 }],
    [`${"k".repeat(1025)}: 1\n`, undefined],
    ["? a\n: b\n", { a: "b" }],
    ["yes: 1\n0x10: 2\n1.50: 3\n", { true: 1, 16: 2, 1.5: 3 }],
    ["~: 1\n", undefined],
    ["[a]: 1\n", undefined],
    ["18446744073709551615: 1\n", undefined],
    // Flow collections.
    ['{"a":1}\n', { a: 1 }],
    ["{a:1}\n", { "a:1": null }],
    ["[a, b: c, ]\n", ["a", { b: "c" }]],
    ["{a, b}\n", { a: null, b: null }],
    ["{a: 1, , b: 2}\n", undefined],
    ["a: [1\n]\n", { a: [1] }],
    // Line breaks of YAML 1.1.
    ["a: x\u0085  y\n", { a: "x y" }],
    ["a: 'x\u2028y'\n", { a: "x\u2028y" }],
    ["a: 1\rb: 2\r", { a: 1, b: 2 }],
    // Escapes and characters.
    ['a: "\\/"\n', undefined],
    ['a: "\\ud83d\\ude00"\n', undefined],
    ['a: "\\U0001f600"\n', { a: "😀" }],
    ["a: \u0007\n", undefined],
    ["\ufeffa: 1\n", { a: 1 }],
    // Tags.
    ["a: !!int '3'\n", { a: 3 }],
    ["a: !!int x\n", undefined],
    ["a: !!str 3\n", { a: "3" }],
    ["a: ! 3\n", { a: "3" }],
    ["a: !own 3\n", { a: "3" }],
    ["a: !!binary eA==\n", { a: "x" }],
    ["a: !!binary x\n", undefined],
    ["%YAML 1.1\n---\na: 1\n", { a: 1 }],
    ["%YAML 1.2\n---\na: 1\n", undefined],
    ["%TAG !e! tag:yaml.org,2002:\n---\na: !e!int '1'\n", { a: 1 }],
    ["a: !e!int 1\n", undefined],
    // Blocks.
    ["a: |+\n  x\n\nb: 1\n", { a: "x\n\n", b: 1 }],
    ["a: >-\n  x\n  y\n\n   z\n", { a: "x y\n\n z" }],
    ["a: |2\n   x\n", { a: " x\n" }],
    ["a: | # c\n  x\n", { a: "x\n" }],
    ["a: | x\n", undefined],
    ["a: - b\n", undefined],
    ["a: b: c\n", undefined],
    ["- - a\n  - b\n", [["a", "b"]]],
    ["a:\n- 1\nb: 2\n", { a: [1], b: 2 }],
    // Anchors and merge keys of the strict reader.
    ["a: &x {p: 1}\nb: {<<: *x, q: 2}\n", { a: { p: 1 }, b: { q: 2, p: 1 } }],
    ["a: &x {p: 1}\nb: {<<: *x, p: 2}\n", undefined],
    ["a: &x {p: 1}\nb: {<<: [*x, {p: 3}]}\n", undefined],
    ["a: {<<: 1}\n", undefined],
    ["a: {'<<': 1}\n", { a: { "<<": 1 } }],
    ["a: &a [*a]\n", undefined],
    ["a: 1\na: 2\n", undefined],
  ];
  for (const [text, value] of cases) assert.equal(firstOf(text), value, JSON.stringify(text));
});

test("nesting without end is refused, not a crash", () => {
  for (const text of ["[".repeat(100_000), "{a: ".repeat(5_000), "- ".repeat(5_000)]) {
    const { problems } = readYaml(text, "f");
    assert.is(problems.length, 1);
    assert.is(problems[0]?.code, "YAML001");
  }
});

test("any text at all gives a value or a problem", () => {
  const piece = fc.constantFrom(
    "a",
    ": ",
    "- ",
    "\n",
    "  ",
    "'",
    '"',
    "{",
    "}",
    "[",
    "]",
    ",",
    "&a ",
    "*a",
    "!!int ",
    "|",
    ">",
    "#",
    "---",
    "?",
    "%",
    "\t",
    "\\",
    "<<: ",
    "0",
    "é",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
      const { documents, problems } = readYaml(pieces.join(""), "f");
      for (const { line, column } of problems) assert.ok((line ?? 0) >= 1 && (column ?? 0) >= 1);
      for (const { root } of documents) if (root !== undefined) toJson(root);
    }),
    { numRuns: runs(3000) },
  );
});

test("marks of a Git merge are told as such, and nothing else of the text", () => {
  const merged = "a: 1\r\nb:\r\n<<<<<<< HEAD\r\n  c: 2\r\n=======\r\n  c: 3\r\n>>>>>>> other\r\n---\r\n}\r\n";
  for (const text of [merged, merged.replaceAll("\r", "")]) {
    const { documents, problems } = readYaml(text, "f");
    assert.equal(
      problems.map(({ code, line, message }) => [code, line, message]),
      [["YAML001", 3, "unresolved Git merge conflict"]],
    );
    assert.equal(
      documents.flatMap((each) => each.problems),
      problems,
    );
  }
  assert.not.match(readYaml("<<<<<<< HEAD\n", "f").problems[0]?.message ?? "", "merge");
  assert.equal(readYaml("a: |\n  <<<<<<< HEAD\n  >>>>>>> b\n", "f").problems, []);
});

test("__proto__ is an ordinary key", () => {
  const value = toJson(only("__proto__: {x: 1}\n"));
  assert.ok(Object.hasOwn(value as object, "__proto__"));
});

test.run();
