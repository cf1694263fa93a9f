import { suite } from "uvu";
import * as assert from "uvu/assert";
import { registrationViolations } from "../../src/compatibility/gate-table-check.js";
import { KEP, SHIPPED } from "../../src/compatibility/rules.js";
import { ask, codes, HEAD, mustRead, readTable, table, tableText } from "../helpers/compat.js";

const test = suite("registration rules");

const ruleOf = (specs: string, rules = SHIPPED): string =>
  registrationViolations(table({ X: specs }), rules)
    .map(({ rule }) => rule)
    .join();

test("every rule refuses what it is about (docs/reference/compatibility-versions.md §4.2)", () => {
  const broken: readonly (readonly [string, string])[] = [
    ["R2", "Alpha 1.31.1 off"],
    ["R2", "Alpha 1.31.0 off"],
    ["R3", "Beta 1.35 on min=1.34"],
    ["R3", "Alpha 1.34 off, Beta 1.35 on min=1.35"],
    ["R4", "Beta 1.35 off, Beta 1.35 on min=1.34.0"],
    ["R5", "Beta 1.35 off, Beta 1.35 on min=1.36"],
    ["R6", "Deprecated 1.31 off"],
    ["R7", "Alpha 1.33 off, Beta 1.32 off"],
    ["R8", "Beta 1.35 off, Beta 1.35 on min=1.35, Beta 1.36 off, Beta 1.36 on min=1.34"],
    ["R9", "Beta 1.35 off, Beta 1.35 on"],
    ["R9", "Beta 1.35 off, Beta 1.35 on min=1.34, Beta 1.35 off min=1.34"],
    ["R10", "Alpha 1.35 off, Beta 1.35 on min=1.34"],
    ["R11", "Beta 1.35 off, Beta 1.35 off locked min=1.34"],
    ["R12", "Alpha 1.31 off, Alpha 1.32 off"],
    ["R13", "GA 1.31 on locked, GA 1.32 on"],
    ["R14", "Beta 1.27 off, Deprecated 1.29 off, GA 1.30 on"],
    ["R15", "Beta 1.31 on, Alpha 1.32 off"],
    ["R15", "GA 1.31 on, Beta 1.32 on"],
    ["R15", "GA 1.31 on, Alpha 1.32 off"],
  ];
  for (const [rule, specs] of broken) assert.is(ruleOf(specs), rule, specs);
});

test("the first violation of a gate ends its check, the next gate is checked still", () => {
  const found = registrationViolations(
    table({ X: "Deprecated 1.31 off, GA 1.30 on", Y: "Alpha 1.31.1 off" }),
    SHIPPED,
  );
  assert.equal(
    found.map(({ rule, field }) => `${field} ${rule}`),
    ["X R6", "Y R2"],
  );
});

test("lists that look wrong and are allowed", () => {
  for (const specs of [
    "Alpha 1.31 off, GA 1.32 on",
    "GA 1.31 off",
    "Alpha 1.31 on",
    "Beta 1.31 on, Beta 1.32 off, Beta 1.33 on",
    "GA 1.31 on, Deprecated 1.32 on",
    "Deprecated 1.0 off",
    "Deprecated 0.0 on",
    "Beta 1.31 off locked",
    "GA 1.31 on locked, Deprecated 1.32 off locked",
    "",
    "Beta 1.35 off, Beta 1.35 on min=1.34, Beta 1.35 off min=1.35",
  ])
    assert.is(ruleOf(specs), "", specs);
});

test("an inherited minimum counts in R9, whose third spec hides the second for good", () => {
  // No minimum as written differs from the 1.35 in force: allowed, by the rule's wording.
  assert.is(ruleOf("Beta 1.35 off, Beta 1.35 on min=1.35, Beta 1.35 off"), "");
});

test("the design's own example breaks R3 as shipped and stands by the design", () => {
  const specs = "Alpha 1.28 off min=1.28, Beta 1.29 on min=1.28, GA 1.30 on min=1.28";
  assert.is(ruleOf(specs), "R3");
  assert.is(ruleOf(specs, KEP), "");
  assert.is(ruleOf("Beta 1.30 on min=1.30", KEP), "");
});

test("no resurrection; a gate that starts as Deprecated needs its initial state", () => {
  assert.is(ruleOf("Beta 1.27 off, Deprecated 1.29 off, GA 1.30 on"), "R14");
  assert.is(ruleOf("Deprecated 1.31 off"), "R6");
  assert.is(ruleOf("Deprecated 1.0 off"), "");
});

test("the stage Removed is the design's", () => {
  const specs = "Beta 1.26 on, Deprecated 1.27 off, Removed 1.31 off";
  assert.is(ruleOf(specs), "K1");
  assert.is(ruleOf(specs, KEP), "");
  assert.is(ruleOf(`${specs}, Beta 1.32 on`, KEP), "K2");
});

test("R1: a spec without a version, at its place", () => {
  const text = `${HEAD}kind: FeatureGateTable\ngates:\n- name: X\n  versionedSpecs:\n  - default: true\n    preRelease: Beta\n`;
  const [violation] = registrationViolations(mustRead(readTable(text)), SHIPPED);
  assert.is(violation?.rule, "R1");
  assert.is(violation?.line, 6);
  assert.is(violation?.column, 5);
});

test("R16: one name with two lists, and the two switches, which exist already", () => {
  const twice = `${HEAD}kind: FeatureGateTable\ngates:\n- name: X\n  versionedSpecs:\n  - {version: "1.31", default: false, preRelease: Alpha}\n- name: X\n  versionedSpecs:\n  - {version: "1.31", default: true, preRelease: Beta}\n`;
  const read = readTable(twice);
  assert.equal(codes(read.diagnostics), ["TAB006"]);
  assert.is(read.diagnostics[0]?.line, 7);
  if (read.value === undefined) throw new Error("not read");
  assert.equal(
    registrationViolations(read.value, SHIPPED).map(({ rule }) => rule),
    ["R16"],
  );
  const switches = mustRead(readTable(tableText({ AllAlpha: "Beta 1.31 on", AllBeta: "Beta 0.0 off" })));
  assert.equal(
    registrationViolations(switches, SHIPPED).map(({ field, rule }) => `${field} ${rule}`),
    ["AllAlpha R16"],
    "the same list again is fine",
  );
});

test("a broken rule is an error in our own form and a warning in a foreign list", () => {
  const foreign =
    '- name: X\n  versionedSpecs:\n  - {default: false, preRelease: Beta, version: "1.37"}\n  - {default: true, preRelease: Beta, version: "1.37"}\n';
  const list = mustRead(readTable(foreign));
  assert.equal(codes(ask(list, { binary: "1.37" }).diagnostics), []);
  assert.equal(codes(ask(list, { binary: "1.37" }).diagnostics, "warning"), ["GATE109"]);
  const own = table({ X: "Beta 1.37 off, Beta 1.37 on" });
  assert.equal(codes(ask(own, { binary: "1.37" }).diagnostics), ["GATE109"]);
});

test.run();
