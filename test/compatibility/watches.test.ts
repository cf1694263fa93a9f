/** What a kube-apiserver has to serve for itself, and what a plan does about it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type ApiQuestion, servedApis } from "../../src/compatibility/apis.js";
import { commandLineFlag } from "../../src/compatibility/flags.js";
import { askGates } from "../../src/compatibility/gates-question.js";
import { kubernetesApis, kubernetesPins } from "../../src/compatibility/kubernetes.js";
import { kubernetesGates } from "../../src/compatibility/kubernetes-gates.js";
import { upgradePlan } from "../../src/compatibility/plan.js";
import { SHIPPED } from "../../src/compatibility/rules.js";
import { addMinors, formatMinor } from "../../src/compatibility/version.js";
import { checkWatches, warnOfGateApis } from "../../src/compatibility/watches.js";
import { createReporter, type Diagnostic } from "../../src/core/diagnostics.js";
import watches from "../../tables/kubernetes-watches.json" with { type: "json" };
import { kube, minor, version } from "../helpers/compat.js";

const test = suite("APIs that an API server requires");

interface Flags {
  readonly gates?: string;
  readonly config?: string;
  readonly forward?: boolean;
}

const texts = (flag: string, text: string | undefined) =>
  text === undefined ? [] : [commandLineFlag(flag, text)];

/** What a server of Kubernetes' own tables reports at its start. */
function start(binary: string, emulated: string, { gates, config, forward }: Flags = {}): Diagnostic[] {
  const { report, diagnostics } = createReporter();
  const versions = kube(binary, emulated);
  const [answer] = askGates({
    tables: [kubernetesGates(minor(binary))],
    dependencies: [],
    binary: version(binary),
    emulated: texts("--emulated-version", emulated),
    minCompatibility: [],
    featureGates: texts("--feature-gates", gates),
    rules: SHIPPED,
  }).components;
  const on = new Set(answer?.gates.flatMap(({ name, enabled }) => (enabled ? [name] : [])));
  const question: ApiQuestion = {
    table: kubernetesApis(),
    versions,
    rules: SHIPPED,
    runtimeConfig: texts("--runtime-config", config),
    gateOn: (name) => on.has(name),
    forwardCompatible: forward ?? false,
    runtimeConfigForwardCompatible: false,
    strictRemovedInAlpha: false,
    serveRemovedOneMore: false,
  };
  checkWatches(question, servedApis(question, createReporter().report), report);
  return [...diagnostics];
}

const told = (diagnostics: readonly Diagnostic[]): string[] =>
  diagnostics.map(({ code, field }) => `${code} ${field}`);

test("a server without settings serves what it watches, at every version that it emulates", () => {
  for (let binary = 31; binary <= 37; binary += 1)
    for (let emulated = Math.max(31, binary - 3); emulated <= binary; emulated += 1)
      assert.equal(start(`1.${binary}`, `1.${emulated}`), [], `1.${binary} as 1.${emulated}`);
});

test("a gate whose API is off by default requires it in --runtime-config", () => {
  for (const [binary, gates, config] of [
    ["1.34", "CoordinatedLeaderElection=true", "coordination.k8s.io/v1beta1=true"],
    ["1.32", "CoordinatedLeaderElection=true", "coordination.k8s.io/v1alpha2=true"],
    ["1.35", "PodCertificateRequest=true", "certificates.k8s.io/v1beta1=true"],
    ["1.36", "GenericWorkload=true", "scheduling.k8s.io/v1alpha2=true"],
  ] as const) {
    const [gate = ""] = gates.split("=");
    const without = start(binary, binary, { gates });
    assert.ok(told(without).every((each) => each === `API023 ${gate}`) && without.length > 0, binary);
    assert.match(without[0]?.hint ?? "", `--runtime-config=${config}`);
    assert.equal(start(binary, binary, { gates, config }), [], binary);
  }
});

test("a gate whose API is newer than the emulated version requires forward compatibility", () => {
  const flags = { gates: "PodCertificateRequest=true", config: "certificates.k8s.io/v1beta1=true" };
  const [problem, ...others] = start("1.37", "1.35", flags);
  assert.equal(others, []);
  assert.match(problem?.message ?? "", "certificates.k8s.io/v1 podcertificaterequests");
  assert.match(problem?.hint ?? "", "--emulation-forward-compatible");
  assert.equal(start("1.37", "1.35", { ...flags, forward: true }), []);
  // Nothing is above an API that is off itself.
  assert.match(start("1.37", "1.35", { gates: flags.gates })[0]?.hint ?? "", "raise the emulated version");
});

test("a version that --runtime-config turns off is reported once, whatever watches it", () => {
  const [problem, ...others] = start("1.36", "1.36", { config: "admissionregistration.k8s.io/v1=false" });
  assert.equal(others, []);
  assert.is(problem?.code, "API023");
  assert.match(problem?.hint ?? "", "admissionregistration.k8s.io/v1=true");
});

test("API Priority and Fairness checks --runtime-config by itself, most special key first", () => {
  const flow = "flowcontrol.apiserver.k8s.io/v1";
  for (const [config, key] of [
    [`${flow}=false`, flow],
    [`api/all=true,${flow}=false`, flow],
    ["api/ga=false,api/all=true", "api/ga"],
    ["api/all=false,v1=true", "api/all"],
    ["api/all=false,api/ga=true", ""],
    [`api/ga=false,${flow}=true`, ""],
  ] as const) {
    const found = start("1.35", "1.35", { config }).filter(({ code }) => code === "API024");
    assert.equal(
      found.map(({ message }) => message),
      key === "" ? [] : [`--runtime-config=${key}=false conflicts with --enable-priority-and-fairness=true`],
      config,
    );
  }
});

test("a question of gates warns of those that were turned on only", () => {
  const warned = (gates: string): string[] => {
    const { report, diagnostics } = createReporter();
    const [answer] = askGates({
      tables: [kubernetesGates(minor("1.36"))],
      dependencies: [],
      binary: version("1.36"),
      emulated: [],
      minCompatibility: [],
      featureGates: texts("--feature-gates", gates),
      rules: SHIPPED,
    }).components;
    warnOfGateApis(
      { table: kubernetesApis(), versions: kube("1.36"), rules: SHIPPED },
      answer?.gates ?? [],
      report,
    );
    return diagnostics.map(({ code, severity, field }) => `${severity} ${code} ${field}`);
  };
  assert.equal(warned("ContextualLogging=true"), []);
  assert.equal(warned("CoordinatedLeaderElection=true"), ["warning GATE145 CoordinatedLeaderElection"]);
  assert.equal(warned("AllAlpha=true"), [
    "warning GATE145 GenericWorkload",
    "warning GATE145 GenericWorkload",
    "warning GATE145 StorageVersionAPI",
  ]);
});

function plan(from: string, to: string, flags: Flags = {}) {
  const { report } = createReporter();
  const first = minor(from);
  return upgradePlan(
    {
      from: first,
      to: minor(to),
      components: ["kube-apiserver"],
      hops: "fewest",
      tables: [-1, 0, 1, 2, 3]
        .map((by) => kubernetesGates(addMinors(first, by)))
        .filter(({ gates }) => gates.length > 0),
      dependencies: [],
      lifecycle: kubernetesApis(),
      pins: kubernetesPins(),
      rules: SHIPPED,
      featureGates: texts("--feature-gates", flags.gates),
      runtimeConfig: texts("--runtime-config", flags.config),
    },
    report,
  );
}

test("a plan serves newer versions where the server needs them, else it is blocked", () => {
  const gates = "PodCertificateRequest=true";
  const steps = plan("1.35", "1.37", { gates, config: "certificates.k8s.io/v1beta1=true" });
  assert.equal(
    steps.map(({ emulatedVersion, does, blockers }) => [
      emulatedVersion,
      does.includes("--emulation-forward-compatible"),
      blockers.length,
    ]),
    [
      ["1.35", true, 0],
      ["1.36", true, 0],
      ["1.37", false, 0],
      ["1.37", false, 0],
    ],
  );
  assert.equal(
    plan("1.35", "1.37", { gates }).flatMap(({ blockers }) => blockers.map(({ code }) => code)),
    ["API023"],
  );
});

test("what the older binary cannot read is deleted before it starts", () => {
  const before = (from: string, to: string): string[] =>
    plan(from, to).flatMap((step) => step.before.map((each) => `${step.binaryVersion}: ${each}`));
  assert.equal(before("1.35", "1.33"), [
    "1.33: back up and delete every object of mutatingadmissionpolicies.admissionregistration.k8s.io, mutatingadmissionpolicybindings.admissionregistration.k8s.io: kube-apiserver 1.35 stores them as v1beta1 even with the older emulated version, and kube-apiserver 1.33 cannot read v1beta1",
  ]);
  assert.match(before("1.32", "1.31").join(), "resourceslices.resource.k8s.io");
  assert.equal(before("1.31", "1.32"), []);
  // What is deleted is not said to be rewritten.
  const checks = plan("1.32", "1.31").flatMap(({ healthChecks }) => healthChecks);
  assert.not(checks.some((each) => each.includes("resource.k8s.io")));
});

test("each row names gates and kinds that the release has", () => {
  const kinds = kubernetesApis().kinds.map(
    ({ group, version: of, resource }) => `${group}/${of}/${resource ?? ""}`,
  );
  for (const { by, gates, resources, since } of watches.watches) {
    for (const name of resources) assert.ok(kinds.includes(name), `${by}: ${name}`);
    const known = new Set(kubernetesGates(minor(since)).gates.map(({ name }) => name));
    for (const gate of gates) assert.ok(known.has(gate), `${by}: ${gate} at ${formatMinor(minor(since))}`);
  }
});

test.run();
