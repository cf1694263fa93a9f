/** Gates as components have them: from their configuration, their command lines and their metrics. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { stateDifference } from "../../src/compatibility/component-answer.js";
import { commandLineFlag } from "../../src/compatibility/flags.js";
import { askComponentGates } from "../../src/compatibility/gates-in-effect.js";
import { kubernetesApis, kubernetesPins } from "../../src/compatibility/kubernetes.js";
import { kubernetesGates } from "../../src/compatibility/kubernetes-gates.js";
import { readDependencies } from "../../src/compatibility/read/dependencies.js";
import { mergeInEffect, readGatesInEffect } from "../../src/compatibility/read/gates-in-effect.js";
import { SHIPPED } from "../../src/compatibility/rules.js";
import { formatMinor } from "../../src/compatibility/version.js";
import { createReporter } from "../../src/core/diagnostics.js";
import { codes, minor, table, version } from "../helpers/compat.js";

const test = suite("gates in effect");

function read(text: string) {
  const { diagnostics, report } = createReporter();
  return { found: readGatesInEffect(text, "in-effect", report), diagnostics };
}

/** `component: flag=text@line …` */
const inShort = (text: string): string[] =>
  read(text).found.map(
    ({ component, flags }) =>
      `${component}: ${Object.values(flags)
        .flat()
        .map((each) => `${each.flag}=${each.text}@${each.place.line}`)
        .join(" ")}`,
  );

test("each form tells of its components, each setting with its line", () => {
  for (const [text, expected] of [
    [
      "kind: KubeletConfiguration\nfeatureGates:\n  Alpha: true\n  Beta: false\n",
      ["kubelet: --feature-gates=Alpha=true@3 --feature-gates=Beta=false@4"],
    ],
    [
      "kind: KubeProxyConfiguration\nfeatureGates: {Alpha: true}\n",
      ["kube-proxy: --feature-gates=Alpha=true@2"],
    ],
    [
      "kind: ClusterConfiguration\napiServer:\n  extraArgs:\n    feature-gates: A=true\n    emulated-version: '1.35'\n",
      [
        "kube-apiserver: --feature-gates=A=true@4 --emulated-version=1.35@5",
        "kube-controller-manager: ",
        "kube-scheduler: ",
      ],
    ],
    [
      "kind: ClusterConfiguration\nscheduler:\n  extraArgs:\n  - {name: feature-gates, value: A=true}\n  - {name: v, value: '4'}\n",
      ["kube-apiserver: ", "kube-controller-manager: ", "kube-scheduler: --feature-gates=A=true@4"],
    ],
    [
      "kind: Pod\nspec:\n  containers:\n  - command: [/usr/bin/kube-scheduler]\n    args:\n    - --feature-gates=A=true\n    - --min-compatibility-version=1.34\n",
      ["kube-scheduler: --feature-gates=A=true@6 --min-compatibility-version=1.34@7"],
    ],
    [
      "kind: Pod\nspec:\n  containers:\n  - command: [kube-scheduler, --feature-gates, A=true, --v, '2', -emulated-version=1.35]\n",
      ["kube-scheduler: --feature-gates=A=true@4 --emulated-version=1.35@4"],
    ],
    ["kind: KubeletConfiguration\n---\nkind: KubeProxyConfiguration\n", ["kubelet: ", "kube-proxy: "]],
    // As kubectl prints it, started by another program, and by the entry point of its image.
    [
      "kind: List\nitems:\n- kind: PodList\n  items:\n  - kind: Pod\n    spec:\n      containers:\n      - command: [/go-runner, --log-file=/var/log/a, /usr/local/bin/kube-scheduler, --feature_gates=A=true]\n",
      ["kube-scheduler: --feature-gates=A=true@8"],
    ],
    [
      "kind: Pod\nspec:\n  containers:\n  - name: kube-scheduler\n    args: [--feature-gates=A=true]\n",
      ["kube-scheduler: --feature-gates=A=true@5"],
    ],
    [
      "kind: InitConfiguration\nnodeRegistration:\n  kubeletExtraArgs:\n  - {name: feature-gates, value: A=true}\n---\nkind: JoinConfiguration\nnodeRegistration:\n  kubeletExtraArgs: {feature-gates: B=true}\n",
      ["kubelet: --feature-gates=A=true@4", "kubelet: --feature-gates=B=true@8"],
    ],
    [
      "kind: KubeAPIServerConfig\napiServerArguments:\n  feature-gates: [A=true, B=false]\n  emulated-version: ['1.35']\n---\nkind: KubeControllerManagerConfig\nextendedArguments:\n  feature-gates: [A=true]\n",
      [
        "kube-apiserver: --feature-gates=A=true@3 --feature-gates=B=false@3 --emulated-version=1.35@4",
        "kube-controller-manager: --feature-gates=A=true@8",
      ],
    ],
  ] as const)
    assert.equal(inShort(text), expected, text);
});

test("a dump of metrics tells what is on", () => {
  const { found, diagnostics } = read(
    `# HELP kubernetes_feature_enabled [BETA]\nkubernetes_feature_enabled{name="A",stage="BETA"} 1\nkubernetes_feature_enabled{name="B",stage=""} 0\nother{name="C"} 1\n`,
  );
  assert.equal(diagnostics, []);
  assert.equal(
    [...(found[0]?.observed ?? [])],
    [
      ["A", true],
      ["B", false],
    ],
  );
});

test("what is passed over is told", () => {
  const mixed = read("kind: KubeletConfiguration\n---\nkind: ConfigMap\n---\nkind: Secret\n");
  assert.equal(
    mixed.diagnostics.map(({ code, severity, line, message }) => [code, severity, line, message]),
    [["TAB005", "info", 3, "ignored, as these kinds contain no feature gates in effect: ConfigMap, Secret"]],
  );
  const script =
    "kind: Pod\nspec:\n  containers:\n  - name: kube-apiserver\n    command: [/bin/bash, -ec]\n    args: ['exec kube-apiserver --feature-gates=A=true']\n";
  assert.equal(codes(read(script).diagnostics, "warning"), ["TAB005"]);
  assert.equal(codes(read(script).diagnostics), ["TAB005"]);
});

const METRICS = (name: string, value: number): string =>
  `kubernetes_feature_enabled{name="${name}",stage="BETA"} ${value}\n`;

test("a dump of two servers is refused", () => {
  assert.equal(codes(read(METRICS("A", 1) + METRICS("A", 1)).diagnostics), []);
  assert.equal(codes(read(METRICS("A", 1) + METRICS("A", 0)).diagnostics), ["TAB005"]);
});

test("several files of one component are one: files first, flags behind them, the last one of each gate", () => {
  const file = (gates: string) => `kind: KubeletConfiguration\nfeatureGates: {${gates}}\n`;
  const flags = (gates: string) =>
    `kind: InitConfiguration\nnodeRegistration:\n  kubeletExtraArgs: {feature-gates: "${gates}"}\n`;
  const merged = (...texts: readonly string[]) => {
    const one = mergeInEffect(texts.flatMap((text) => read(text).found));
    if (one === undefined) return undefined;
    return "flag" in one ? one : one.flags["feature-gates"].map(({ text }) => text);
  };
  assert.is(merged(), undefined);
  assert.equal(merged(file("A: true"), file("B: true")), ["A=true", "B=true"]);
  assert.equal(merged(flags("A=false"), file("A: true, B: true"), file("B: false")), [
    "A=true",
    "B=false",
    "A=false",
  ]);
  assert.equal(merged(flags("A=true"), flags("A=true")), ["A=true"]);
  assert.equal(merged(flags("A=true"), flags("A=false")), { component: "kubelet", flag: "--feature-gates" });
  assert.equal(merged(METRICS("A", 1), METRICS("A", 1)), []);
  assert.equal(merged(METRICS("A", 1), METRICS("A", 0)), {
    component: "a /metrics dump",
    flag: "its feature gates",
  });
  assert.equal(merged(file("A: true"), METRICS("B", 1)), ["A=true"]);
});

test("what says nothing of gates is refused", () => {
  for (const text of ["kind: ConfigMap\n", "[]\n"])
    assert.equal(codes(read(text).diagnostics), ["TAB005"], text);
});

test("the difference of two pairs of versions", () => {
  const knowledge = {
    tables: ["1.36", "1.37"].map((at) => kubernetesGates(minor(at))),
    dependencies: [],
    lifecycle: kubernetesApis(),
    pins: kubernetesPins(),
    featureGates: [],
    runtimeConfig: [],
    rules: SHIPPED,
  };
  const state = (binary: string, emulation: string, minimum: string) => ({
    binary: minor(binary),
    emulation: minor(emulation),
    minCompatibility: minor(minimum),
  });
  const old = state("1.36", "1.36", "1.35");
  const none = stateDifference(knowledge, old, old);
  assert.equal(none.apis, { added: [], removed: [] });
  assert.equal(none.storageVersions.moved, []);
  // The pins are the binary's, whatever it emulates.
  const emulating = stateDifference(knowledge, old, state("1.37", "1.36", "1.35"));
  assert.ok(
    emulating.storageVersions.moved.some(
      ({ resource, to }) => resource === "devicetaintrules" && to === "v1beta2",
    ),
  );
  assert.not.ok(emulating.apis.added.some((each) => each.startsWith("storagemigration.k8s.io/v1/")));
  const raised = stateDifference(knowledge, state("1.37", "1.36", "1.35"), state("1.37", "1.37", "1.36"));
  assert.ok(raised.apis.added.includes("storagemigration.k8s.io/v1/storageversionmigrations"));
});

test("what is declared about gates of other components is no concern of the one that is asked", () => {
  const gates = table(
    { Shared: "Beta 1.35 on", Theirs: "Beta 1.35 on" },
    { Theirs: { components: ["kube-apiserver"] } },
  );
  const { diagnostics, report } = createReporter();
  const ask = (declared: string) =>
    askComponentGates(
      {
        tables: [gates],
        dependencies: readDependencies(declared, "needs", report),
        binary: version("1.36"),
        emulated: [],
        minCompatibility: [],
        featureGates: [],
        rules: SHIPPED,
      },
      "kubelet",
      undefined,
      createReporter(),
    );
  assert.equal(codes(ask("Theirs: [Shared]\n").diagnostics), []);
  assert.equal(codes(ask("Nobodys: [Shared]\n").diagnostics), ["GATE120"]);
  assert.equal(codes(diagnostics), []);
});

const dump = (versions: string, gates: Readonly<Record<string, number>>): string =>
  [
    ...Object.entries(gates).map(
      ([name, on]) => `kubernetes_feature_enabled{name="${name}",stage="BETA"} ${on}`,
    ),
    `version_info{${versions}} 1`,
    "",
  ].join("\n");

const EMULATING = 'binary="1.36.1",component="kube",emulation="1.35",min_compat="1.34"';

test("metrics report the versions, so that gates of an emulated version are not taken for set ones", () => {
  const { report, diagnostics } = createReporter();
  // Beta and on since 1.36; as 1.35 the server has it off by default.
  const text = dump(EMULATING, { HPAConfigurableTolerance: 1, MaxUnavailableStatefulSet: 1 });
  const shown = mergeInEffect(readGatesInEffect(text, "metrics", report));
  assert.ok(shown !== undefined && !("flag" in shown));
  const ask = (emulated: string | undefined) =>
    askComponentGates(
      {
        tables: [kubernetesGates(minor("1.36"))],
        dependencies: [],
        binary: undefined,
        emulated: emulated === undefined ? [] : [commandLineFlag("--emulated-version", emulated)],
        minCompatibility: [],
        featureGates: [],
        rules: SHIPPED,
      },
      "kube-apiserver",
      shown,
      { report, diagnostics, failed: false },
    );
  const [answer] = ask(undefined).components;
  assert.is(answer && formatMinor(answer.versions.emulation), "1.35");
  assert.is(answer && formatMinor(answer.versions.minCompatibility), "1.34");
  const byDefault = askComponentGates(
    {
      tables: [kubernetesGates(minor("1.36"))],
      dependencies: [],
      binary: version("1.36.1"),
      emulated: [commandLineFlag("--emulated-version", "1.35")],
      minCompatibility: [],
      featureGates: [],
      rules: SHIPPED,
    },
    "kube-apiserver",
    undefined,
    createReporter(),
  ).components[0];
  for (const name of ["HPAConfigurableTolerance", "MaxUnavailableStatefulSet"]) {
    const expected =
      byDefault?.gates.find((gate) => gate.name === name)?.enabled === true ? "default" : "flag";
    assert.is(answer?.gates.find((gate) => gate.name === name)?.setBy, expected, name);
  }
  assert.equal(codes(ask("1.36").diagnostics), ["VER015"]);
});

test("metrics of two servers are not one", () => {
  const other = EMULATING.replace("1.35", "1.36");
  assert.equal(codes(read(dump(EMULATING, { A: 1 }) + dump(other, { A: 1 })).diagnostics), ["TAB005"]);
  const parts = [EMULATING, other].flatMap((each) => read(dump(each, { A: 1 })).found);
  const merged = mergeInEffect(parts);
  assert.ok(merged !== undefined && "flag" in merged && merged.flag === "its versions");
});

test.run();
