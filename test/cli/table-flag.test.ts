/** `--table` names a table in every command, the names that it had before are accepted, and a generated module says what it is. */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("--table");

const APIS = readFileSync("golden/storage-behaviors/input/api-lifecycle.yaml", "utf8");
const folder = tempFolder();
const apis = join(folder, "apis.yaml");
writeFileSync(apis, APIS);

const run = (...words: readonly string[]): string => {
  const { code, stdout, stderr } = slipway([...words], { cwd: folder });
  assert.is(code, 0, stderr);
  return stdout;
};

for (const words of [
  "compat apis --binary-version 1.36",
  "compat storage-versions --binary-version 1.36",
  "storage behaviors",
  "storage migrations --from 1.33 --to 1.36",
])
  test(`${words} accepts its former name`, () => {
    const one = run(...words.split(" "), "--table", "apis.yaml");
    assert.is(run(...words.split(" "), "--lifecycle", "apis.yaml"), one);
    const help = run(...words.split(" ").slice(0, 2), "--help");
    assert.match(help, "--table FILE");
    assert.not.match(help, "--lifecycle");
  });

const moduleOf = (...words: readonly string[]): string => {
  run("generate", "storage-behaviors", ...words, "--out", "out.ts");
  return readFileSync(join(folder, "out.ts"), "utf8");
};
const digest = createHash("sha256").update(APIS).digest("hex");

test("a module of storage behaviors names policy, input and digest", () => {
  const shipped = moduleOf("--table", "apis.yaml");
  assert.match(shipped, "// Policy: shipped (every version that was ever written stays readable");
  assert.match(shipped, `// Input: apis.yaml, sha256:${digest}\n`);
  const kep = moduleOf("--input", "apis.yaml", "--policy", "kep");
  assert.match(kep, "// Policy: kep (1 supported and 3 migrated releases, alpha 0 and 0)");
  const ignored = (text: string): number => text.split('"ignored"').length;
  assert.ok(ignored(kep) > ignored(shipped));
  const body = (text: string): string => text.slice(text.indexOf("// Input"));
  assert.is(body(moduleOf("--table", "apis.yaml", "--policy", "moratorium")), body(shipped));
  run("generate", "storage-behaviors", "--table", "apis.yaml", "--out", "out.go", "--lang", "go");
  assert.match(readFileSync(join(folder, "out.go"), "utf8"), `// Input: apis.yaml, sha256:${digest}\n`);
});

test.run();
