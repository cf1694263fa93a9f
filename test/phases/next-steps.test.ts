import { suite } from "uvu";
import * as assert from "uvu/assert";
import { textFile } from "../../src/core/files.js";
import { type NextStepsInput, nextSteps } from "../../src/phases/infrastructure-manifests/next-steps.js";
import { formatNextSteps } from "../../src/phases/next-step.js";

const test = suite("next steps after infrastructure-manifests");

const input = (changes: Partial<NextStepsInput> = {}): NextStepsInput => ({
  identity: { infraID: "egret-abcde", clusterID: "x" },
  cluster: "egret",
  options: { namespace: "birds", secrets: "inline" },
  files: [],
  placeholders: false,
  directory: "cluster",
  ...changes,
});
const commands = (given: NextStepsInput, id: string): readonly string[] =>
  nextSteps(given).find((step) => step.id === id)?.commands ?? [];

test("the API comes first, the objects in one ordered apply, then what to wait for", () => {
  const steps = nextSteps(input());
  assert.equal(
    steps.map(({ id }) => id),
    ["definitions", "validate", "apply", "wait", "operators"],
  );
  assert.equal(commands(input(), "apply"), [
    "kubectl apply --server-side -k cluster/infrastructure-manifests",
  ]);
  assert.equal(commands(input(), "wait"), [
    "kubectl wait --for=condition=InfrastructureReady --timeout=30m -n birds cluster/egret-abcde",
    "kubectl wait --for=condition=ControlPlaneInitialized --timeout=60m -n birds cluster/egret-abcde",
  ]);
});

test("with secrets apart, the namespace and the Secrets go before the rest", () => {
  const given = input({ options: { namespace: "birds", secrets: "separate" }, directory: "." });
  assert.equal(commands(given, "apply"), [
    "kubectl apply --server-side -f infrastructure-manifests/00_namespace.yaml",
    "kubectl apply --server-side -k infrastructure-manifests-secrets",
    "kubectl apply --server-side -k infrastructure-manifests",
  ]);
});

test("placeholders are a step of their own", () => {
  assert.ok(nextSteps(input({ placeholders: true })).some(({ id }) => id === "placeholders"));
});

test("Secrets that client-side apply cannot take are named", () => {
  const file = (name: string, bytes: number, secret: boolean) =>
    textFile(`infrastructure-manifests/${name}`, "x".repeat(bytes), { secret });
  const what = (files: NextStepsInput["files"]): string =>
    nextSteps(input({ files })).find(({ id }) => id === "apply")?.what ?? "";
  assert.not.match(what([file("a.yaml", 100_000, true), file("b.yaml", 900_000, false)]), /client-side/);
  assert.match(what([file("20_install-state.yaml", 300_000, true)]), /20_install-state.yaml is too large/);
});

test("a directory with odd characters is quoted for the shell", () => {
  for (const [directory, expected] of [
    ["my cluster", "'my cluster'"],
    ["it's", "'it'\\''s'"],
    ["-x", "./-x"],
    ["a;rm -rf b", "'a;rm -rf b'"],
    ["/srv/a+b", "/srv/a+b"],
  ] as const)
    assert.equal(commands(input({ directory }), "validate"), [`slipway validate --dir ${expected}`]);
});

test("the text numbers the steps", () => {
  const text = formatNextSteps(nextSteps(input()));
  assert.match(text, /^Next steps:\n1\. /);
  assert.match(text, /\n5\. /);
});

test.run();
