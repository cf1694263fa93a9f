/** Lists of gates as upstream writes them: minimum compatibility versions, names of constants, gates left out. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { commandLineFlag } from "../../src/compatibility/flags.js";
import { diffTables } from "../../src/compatibility/gate-diff.js";
import type { GateTable } from "../../src/compatibility/gate-table.js";
import { askGates } from "../../src/compatibility/gates-question.js";
import { completeList } from "../../src/compatibility/kubernetes-gates.js";
import { readGateTable } from "../../src/compatibility/read/gate-table.js";
import { SHIPPED } from "../../src/compatibility/rules.js";
import { ofMinor, release } from "../../src/compatibility/version.js";
import { headerOf, versionedList } from "../../src/compatibility/versioned-list.js";
import { createReporter, isError } from "../../src/core/diagnostics.js";
import { slipway } from "../helpers/cli.js";
import { withShared } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("upstream's lists");

const spec = (version: string, stage: string, on: boolean, minimum?: string): string =>
  `  - default: ${on}\n    lockToDefault: false\n    preRelease: ${stage}\n    version: "${version}"\n${minimum === undefined ? "" : `    minCompatibilityVersion: "${minimum}"\n`}`;
const gate = (name: string, ...specs: readonly string[]): string =>
  `- name: ${name}\n  versionedSpecs:\n${specs.join("")}`;

function read(text: string): GateTable {
  const { diagnostics, report } = createReporter();
  const table = readGateTable(text, "list.yaml", report);
  assert.equal(diagnostics, []);
  if (table === undefined) throw new Error("no table");
  return completeList(table);
}

for (const [where, text] of [
  [
    "at the end",
    gate(
      "Ripples",
      spec("1.36", "Alpha", false),
      spec("1.37", "Beta", false),
      spec("1.37", "Beta", true, "1.37"),
    ),
  ],
  [
    "in the middle",
    gate(
      "Ripples",
      spec("1.35", "Beta", false),
      spec("1.35", "Beta", true, "1.34"),
      spec("1.37", "GA", true),
    ),
  ],
  [
    "in one gate of two",
    gate("Calm", spec("1.36", "Beta", true)) +
      gate("Ripples", spec("1.37", "Beta", false), spec("1.37", "Beta", true, "1.36")),
  ],
] as const)
  test(`a minimum compatibility version ${where} stays where it is`, () => {
    const table = read(text);
    assert.is(versionedList(table, headerOf(text)), text);
    assert.not.ok(table.loses.includes("minCompatibilityVersion"), "nothing of it is lost");
  });

const OLD = (constant: string, version: string): string =>
  gate(constant, spec("1.12", "Alpha", false)) +
  gate("WatchList", spec("1.27", "Alpha", false), spec(version, "Beta", true));

const ask = (table: GateTable, at: string, gates: string) => {
  const { accepted, diagnostics, components } = askGates({
    tables: [table],
    dependencies: [],
    binary: ofMinor(release(at)),
    emulated: [],
    minCompatibility: [],
    featureGates: [commandLineFlag("--feature-gates", gates)],
    rules: SHIPPED,
  });
  return { accepted, diagnostics, names: components.flatMap((each) => each.gates.map(({ name }) => name)) };
};

test("what a list leaves out is known where a setting names it, with a warning", () => {
  const table = read(OLD("CPUCFSQuotaPeriod", "1.34"));
  for (const name of ["WatchListClient", "InOrderInformers", "ClientsAllowCBOR"]) {
    const { accepted, diagnostics, names } = ask(table, "1.34", `${name}=false`);
    assert.ok(accepted, name);
    assert.match(diagnostics.map(({ message }) => message).join(), /not in this list/);
    assert.ok(names.includes(name));
  }
  // In that release client-go did not have it yet.
  assert.not.ok(ask(table, "1.34", "ClientsAllowCARotation=true").accepted);
  assert.not.ok(ask(table, "1.34", "WatchListClients=true").accepted);
  assert.equal(ask(table, "1.34", "WatchList=true").names, ["CustomCPUCFSQuotaPeriod", "WatchList"]);
});

test("a list that names a constant means the gate", () => {
  for (const [constant, real] of [
    ["CPUCFSQuotaPeriod", "CustomCPUCFSQuotaPeriod"],
    ["RuntimeClassInImageCriAPI", "RuntimeClassInImageCriApi"],
  ] as const)
    for (const at of ["1.33", "1.35"]) {
      const text = OLD(constant, at);
      const table = read(text);
      assert.ok(ask(table, at, `${real}=true`).accepted);
      const refused = ask(table, at, `${constant}=true`).diagnostics.find(isError);
      assert.is(refused?.hint, `did you mean ${real}?`);
      assert.is(versionedList(table, ""), text, "the list itself is written as it was");
      const next = read(OLD(real, at));
      assert.equal(diffTables(table, next), [], "the next release names it rightly: no gate came or went");
    }
});

/** Imports a list, and gives the files of the list and of the imported table. */
function imported(text: string): { list: string; table: string } {
  const folder = tempFolder();
  const [list, table] = [join(folder, "list.yaml"), join(folder, "table.yaml")];
  writeFileSync(list, text);
  assert.is(slipway(["compat", "import", list, "--out", table]).code, 0);
  return { list, table };
}

const lint = (table: string, list: string) => slipway(["compat", "lint", "--table", table, "--list", list]);

test("upstream's list agrees with the table that was imported from it, whichever names it gives", () => {
  for (const [at, constant] of [
    ["1.32", "CPUCFSQuotaPeriod"],
    ["1.33", "RuntimeClassInImageCriAPI"],
    ["1.35", "CPUCFSQuotaPeriod"],
    // Whoever has mended the name in a list of his own is not told to misspell it.
    ["1.35", "CustomCPUCFSQuotaPeriod"],
    ["1.36", "CustomCPUCFSQuotaPeriod"],
  ] as const) {
    const { list, table } = imported(OLD(constant, at));
    for (const of of [table, list]) {
      const { code, stdout } = lint(of, list);
      assert.is(code, 0, stdout);
      assert.match(stdout, "0 errors");
    }
    const { stdout } = slipway(["compat", "lint", "--table", table, "--list", list, "--update"]);
    assert.match(stdout, "unchanged");
  }
  // From 1.36 on upstream's tool writes the gate's name, and a list with the constant is out of date.
  const { table } = imported(OLD("CustomCPUCFSQuotaPeriod", "1.36"));
  const { list: stale } = imported(OLD("CPUCFSQuotaPeriod", "1.36"));
  assert.match(lint(table, stale).stdout, "error L5");
});

test("up to 1.32 the content of a list is compared, from 1.33 on its bytes", () => {
  for (const [at, code] of [
    ["1.32", 0],
    ["1.33", 1],
  ] as const) {
    const text = OLD("CPUCFSQuotaPeriod", at);
    const { list } = imported(text.replaceAll(/^ {2}(?=[- ] )/gm, "    "));
    const { table } = imported(text);
    assert.is(lint(table, list).code, code, at);
    const { list: other } = imported(text.replace("Beta", "GA"));
    assert.is(lint(table, other).code, 1, `${at}: other content`);
  }
});

test("an imported list is what it was before the import", () => {
  // Upstream's registry had no rules in 1.32, and registered a gate like this.
  const late = `${OLD("CPUCFSQuotaPeriod", "1.32")}${gate("Zealous", spec("1.31", "Deprecated", false))}`;
  const { table } = imported(late);
  assert.is(slipway(["compat", "gates", "--table", table, "--binary-version", "1.32"]).code, 0);
  assert.match(lint(table, imported(late).list).stdout, "0 errors");
  const { table: newer } = imported(OLD("CPUCFSQuotaPeriod", "1.35"));
  const { code, stderr } = slipway([
    ...["compat", "gates", "--table", newer, "--binary-version", "1.35"],
    ...["--feature-gates", "WatchListClient=false"],
  ]);
  assert.is(code, 0);
  assert.match(stderr, "does not contain the gates of client-go");
});

test("a gate may lean on one that the list leaves out", () => {
  const { list } = imported(
    gate("StaleControllerConsistencyJob", spec("1.36", "Beta", true)) +
      gate("WatchList", spec("1.27", "Alpha", false)),
  );
  const needs = join(tempFolder(), "needs.yaml");
  writeFileSync(needs, "StaleControllerConsistencyJob: [AtomicFIFO]\n");
  for (const command of ["gates", "lint"]) {
    const { code, stdout, stderr } = slipway(["compat", command, "--table", list, "--dependencies", needs]);
    assert.is(code, 0, stdout + stderr);
  }
  writeFileSync(needs, "StaleControllerConsistencyJob: [AtomicLIFO]\n");
  assert.match(slipway(["compat", "lint", "--table", list, "--dependencies", needs]).stdout, "error D1");
});

test("what Kubernetes registers is no fault of its lists: unversioned gates of client-go, one Alpha gate that is on", () => {
  for (const at of ["1.31", "1.32", "1.33", "1.34", "1.35", "1.36", "1.37"])
    assert.match(slipway(["compat", "lint", "--table", `kubernetes@${at}`]).stdout, "0 errors", at);
});

withShared(
  test,
  "data/feature-gates",
  "upstream's own list agrees with Kubernetes' table and its import",
  (folder) => {
    // The list of 1.34 was taken before its release.
    const list = join(folder, "kubernetes-1.34-dev.versioned_feature_list.yaml");
    const { table } = imported(readFileSync(list, "utf8"));
    for (const of of [table, list]) {
      const { code, stdout } = lint(of, list);
      assert.is(code, 0, stdout);
    }
  },
);

test("generated code has the names that components take", () => {
  const { list } = imported(OLD("CPUCFSQuotaPeriod", "1.35"));
  const out = join(tempFolder(), "features.ts");
  assert.is(slipway(["generate", "feature-gates", "--input", list, "--out", out]).code, 0);
  const code = readFileSync(out, "utf8");
  assert.match(code, /^ {2}CustomCPUCFSQuotaPeriod: /m);
  assert.not.match(code, /^ {2}CPUCFSQuotaPeriod: /m);
});

test("another project's list is its own", () => {
  const foreign = gate("WatchListKeeper", spec("1.34", "Beta", true));
  assert.is(read(foreign).unlisted, undefined);
  assert.not.ok(ask(read(foreign), "1.34", "WatchListClient=false").accepted);
  const older = gate("WatchList", spec("0.20", "Beta", true));
  assert.is(read(older).unlisted, undefined);
});

test.run();
