/**
 * Files that flags name in the place of fields of the install-config, and credentials: what is wrong in them is told with
 * its line, and with a remedy for a file.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { CONFIG } from "../helpers/ignition-directory.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("given-files");

interface Told {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** What is said of a file that a flag names. */
function told(
  flag: string,
  content: string,
  command = "create manifests --dry-run",
  config = CONFIG,
): readonly Told[] {
  const folder = tempFolder();
  mkdirSync(join(folder, "c"));
  if (!command.startsWith("create install-config"))
    writeFileSync(join(folder, "c/install-config.yaml"), config);
  writeFileSync(join(folder, "given"), content);
  const words = [...command.split(" "), "--dir", "c", `--${flag}`, "given", "--output", "json"];
  const { stdout } = slipway(words, { cwd: folder });
  const { diagnostics }: { readonly diagnostics: readonly Told[] } = JSON.parse(stdout);
  return diagnostics.filter(({ file }) => file === "given");
}

const places = (all: readonly Told[]): readonly string[] =>
  all.map(({ code, line, column }) => `${code} ${line}:${column}`);

const PULL_SECRETS: readonly (readonly [content: string, place: string])[] = [
  ["", "IC140 1:1"],
  ["\n\n", "IC140 1:1"],
  ["hello\n", "IC140 1:1"],
  ['{\n  "auths": {\n    "a.example": {"auth": "YTpi"\n', "IC140 3:33"],
  ["{\n 'auths': {}}", "IC140 2:2"],
  ['\n{"a": 1}', "IC140 1:1"],
  ['{\n "auths": []}', "IC140 2:2"],
  ['{"auths": {\n  "a.example": 5}}', "IC140 2:3"],
  ['{"auths": {"a.example": {"auth": "YTpi"},\n  "b.example": {}}}', "IC140 2:3"],
  ['{"auths": {\n  "a.example": {"auth": "eHh4"}}}', "IC141 2:3"],
  ["\n<YOUR PULL SECRET>\n", "IC140 2:1"],
  ["/home/me/pull-secret.json", "IC140 1:1"],
  ["eyJhdXRocyI6eyJhIjp7ImF1dGgiOiJlRHA1In19fQ==", "IC140 1:1"],
];

test("a pull secret: the place in its file, and no remedy for another place", () => {
  for (const [content, place] of PULL_SECRETS) {
    const found = told("pull-secret", content);
    assert.equal(places(found), [place], content);
    for (const { hint, message } of found) {
      assert.is.not(hint, "", message);
      assert.not.match(hint, /--pull-secret|single quotes|on one line/, message);
    }
  }
});

test("a pull secret for a new install-config likewise", () => {
  const start = "create install-config --platform none --name a --base-domain b.example.org";
  for (const [content, place] of PULL_SECRETS) {
    if (!place.startsWith("IC140")) continue;
    const found = told("pull-secret", content, start);
    for (const { code, hint, message } of found) {
      assert.is(code, "IC004", message);
      assert.is.not(hint, "", message);
      assert.not.match(hint, /--pull-secret|single quotes/, message);
    }
  }
  assert.equal(places(told("pull-secret", "{\n 'auths': {}}", start)), ["IC004 2:2"]);
});

const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEx2KnK03eSgCMv/qtcMbIA5wpyQBYzZqm9M6hlzDFc a";

test("credentials: the place in their own file, and not that of a field of the install-config", () => {
  for (const [platform, content, place] of [
    ["gcp", "hello\n", "CRED001 1:1"],
    ["gcp", '{\n "type": ', "CRED001 2:10"],
    ["gcp", '{"type": "x"}', "CRED001 0:0"],
    ["ibmcloud", "IC_API_KEY=x\n\nhello\n", "CRED001 3:1"],
    ["ibmcloud", '{\n "apikey": "x', "CRED001 2:14"],
    ["powervs", "IC_API_KEY=\n", "CRED002 0:0"],
    ["azure", '{"a": ', "CRED001 1:7"],
  ] as const) {
    const config = readFileSync(join("examples", platform, "install-config.yaml"), "utf8");
    assert.equal(
      places(told("credentials", content, "create manifests --dry-run", config)),
      [place],
      content,
    );
  }
});

test("ssh keys: the line", () => {
  assert.equal(places(told("ssh-key", `${KEY}\nhello\n`)), ["IC120 2:1"]);
  assert.equal(places(told("ssh-key", "hello\n")), ["IC120 1:1"]);
  const [empty] = told("ssh-key", "");
  assert.match(empty?.hint ?? "", "add an SSH public key");
  const start = "create install-config --platform none --name a --base-domain b.example.org";
  assert.equal(places(told("ssh-key", `# mine\n\n${KEY}\nhello\n`, start)), ["IC120 4:1"]);
  assert.equal(places(told("ssh-key", "\n-----BEGIN OPENSSH PRIVATE KEY-----\n", start)), ["IC013 2:1"]);
});

test("what is no text: the place of the first byte", () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "c"));
  writeFileSync(join(folder, "c/install-config.yaml"), CONFIG);
  writeFileSync(join(folder, "given"), Buffer.from("ab\ncd\xff", "latin1"));
  const { stderr } = slipway(["create", "manifests", "--dir", "c", "--facts", "given"], { cwd: folder });
  assert.match(stderr, "given:2:3: error DIR015");
});

test("keys of age: the line that is none", () => {
  const found = told("age-key-file", "# a comment\nAGE-SECRET-KEY-1QQQQ\nhello\n");
  assert.equal(places(found), ["SOPS003 3:1"]);
});

test.run();
