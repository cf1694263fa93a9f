import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readInventory } from "../../src/compatibility/read/inventory.js";
import { KEP } from "../../src/compatibility/rules.js";
import {
  type InventoryEntry,
  publishedViolations,
  skewRanges,
  skewViolations,
} from "../../src/compatibility/skew.js";
import { formatMinor, formatVersion } from "../../src/compatibility/version.js";
import { createReporter } from "../../src/core/diagnostics.js";
import { codes, HEAD, kube } from "../helpers/compat.js";

const test = suite("skew");

const ranges = (...servers: Parameters<typeof skewRanges>[0]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    skewRanges(servers).map(({ component, min, max }) => [
      component,
      `${formatMinor(min)}..${formatMinor(max)}`,
    ]),
  );

test("ranges by minimum compatibility and emulated version (docs/reference/compatibility-versions.md §3.5)", () => {
  const defaults = ranges(kube("1.35"));
  assert.equal(
    [defaults["kube-controller-manager"], defaults["kube-scheduler"], defaults["cloud-controller-manager"]],
    ["1.34..1.35", "1.34..1.35", "1.34..1.35"],
  );
  assert.equal(
    [defaults["kubelet"], defaults["kube-proxy"], defaults["kubectl"]],
    ["1.32..1.35", "1.32..1.35", "1.34..1.36"],
  );
  const floor = ranges(kube("1.35", "1.32", "1.32", KEP));
  assert.equal(
    [floor["kube-scheduler"], floor["kubelet"], floor["kubectl"]],
    ["1.32..1.32", "1.30..1.32", "1.32..1.33"],
  );
});

test("with defaults the ranges are those of the published policy", () => {
  for (const { component, min, max, published } of skewRanges([kube("1.36")]))
    assert.equal([min, max], [published.min, published.max], component);
});

test("several API servers leave what all of them allow", () => {
  const both = ranges(kube("1.35"), kube("1.34"));
  assert.is(both["kube-scheduler"], "1.34..1.34", "not newer than the older server");
  assert.is(both["kubelet"], "1.32..1.34");
  assert.is(both["kube-apiserver"], "1.34..1.35", "servers are held against the newest one");
});

function read(text: string): {
  entries: InventoryEntry[];
  diagnostics: ReturnType<typeof createReporter>["diagnostics"];
} {
  const { report, diagnostics } = createReporter();
  return { entries: readInventory(text, "inventory.yaml", report), diagnostics };
}

const short = ({ component, name, version, emulated }: InventoryEntry): string =>
  `${component} ${name} ${formatVersion(version)}${emulated === undefined ? "" : ` as ${formatMinor(emulated)}`}`;

test("every component out of its range is found, at its line", () => {
  const { entries, diagnostics } = read(`${HEAD}kind: ComponentInventory
components:
- {component: kube-apiserver, name: a, version: v1.35.1, emulatedVersion: "1.34"}
- {component: kube-scheduler, name: b, version: v1.35.1, emulatedVersion: "1.34"}
- {component: kube-controller-manager, name: c, version: v1.35.1}
- {component: kubelet, name: n1, node: n1, version: v1.31.4}
- {component: kubelet, name: n2, node: n2, version: v1.30.0}
- {component: kubelet, name: n3, node: n3, version: v1.35.0}
- {component: kube-proxy, name: p1, node: n1, version: v1.34.0}
- {component: kube-proxy, name: p2, node: n2, version: v1.34.0}
- {component: etcd, name: e, version: v3.6.0}
`);
  assert.equal(codes(diagnostics), []);
  assert.equal(codes(diagnostics, "warning"), ["SKEW002"]);
  const violations = skewViolations(skewRanges([kube("1.35.1", "1.34")]), entries);
  assert.equal(
    violations.map(({ component, name, place }) => `${component} ${name} ${place.line}`),
    ["kube-controller-manager c 6", "kubelet n2 8", "kubelet n3 9", "kube-proxy p2 11"],
  );
  assert.match(violations[3]?.reason ?? "", /more than 3 minor versions from kubelet 1\.30/);
});

test("a dump of Nodes, Leases, LeaseCandidates and Pods", () => {
  const { entries, diagnostics } = read(`apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: n1}
  status: {nodeInfo: {kubeletVersion: v1.32.3+abc1234, kubeProxyVersion: v1.32.3}}
- apiVersion: v1
  kind: Node
  metadata: {name: n2}
  status: {nodeInfo: {kubeletVersion: v1.33.0, kubeProxyVersion: ""}}
- apiVersion: coordination.k8s.io/v1
  kind: Lease
  metadata: {name: n1, namespace: kube-node-lease}
- apiVersion: coordination.k8s.io/v1
  kind: Lease
  metadata: {name: kube-scheduler, namespace: kube-system}
  spec: {holderIdentity: s1}
- apiVersion: coordination.k8s.io/v1
  kind: Lease
  metadata:
    name: apiserver-3fgh
    namespace: kube-system
    labels: {apiserver.kubernetes.io/identity: kube-apiserver}
    annotations: {example.org/binary-version: "1.35.2", example.org/emulated-version: "1.34"}
- apiVersion: coordination.k8s.io/v1beta1
  kind: LeaseCandidate
  metadata: {name: kcm-1, namespace: kube-system}
  spec: {leaseName: kube-controller-manager, binaryVersion: 1.35.2, emulationVersion: 1.34.0, strategy: OldestEmulationVersion}
- apiVersion: v1
  kind: Pod
  metadata: {name: kube-scheduler-s1}
  spec:
    nodeName: s1
    containers:
    - name: kube-scheduler
      image: registry.example.org/kube-scheduler:v1.35.2@sha256:00
      command: [kube-scheduler, "--emulated-version=kube=1.34", --min-compatibility-version=1.33]
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: unrelated}
`);
  assert.equal(codes(diagnostics), []);
  assert.equal(codes(diagnostics, "info"), ["SKEW003"], "the scheduler's lease carries no version");
  assert.equal(entries.map(short), [
    "kubelet n1 1.32.3",
    "kube-proxy n1 1.32.3",
    "kubelet n2 1.33.0",
    "kube-apiserver apiserver-3fgh 1.35.2 as 1.34",
    "kube-controller-manager kcm-1 1.35.2 as 1.34",
    "kube-scheduler kube-scheduler-s1 1.35.2 as 1.34",
  ]);
});

test("a pod's flags in every form, and what is no component of this cluster", () => {
  const pod = (container: string, image: string, more = "", metadata = ""): string =>
    `kind: Pod\nmetadata: {name: p${metadata}}\nspec: {containers: [{name: ${container}, image: '${image}'${more}}]}\n`;
  const server = "registry.example.org/kube-apiserver:v1.37.0";
  for (const words of [
    "command: [kube-apiserver, --emulated-version, '1.35']",
    "command: [kube-apiserver], args: [--emulated_version=kube=v1.35]",
    "args: ['--emulated-version=1.35']",
  ])
    assert.equal(
      read(pod("kube-apiserver", server, `, ${words}`)).entries.map(short),
      ["kube-apiserver p 1.37.0 as 1.35"],
      words,
    );
  for (const [text, infos] of [
    [pod("controller-manager", "example.org/other/operator:v0.4.2"), 0],
    [pod("kube-apiserver", "example.org/release@sha256:00"), 1],
    [pod("kube-apiserver", server, "", ", ownerReferences: [{kind: ReplicaSet, name: hosted}]"), 1],
  ] as const) {
    const { entries, diagnostics } = read(text);
    assert.equal(entries, [], text);
    assert.is(codes(diagnostics, "info").length, infos, text);
  }
});

test("a version that a dump cannot have is an error where a version is due, else a warning", () => {
  const items = (text: string) => read(`apiVersion: v1\nkind: List\nitems:\n${text}`);
  const node = items(`- kind: Node
  metadata: {name: n1}
  status: {nodeInfo: {kubeletVersion: latest, kubeProxyVersion: v1}}
- kind: Node
  metadata: {name: n2}
  status: {}
- kind: Node
  metadata: {name: n3}
  status: {nodeInfo: {kubeletVersion: v1.20.0}}
`);
  assert.equal(codes(node.diagnostics), ["VER001", "VER001"]);
  assert.equal(codes(node.diagnostics, "info"), ["SKEW003"]);
  assert.equal(node.entries.map(short), ["kubelet n3 1.20.0"], "what can be read is still judged");
  const candidate = items(
    "- {kind: LeaseCandidate, metadata: {name: kcm}, spec: {leaseName: kube-controller-manager, binaryVersion: x}}\n",
  );
  assert.equal(codes(candidate.diagnostics), ["VER001", "SKEW001"]);
  const lease = items(
    "- {kind: Lease, metadata: {name: kube-scheduler, labels: {version: blue}}}\n- {kind: Node, metadata: {name: n}, status: {nodeInfo: {kubeletVersion: v1.35.0}}}\n",
  );
  assert.equal(codes(lease.diagnostics), []);
  assert.equal(codes(lease.diagnostics, "warning"), ["VER001"]);
});

test("a dump of a single namespace, or the first page of a list, is told", () => {
  const pod =
    "- {kind: Pod, metadata: {name: kube-scheduler-a, namespace: kube-system, labels: {component: kube-scheduler}}, spec: {containers: [{name: kube-scheduler, image: 'registry.k8s.io/kube-scheduler:v1.35.1'}]}}\n";
  const part = read(`apiVersion: v1\nkind: List\nitems:\n${pod}`);
  assert.is(part.entries.length, 1);
  assert.equal(codes(part.diagnostics, "warning"), ["SKEW001"]);
  const page = read(
    "kind: NodeList\nmetadata: {continue: abc}\nitems:\n- {kind: Node, metadata: {name: n}, status: {nodeInfo: {kubeletVersion: v1.35.0}}}\n",
  );
  assert.equal(codes(page.diagnostics, "warning"), ["SKEW001"]);
  const nodes =
    "kind: List\nitems:\n- {kind: Node, metadata: {name: n}, status: {nodeInfo: {kubeletVersion: v1.35.0}}}\n";
  for (const refused of [
    `${nodes}---\n{kind: Status, apiVersion: v1, status: Failure, message: leases is forbidden}\n`,
    `error: You must be logged in to the server (Unauthorized)\n${nodes}`,
  ])
    assert.equal(codes(read(refused).diagnostics, "warning"), ["SKEW001"], refused);
});

test("an inventory that says nothing about versions, or is wrong, is an error", () => {
  assert.equal(codes(read("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n").diagnostics), [
    "SKEW001",
  ]);
  assert.equal(codes(read("").diagnostics), ["YAML006"]);
  // What kubectl prints where it may list nothing, or where there is nothing.
  assert.equal(codes(read("apiVersion: v1\nkind: List\nitems: []\n").diagnostics), ["SKEW001"]);
  const wrong = read(
    `${HEAD}kind: ComponentInventory\ncomponents:\n- {component: kubelet, version: new}\n- {version: v1.2.3, nam: x}\n`,
  );
  assert.equal(codes(wrong.diagnostics).sort(), ["SKEW001", "TAB002", "TAB003", "VER001"]);
});

test("what the published policy leaves out is named, by the binary", () => {
  const server = { ...kube("1.37", "1.36", "1.35") };
  const text = (version: string): string =>
    `${HEAD}kind: ComponentInventory\ncomponents:\n- {component: kubelet, name: w0, version: "${version}"}\n`;
  const named = (version: string): string[] =>
    publishedViolations(skewRanges([server]), read(text(version)).entries).map(({ reason }) => reason);
  assert.equal(named("1.34.2"), []);
  assert.equal(named("1.33"), ["1.33 is too old; supported: 1.34 to 1.37"]);
  // By what the server emulates, it is in range.
  assert.equal(skewViolations(skewRanges([server]), read(text("1.33")).entries), []);
});

test("nodes and clients do not emulate", () => {
  for (const component of ["kubelet", "kube-proxy", "kubectl"]) {
    const { diagnostics } = read(
      `${HEAD}kind: ComponentInventory\ncomponents:\n- {component: ${component}, version: "1.36", emulatedVersion: "1.35"}\n`,
    );
    assert.equal(codes(diagnostics), ["VER009"], component);
  }
});

test("a running component reports its own versions, in metrics and at /version", () => {
  const shown = (text: string): string[] =>
    read(text).entries.map(
      ({ component, version, emulated, minCompatibility }) =>
        `${component} ${formatVersion(version)} ${[emulated, minCompatibility].map((each) => each && formatMinor(each)).join(" ")}`,
    );
  const metric = (component: string): string =>
    `version_info{binary="1.35.3",component="${component}",emulation="1.34",min_compat="1.33"} 1\n`;
  assert.equal(shown(metric("kube")), ["kube-apiserver 1.35.3 1.34 1.33"]);
  assert.equal(shown(`scheduler_pending_pods{queue="active"} 0\n${metric("kube")}`), [
    "kube-scheduler 1.35.3 1.34 1.33",
  ]);
  const answer = { major: "1", minor: "35", gitVersion: "v1.35.3" };
  assert.equal(shown(JSON.stringify(answer)), ["kube-apiserver 1.35.3 1.35 1.35"]);
  const emulating = {
    emulationMajor: "1",
    emulationMinor: "34",
    minCompatibilityMajor: "1",
    minCompatibilityMinor: "33",
  };
  assert.equal(shown(JSON.stringify({ ...answer, ...emulating })), ["kube-apiserver 1.35.3 1.34 1.33"]);
  assert.equal(read(JSON.stringify(answer)).diagnostics, []);
});

test.run();
