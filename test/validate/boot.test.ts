/** What the bootstrap would stumble over: each check with an input that it tells and one that it lets pass. */
import { generateKeyPairSync } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Problem } from "../../src/core/diagnostics.js";
import { pointerConfig } from "../../src/phases/pointer-config.js";
import { expiryProblems } from "../../src/pipeline/expiry.js";
import { certifyManifestsPki } from "../../src/pki/sign.js";
import { agreementProblems, domainProblems } from "../../src/validate/boot/agreement.js";
import { capabilityKindProblems } from "../../src/validate/boot/capability-kinds.js";
import { bootManifestProblems } from "../../src/validate/boot/manifests.js";
import { bootMaterial } from "../../src/validate/boot/material.js";
import { mirrorProblems } from "../../src/validate/boot/mirrors.js";
import capabilities from "../../tables/capabilities.json" with { type: "json" };

const test = suite("checks before boot");

const files = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts).map(([path, text]) => ({ path, data: new TextEncoder().encode(text) }));
const short = ({ severity = "error", code, file, line = 0, column = 0 }: Problem): string =>
  `${severity} ${code} ${file}:${line}:${column}`;
const told = (texts: Readonly<Record<string, string>>): string[] =>
  bootManifestProblems(files(texts)).map(short);

const object = (kind: string, name: string, rest = "", apiVersion = "v1"): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: ${name}\n${rest}`;
const inNamespace = (name: string): string => `  namespace: ${name}\n`;
const MAP = object("ConfigMap", "a", inNamespace("openshift-config"));
const CASES: readonly (readonly [string, Readonly<Record<string, string>>, readonly string[]])[] = [
  ["nothing to tell", { "manifests/a.yaml": MAP, "openshift/b.yaml": MAP }, []],
  [
    "a name in both folders",
    { "manifests/a.yaml": MAP, "openshift/a.yaml": MAP },
    ["error BOOT001 manifests/a.yaml:0:0"],
  ],
  [
    "a name that a render writes",
    { "manifests/00_openshift-etcd-ns.yaml": MAP },
    ["warning BOOT002 manifests/00_openshift-etcd-ns.yaml:0:0"],
  ],
  [
    "a prefix of the payload",
    { "openshift/0000_50_mine.yaml": MAP },
    ["warning BOOT002 openshift/0000_50_mine.yaml:0:0"],
  ],
  ["a name like one", { "manifests/01_openshift-etcd-ns.yaml": MAP }, []],
  ["two documents", { "manifests/a.yaml": `${MAP}---\n${MAP}` }, ["error BOOT003 manifests/a.yaml:7:1"]],
  ["empty documents", { "manifests/a.yaml": `---\n${MAP}---\n# nothing\n---\n` }, []],
  [
    "an empty document before the object",
    { "manifests/a.yaml": `---\n# nothing\n---\n${MAP}` },
    ["error BOOT003 manifests/a.yaml:4:1"],
  ],
  ["a comment before the object", { "manifests/a.yaml": `# something\n---\n${MAP}` }, []],
  ["an object without a version", { "manifests/a.yaml": "kind: ConfigMap\nmetadata: {name: a}\n" }, []],
  [
    "a namespace that there cannot be",
    { "manifests/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: B}\n" },
    [],
  ],
  [
    "a List",
    { "manifests/a.yaml": `apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap}\n` },
    ["error BOOT004 manifests/a.yaml:2:7"],
  ],
  [
    "a typed list",
    { "manifests/a.yaml": "apiVersion: v1\nkind: ConfigMapList\nitems: []\n" },
    ["error BOOT004 manifests/a.yaml:2:7"],
  ],
  ["a kind that ends so", { "manifests/a.yaml": object("AllowList", "a", "", "example.org/v1") }, []],
  [
    "a namespace that nothing makes",
    { "openshift/a.yaml": object("ConfigMap", "a", inNamespace("birds")) },
    ["warning BOOT005 openshift/a.yaml:5:14"],
  ],
  [
    "a namespace of an add-on operator, which nothing makes either",
    { "openshift/a.yaml": object("ConfigMap", "a", inNamespace("openshift-logging")) },
    ["warning BOOT005 openshift/a.yaml:5:14"],
  ],
  [
    "a namespace of the payload",
    { "openshift/a.yaml": object("ConfigMap", "a", inNamespace("openshift-monitoring")) },
    [],
  ],
  [
    "a namespace that a file makes",
    {
      "openshift/a.yaml": object("ConfigMap", "a", inNamespace("birds")),
      "manifests/b.yaml": object("Namespace", "birds"),
    },
    [],
  ],
  ["no namespace", { "openshift/a.yaml": object("Secret", "a") }, ["error BOOT006 openshift/a.yaml:4:3"]],
  [
    "no namespace, and a kind that has none",
    { "openshift/a.yaml": object("ClusterRole", "a", "", "rbac.authorization.k8s.io/v1") },
    [],
  ],
  [
    "a subscription without a namespace",
    { "openshift/a.yaml": object("Subscription", "a", "", "operators.coreos.com/v1alpha1") },
    ["error BOOT006 openshift/a.yaml:4:3"],
  ],
  [
    "the cluster version is missing",
    { "manifests/cluster-config.yaml": MAP },
    ["error IGN004 manifests/cvo-overrides.yaml:0:0"],
  ],
  ["it is there", { "manifests/cluster-config.yaml": MAP, "manifests/cvo-overrides.yaml": MAP }, []],
];

for (const [name, texts, expected] of CASES) test(name, () => assert.equal(told(texts), expected));

const DOMAIN = "heron.example.org";
const names = (domain: string) => ({ domain, apiVips: [], serviceNetwork: "172.30.0.0/16" });
const keyPem = (): string => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  return privateKey.export({ type: "sec1", format: "pem" }).toString();
};
const pkiOf = (domain: string) =>
  certifyManifestsPki({ "root-ca": keyPem(), "machine-config-server": keyPem() }, names(domain), {
    now: new Date("2026-01-01T00:00:00Z"),
  });
const base64 = (text: string): string => Buffer.from(text).toString("base64");

interface Parts {
  readonly root: string;
  readonly server: string;
  readonly pointer: string;
  readonly clusterID?: string;
}

function directory({ root, server, pointer, clusterID = "1" }: Parts) {
  const texts = {
    "manifests/root.yaml": JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "root-ca", namespace: "kube-system" },
      data: { "ca.crt": root },
    }),
    "manifests/mcs.yaml": JSON.stringify({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "machine-config-server-tls", namespace: "openshift-machine-config-operator" },
      data: { "tls.crt": base64(server) },
    }),
    "openshift/user.yaml": JSON.stringify({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "master-user-data", namespace: "openshift-machine-api" },
      data: { userData: base64(pointer) },
    }),
    "manifests/cvo-overrides.yaml": JSON.stringify({
      apiVersion: "config.openshift.io/v1",
      kind: "ClusterVersion",
      metadata: { name: "version", namespace: "openshift-cluster-version" },
      spec: { clusterID: "1" },
    }),
    "metadata.json": JSON.stringify({ clusterID, infraID: "heron-abcde" }),
  };
  return new Map(files(texts).map((file) => [file.path, file]));
}

test("root CA, server, pointers and identity agree, or are told", () => {
  const [own, other] = [pkiOf(DOMAIN), pkiOf("egret.example.org")];
  const pointer = (pki: typeof own, domain = DOMAIN): string =>
    pointerConfig("master", { domain, apiVips: [], rootCA: pki.rootCA.certificate });
  const parts = {
    root: own.rootCA.certificate,
    server: own.machineConfigServer.certificate,
    pointer: pointer(own),
  };
  const disagree = (changes: Partial<Parts>): string[] =>
    agreementProblems(bootMaterial(directory({ ...parts, ...changes }))).map(
      ({ code, file }) => `${code} ${file}`,
    );
  assert.equal(disagree({}), []);
  assert.equal(disagree({ pointer: pointer(other) }), ["BOOT010 openshift/user.yaml"]);
  assert.equal(disagree({ server: other.machineConfigServer.certificate }), ["BOOT011 manifests/mcs.yaml"]);
  assert.equal(disagree({ pointer: pointer(own, "egret.example.org") }), ["BOOT011 manifests/mcs.yaml"]);
  assert.equal(disagree({ server: "x" }), ["BOOT011 manifests/mcs.yaml"]);
  assert.equal(disagree({ clusterID: "2" }), ["BOOT012 metadata.json"]);
  const material = bootMaterial(directory(parts));
  assert.equal(domainProblems(material, DOMAIN), []);
  assert.equal(domainProblems(material, "egret.example.org").map(short), [
    "warning BOOT011 openshift/user.yaml:0:0",
  ]);
  const elsewhere = JSON.stringify({
    ignition: { version: "3.2.0", config: { merge: [{ source: "http://a.example.org/m.ign" }] } },
  });
  assert.equal(
    disagree({ pointer: elsewhere }),
    [],
    "a pointer that goes elsewhere is its author's business",
  );
});

test("mirrors cover the release image", () => {
  const image = "quay.io/openshift-release-dev/ocp-release@sha256:00";
  const set = (source: string, ...mirrors: string[]) => ({ source, mirrors });
  const found = (...args: Parameters<typeof mirrorProblems>): string[] => mirrorProblems(...args).map(short);
  assert.equal(found([], image), []);
  assert.equal(found([set("quay.io/openshift-release-dev", "m.example.org/x")], image), []);
  assert.equal(found([set("quay.io/openshift-release-dev/ocp-release", "m.example.org/x")], image), []);
  assert.equal(found([set("quay.io/other", "m.example.org/x")], undefined), []);
  assert.equal(found([set("quay.io/openshift-release-dev/ocp", "m.example.org/x")], image), [
    "warning BOOT013 install-config.yaml:0:0",
  ]);
  assert.equal(
    found([set("quay.io/openshift-release-dev", "m.example.org/x")], "m.example.org/x/release@sha256:00"),
    [],
  );
  const byTag = found(
    [set("quay.io/openshift-release-dev", "m.example.org/x")],
    "quay.io/openshift-release-dev/ocp-release:4.22.0",
  );
  assert.equal(byTag, ["warning BOOT013 install-config.yaml:0:0"]);
});

test("certificates that have ended, end too soon, or end soon", () => {
  const now = new Date("2026-01-01T00:00:00Z");
  const ends = (hours: number) => [
    { name: "kubelet-signer", notAfter: new Date(now.getTime() + hours * 3_600_000) },
  ];
  const severity = (hours: number, minHours = 0) =>
    expiryProblems(ends(hours), now, minHours * 3_600_000, "bootstrap.ign", ["machines"]).map(
      (each) => each.severity,
    );
  assert.equal(severity(24), []);
  assert.equal(severity(11), ["warning"]);
  assert.equal(severity(0), ["error"]);
  assert.equal(severity(-1), ["error"]);
  assert.equal(severity(24, 25), ["error"]);
  assert.equal(severity(24, 24), []);
  assert.match(
    expiryProblems(ends(-1), now, 0, "x", ["machines"])[0]?.message ?? "",
    "2025-12-31T23:00:00Z: kubelet-signer",
  );
});

test("an object whose kind belongs to a capability that is off", () => {
  const texts = {
    "openshift/a.yaml": object(
      "Subscription",
      "a",
      inNamespace("openshift-operators"),
      "operators.coreos.com/v1alpha1",
    ),
    "openshift/b.yaml": object("Tuned", "b", "", "tuned.openshift.io/v1"),
    "openshift/c.yaml": object("Subscription", "c", "", "messaging.example.com/v1"),
  };
  const found = (...on: string[]): string[] => capabilityKindProblems(new Set(on), files(texts)).map(short);
  assert.equal(found(), ["warning BOOT023 openshift/a.yaml:1:1", "warning BOOT023 openshift/b.yaml:1:1"]);
  assert.equal(found("OperatorLifecycleManager"), ["warning BOOT023 openshift/b.yaml:1:1"]);
  assert.equal(found("OperatorLifecycleManager", "NodeTuning"), []);
});

test("every kind with a capability names one that releases have", () => {
  for (const { capability } of capabilities.kinds)
    assert.ok(
      capabilities.sets.some(({ adds }) => adds.includes(capability)),
      capability,
    );
});

test.run();
