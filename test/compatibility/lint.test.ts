import { suite } from "uvu";
import * as assert from "uvu/assert";
import { diffTables } from "../../src/compatibility/gate-diff.js";
import { gateLifecycles, stagesByRelease } from "../../src/compatibility/gate-lifecycle.js";
import { completeSpecs, type GateTable } from "../../src/compatibility/gate-table.js";
import { type LintFinding, lint } from "../../src/compatibility/lint.js";
import { readRemovalPolicy } from "../../src/compatibility/read/removal-policy.js";
import { defaultPolicy, type RemovalPolicy } from "../../src/compatibility/removal-policy.js";
import { KEP, type Rules, SHIPPED } from "../../src/compatibility/rules.js";
import { versionedList } from "../../src/compatibility/versioned-list.js";
import { createReporter } from "../../src/core/diagnostics.js";
import { HEAD, minor, readTable, table } from "../helpers/compat.js";

const test = suite("lint");

interface Options {
  readonly base?: GateTable;
  readonly current?: string;
  readonly policy?: RemovalPolicy;
  readonly rules?: Rules;
  readonly list?: string;
}

function findings(now: GateTable, options: Options = {}): LintFinding[] {
  const rules = options.rules ?? SHIPPED;
  const generated = versionedList(now, "");
  return lint({
    table: now,
    base: options.base,
    dependencies: [],
    list:
      options.list === undefined
        ? undefined
        : { file: "list.yaml", text: options.list, generated, compared: options.list },
    current: minor(options.current ?? "1.37"),
    policy: options.policy ?? defaultPolicy(rules.set),
    rules,
  });
}

const short = (found: readonly LintFinding[]): string[] =>
  found.map(({ rule, gate }) => `${rule} ${gate}`.trim());

const policyOf = (text: string): RemovalPolicy => {
  const { report, diagnostics } = createReporter();
  const policy = readRemovalPolicy(`${HEAD}kind: RemovalPolicy\n${text}`, "policy.yaml", "shipped", report);
  assert.equal(diagnostics, []);
  if (policy === undefined) throw new Error("no policy");
  return policy;
};

const GONE = table({ Other: "Beta 1.33 on" });
const vanished = (specs: string, current: string, policy?: RemovalPolicy): string[] =>
  short(
    findings(GONE, {
      base: table({ Other: "Beta 1.33 on", X: specs }),
      current,
      ...(policy === undefined ? {} : { policy }),
    }),
  );

test("L6 to L9: which gates may vanish, and when (docs/reference/compatibility-versions.md §9)", () => {
  assert.equal(vanished("Alpha 1.36 off", "1.37"), []);
  assert.equal(vanished("Alpha 1.30 off, Beta 1.31 on", "1.37"), ["L7 X"]);
  assert.equal(vanished("Beta 1.30 on, GA 1.32 on", "1.37"), ["L8 X"]);
  assert.equal(vanished("GA 1.0 on, Deprecated 1.32 off", "1.37"), ["L8 X"]);
  const locked = "Beta 1.33 on, GA 1.35 on locked";
  assert.equal(vanished(locked, "1.37"), ["L9 X"], "N+2");
  assert.equal(vanished(locked, "1.38"), [], "N+3");
  assert.equal(vanished("GA 1.0 on, Deprecated 1.33 off, Deprecated 1.35 off locked", "1.38"), []);
  // The last spec counts, not the first lock.
  assert.equal(vanished("GA 1.33 on locked, Deprecated 1.36 off locked", "1.37"), ["L9 X"]);
});

test("L10: old locks were exempt in three releases", () => {
  const old = "Beta 1.29 on, GA 1.31 on locked";
  assert.equal(vanished(old, "1.33"), []);
  assert.equal(vanished("Beta 1.29 on, GA 1.32 on locked", "1.33"), ["L9 X"]);
  assert.equal(vanished(old, "1.32"), ["L9 X"]);
});

test("a finding about a vanished gate stands where the base declares it", () => {
  const [found] = findings(GONE, { base: table({ X: "Beta 1.31 on" }) });
  assert.is(found?.file, "gates.yaml");
  assert.is(found?.severity, "error");
  assert.ok((found?.line ?? 0) > 1);
});

test("the policy is data: another project lets Beta gates go", () => {
  const policy = policyOf("removal:\n  Beta: {when: always}\n  GA: {when: listed, afterReleases: 1}\n");
  assert.equal(vanished("Beta 1.31 on", "1.37", policy), []);
  assert.equal(vanished("Beta 1.31 on, GA 1.36 on", "1.37", policy), []);
  assert.equal(vanished("Beta 1.31 on, GA 1.37 on", "1.37", policy), ["L9 X"]);
});

test("L1, L2, L3, L4, L11, L13 and the registration rules", () => {
  const order = table({ SELinuxMount: "Beta 1.33 on", SchedulerPopFromBackoffQ: "Beta 1.33 on" });
  assert.equal(short(findings(order)), [], "L1 is off unless the policy asks for it");
  const strict = policyOf("rules: {L1: error}\n");
  assert.equal(short(findings(order, { policy: strict })), ["L1 SchedulerPopFromBackoffQ"]);
  // Lower-cased names decide.
  const lower = table({
    RuntimeClassInImageCriApi: "Beta 1.33 on",
    SchedulerAsyncAPICalls: "Beta 1.33 on",
    SchedulerPopFromBackoffQ: "Beta 1.33 on",
    SELinuxMount: "Beta 1.33 on",
  });
  assert.equal(short(findings(lower, { policy: strict })), []);
  assert.equal(short(findings(table({ X: "Beta 0.0 on" }))), ["L2 X"]);
  assert.equal(short(findings(table({ X: "Beta 1.33 on, Beta 1.32 off" }))), ["L3 X", "R7 X"]);
  assert.equal(short(findings(table({ X: "Alpha 1.33 on" }))), ["L11 X"]);
  assert.equal(
    short(findings(table({ X: "Alpha 1.33 on" }), { policy: policyOf("alphaOnByDefault: [X]\n") })),
    [],
  );
  const late = findings(table({ X: "GA 1.32 on locked" }));
  assert.equal(short(late), ["L13 X"]);
  assert.is(late[0]?.severity, "warning");
  assert.equal(short(findings(table({ X: "GA 1.33 on locked" }))), []);
});

test("L4: one name with two lists of specs", () => {
  const text = `${HEAD}kind: FeatureGateTable\ngates:\n- name: X\n  versionedSpecs:\n  - {version: "1.31", default: false, preRelease: Alpha}\n- name: X\n  versionedSpecs:\n  - {version: "1.31", default: true, preRelease: Beta}\n`;
  const { value } = readTable(text);
  if (value === undefined) throw new Error("not read");
  assert.equal(short(findings(value)).sort(), ["L4 X", "R16 X"]);
});

test("L5: the checked-in list equals the table, byte for byte", () => {
  const now = table({ b: "Beta 1.33 on", A: "Alpha 1.34 off" });
  const list = versionedList(now, "");
  assert.match(list, /^- name: A\n {2}versionedSpecs:\n {2}- default: false\n/);
  assert.equal(short(findings(now, { list })), []);
  const [found] = findings(now, { list: list.replace("Alpha", "Beta") });
  assert.is(found?.rule, "L5");
  assert.is(found?.file, "list.yaml");
  assert.is(found?.line, 5);
  assert.equal(short(findings(now, { list: list.slice(0, -1) })), ["L5"]);
});

test("dependencies and capabilities are checked too", () => {
  const now = table(
    { X: "Beta 1.33 on", Y: "Alpha 1.33 off" },
    { X: { dependencies: ["Y", "Z"] }, Y: { capabilities: [{ name: "c", change: "api" }] } },
  );
  assert.equal(short(findings(now)).sort(), ["C1 Y", "D1 X", "D2 X", "D3 X"]);
});

test("the design asks for a year of Deprecated before Removed", () => {
  const rules = { rules: KEP };
  assert.equal(short(findings(table({ X: "Beta 1.26 off, Deprecated 1.27 off, Removed 1.31 off" }), rules)), [
    "L13 X",
  ]);
  assert.equal(
    short(
      findings(table({ X: "Beta 1.26 off, Deprecated 1.27 off, Removed 1.30 off" }), {
        ...rules,
        current: "1.30",
      }),
    ),
    [],
  );
  assert.equal(
    short(
      findings(table({ X: "Beta 1.26 off, Deprecated 1.28 off, Removed 1.30 off" }), {
        ...rules,
        current: "1.30",
      }),
    ),
    ["K3 X"],
  );
  assert.equal(
    short(findings(table({ X: "Beta 1.26 off, Removed 1.30 off" }), { ...rules, current: "1.30" })),
    ["K3 X"],
  );
});

test("the design's lifecycle of a gate that graduates (its first table)", () => {
  const [gate] = table({ A: "Alpha 1.26 off, Beta 1.27 on, GA 1.28 on" }).gates;
  const rows = stagesByRelease(
    completeSpecs(gate?.specs ?? [], false),
    minor("1.26"),
    minor("1.31"),
    defaultPolicy("kep"),
  );
  assert.equal(
    rows.map(({ release, stage, codeMayGo }) => `${release} ${stage}${codeMayGo ? ", code may go" : ""}`),
    ["1.26 Alpha", "1.27 Beta", "1.28 GA", "1.29 GA", "1.30 GA", "1.31 GA, code may go"],
  );
});

test("the design's lifecycle of a Beta gate that is removed (its second table)", () => {
  // The table shows "-" for 1.30 already, though Removed starts at 1.31, and lets the code go at 1.33. But 1.33 must
  // still emulate 1.30, in which the gate works: the first release that need not is 1.34. Computed from the data.
  const [gate] = table({ A: "Beta 1.26 off, Deprecated 1.27 off, Removed 1.31 off" }).gates;
  const rows = stagesByRelease(
    completeSpecs(gate?.specs ?? [], false),
    minor("1.26"),
    minor("1.34"),
    defaultPolicy("kep"),
  );
  assert.equal(
    rows.map(({ release, stage, codeMayGo }) => `${release} ${stage}${codeMayGo ? ", code may go" : ""}`),
    [
      "1.26 Beta",
      "1.27 Deprecated",
      "1.28 Deprecated",
      "1.29 Deprecated",
      "1.30 Deprecated",
      "1.31 Removed",
      "1.32 Removed",
      "1.33 Removed",
      "1.34 Removed, code may go",
    ],
  );
});

test("lifecycle: when code may go, by both rule sets", () => {
  const gates = table({
    A: "Alpha 1.35 off",
    B: "Beta 1.33 on",
    Free: "Beta 1.31 on, GA 1.33 on",
    Old: "Beta 1.30 on, GA 1.32 on locked",
    Soon: "Beta 1.33 on, GA 1.35 on locked",
  });
  const states = (rules: Rules) =>
    gateLifecycles(gates, minor("1.36"), defaultPolicy(rules.set), rules).map(
      ({ name, removableFrom, state }) => `${name} ${removableFrom} ${state}`,
    );
  assert.equal(states(SHIPPED), [
    "A null active",
    "B null active",
    "Free null active",
    "Old 1.35 removable",
    "Soon 1.38 active",
  ]);
  assert.equal(states(KEP), [
    "A null active",
    "B null active",
    "Free 1.36 removable",
    "Old 1.35 removable",
    "Soon 1.38 active",
  ]);
});

test("diff of two tables", () => {
  const old = table(
    { A: "Alpha 1.31 off", B: "Beta 1.32 on", C: "Beta 1.32 on" },
    { C: { dependencies: ["A"] } },
  );
  const now = table({ B: "Beta 1.32 on, GA 1.34 on", C: "Beta 1.32 off", D: "Alpha 1.34 off" });
  assert.equal(
    diffTables(old, now).map(({ name, change }) => `${name} ${change}`),
    ["A removed", "B extended", "C rewritten", "C dependencies", "D added"],
  );
  assert.equal(diffTables(now, now), []);
});

test.run();
