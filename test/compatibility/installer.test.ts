/** Where compatibility meets the installer: the version flags of `create manifests`, and custom feature gates. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  checkCustomGates,
  effectiveVersionFlags,
  openshiftGate,
  openshiftGates,
} from "../../src/compatibility/installer.js";
import { createReporter } from "../../src/core/diagnostics.js";
import { parseRelease, type Release } from "../../src/core/release.js";
import { type CliResult, slipway, UNCHANGED } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("compatibility: installer");

function release(text: string): Release {
  const parsed = parseRelease(text);
  if (parsed === undefined) throw new Error(text);
  return parsed;
}

const CONFIG = `apiVersion: v1
baseDomain: lab.example.org
metadata: {name: heron}
networking: {machineNetwork: [{cidr: 192.0.2.0/24}]}
platform: {none: {}}
pullSecret: '{"auths":{"registry.example.org":{"auth":"dXNlcjpwYXNzd29yZA=="}}}'
`;

function folder(config: string): string {
  const dir = join(tempFolder(), "cluster");
  mkdirSync(dir);
  writeFileSync(join(dir, "install-config.yaml"), config);
  return dir;
}

const create = (dir: string, ...more: readonly string[]): CliResult =>
  slipway(["create", "manifests", "--dir", dir, "--key-algorithm", "ecdsa-p256", ...more]);

const operators = [
  ["kube-apiserver", "KubeAPIServer", "apiServerArguments"],
  ["kube-controller-manager", "KubeControllerManager", "extendedArguments"],
  ["kube-scheduler", "KubeScheduler", "arguments"],
] as const;
const fileOf = (dir: string, name: string): string =>
  join(dir, `openshift/99_${name}-effective-version.yaml`);

const made = folder(CONFIG);
const first = create(made, "--emulated-version", "1.34", "--min-compatibility-version", "v1.33");

test("every operator of the control plane gets the flags in its own member", () => {
  assert.is(first.code, 0, first.stderr);
  assert.match(first.stderr, "warning VER010: --emulated-version: ");
  for (const [name, kind, member] of operators)
    assert.equal(load(readFileSync(fileOf(made, name), "utf8")), {
      apiVersion: "operator.openshift.io/v1",
      kind,
      metadata: { name: "cluster" },
      spec: {
        managementState: "Managed",
        unsupportedConfigOverrides: {
          [member]: { "emulated-version": ["1.34"], "min-compatibility-version": ["1.33"] },
        },
      },
    });
});

test("later runs keep the flags until they are taken back", () => {
  const dir = join(tempFolder(), "copy");
  cpSync(made, dir, { recursive: true, preserveTimestamps: true });
  const again = create(dir);
  assert.is(again.code, 0, again.stderr);
  assert.match(again.stderr, UNCHANGED);
  assert.is(slipway(["check", "--dir", dir]).code, 0);

  const other = create(dir, "--min-compatibility-version", "none");
  assert.is(other.code, 0, other.stderr);
  const text = readFileSync(fileOf(dir, "kube-scheduler"), "utf8");
  assert.match(text, "emulated-version");
  assert.not.match(text, "min-compatibility-version");

  const back = create(dir, "--emulated-version", "none");
  assert.is(back.code, 0, back.stderr);
  for (const [name] of operators) assert.not.ok(existsSync(fileOf(dir, name)), name);
});

test("flags that a component would refuse write nothing", () => {
  for (const [flags, code] of [
    [["--emulated-version", "1.31"], "VER005"],
    [["--emulated-version", "1.36"], "VER005"],
    [["--emulated-version", "1.x"], "VER001"],
    [["--emulated-version", "1.34", "--min-compatibility-version", "1.35"], "VER006"],
    [["--emulated-version", "1.32", "--release", "4.20", "--min-compatibility-version", "1.32"], "VER009"],
  ] as const) {
    const dir = folder(CONFIG);
    const { code: exit, stderr } = create(dir, ...flags);
    assert.is(exit, 1, `${flags.join(" ")}\n${stderr}`);
    assert.match(stderr, `error ${code}: `);
    assert.not.ok(existsSync(join(dir, "manifests")));
  }
});

test("the flags follow the Kubernetes of the release", () => {
  const ask = (text: string, emulated: string, minCompatibility?: string) => {
    const { report, diagnostics } = createReporter();
    const flags = effectiveVersionFlags({ emulated, minCompatibility }, release(text), report);
    return [flags, diagnostics.map(({ code }) => code)] as const;
  };
  assert.equal(ask("4.22", "1.35"), [{ emulated: "1.35", minCompatibility: undefined }, ["VER010"]]);
  assert.equal(ask("4.22", "1.32"), [{ emulated: "1.32", minCompatibility: undefined }, ["VER010"]]);
  assert.equal(ask("4.18", "1.31"), [{ emulated: "1.31", minCompatibility: undefined }, ["VER010"]]);
  assert.is(ask("4.18", "1.32")[0], undefined);
  const { report, diagnostics } = createReporter();
  const nothing = { emulated: undefined, minCompatibility: undefined };
  assert.is(effectiveVersionFlags(nothing, release("4.22"), report), undefined);
  assert.equal(diagnostics, []);
});

test("custom gates are looked up in the table of the release", () => {
  const names = openshiftGates(release("4.22"));
  const [known] = names;
  assert.ok(known !== undefined && names.length > 50);
  assert.ok(names.every((name) => openshiftGate(name, release("4.22")) !== undefined));
  assert.not.equal(names, openshiftGates(release("4.18")));

  const { report, diagnostics } = createReporter();
  checkCustomGates(
    [
      { name: known, enabled: true, field: "featureGates[0]" },
      { name: `${known}x`, enabled: true, field: "featureGates[1]" },
      { name: known, enabled: false, field: "featureGates[2]" },
    ],
    release("4.22"),
    report,
  );
  assert.equal(
    diagnostics.map(({ code, severity, field }) => [code, severity, field]),
    [
      ["GATE143", "warning", "featureGates[1]"],
      ["GATE144", "warning", "featureGates[2]"],
    ],
  );
  assert.match(diagnostics[0]?.hint ?? "", known);
  assert.match(diagnostics[1]?.message ?? "", "once enabled and once disabled");
});

test("validate and create warn of a misspelt gate at its place", () => {
  const [known = ""] = openshiftGates(release("4.22"));
  const dir = folder(
    `${CONFIG}featureSet: CustomNoUpgrade\nfeatureGates:\n- ${known}=true\n- ${known}x=false\n`,
  );
  for (const result of [slipway(["validate", "--dir", dir]), create(dir)]) {
    assert.is(result.code, 0, result.stderr);
    assert.match(result.stderr, /install-config\.yaml:10:3: warning GATE143: featureGates\[1\]: /);
    assert.match(result.stderr, `did you mean ${known}?`);
  }
  assert.match(readFileSync(join(dir, "openshift/99_feature-gate.yaml"), "utf8"), `- ${known}x`);
});

test.run();
