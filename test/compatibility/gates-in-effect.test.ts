/** Gates as components have them: from their configuration, their command lines and their metrics. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { stateDifference } from "../../src/compatibility/component-answer.js";
import { askComponentGates } from "../../src/compatibility/gates-in-effect.js";
import { kubernetesApis, kubernetesPins } from "../../src/compatibility/kubernetes.js";
import { kubernetesGates } from "../../src/compatibility/kubernetes-gates.js";
import { readDependencies } from "../../src/compatibility/read/dependencies.js";
import { readGatesInEffect } from "../../src/compatibility/read/gates-in-effect.js";
import { SHIPPED } from "../../src/compatibility/rules.js";
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

test.run();
