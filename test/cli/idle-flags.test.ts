/** A flag that something else on the command line leaves nothing to do is refused, in a message that names both. */
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { compatGates } from "../../src/cli/commands/compat/gates.js";
import type { Flag } from "../../src/cli/flags.js";
import { dump } from "../etcd/copies.js";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("idle flags of the command line");

const folder = tempFolder();
const inputs = (name: string, ...files: readonly string[]): void => {
  for (const file of files) copyFileSync(join("golden", name, "input", file), join(folder, file));
};
inputs("compat-import", "features.md", "list.yaml", "minimums.yaml", "needs.yaml");
inputs("compat-apis", "apis.yaml", "pins.yaml", "fields.yaml");
inputs("compat-gates", "gates.yaml", "questions.jsonl");
inputs("storage-crd-guard", "old.yaml");
inputs("transfer-statefulset", "dump.yaml");
writeFileSync(join(folder, "etcd.json"), dump([]));
writeFileSync(
  join(folder, "kubelet.yaml"),
  "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nfeatureGates: {CachedLists: true}\n",
);
const servers = (more: string): string =>
  `apiVersion: slipway.dev/v1alpha1\nkind: ComponentInventory\ncomponents:\n- {component: kube-apiserver, version: "1.36"${more}}\n- {component: kubelet, name: a, version: "1.35"}\n`;
writeFileSync(join(folder, "plain.yaml"), servers(""));
writeFileSync(
  join(folder, "whole.yaml"),
  servers(', emulatedVersion: "1.35", minCompatibilityVersion: "1.34"'),
);

const run = (line: string) => slipway(line.split(" "), { cwd: folder });

/** A value that the flag takes. */
function sampleOf({ name, kind, choices, initial }: Flag<unknown>): string {
  const other = choices?.find((each) => each !== initial);
  return kind === "switch" ? `--${name}` : `--${name}=${other ?? "x"}`;
}

test("--batch leaves every flag that a line says itself without effect", () => {
  const heeded = ["batch", "rules", "stage"];
  const others = compatGates.flags.filter(({ name }) => !heeded.includes(name));
  assert.ok(others.length >= 10);
  for (const flag of others) {
    const { code, stdout, stderr } = run(`compat gates --batch questions.jsonl ${sampleOf(flag)}`);
    assert.is(code, 2, flag.name);
    assert.is(stdout, "");
    assert.match(stderr, "--batch: ");
    assert.match(stderr, new RegExp(`remove --${flag.name}\n`));
  }
  assert.match(run("compat gates --batch questions.jsonl --stage alpha").stderr, "--rules kep");
  const answers = run("compat gates --batch questions.jsonl").stdout;
  assert.is.not(run("compat gates --batch questions.jsonl --rules kep").stdout, answers);
});

const APIS = "--lifecycle apis.yaml --binary-version 1.36";
const PLAN = "compat plan --from 1.34 --to 1.36";
const NEW = "transfer new --out o";
const SETS = "compat gates --table features.md --feature-set TechPreviewNoUpgrade";
const SET = "--statefulset old=shop/db new=shop-2/pg";

/** Command line, a flag that has nothing to do there, and what the refusal names beside it. */
const REFUSED: readonly (readonly [line: string, flag: string, named: string])[] = [
  [`compat apis ${APIS}`, "--feature-gates A=true", "--rules shipped"],
  [`compat storage-versions ${APIS}`, "--feature-gates A=true", "--rules shipped"],
  ["compat fields --table fields.yaml --binary-version 1.36", "--feature-gates A=true", "--rules shipped"],
  ["compat cel --binary-version 1.36", "--feature-gates A=true", "--rules shipped"],
  ["compat version --binary-version 1.36", "--feature-gates A=true", "--rules shipped"],
  ["compat skew --binary-version 1.36", "--feature-gates A=true", "--rules shipped"],
  ["compat skew --inventory plain.yaml", "--feature-gates A=true", "--rules shipped"],
  ["compat gates --table kubernetes", "--annotations minimums.yaml", "--table kubernetes"],
  ["compat lint --table kubernetes", "--annotations minimums.yaml", "--table kubernetes"],
  [PLAN, "--dependencies needs.yaml", "--table or --base"],
  [PLAN, "--annotations minimums.yaml", "--table or --base"],
  [PLAN, "--feature-gates A=true", "--table or --base"],
  [PLAN, "--gates-from kubelet.yaml", "--table or --base"],
  [PLAN, "--pins pins.yaml", "--lifecycle"],
  [PLAN, "--runtime-config api/all=true", "--lifecycle"],
  [`${PLAN} --components kubelet`, "--lifecycle apis.yaml", "--components kubelet"],
  ["storage migrations --to 1.36 --crd old.yaml", "--pins pins.yaml", "--crd"],
  ["etcd inventory --dump etcd.json --release 1.36", "--hash check", "--snapshot"],
  ["etcd audit --dump etcd.json --release 1.36", "--hash skip", "--snapshot"],
  ["etcd audit --dump etcd.json --release 1.36", "--problems-only", "--objects-out"],
  [`${NEW} --source a/b --target c/d`, "--claim-template data", "--statefulset"],
  [`${NEW} --source a/b --target c/d`, "--replicas 2", "--statefulset"],
  ["generate feature-gates --table gates.yaml --out o.ts", "--package x", "--lang ts"],
  [
    "generate feature-gates --table gates.yaml --into o.go --declaration a --lang go",
    "--package x",
    "--into",
  ],
  ["explain install-config", "--dir .", "--origin"],
];

for (const [line, flag, named] of REFUSED)
  test(`${line}: ${flag} is refused`, () => {
    const { code, stdout, stderr } = run(`${line} ${flag}`);
    assert.is(code, 2, stderr);
    assert.is(stdout, "");
    assert.match(stderr, named);
    assert.match(stderr, flag.split(" ")[0] ?? "");
  });

/** As above, where it takes the files to tell: a diagnostic of the flag. */
const IDLE: readonly (readonly [line: string, flag: string, why: RegExp])[] = [
  ...["--feature-set Default", "--cluster-profile Hypershift"].map(
    (flag) => ["compat gates --table gates.yaml", flag, /1 table has versions, not feature sets/] as const,
  ),
  ...[
    "--dependencies needs.yaml",
    "--feature-gates A=true",
    "--gates-from kubelet.yaml",
    "--component kubelet",
  ].map((flag) => [SETS, flag, /features\.md has feature sets, not versions/] as const),
  [`${NEW} ${SET} --state dump.yaml`, "--claim-template data", /the dump contains the StatefulSet shop\/db/],
  [`${NEW} ${SET} --state dump.yaml`, "--replicas 9", /the dump contains the StatefulSet shop\/db/],
];

for (const [line, flag, why] of IDLE)
  test(`${line}: ${flag} would have no effect`, () => {
    const [name = ""] = flag.split(" ");
    const without = run(line);
    assert.not.match(without.stderr, "FLAG001");
    const { code, stderr } = run(`${line} ${flag}`);
    assert.is(code, 1, stderr);
    assert.match(stderr, `${name}: error FLAG001`);
    assert.match(stderr, why);
  });

/** Flags that every command of a group takes, and scripts give to each: the answer stands, and a warning says so. */
const NOTED: readonly (readonly [line: string, flag: string, why: RegExp])[] = [
  ...["--emulated-version 1.35", "--min-compatibility-version 1.35", "--rules kep"].map(
    (flag) => [`${SETS}`, flag, /features\.md has feature sets, not versions/] as const,
  ),
  [SETS, "--binary-version 4.20", /features\.md contains no releases/],
  ["compat skew --inventory plain.yaml", "--binary-version 1.35", /the inventory lists it for every/],
  ["compat skew --inventory whole.yaml", "--emulated-version 1.35", /the inventory lists it for every/],
  ["compat skew --inventory whole.yaml", "--min-compatibility-version 1.35", /the inventory lists it for/],
  ["storage migrations --to 1.36 --crd old.yaml", "--from 1.33", /the CRD already lists its stored versions/],
];

for (const [line, flag, why] of NOTED)
  test(`${line}: ${flag} has no effect, and the answer stands`, () => {
    const without = run(line);
    const { code, stdout, stderr } = run(`${line} ${flag}`);
    assert.equal([code, stdout], [without.code, without.stdout]);
    assert.match(stderr, `${flag.split(" ")[0]}: warning FLAG001: the flag has no effect: `);
    assert.match(stderr, why);
  });

test("what an inventory leaves out comes from the flags, without the binary being named again", () => {
  const rangesOf = (line: string): string => run(`compat skew --inventory ${line}`).stdout;
  assert.match(rangesOf("plain.yaml"), /kubelet +1\.33 +1\.36/);
  const emulating = rangesOf("plain.yaml --emulated-version 1.35");
  assert.match(emulating, /kubelet +1\.32 +1\.35/);
  // The server itself counts as what it emulates.
  assert.match(emulating, "2 components checked, 0 outside their range");
});

test("--annotations is put into every table from a file that has the spec, and else told", () => {
  const at = "compat gates --binary-version 1.36 --output json";
  const of = (line: string) => run(`${at} ${line}`);
  assert.is.not(of("--table gates.yaml").stdout, of("--table gates.yaml --annotations minimums.yaml").stdout);
  writeFileSync(join(folder, "odd.yaml"), "- {name: Nowhere, index: 0, minCompatibilityVersion: '1.35'}\n");
  assert.match(
    of("--table gates.yaml --annotations odd.yaml").stderr +
      of("--table gates.yaml --annotations odd.yaml").stdout,
    "gate Nowhere has no spec 0",
  );
});

test("a request is asked for with a dump: whether it shows the claim is told", () => {
  const line = `${NEW} --source shop/nothing --target shop-2/x --request-only`;
  const { code, stderr } = run(`${line} --state dump.yaml`);
  assert.is(code, 0);
  assert.match(stderr, /warning TRF030: .*the dump does not contain claim shop\/nothing/);
  assert.not.match(run(line).stderr, "TRF030");
});

test.run();
