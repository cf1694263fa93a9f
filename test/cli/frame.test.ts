import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GROUPS, SECTIONS, SINGLE_COMMANDS } from "../../src/cli/commands/index.js";
import { commandHelp, topHelp } from "../../src/cli/help.js";
import { DEFAULT_RELEASE } from "../../src/core/release.js";
import table from "../../tables/releases.json" with { type: "json" };
import { BINARY, slipway } from "../helpers/cli.js";
import { hasTerminal, onTerminal } from "../helpers/pty.js";
import { skipTest } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("cli frame");

const RELEASE_LINE =
  /^OpenShift (?<name>\d\.\d+) +Kubernetes (?<kubernetes>\d\.\d+), openshift\/installer (?<branch>\S+) (?<commit>[0-9a-f]{10}) \((?<date>[0-9-]{10})\), (?<stage>[a-z -]+?)(?:, default)?$/;

test("--version prints the version, then each OpenShift release", () => {
  const { code, stdout, stderr } = slipway(["--version"]);
  assert.is(code, 0);
  assert.is(stderr, "");
  const [version = "", ...lines] = stdout.trimEnd().split("\n");
  assert.match(version, /^\d+\.\d+\.\d+$/);
  const rows = table.releases.flatMap(({ name, kubernetes, installer, lifecycle }) =>
    installer === undefined ? [] : [{ name, kubernetes, ...installer, stage: lifecycle?.stage }],
  );
  assert.equal(
    lines.map((line) => ({ ...RELEASE_LINE.exec(line)?.groups })),
    rows.map(({ name, kubernetes, branch, commit, date, stage }) => ({
      name,
      kubernetes,
      branch,
      commit,
      date,
      stage,
    })),
  );
  assert.equal(
    lines.filter((line) => line.endsWith(", default")).map((line) => /\d\.\d+/.exec(line)?.[0]),
    [DEFAULT_RELEASE],
  );
});

test("--help names every command and exits 0, whatever LANG says", () => {
  const { code, stdout } = slipway(["--help"], { env: { LANG: "de_DE.UTF-8" } });
  assert.is(code, 0);
  assert.match(stdout, /Usage: slipway COMMAND/);
});

test("a command line that is wrong exits 2 and says so on stderr", () => {
  for (const words of [
    ["no-such-command"],
    ["--output", "text"],
    ["etcd", "--output", "text"],
    ["--no-such-flag"],
    ["create", "cluster"],
    ["destroy", "cluster"],
    ["wait-for", "x"],
  ]) {
    const { code, stdout, stderr } = slipway(words);
    assert.is(code, 2, words.join(" "));
    assert.is(stdout, "");
    assert.match(stderr, /^slipway: /);
  }
});

test("a flag without its value, and a value that it does not take, are refused in our own words", () => {
  for (const [words, message] of [
    [["create", "manifests", "--ours"], "--ours requires a value; specify PATH"],
    [["create", "manifests", "--dir"], "--dir requires a value; specify DIR"],
    [["explain", "--origin"], "--origin requires a value; specify FILE[:FIELD]"],
    [["check", "-o"], "-o requires a value; specify text, json, sarif, github or junit"],
    [
      ["create", "manifests", "--key-algorithm", "rsa"],
      `--key-algorithm: unsupported value "rsa": supported values: rsa-2048, ecdsa-p256`,
    ],
    [["init", "--ci", "jenkins"], `--ci: unsupported value "jenkins": supported values: github, gitlab`],
    [
      ["transfer", "new", "--source", "a/b", "--target", "c/d", "--target", "c/e"],
      "1 source and 2 targets: each --source requires a --target",
    ],
    [["graph", "--output", "yaml"], `--output: unsupported value "yaml": supported values: text, json`],
    [
      ["check", "--output", "yaml"],
      `--output: unsupported value "yaml": supported values: text, json, sarif, github, junit`,
    ],
    [
      ["compat", "gates", "--rules", "ours", "--batch", "-"],
      `--rules: unsupported value "ours": supported values: kep, shipped`,
    ],
  ] as const) {
    const { code, stdout, stderr } = slipway([...words]);
    assert.is(code, 2, words.join(" "));
    assert.is(stdout, "");
    assert.is(stderr, `slipway: ${message}\n`);
  }
});

test("lists take every occurrence, other flags may stand once", () => {
  const twice = slipway(["compat", "version", "--binary-version", "1.35", "--binary-version", "1.36"]);
  assert.is(twice.code, 2);
  assert.match(twice.stderr, /--binary-version must be set only once/);
  const lists = slipway([
    "compat",
    "version",
    "--binary-version",
    "1.35",
    "--emulated-version",
    "1.33",
    "--emulated-version",
    "1.34",
  ]);
  assert.is(lists.code, 1);
  assert.match(lists.stderr, /is set twice/);
});

test("a failure before a command answers is one json document where json is asked for", () => {
  for (const words of [
    ["create", "cluster", "-o", "json"],
    ["create", "manifests", "--bogus", "--output=json"],
    ["create", "manifests", "--release", "3.11", "--output", "json"],
    ["create", "manifests", "--lenient=maybe", "--output", "json"],
    ["create", "manifests", "--theirs", "", "--output", "json"],
  ]) {
    const { code, stdout } = slipway(words);
    assert.is(code, 2, words.join(" "));
    const { apiVersion, kind, diagnostics } = JSON.parse(stdout);
    assert.equal([apiVersion, kind, diagnostics.length], ["slipway.dev/v1alpha1", "Failure", 1]);
  }
});

const COMMANDS = [...SINGLE_COMMANDS, ...GROUPS.flatMap(({ commands }) => commands)];

test("help of every command fits its terminal, and says all that the table holds", () => {
  for (const columns of [60, 80, 120]) {
    for (const command of COMMANDS) {
      const lines = commandHelp(command, columns).split("\n");
      // A single word may be longer than the page.
      for (const line of lines)
        assert.ok(line.length <= columns || !line.trim().includes(" "), `${columns}: ${line}`);
      const words = lines.join(" ").replaceAll("\\ ", " ").split(/ +/).join(" ");
      for (const { name, describe, hidden } of command.flags) {
        if (hidden === true) {
          assert.not.match(words, new RegExp(`--${name}(?![\\w-])`), name);
          continue;
        }
        assert.ok(words.includes(`--${name}`), name);
        assert.ok(words.includes(describe.split(/ +/).join(" ")), describe);
      }
      for (const { line } of command.examples ?? []) assert.ok(words.includes(line), line);
    }
    for (const line of topHelp(columns).split("\n")) assert.ok(line.length <= columns, line);
  }
  assert.is(topHelp(1), topHelp(40));
  assert.is(topHelp(1000), topHelp(120));
});

if (hasTerminal)
  test("help follows the terminal's width", () => {
    const { code, screen } = onTerminal(["transfer", "plan", "--help"], { cwd: process.cwd(), columns: 57 });
    assert.is(code, 0);
    const widest = Math.max(...screen.split("\n").map((line) => line.length));
    assert.ok(widest <= 57 && widest > 50, String(widest));
  });
else skipTest(test, "help follows the terminal's width", "needs script of util-linux");

test("a program or a group alone prints its help", () => {
  assert.equal(slipway([]), slipway(["--help"]));
  for (const { word } of GROUPS) assert.equal(slipway([word]), slipway([word, "--help"]), word);
});

test("the first page of help fits a screen and has every command once", () => {
  const lines = topHelp().trimEnd().split("\n");
  assert.ok(lines.length >= 24 && lines.length <= 40, String(lines.length));
  assert.ok(lines.every((line) => line.length <= 80));
  const listed = SECTIONS.flatMap(({ words }) => words).sort();
  assert.equal(
    listed,
    [...GROUPS.map(({ word }) => word), ...SINGLE_COMMANDS.map(({ path }) => path)].sort(),
  );
});

test("create shows ten flags of every day before the others", () => {
  const create = GROUPS.flatMap(({ commands }) => commands).find(({ path }) => path === "create manifests");
  assert.ok(create !== undefined);
  const [, first = ""] = commandHelp(create).split("\nFlags:\n");
  assert.is(first.split("\n\n")[0]?.match(/^ {6}--/gm)?.length, 10);
  assert.match(first, /\n\nIdentity and keys:\n/);
});

test("help and version are words as well", () => {
  const same = (words: readonly string[], as: readonly string[]): void =>
    assert.equal(slipway(words), slipway(as));
  same(["help"], ["--help"]);
  same(["version"], ["--version"]);
  const { code, stdout } = slipway(["version", "--output", "json"]);
  const { kind, version, ...rest } = JSON.parse(stdout);
  const [first, ...lines] = slipway(["version"]).stdout.trimEnd().split("\n");
  assert.equal([code, kind, version], [0, "Version", first]);
  assert.is(rest.defaultRelease, DEFAULT_RELEASE);
  for (const [i, { name, kubernetes, installer, lifecycle }] of rest.releases.entries())
    assert.is(
      lines[i]?.replace(/ +/g, " "),
      `OpenShift ${name} Kubernetes ${kubernetes}, openshift/installer ${installer.branch} ${installer.commit} (${installer.date}), ${lifecycle.stage}${name === DEFAULT_RELEASE ? ", default" : ""}`,
    );
  assert.is(rest.releases.length, lines.length);
  same(["help", "create"], ["create", "--help"]);
  same(["help", "create", "manifests"], ["create", "manifests", "--help"]);
  same(["help", "validate"], ["validate", "-h"]);
  assert.is(slipway(["help", "create", "nonsense"]).code, 2);
});

test("flags may stand before the command, also where their value is a command's name", () => {
  for (const [before, after] of [
    [
      ["--dir", "create", "create", "manifests", "--dry-run"],
      ["create", "manifests", "--dir", "create", "--dry-run"],
    ],
    [
      ["-o", "json", "--binary-version", "1.35", "compat", "version"],
      ["compat", "version", "--binary-version", "1.35", "-o", "json"],
    ],
    [
      ["--table", "a.yaml", "compat", "gates"],
      ["compat", "gates", "--table", "a.yaml"],
    ],
    [
      ["compat", "--table", "gates", "gates"],
      ["compat", "gates", "--table", "gates"],
    ],
    [
      ["--release", "4.20", "validate", "no-such-file"],
      ["validate", "no-such-file", "--release", "4.20"],
    ],
  ] as const)
    assert.equal(slipway(before), slipway(after), before.join(" "));
});

test("what is mistyped is answered with what was meant", () => {
  for (const [words, said] of [
    [["creat", "manifests"], 'unknown command "creat"; did you mean create?'],
    [["create", "manifest"], 'unknown command "create manifest"; did you mean create manifests?'],
    [["create", "manifests", "--dryrun"], "unknown flag --dryrun; did you mean --dry-run?"],
    [["create", "manifests", "--dri=x"], "unknown flag --dri; did you mean --dir?"],
    [["check", "x"], 'unexpected argument "x"; did you mean --dir x?'],
    [["validate", "-dir", "x"], "unknown flag -dir; did you mean --dir?"],
    [
      ["compat", "gates", "--emulation-versoin", "1.36"],
      "unknown flag --emulation-versoin; did you mean --emulation-version?",
    ],
    [["graph", "--bogus"], "unknown flag --bogus; see slipway graph --help"],
    [["check", "--directory", "x"], "unknown flag --directory; did you mean --dir?"],
    [["create", "manifests", "--folder", "x"], "unknown flag --folder; did you mean --dir?"],
    [["validate", "--secret-file", "x"], "unknown flag --secret-file; did you mean --pull-secret?"],
    [["check", "a b"], "unexpected argument \"a b\"; did you mean --dir 'a b'?"],
    [["check", "a", "b"], 'unexpected argument "a"; see slipway check --help'],
    [["completion"], "missing argument: SHELL (bash, zsh or fish)"],
    [["completion", "tcsh"], 'unsupported shell "tcsh"; use bash, zsh or fish'],
    [["storage", "crd-guard", "old.yaml"], "missing argument: NEW"],
  ] as const)
    assert.equal(slipway(words), { code: 2, stdout: "", stderr: `slipway: ${said}\n` });
});

test("an older Node is told what is needed, before anything that it cannot read", () => {
  const old = join(tempFolder(), "old-node.cjs");
  writeFileSync(
    old,
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.8" } });\n',
  );
  const run = (...words: readonly string[]) =>
    spawnSync(process.execPath, ["--require", old, BINARY, ...words], { encoding: "utf8" });
  const { status, stderr, stdout } = run("check");
  assert.is(status, 1);
  assert.is(stdout, "");
  assert.match(stderr, /^slipway: requires Node 20 or newer, found 18\.20\.8;/);
  assert.is(run("--version").status, 0);
});

test.run();
