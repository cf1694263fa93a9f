/** Lists of gates as upstream writes them: minimum compatibility versions, names of constants, gates left out. */
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

test("another project's list is its own", () => {
  const foreign = gate("WatchListKeeper", spec("1.34", "Beta", true));
  assert.is(read(foreign).unlisted, undefined);
  assert.not.ok(ask(read(foreign), "1.34", "WatchListClient=false").accepted);
  const older = gate("WatchList", spec("0.20", "Beta", true));
  assert.is(read(older).unlisted, undefined);
});

test.run();
