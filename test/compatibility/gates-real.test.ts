/** The real gate tables, and 340 questions that Kubernetes' own library has answered. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { diffTables } from "../../src/compatibility/gate-diff.js";
import { gateLifecycles } from "../../src/compatibility/gate-lifecycle.js";
import { answerBatch } from "../../src/compatibility/gates-batch.js";
import { lint } from "../../src/compatibility/lint.js";
import { annotate, annotationsOf, readDependencies } from "../../src/compatibility/read/dependencies.js";
import { readDocument } from "../../src/compatibility/read/document.js";
import { defaultPolicy } from "../../src/compatibility/removal-policy.js";
import { SHIPPED } from "../../src/compatibility/rules.js";
import { headerOf, versionedList } from "../../src/compatibility/versioned-list.js";
import { createReporter, isError } from "../../src/core/diagnostics.js";
import { ask, codes, minor, mustRead, readTable } from "../helpers/compat.js";
import { withShared } from "../helpers/shared.js";

const test = suite("real gates");
const GATES = "data/feature-gates";

const tableAt = (folder: string, name: string) =>
  mustRead(readTable(readFileSync(join(folder, name), "utf8"), name));

interface Vector {
  readonly id: string;
  readonly question: Readonly<Record<string, unknown>>;
  readonly answer: { readonly enabled: Readonly<Record<string, boolean>> | null };
}

const isVector = (value: unknown): value is Vector =>
  typeof value === "object" && value !== null && "id" in value && "question" in value && "answer" in value;

withShared(test, GATES, "the 340 answers of Kubernetes' own library", (folder) => {
  const vectors = readFileSync(join(folder, "vectors/handed.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line))
    .filter(isVector);
  assert.is(vectors.length, 340);
  const files: Readonly<Record<string, string>> = {
    table: "kubernetes-1.36.3.gates-from-source.yaml",
    dependencies: "kubernetes-1.36.3.gate-dependencies.yaml",
  };
  const lines = vectors.map(({ id, question }) => {
    const named = Object.entries(question).map(([key, value]) => [
      key,
      value === "kubernetes-1.36.3" ? files[key] : value,
    ]);
    return JSON.stringify({ id, ...Object.fromEntries(named) });
  });
  const read = (path: string): string => readFileSync(join(folder, path), "utf8");
  const answers = answerBatch(lines.join("\n"), "batch.jsonl", read, SHIPPED);
  assert.is(answers.length, 340);
  let refused = 0;
  vectors.forEach(({ id, answer }, i) => {
    const got = answers[i];
    assert.is(got?.id, id);
    const failed = got?.diagnostics.some(isError) ?? true;
    if (failed) refused++;
    const enabled = failed
      ? null
      : Object.fromEntries((got?.gates ?? []).map((gate) => [gate.name, gate.enabled]));
    assert.equal(sorted(enabled), sorted(answer.enabled), id);
  });
  assert.is(refused, 340 - 186);
});

const sorted = (map: Readonly<Record<string, boolean>> | null): unknown =>
  map === null ? null : Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));

withShared(test, GATES, "AllAlpha on 1.36.3 needs DynamicResourceAllocation at 1.33", (folder) => {
  const table = tableAt(folder, "kubernetes-1.36.3.gates-from-source.yaml");
  const { report, diagnostics } = createReporter();
  const name = "kubernetes-1.36.3.gate-dependencies.yaml";
  const declared = readDependencies(readFileSync(join(folder, name), "utf8"), name, report);
  assert.equal(diagnostics, []);
  assert.is(declared.length, 225);
  const dependencies = Object.fromEntries(
    declared.map(({ gate, needs }) => [gate, needs.map((need) => need.name)]),
  );
  const broken = (emulated: string): string[] =>
    ask(table, { binary: "1.36", emulated, gates: "AllAlpha=true", dependencies })
      .diagnostics.filter(isError)
      .map(({ code, message }) => `${code} ${message.split(" ")[0]}`);
  assert.equal(broken("1.33"), [
    "GATE125 DRAAdminAccess",
    "GATE125 DRADeviceTaints",
    "GATE125 DRAPartitionableDevices",
    "GATE125 DRAPrioritizedList",
    "GATE125 ResourceHealthStatus",
  ]);
  for (const emulated of ["1.34", "1.35", "1.36"]) assert.equal(broken(emulated), [], emulated);
});

withShared(test, GATES, "what is on by default in 1.36.3", (folder) => {
  const table = tableAt(folder, "kubernetes-1.36.3.gates-from-source.yaml");
  const on = ["1.33", "1.34", "1.35", "1.36"].map((emulated) => {
    const gates = ask(table, { binary: "1.36", emulated }).components[0]?.gates ?? [];
    assert.is(gates.length, 240);
    return gates.filter(({ enabled }) => enabled).length;
  });
  assert.equal(on, [90, 114, 132, 170]);
});

withShared(
  test,
  GATES,
  "what the 1.37 list knows and has on, with and without its lost minimum",
  (folder) => {
    const list = tableAt(folder, "kubernetes-1.37-dev.versioned_feature_list.yaml");
    const count = (emulated: string): [number, number] => {
      const gates = ask(list, { binary: "1.37", emulated }).components[0]?.gates ?? [];
      return [
        gates.filter(({ stage }) => stage !== "PreAlpha").length,
        gates.filter((gate) => gate.enabled).length,
      ];
    };
    assert.equal(["1.34", "1.35", "1.36", "1.37"].map(count), [
      [162, 91],
      [181, 106],
      [206, 140],
      [239, 172],
    ]);
    const { report } = createReporter();
    const name = "kubernetes-1.37-dev.annotations.yaml";
    const document = readDocument(readFileSync(join(folder, name), "utf8"), name, report);
    if (document === undefined) throw new Error("no annotations");
    const annotated = annotate(list, annotationsOf(document), report);
    const gates = ask(annotated, { binary: "1.37", minimum: "1.36" });
    assert.is(gates.components[0]?.gates.filter(({ enabled }) => enabled).length, 171);
    assert.equal(codes(gates.diagnostics, "warning"), [], "with the minimum the list breaks no rule");
  },
);

withShared(test, GATES, "which gates vanished between the lists of 1.34 and 1.37", (folder) => {
  const table = tableAt(folder, "kubernetes-1.37-dev.versioned_feature_list.yaml");
  const base = tableAt(folder, "kubernetes-1.34-dev.versioned_feature_list.yaml");
  const findings = lint({
    table,
    base,
    dependencies: [],
    list: undefined,
    current: minor("1.37"),
    policy: defaultPolicy("shipped"),
    rules: SHIPPED,
  });
  const errors = findings.filter(({ severity }) => severity === "error");
  assert.equal(
    errors.map(({ rule, gate }) => `${rule} ${gate}`),
    [
      "L7 APIServerTracing",
      "L8 InPlacePodVerticalScalingAllocatedStatus",
      "L8 LegacySidecarContainers",
      "L7 PodLifecycleSleepAction",
      "L7 PodLifecycleSleepActionAllowZero",
      "L7 PreventStaticPodAPIReferences",
    ],
  );
  const gone = diffTables(base, table).filter(({ change }) => change === "removed");
  assert.is(gone.length, 46);
  const last = new Map(base.gates.map((gate) => [gate.name, gate.specs.at(-1)?.stage]));
  assert.is(gone.filter(({ name }) => last.get(name) === "Alpha").length, 4);
});

withShared(test, GATES, "history that was rewritten between the two lists", (folder) => {
  const changes = diffTables(
    tableAt(folder, "kubernetes-1.34-dev.versioned_feature_list.yaml"),
    tableAt(folder, "kubernetes-1.37-dev.versioned_feature_list.yaml"),
  );
  assert.equal(
    changes.filter(({ change }) => change === "rewritten").map(({ name }) => name),
    [
      "ClearingNominatedNodeNameAfterBinding",
      "NominatedNodeNameForExpectation",
      "SchedulerAsyncAPICalls",
      "TopologyManagerPolicyOptions",
    ],
  );
});

withShared(test, GATES, "what may be removed from 1.37, and what is overdue", (folder) => {
  const table = tableAt(folder, "kubernetes-1.37-dev.versioned_feature_list.yaml");
  const lives = gateLifecycles(table, minor("1.37"), defaultPolicy("shipped"), SHIPPED);
  assert.is(lives.filter(({ state }) => state !== "active").length, 22);
  assert.equal(
    lives.filter(({ state }) => state === "overdue").map(({ name }) => name),
    [
      "CustomResourceFieldSelectors",
      "PodSchedulingReadiness",
      "ServiceAccountTokenJTI",
      "ServiceAccountTokenNodeBindingValidation",
      "ServiceAccountTokenPodNodeInfo",
      "TopologyManagerPolicyOptions",
    ],
  );
});

withShared(test, GATES, "another project under the rules of Kubernetes", (folder) => {
  const findings = lint({
    table: tableAt(folder, "kueue/kueue-0.20-dev.versioned_feature_list.yaml"),
    base: tableAt(folder, "kueue/kueue-0.16.0.versioned_feature_list.yaml"),
    dependencies: [],
    list: undefined,
    current: minor("0.20"),
    policy: defaultPolicy("shipped"),
    rules: SHIPPED,
  });
  const count = (rule: string): number => findings.filter((finding) => finding.rule === rule).length;
  assert.equal([count("L7"), count("L8"), count("L9")], [10, 1, 0]);
});

for (const name of [
  "kubernetes-1.37-dev.versioned_feature_list.yaml",
  "kubernetes-1.34-dev.versioned_feature_list.yaml",
  "kueue/kueue-0.20-dev.versioned_feature_list.yaml",
  "kueue/kueue-0.16.0.versioned_feature_list.yaml",
])
  withShared(test, `${GATES}/${name}`, `${name} is written back byte for byte, in its order`, (path) => {
    const text = readFileSync(path, "utf8");
    const table = mustRead(readTable(text, name));
    assert.is(versionedList(table, headerOf(text)), text);
  });

test.run();
