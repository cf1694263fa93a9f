/** `-` is a stream for every flag that names one file, and never a file of that name; a file's name says its language. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GROUPS, SINGLE_COMMANDS } from "../../src/cli/commands/index.js";
import type { Flag } from "../../src/cli/flags.js";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("streams in the place of files");

const folder = tempFolder();
const GATES = `- name: A
  versionedSpecs:
  - {default: false, lockToDefault: false, preRelease: Alpha, version: "1.37"}
`;
writeFileSync(join(folder, "gates.yaml"), GATES);
const ask = (words: readonly string[], input = "") => slipway(words, { cwd: folder, input });
const generate = (...words: readonly string[]) =>
  ask(["generate", "feature-gates", "--table", "gates.yaml", ...words]);

test("the name of the file decides the language", () => {
  for (const [name, start] of [
    ["g.go", /^\/\/ Code generated .*\n\n?(?:\/\/.*\n)*/],
    ["g.ts", /export/],
    ["g.mts", /export/],
    ["g", /export/],
  ] as const) {
    assert.is(generate("--out", name).code, 0);
    const text = readFileSync(join(folder, name), "utf8");
    assert.match(text, start);
    assert.is(/^package features$/m.test(text), name === "g.go", name);
  }
});

test("a name that contradicts --lang, or tells nothing, is refused", () => {
  const other = generate("--out", "x.go", "--lang", "ts");
  assert.is(other.code, 2);
  assert.match(other.stderr, "--lang ts and --out x.go are different languages; remove --lang");
  const unknown = generate("--out", "x.py");
  assert.is(unknown.code, 2);
  assert.match(unknown.stderr, "--out x.py: the language of .py is unknown; set --lang to ts, go or md");
  assert.is(generate("--out", "x.gen", "--lang", "go").code, 0);
  assert.is(existsSync(join(folder, "x.go")), false);
});

test("--out - prints the module and nothing else", () => {
  const printed = generate("--out", "-");
  assert.is(printed.code, 0);
  assert.is(printed.stderr, "");
  generate("--out", "same.ts");
  assert.is(printed.stdout, readFileSync(join(folder, "same.ts"), "utf8"));
  assert.match(generate("--out", "-", "--lang", "go").stdout, /^package features$/m);
  for (const more of [["--check"], ["--output", "json"]]) assert.is(generate("--out", "-", ...more).code, 2);
});

test("compat import --out - prints the table", () => {
  const { code, stdout } = ask(["compat", "import", "gates.yaml", "--out", "-"]);
  assert.is(code, 0);
  assert.match(stdout, "kind: FeatureGateTable");
});

test("an input by - is standard input", () => {
  const file = ask(["compat", "lifecycle", "--table", "gates.yaml"]).stdout;
  assert.is(ask(["compat", "lifecycle", "--table", "-"], GATES).stdout, file);
  const bad = ask(["compat", "lifecycle", "--table", "-"], "x: 1\n");
  assert.is(bad.code, 1);
  assert.match(bad.stderr, /^stdin:1:1: error TAB005/);
  const diff = ask(["compat", "diff", "-", "kubernetes"], GATES);
  assert.is(diff.code, 0);
  const twice = ask(["compat", "diff", "-", "-"], GATES);
  assert.is(twice.code, 2);
  assert.match(twice.stderr, "- can be specified once");
});

/** Every flag of every command that names a file or a folder. */
const PATHS = ["FILE", "DUMP", "PATH", "DIR"];
test("no command makes a file or folder named -", () => {
  const commands = [...GROUPS.flatMap(({ commands }) => commands), ...SINGLE_COMMANDS];
  const tried = new Set<Flag<unknown>>();
  for (const { path, flags } of commands)
    for (const flag of flags) {
      if (!PATHS.includes(flag.value ?? "") || flag.stream !== undefined || tried.has(flag)) continue;
      const { code, stderr } = ask([...path.split(" "), `--${flag.name}`, "-"]);
      assert.is(code, 2, `${path} --${flag.name} -: ${stderr}`);
      tried.add(flag);
    }
  assert.ok(tried.size > 20);
  assert.is(existsSync(join(folder, "-")), false);
});

test.run();
