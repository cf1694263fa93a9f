/** What scripts and agents may take for granted of every command: the same members, flags and exit codes. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GROUPS, OUT_OF_SCOPE, SINGLE_COMMANDS } from "../../src/cli/commands/index.js";
import { isJson, isList, isObject, type JsonObject } from "../../src/core/json.js";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("cli/uniform");

const COMMANDS = [...SINGLE_COMMANDS, ...GROUPS.flatMap(({ commands }) => commands)];

function parsed(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  assert.ok(isJson(value) && isObject(value), text);
  return value;
}

/** They write what they are asked for, in its own form. */
const OWN_FORM = ["completion", "function"];

for (const { path, flags, operands = [] } of COMMANDS.filter((each) => !OWN_FORM.includes(each.path)))
  test(`${path}: one json document, whose ok is the exit code, with diagnostics of files in the directory`, () => {
    const cwd = tempFolder();
    const given = operands.filter(({ required }) => required).map(() => "missing.yaml");
    const { code, stdout } = slipway([...path.split(" "), ...given, "--output", "json"], { cwd });
    const document = parsed(stdout);
    assert.equal(Object.keys(document).slice(0, 3), ["apiVersion", "kind", "ok"]);
    assert.is(document["ok"], code === 0);
    assert.ok([0, 1, 2, 3].includes(code ?? -1), String(code));
    const { diagnostics } = document;
    assert.ok(isList(diagnostics));
    for (const each of diagnostics) assert.not.ok(JSON.stringify(each).includes(cwd), JSON.stringify(each));
    if (flags.some(({ name }) => name === "dry-run") && document["kind"] !== "Failure")
      assert.type(document["dryRun"], "boolean");
  });

test("every json answer is described with the members that all have", () => {
  for (const name of readdirSync("schemas/outputs")) {
    const schema = parsed(readFileSync(join("schemas/outputs", name), "utf8"));
    const { properties, required } = schema;
    assert.ok(isObject(properties) && isList(required), name);
    // The others are written into files.
    if (properties["diagnostics"] === undefined) continue;
    for (const member of ["apiVersion", "kind", "ok", "diagnostics"])
      assert.ok(required.includes(member), `${name}: ${member}`);
  }
});

/** A release that is not the one that is asked about: both ends of a way, and the one that a list is made for. */
const OTHER_RELEASES = ["from", "to", "current"];

test("a release is given with --release", () => {
  for (const { path, flags } of COMMANDS)
    for (const { name, value = "" } of flags)
      if (/^(?:RELEASE|1\.N)$/.test(value) && !OTHER_RELEASES.includes(name))
        assert.is(name, "release", `${path} --${name}`);
});

test("the version of a binary has the name that Kubernetes gives it, and is a release as everywhere", () => {
  for (const question of [
    "gates --table kubernetes",
    "cel",
    "version",
    "storage-versions --lifecycle kubernetes",
  ]) {
    const answers = ["--binary-version=1.36", "--release=1.36"].map((flag) =>
      slipway(["compat", ...question.split(" "), flag, "--output", "json"]),
    );
    assert.is(answers[0]?.code, 0, answers[0]?.stderr);
    assert.equal(answers[1], answers[0], question);
  }
});

test("a flag of one name takes a value everywhere, or nowhere", () => {
  const switches = new Map<string, boolean>();
  for (const { path, flags } of COMMANDS)
    for (const { name, kind } of flags) {
      const isSwitch = kind === "switch";
      assert.is(switches.get(name) ?? isSwitch, isSwitch, `${path} --${name}`);
      switches.set(name, isSwitch);
    }
});

test("former names of --release are taken, and told once", () => {
  for (const words of [
    ["etcd", "audit"],
    ["storage", "crd-guard"],
  ]) {
    const { stdout } = slipway([...words, "--help"]);
    assert.is([...stdout.matchAll(/--target/g)].length, 1, stdout);
    const operands = words[0] === "storage" ? ["a.yaml", "b.yaml"] : ["--dump", "a.json"];
    const { code, stderr } = slipway([...words, ...operands, "--target", "1.36"], { cwd: tempFolder() });
    assert.is(code, 1, stderr);
    assert.not.match(stderr, /no such flag/);
  }
});

test("words of openshift-install that are no commands here say what to do instead", () => {
  for (const { path } of OUT_OF_SCOPE) {
    const { code, stderr } = slipway([...path.split(" "), "--dir", "x", "--log-level=debug"]);
    assert.is(code, 2);
    assert.match(stderr, new RegExp(`slipway ${path} is out of scope: .*(?:openshift-install|Cluster)`));
  }
});

test("flags before the command and words of help are understood", () => {
  const cwd = tempFolder();
  for (const words of [
    ["--dir", "x", "create", "manifests"],
    ["--dir=x", "--log-level=debug", "create", "manifests"],
  ]) {
    const { code, stderr } = slipway(words, { cwd });
    assert.is(code, 1);
    assert.match(stderr, /install-config\.yaml/);
  }
  for (const words of [
    ["help", "create"],
    ["create", "--help"],
    ["help", "create", "manifests"],
    ["-h", "create"],
  ])
    assert.match(slipway(words).stdout, /^Usage: slipway create/m);
  assert.is(slipway(["version"]).stdout, slipway(["--version"]).stdout);
  for (const [wrong, right] of [
    ["--dri", "--dir"],
    ["--loglevel", "--log-level"],
    ["--relase", "--release"],
  ])
    assert.match(
      slipway(["create", "manifests", `${wrong}=x`]).stderr,
      new RegExp(`did you mean ${right}\\?`),
    );
});

test.run();
