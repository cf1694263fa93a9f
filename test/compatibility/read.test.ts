/** Bad input gives the rule's diagnostic at its place (acceptance 6), and foreign forms are recognised by content. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv/dist/2020.js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  featureSetGates,
  hasFeatureSetsOnly,
  reportWithoutVersions,
} from "../../src/compatibility/feature-sets.js";
import { diffTables } from "../../src/compatibility/gate-diff.js";
import { answerBatch } from "../../src/compatibility/gates-batch.js";
import { mergeTables, tableDocument, withDependencies } from "../../src/compatibility/import.js";
import { readApiTable } from "../../src/compatibility/read/api-table.js";
import { readDependencies } from "../../src/compatibility/read/dependencies.js";
import { builtInCel, readCelTable, readFieldTable } from "../../src/compatibility/read/entries.js";
import { readGateTable } from "../../src/compatibility/read/gate-table.js";
import { readRemovalPolicy } from "../../src/compatibility/read/removal-policy.js";
import { readStoragePins } from "../../src/compatibility/read/storage-pins.js";
import { SHIPPED } from "../../src/compatibility/rules.js";
import { createReporter, type Diagnostic, type Reporter } from "../../src/core/diagnostics.js";
import { slipway } from "../helpers/cli.js";
import { ask, codes, HEAD, minor, mustRead, readTable, table } from "../helpers/compat.js";
import { withShared } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("reading tables");

const places = (diagnostics: readonly Diagnostic[]): string[] =>
  diagnostics.map(({ code, line, column, field }) => `${code} ${line}:${column} ${field}`);

const own = (gates: string): string => `${HEAD}kind: FeatureGateTable\ngates:\n${gates}`;

test("every fault of a table is reported at once, at its place", () => {
  const text = own(`- name: A
  versionedSpecs:
  - {version: "1.x", default: false, preRelease: Alpha}
  - {version: "1.31", default: "no", preRelease: Alpha}
  - {version: "1.31", preRelease: Alfa}
  - {version: "1.31", default: on}
- nam: B
  versionedSpecs: {}
- text
- name: C
  dependencies: [A, 1]
  capabilities: [{name: c, change: typo, since: "1.31.2"}]
`);
  assert.equal(places(readTable(text).diagnostics).sort(), [
    "TAB001 11:19 gates[1].versionedSpecs",
    "TAB001 12:3 gates[2]",
    "TAB001 14:21 gates[3].dependencies[1]",
    "TAB001 7:32 gates[0].versionedSpecs[1].default",
    "TAB002 10:3 gates[1].nam",
    "TAB003 10:3 gates[1].name",
    "TAB003 13:3 gates[3].versionedSpecs",
    "TAB003 8:5 gates[0].versionedSpecs[2].default",
    "TAB003 9:5 gates[0].versionedSpecs[3].preRelease",
    "TAB004 15:36 gates[3].capabilities[0].change",
    "TAB004 8:35 gates[0].versionedSpecs[2].preRelease",
    "VER001 15:49 gates[3].capabilities[0].since",
    "VER001 6:15 gates[0].versionedSpecs[0].version",
  ]);
});

test("malformed YAML, duplicate keys, several and empty documents", () => {
  for (const [text, code, line] of [
    ["gates: [", "YAML001", 1],
    [`${own("- name: A\n  name: B\n  versionedSpecs: []\n")}`, "YAML002", 5],
    ["a: b\n---\nc: d\n", "YAML007", 3],
    ["", "YAML006", 1],
    ["# nothing\n", "YAML006", 1],
    ["kind: Pod\napiVersion: v1\n", "TAB005", 1],
    ["text\n", "TAB005", 1],
  ] as const) {
    const found = readTable(text).diagnostics.find((each) => each.code === code);
    assert.ok(found !== undefined, `${JSON.stringify(text)}: ${codes(readTable(text).diagnostics).join()}`);
    assert.is(found.line, line, text);
  }
  const sound = own("- name: A\n  versionedSpecs: []\n");
  for (const text of [`${sound}---\n`, `---\n${sound}...\n`, `---\n---\n${sound}`])
    assert.equal(codes(readTable(text).diagnostics), codes(readTable(sound).diagnostics), text);
});

test("a version that is written without quotes is taken by its text", () => {
  const read = mustRead(
    readTable(own("- name: A\n  versionedSpecs:\n  - {version: 1.30, default: false, preRelease: Alpha}\n")),
  );
  assert.equal(read.gates[0]?.specs[0]?.version?.numbers, [1, 30]);
});

test("a name that, in every form", () => {
  const twice = "- name: A\n  versionedSpecs: []\n- name: A\n  versionedSpecs: []\n";
  for (const text of [own(twice), twice]) assert.equal(codes(readTable(text).diagnostics), ["TAB006"], text);
});

test("capabilities of the two kinds that break the contract must be versioned", () => {
  const gates = table(
    { X: "Beta 1.33 on" },
    {
      X: {
        capabilities: [
          { name: "a", change: "api" },
          { name: "b", change: "supported-systems" },
          { name: "c", change: "bug-fix" },
          { name: "d", change: "api", since: "1.34", until: "1.34" },
          { name: "e", change: "api", since: "1.34", until: "1.36" },
        ],
      },
    },
  );
  assert.equal(codes(ask(gates, { binary: "1.35" }).diagnostics), ["GATE141", "GATE141", "GATE142"]);
});

function reading<T>(read: (report: Reporter["report"]) => T): {
  value: T;
  diagnostics: readonly Diagnostic[];
} {
  const { report, diagnostics } = createReporter();
  return { value: read(report), diagnostics };
}

test("lifecycles: order, duplicates, wrong values", () => {
  const text = `${HEAD}kind: APILifecycle
kinds:
- {group: g, version: v1, kind: K, resource: ks, introduced: "1.30", deprecated: "1.29"}
- {group: g, version: v1, kind: K, resource: ks}
- {group: g, version: v2, kind: K, introduced: 1.x, removed: "1.3"}
- {group: g, version: v3, kind: K, introduced: "1.30", removed: "1.30", stability: great}
- {group: g, kind: K, replacement: {group: h}}
`;
  assert.equal(codes(reading((report) => readApiTable(text, "a.yaml", report)).diagnostics).sort(), [
    "API001",
    "API001",
    "TAB003",
    "TAB003",
    "TAB003",
    "TAB004",
    "TAB006",
    "VER001",
  ]);
  assert.equal(codes(reading((report) => readApiTable("kind: X\n", "a.yaml", report)).diagnostics), [
    "TAB005",
  ]);
});

test("the smaller documents say what is wrong with them", () => {
  const fields = `${HEAD}kind: FieldCompatibility\nentries:\n- {name: a, change: field, introduced: "1.30", toleratedSince: "1.31"}\n- {name: a, change: fields, introduced: "1.30"}\n`;
  assert.equal(codes(reading((report) => readFieldTable(fields, "f.yaml", report)).diagnostics), [
    "API001",
    "TAB004",
  ]);
  const cel = `${HEAD}kind: CELLibraries\nentries:\n- {name: a, introduced: "1.30", removed: "1.30"}\n- {name: a, introduced: "1.31"}\n- {name: b}\n`;
  assert.equal(codes(reading((report) => readCelTable(cel, "c.yaml", report)).diagnostics), [
    "API001",
    "TAB006",
    "TAB003",
  ]);
  assert.equal(codes(reading((report) => readCelTable(fields, "c.yaml", report)).diagnostics), ["TAB005"]);
  const policy = `${HEAD}kind: RemovalPolicy\nremoval: {Beta: {when: soon}}\nrules: {L7: maybe}\noverdueAfterReleases: x\n`;
  assert.equal(
    codes(reading((report) => readRemovalPolicy(policy, "p.yaml", "shipped", report)).diagnostics),
    ["TAB004", "TAB001", "TAB004"],
  );
  const pins = `${HEAD}kind: StoragePins\nsnapshots:\n- {at: soon, pins: [{group: g, resource: r}]}\ncohabitation: [x]\n`;
  assert.equal(codes(reading((report) => readStoragePins(pins, "p.yaml", report)).diagnostics), [
    "VER001",
    "TAB003",
    "TAB001",
  ]);
  const dependencies = "A: B\nC: [1, D]\n";
  const read = reading((report) => readDependencies(dependencies, "d.yaml", report));
  assert.equal(places(read.diagnostics), ["TAB001 1:4 A", "TAB001 2:5 C[0]"]);
});

test("a list of the other kind is told once", () => {
  const gates =
    "- name: A\n  versionedSpecs: [{version: '1.33', default: true, preRelease: Beta}]\n- name: B\n";
  const kinds = "- {group: apps, version: v1, kind: Deployment, introduced: '1.9'}\n";
  assert.equal(codes(reading((report) => readApiTable(gates, "g.yaml", report)).diagnostics), ["TAB005"]);
  assert.equal(codes(reading((report) => readGateTable(kinds, "k.yaml", report)).diagnostics), ["TAB005"]);
});

test("a batch answers every line; one that cannot be read gets an error of its own", () => {
  const good = JSON.stringify({
    id: 7,
    table: [{ name: "X", versionedSpecs: [{ version: "1.33", default: true, preRelease: "Beta" }] }],
    binaryVersion: "1.35",
    featureGates: "X=false",
  });
  const text = [
    good,
    "{not json",
    "",
    '{"id":"a","binaryVersion":"1.35"}',
    '{"id":"b","table":"none.yaml","binaryVersion":"1.35"}',
    '{"id":"c","table":[],"binaryVersion":"x"}',
    "[1]",
    '{"id":"d","table":[{"name":"X"}],"emulatedVersion":["1.35"]}',
  ].join("\n");
  const answers = answerBatch(
    text,
    "q.jsonl",
    (path, report) => void report({ code: "DIR015", kind: "NotFound", file: path, message: "no such file" }),
    SHIPPED,
  );
  assert.equal(
    answers.map(({ id, answered, diagnostics }) => [id, answered, codes(diagnostics).join()]),
    [
      [7, true, ""],
      [null, false, "YAML001"],
      ["a", true, "TAB003"],
      ["b", true, "DIR015"],
      ["c", true, "VER001"],
      [null, false, "TAB001"],
      ["d", true, "TAB003,TAB003,TAB001"],
    ],
  );
  assert.is(answers[0]?.gates[0]?.enabled, false);
  assert.equal(
    places(answers[1]?.diagnostics ?? []).map((each) => each.split(":")[0]),
    ["YAML001 2"],
  );
  assert.is(answers[2]?.diagnostics[0]?.line, 4, "empty lines count");
});

test("a question's misspelt members are told, its version is needed, and its id comes back as written", () => {
  const question = { table: [], binaryVersion: "1.35", featureGate: "X=false" };
  const lines = [
    JSON.stringify({ id: 1, ...question }),
    JSON.stringify({ id: 2, question, answer: {} }),
    '{"id":12345678901234567890,"table":[],"binaryVersion":null}',
  ];
  const answers = answerBatch(lines.join("\n"), "q.jsonl", () => undefined, SHIPPED);
  assert.equal(
    answers.map(({ id, diagnostics }) => [id, codes(diagnostics).join()]),
    [
      [1, ""],
      [2, ""],
      ["12345678901234567890", "TAB003"],
    ],
  );
  for (const { diagnostics } of answers.slice(0, 2)) {
    const [first] = diagnostics;
    assert.is(first?.severity, "warning");
    assert.is(first?.code, "TAB002");
    assert.is(first?.hint, "did you mean featureGates?");
  }
  assert.is(answers[2]?.diagnostics[0]?.field, "binaryVersion");
});

test("a batch knows Kubernetes' own tables, and answers as one question does", () => {
  const questions = [
    { table: "kubernetes", binaryVersion: "1.34.2", emulatedVersion: "1.33", featureGates: "AllBeta=true" },
    { table: "kubernetes", binaryVersion: "4.21" },
    { table: "kubernetes@1.33", binaryVersion: "1.34", featureGates: "InPlacePodVerticalScaling=false" },
    { table: "kubernetes@4.20", binaryVersion: "1.33" },
    { table: "kubernetes", binaryVersion: "v1.99" },
    { table: "kubernetes", binaryVersion: "1.10" },
    { table: "kubernetes@1.10", binaryVersion: "1.35" },
    { table: "kubernetes@x", binaryVersion: "1.35" },
    { table: "kubernetes", binaryVersion: "5.99" },
    { table: "kubernetes", binaryVersion: "1.35", featureGates: "NoSuchGate=true" },
  ];
  const folder = tempFolder();
  writeFileSync(join(folder, "q.jsonl"), questions.map((each) => JSON.stringify(each)).join("\n"));
  const lines = slipway(["compat", "gates", "--batch", "q.jsonl"], { cwd: folder }).stdout.trim().split("\n");
  assert.is(lines.length, questions.length);
  const refused = questions.filter(({ table: name, binaryVersion, emulatedVersion, featureGates }, i) => {
    const { stdout } = slipway(
      [
        ...["compat", "gates", "--output", "json", "--table", name, "--binary-version", binaryVersion],
        ...(emulatedVersion === undefined ? [] : ["--emulated-version", emulatedVersion]),
        ...(featureGates === undefined ? [] : ["--feature-gates", featureGates]),
      ],
      { cwd: folder },
    );
    const [one, ofBatch] = [JSON.parse(stdout), JSON.parse(lines[i] ?? "")];
    const told = (answer: { diagnostics: Diagnostic[] }): string[] =>
      answer.diagnostics.map(({ code, severity, message }) => `${code} ${severity} ${message}`).sort();
    assert.equal(told(ofBatch), told(one), name);
    assert.is(ofBatch.ok, one.ok);
    if (one.ok) assert.equal(ofBatch.gates, one.gates);
    return !ofBatch.ok;
  });
  assert.equal(refused, questions.slice(5));
  const [at] = answerBatch('\n{"table":"kubernetes@1.10"}', "q.jsonl", () => undefined, SHIPPED);
  assert.equal(places(at?.diagnostics ?? []), ["TAB009 2:10 table", "TAB003 2:1 binaryVersion"]);
});

const MATRIX = `
| FeatureGate | Default on Hypershift | Default on SelfManagedHA | TechPreviewNoUpgrade on SelfManagedHA  |
| ------ | --- | --- | ---  |
| First| | | <span style="background-color: #519450">Enabled</span>  |
| Second| <span style="background-color: #519450">Enabled</span> | <span style="background-color: #519450">Enabled</span> | <span style="background-color: #519450">Enabled</span>  |
`;

const manifest = (set: string, enabled: string[], disabled: string[]): string =>
  JSON.stringify({
    apiVersion: "config.openshift.io/v1",
    kind: "FeatureGate",
    metadata: {
      name: "cluster",
      annotations: {
        "include.release.openshift.io/self-managed-high-availability": "true",
        "release.openshift.io/feature-set": set,
        "release.openshift.io/major-version": "4,5",
      },
    },
    spec: {},
    status: {
      featureGates: [
        {
          version: "",
          enabled: enabled.map((name) => ({ name })),
          disabled: disabled.map((name) => ({ name })),
        },
      ],
    },
  });

test("OpenShift's two forms: read, merged, asked by feature set", () => {
  const matrix = mustRead(readTable(MATRIX, "features.md"));
  assert.is(matrix.form, "openshift-features");
  assert.ok(hasFeatureSetsOnly(matrix));
  const { report, diagnostics } = createReporter();
  const on = (set: string | undefined, profile: string | undefined): string[] =>
    featureSetGates(matrix, set, profile, report).map(({ name, enabled }) => `${name} ${enabled}`);
  assert.equal(on("Default", "SelfManagedHA"), ["First false", "Second true"]);
  assert.equal(on("TechPreviewNoUpgrade", undefined), ["First true", "Second true"]);
  assert.equal(codes(diagnostics, "info"), ["TAB011"]);
  assert.equal(codes(diagnostics), []);
  assert.equal(on(undefined, undefined), []);
  assert.equal(on("Default", undefined), []);
  assert.equal(codes(diagnostics), ["TAB007", "TAB007"]);
  const manifests = [manifest("Default", ["B"], ["A"]), manifest("TechPreviewNoUpgrade", ["A", "B"], [])].map(
    (text) => mustRead(readTable(text, "m.yaml")),
  );
  const merged = mergeTables(manifests, report);
  assert.equal(
    merged?.gates.map(
      ({ name, featureSets }) =>
        `${name} ${featureSets.map((state) => `${state.featureSet}=${state.enabled}`).join()}`,
    ),
    ["A Default=false,TechPreviewNoUpgrade=true", "B Default=true,TechPreviewNoUpgrade=true"],
  );
  assert.equal(merged?.gates[0]?.featureSets[0]?.versions, ["4", "5"]);
  assert.ok(merged?.loses.includes("versionedSpecs"));
});

test("a FeatureGate without the annotation of its set says it in its spec", () => {
  const document = JSON.stringify({
    apiVersion: "config.openshift.io/v1",
    kind: "FeatureGate",
    metadata: {
      name: "cluster",
      annotations: {
        "include.release.openshift.io/self-managed-high-availability": "false-except-for-the-config-operator",
      },
    },
    spec: { featureSet: "TechPreviewNoUpgrade" },
    status: { featureGates: [{ version: "", enabled: [{ name: "A" }], disabled: [] }] },
  });
  const table = mustRead(readTable(document, "m.yaml"));
  assert.equal(
    table.gates[0]?.featureSets.map(({ featureSet }) => featureSet),
    ["TechPreviewNoUpgrade"],
  );
  const bare = mustRead(readTable(document.replace("TechPreviewNoUpgrade", ""), "m.yaml"));
  assert.is(bare.gates[0]?.featureSets[0]?.featureSet, "Default");
});

test("what is on in a cluster is a question of the release, where its object tells of several", () => {
  const named = (...names: string[]) => names.map((name) => ({ name }));
  const object = (...featureGates: object[]): string =>
    JSON.stringify({
      apiVersion: "config.openshift.io/v1",
      kind: "FeatureGate",
      metadata: { name: "cluster" },
      spec: {},
      status: { featureGates },
    });
  const before = { version: "4.20.1", enabled: named("A", "Gone"), disabled: named("B") };
  const after = { version: "4.21.3", enabled: named("B"), disabled: named("A") };
  const table = mustRead(readTable(object(before, after), "m.yaml"));
  const ask = (release?: string, of = table): { told: string[]; on: string[] } => {
    const { report, diagnostics } = createReporter();
    const gates = featureSetGates(of, "Default", undefined, report, release);
    return { told: codes(diagnostics), on: gates.map(({ name, enabled }) => `${name} ${enabled}`) };
  };
  assert.equal(ask(), { told: ["TAB007"], on: [] });
  assert.equal(ask("4.20"), { told: [], on: ["A true", "B false", "Gone true"] });
  assert.equal(ask("v4.21.3"), { told: [], on: ["A false", "B true"] });
  assert.equal(ask("4.22"), { told: ["TAB007"], on: [] });
  // Two of one minor release: its name alone is none of them.
  const patches = mustRead(readTable(object({ ...before, version: "4.21.1" }, after), "m.yaml"));
  assert.equal(ask("4.21", patches), { told: ["TAB007"], on: [] });
  assert.equal(ask("4.21.1", patches).on, ["A true", "B false", "Gone true"]);
  // What is alike in every release needs none.
  const alike = mustRead(readTable(object(after, { ...after, version: "4.21.4" }), "m.yaml"));
  assert.equal(ask(undefined, alike), { told: [], on: ["A false", "B true"] });
  assert.equal(codes(readTable(object(after, { ...before, version: "4.21.3" })).diagnostics), [
    "TAB006",
    "TAB006",
  ]);
});

test("a list of FeatureGates, as oc get and the API print it, is read as the object is", () => {
  const one = manifest("Default", ["B"], ["A"]);
  const other = one.replace('"cluster"', '"other"');
  const untyped = one.replace('"apiVersion":"config.openshift.io/v1","kind":"FeatureGate",', "");
  assert.not.match(untyped, "kind");
  const list = (...items: string[]): string =>
    `{"apiVersion":"v1","kind":"List","metadata":{"resourceVersion":""},"items":[${items.join()}]}`;
  const typed = (...items: string[]): string =>
    list(...items).replace('"v1","kind":"List"', '"config.openshift.io/v1","kind":"FeatureGateList"');
  const pod = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}}';
  const alone = mustRead(readTable(one, "m.yaml"));
  const statesOf = (text: string) =>
    readTable(text, "m.yaml").value?.gates.map(({ name, featureSets }) => ({ name, featureSets }));
  for (const text of [
    list(one),
    typed(one),
    typed(untyped),
    list(list(one)),
    list(typed(untyped)),
    list(other, one),
    typed(other, one, other),
    list(pod, one),
  ])
    assert.equal(
      statesOf(text),
      alone.gates.map(({ name, featureSets }) => ({ name, featureSets })),
      text,
    );
  assert.equal(readTable(list(one), "m.yaml").diagnostics, []);
  for (const [text, passedOver] of [
    [list(other, one), "FeatureGate other"],
    [list(pod, one), "Pod p"],
  ] as const) {
    const { diagnostics } = readTable(text, "m.yaml");
    assert.equal(codes(diagnostics, "info"), ["TAB005"]);
    assert.match(diagnostics[0]?.message ?? "", passedOver);
  }
  for (const [text, said] of [
    [list(other, other), "2 FeatureGates, none of which is named cluster: other"],
    [list(one, one), "2 FeatureGates named cluster"],
    [list(), "the list contains no FeatureGate"],
    [typed(), "the list contains no FeatureGate"],
    [
      typed(untyped.replace('"name":"cluster",', ""), other),
      "none of which is named cluster: a FeatureGate without a name, other",
    ],
    [list(pod), "not a table of feature gates"],
  ] as const) {
    const { value, diagnostics } = readTable(text, "m.yaml");
    assert.is(value, undefined, text);
    assert.equal(codes(diagnostics), ["TAB005"]);
    assert.match(diagnostics[0]?.message ?? "", said);
  }
  const [fault] = readTable(list(one.replace("status", "stat")), "m.yaml").diagnostics;
  assert.is(fault?.field, "items[0].status.featureGates");
});

test("two tables of feature sets differ in what is on, not in versions of gates", () => {
  const read = (enabled: string[], disabled: string[]) =>
    mustRead(readTable(manifest("Default", enabled, disabled), "m.yaml"));
  const old = read(["A"], ["B"]);
  assert.equal(diffTables(old, old), []);
  assert.equal(diffTables(old, read(["B"], ["Added"])), [
    { name: "A", change: "removed", details: "Default on SelfManagedHA: on" },
    { name: "Added", change: "added", details: "Default on SelfManagedHA: off" },
    {
      name: "B",
      change: "feature-sets",
      details: "Default on SelfManagedHA: off -> Default on SelfManagedHA: on",
    },
  ]);
  // What asks for versions of gates says that there are none.
  const { report, diagnostics } = createReporter();
  reportWithoutVersions(old, report);
  reportWithoutVersions(
    mustRead(
      readTable(
        '- name: b\n  versionedSpecs:\n  - {default: false, lockToDefault: false, preRelease: Alpha, version: "1.31"}\n',
      ),
    ),
    report,
  );
  assert.equal(codes(diagnostics), ["TAB007"]);
});

test("no command takes a table of feature sets for one without faults, gates or differences", () => {
  const folder = tempFolder();
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const sets = file("sets.yaml", manifest("Default", ["B"], ["A"]));
  const alpha = '- name: b\n  versionedSpecs:\n  - {version: "1.35", default: false, preRelease: Alpha}\n';
  const versions = file("versions.yaml", own(alpha));
  const both = file(
    "both.yaml",
    own(`${alpha}- name: c\n  featureSets: [{featureSet: Default, enabled: true}]\n`),
  );
  const questions = file("q.jsonl", JSON.stringify({ table: sets, binaryVersion: "1.35" }));
  for (const args of [
    ["lint", "--table", sets],
    ["lint", "--table", versions, "--base", sets],
    ["lifecycle", "--table", sets],
    ["matrix", "--table", sets],
    ["plan", "--from", "1.35", "--to", "1.36", "--table", sets],
    ["gates", "--table", sets, "--table", versions],
    ["gates", "--batch", questions],
    ["diff", sets, versions],
    ["diff", versions, sets],
  ]) {
    const { code, stdout, stderr } = slipway(["compat", ...args]);
    assert.match(stderr + stdout, /TAB007.*feature sets but no versions/, args.join(" "));
    if (args[1] !== "--batch") assert.is(code, 1, args.join(" "));
    assert.not.match(stdout, "0 errors");
  }
  for (const args of [
    ["lint", "--table", both],
    ["lifecycle", "--table", both],
    ["gates", "--table", both],
  ]) {
    const { code, stderr } = slipway(["compat", ...args]);
    assert.is(code, 0, args.join(" "));
    assert.match(stderr, /warning TAB007: c: 1 gate is ignored because it has feature sets/, args.join(" "));
  }
});

test("broken OpenShift forms", () => {
  assert.equal(codes(readTable(MATRIX.replace("| First| | |", "| First| |")).diagnostics), ["TAB001"]);
  assert.equal(codes(readTable(MATRIX.replace("| First| |", "| First| maybe |")).diagnostics), ["TAB001"]);
  assert.equal(codes(readTable(MATRIX.replace("Second|", "First|")).diagnostics), ["TAB006"]);
  assert.equal(codes(readTable(MATRIX.replace("Default on Hypershift", "Hypershift")).diagnostics), [
    "TAB001",
  ]);
  assert.equal(codes(readTable(manifest("Default", ["A"], ["A"])).diagnostics), ["TAB006"]);
  assert.equal(codes(readTable(manifest("Default", [], [])).diagnostics), ["TAB003"]);
});

test("what is imported can be read back, and what a source loses is marked", () => {
  const list = mustRead(
    readTable(
      '- name: b\n  goName: B\n  declaredIn: [m]\n  versionedSpecs:\n  - {default: false, lockToDefault: false, preRelease: Alpha, version: "1.31"}\n',
    ),
  );
  const { report } = createReporter();
  const merged = mergeTables([list], report);
  if (merged === undefined) throw new Error("nothing merged");
  assert.ok(merged.loses.includes("minCompatibilityVersion"));
  assert.ok(merged.loses.includes("dependencies"));
  const declared = readDependencies("b: []\n", "d.yaml", report);
  const complete = withDependencies(merged, declared, report);
  assert.ok(!complete.loses.includes("dependencies"));
  const document = {
    apiVersion: "slipway.dev/v1alpha1",
    kind: "FeatureGateTable",
    ...tableDocument(complete, ["list.yaml"]),
  };
  const again = mustRead(readTable(JSON.stringify(document)));
  assert.is(again.form, "own");
  assert.equal(
    again.gates[0]?.specs.map(({ stage }) => stage),
    ["Alpha"],
  );
  assert.is(again.gates[0]?.constant, "B");
  assert.equal(again.gates[0]?.dependencies, []);
});

test("the schemas accept what the readers accept", () => {
  const schema = (name: string): object =>
    JSON.parse(readFileSync(join("schemas/inputs", `${name}.schema.json`), "utf8"));
  const valid = (name: string, value: unknown): void => {
    const ajv = new Ajv.default({ strict: true, allowUnionTypes: true });
    ajv.addVocabulary(["x-slipway"]);
    const validate = ajv.compile(schema(name));
    assert.ok(validate(value), `${name}: ${JSON.stringify(validate.errors)}`);
  };
  const full = table(
    { X: "Beta 1.35 off, Beta 1.35 on min=1.35" },
    {
      X: {
        owners: ["a"],
        components: ["kubelet"],
        dependencies: [],
        capabilities: [{ name: "c", change: "api", since: "1.36" }],
      },
    },
  );
  valid("feature-gate-table", {
    apiVersion: "slipway.dev/v1alpha1",
    kind: "FeatureGateTable",
    ...tableDocument(full, []),
  });
  for (const name of ["kubernetes-removal-policy", "design-removal-policy"])
    valid("removal-policy", JSON.parse(readFileSync(join("tables", `${name}.json`), "utf8")));
  const { entries, newest } = builtInCel();
  assert.ok(entries.length > 10);
  assert.equal(newest, minor("1.37"));
});

withShared(test, "data/feature-gates/openshift", "the real OpenShift files", (folder) => {
  const read = (name: string) => mustRead(readTable(readFileSync(join(folder, name), "utf8"), name));
  const count = (name: string): [number, number] => {
    const states = read(name).gates.flatMap(({ featureSets }) => featureSets);
    return [states.filter(({ enabled }) => enabled).length, states.filter(({ enabled }) => !enabled).length];
  };
  assert.equal(count("featureGate-4-10-SelfManagedHA-Default.yaml"), [42, 84]);
  assert.equal(count("featureGate-4-10-SelfManagedHA-TechPreviewNoUpgrade.yaml"), [104, 22]);
  assert.equal(count("featureGate-4-10-Hypershift-Default.yaml"), [38, 88]);
  assert.equal(count("release-4.20.featureGate-SelfManagedHA-Default.yaml"), [38, 64]);
  assert.is(read("features.md").gates.length, 126);
});

test.run();
