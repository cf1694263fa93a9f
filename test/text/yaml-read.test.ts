import { suite } from "uvu";
import * as assert from "uvu/assert";
import { child, readYaml, toJson } from "../../src/text/yaml-read.js";
import { resolveYaml11, resolveYaml12 } from "../../src/text/yaml-scalars.js";

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

test("a key that stands twice is reported at its second place", () => {
  const { problems } = readYaml("a: 1\nb: 2\na: 3\n", "f.yaml");
  assert.equal(
    problems.map(({ code, line, column }) => [code, line, column]),
    [["YAML002", 3, 1]],
  );
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

test("__proto__ is an ordinary key", () => {
  const value = toJson(only("__proto__: {x: 1}\n"));
  assert.ok(Object.hasOwn(value as object, "__proto__"));
});

test.run();
