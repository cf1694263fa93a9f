import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";

const test = suite("cli frame");

test("--version prints the version alone", () => {
  const { code, stdout, stderr } = slipway(["--version"]);
  assert.is(code, 0);
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  assert.is(stderr, "");
});

test("--help names every command and exits 0, whatever LANG says", () => {
  const { code, stdout } = slipway(["--help"], { env: { LANG: "de_DE.UTF-8" } });
  assert.is(code, 0);
  assert.match(stdout, /Usage: slipway <command>/);
});

test("a command line that is wrong exits 2 and says so on stderr", () => {
  for (const words of [
    [],
    ["no-such-command"],
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

test("lists take every occurrence, other flags may stand once", () => {
  const twice = slipway(["compat", "version", "--binary-version", "1.35", "--binary-version", "1.36"]);
  assert.is(twice.code, 2);
  assert.match(twice.stderr, /--binary-version is given more than once/);
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
  assert.match(lists.stderr, /given twice/);
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

test.run();
