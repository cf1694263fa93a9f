/** What manifests use that releases lack. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { KUBE } from "../../src/compatibility/effective.js";
import { commandLineFlag } from "../../src/compatibility/flags.js";
import { readGateSettings } from "../../src/compatibility/gate-flags.js";
import { release } from "../../src/core/minor.js";
import { fieldsOf, gatesOf, hasField, messageOf } from "../../src/kubernetes/built-in-fields.js";
import { judgeUsage, releasesOf, type UsageAnswer } from "../../src/usage/usage.js";

const test = suite("usage");

interface Asked {
  readonly from?: string;
  readonly to?: string;
  readonly gates?: string;
  readonly runtimeConfig?: string;
}

const judge = (text: string, { from, to = "1.37", gates, runtimeConfig }: Asked = {}): Promise<UsageAnswer> =>
  judgeUsage([{ file: "a.yaml", text }], {
    from: release(from ?? to),
    to: release(to),
    settings: {
      runtimeConfig: runtimeConfig === undefined ? [] : [commandLineFlag("--runtime-config", runtimeConfig)],
      gates:
        (gates === undefined
          ? undefined
          : readGateSettings([commandLineFlag("--feature-gates", gates)], [KUBE], () => undefined).get(
              KUBE,
            )) ?? new Map(),
    },
  });

/** `effect severity code line what`, with what is known of releases. */
const shown = ({ uses }: UsageAnswer): string[] =>
  uses.map(
    ({ effect, what, since, before, replacement, diagnostic: { severity, code, line } }) =>
      `${effect} ${severity} ${code} ${line} ${what}${since === undefined ? "" : ` since ${since}`}${before === undefined ? "" : ` before ${before}`}${replacement === undefined ? "" : `: ${replacement}`}`,
  );

const object = (apiVersion: string, kind: string, more = ""): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: x}\n${more}`;

test("names versions that are gone, with what replaces them", async () => {
  const text = [
    object("extensions/v1beta1", "Deployment"),
    object("flowcontrol.apiserver.k8s.io/v1beta1", "FlowSchema"),
    object("storage.k8s.io/v1beta1", "CSIDriver"),
    object("policy/v1beta1", "PodSecurityPolicy"),
    object("apiregistration.k8s.io/v1beta1", "APIService"),
  ].join("---\n");
  assert.equal(shown(await judge(text)), [
    "not-served error USE001 1 extensions/v1beta1 Deployment since 1.1 before 1.16: apps/v1 Deployment",
    "not-served error USE001 5 flowcontrol.apiserver.k8s.io/v1beta1 FlowSchema since 1.20 before 1.26: flowcontrol.apiserver.k8s.io/v1 FlowSchema",
    "not-served error USE001 9 storage.k8s.io/v1beta1 CSIDriver since 1.14 before 1.22: storage.k8s.io/v1 CSIDriver",
    "not-served error USE001 13 policy/v1beta1 PodSecurityPolicy since 1.10 before 1.25",
    "not-served error USE001 17 apiregistration.k8s.io/v1beta1 APIService since 1.7 before 1.22: apiregistration.k8s.io/v1 APIService",
  ]);
});

test("answers for exactly the releases that are asked", async () => {
  const text = object("batch/v1beta1", "CronJob");
  const at = async (from: string, to: string): Promise<string[]> =>
    shown(await judge(text, { from, to })).map((line) => line.split(" ").slice(0, 3).join(" "));
  assert.equal(await at("1.19", "1.20"), []);
  assert.equal(await at("1.21", "1.22"), ["deprecated warning USE004"]);
  assert.equal(await at("1.24", "1.25"), ["not-served error USE001"]);
  assert.equal(await at("1.25", "1.24"), ["later warning USE002"]);
});

test("takes what only subresources use for served while it is registered", async () => {
  const text = object("policy/v1", "Eviction");
  assert.equal(shown(await judge(text)), []);
  const [old] = shown(await judge(object("policy/v1beta1", "Eviction")));
  assert.match(old ?? "", /^not-served error USE001 1 policy\/v1beta1 Eviction .*: policy\/v1 Eviction$/);
});

test("tells what comes later from what is lost in a rollback", async () => {
  const text = object("resource.k8s.io/v1", "DeviceClass");
  assert.equal(shown(await judge(text, { from: "1.33", to: "1.34" })), [
    "later warning USE002 1 resource.k8s.io/v1 DeviceClass since 1.34",
  ]);
  assert.equal(
    shown(await judge(text, { from: "1.34", to: "1.33" })).map((line) =>
      line.split(" ").slice(0, 4).join(" "),
    ),
    ["not-served error USE002 1"],
  );
});

test("takes what is off by default for served where it is enabled", async () => {
  const text = object("storage.k8s.io/v1beta1", "VolumeAttributesClass");
  assert.equal(
    shown(await judge(text, { from: "1.33", to: "1.33" })).map((line) =>
      line.split(" ").slice(0, 3).join(" "),
    ),
    ["off warning USE003"],
  );
  const enabled = { from: "1.33", to: "1.33", gates: "VolumeAttributesClass=true" };
  assert.equal(shown(await judge(text, { ...enabled, runtimeConfig: "storage.k8s.io/v1beta1=true" })), []);
});

const pod = (spec: string): string => object("v1", "Pod", `spec:\n${spec}`);

test("finds fields that come and go, however deep", async () => {
  const text = object(
    "apps/v1",
    "Deployment",
    "spec:\n  template:\n    spec:\n      workloadRef: {name: a}\n      hostnameOverride: b\n      nodeName: c\n",
  );
  assert.equal(shown(await judge(text, { to: "1.37" })), [
    "dropped error USE005 7 spec.template.spec.workloadRef before 1.36",
  ]);
  assert.equal(shown(await judge(text, { to: "1.33" })), [
    "dropped error USE005 7 spec.template.spec.workloadRef since 1.35",
    "dropped error USE005 8 spec.template.spec.hostnameOverride since 1.34",
  ]);
  // Fields of releases before the data are not judged, nor is null a value.
  assert.equal(shown(await judge(text, { to: "1.30" })), []);
  assert.equal(shown(await judge(pod("  workloadRef: null\n"))), []);
});

test("looks into lists, maps and inline messages", async () => {
  const text = pod(
    "  volumes:\n  - name: a\n    image: {reference: b}\n  ephemeralContainers:\n  - name: c\n    restartPolicyRules: []\n",
  );
  assert.equal(
    shown(await judge(text, { to: "1.32" })).map((line) => line.split(" ").slice(2, 5).join(" ")),
    ["USE006 7 spec.volumes[0].image", "USE005 10 spec.ephemeralContainers[0].restartPolicyRules"],
  );
});

test("asks the gates of a field as the servers have them", async () => {
  const text = object(
    "apps/v1",
    "StatefulSet",
    "spec: {updateStrategy: {rollingUpdate: {maxUnavailable: 2}}}\n",
  );
  const effects = async (asked: Asked): Promise<string[]> =>
    shown(await judge(text, asked)).map((line) => line.split(" ").slice(0, 3).join(" "));
  assert.equal(await effects({ to: "1.34" }), ["off warning USE006"]);
  assert.equal(await effects({ to: "1.34", gates: "MaxUnavailableStatefulSet=true" }), []);
  // On in one, off in the other: what worked is lost.
  assert.equal(await effects({ from: "1.37", to: "1.34" }), ["dropped error USE006"]);
});

test("says which settings the target does not have", async () => {
  const codes = async (asked: Asked): Promise<string[]> =>
    (await judge(pod("  nodeName: a\n"), asked)).settings.map(({ code }) => code);
  assert.equal(await codes({ gates: "NoSuchGate=true" }), ["GATE132"]);
  assert.equal(await codes({ gates: "MaxUnavailableStatefulSet=true" }), []);
  assert.equal((await codes({ runtimeConfig: "nobody/v1=true" })).length, 1);
});

const policy = (expression: string): string =>
  object(
    "admissionregistration.k8s.io/v1",
    "ValidatingAdmissionPolicy",
    `spec:\n  validations:\n  - expression: ${JSON.stringify(expression)}\n`,
  );

test("finds functions that the environment of a release lacks", async () => {
  const text = policy("isSemver('1.0.0') && object.items.exists(x, x.size() > 1)");
  assert.equal(shown(await judge(text, { from: "1.33", to: "1.34" })), [
    "later warning USE007 6 isSemver since 1.34",
  ]);
  assert.equal(shown(await judge(text, { from: "1.34", to: "1.33" })), [
    "refused error USE007 6 isSemver since 1.34",
  ]);
  // What no release has is a mistake of another kind, and so is what cannot be read.
  assert.equal(shown(await judge(policy("nobody(1)"))), []);
  assert.equal(shown(await judge(policy("a b"))), []);
});

test("finds APIs that are only named", async () => {
  const text = [
    object(
      "rbac.authorization.k8s.io/v1",
      "ClusterRole",
      "rules:\n- {apiGroups: [extensions], resources: [ingresses/status, '*', nothing], verbs: [get]}\n- {apiGroups: [apps, ''], resources: [deployments, pods/exec], verbs: [get]}\n",
    ),
    object(
      "admissionregistration.k8s.io/v1",
      "ValidatingWebhookConfiguration",
      "webhooks:\n- rules:\n  - {apiGroups: [batch], apiVersions: [v1beta1], resources: [cronjobs]}\n  - {apiGroups: [batch], apiVersions: [v1beta1, v1], resources: [cronjobs]}\n  - {apiGroups: [example.com], apiVersions: [v1beta1], resources: [cronjobs]}\n",
    ),
    object("apiregistration.k8s.io/v1", "APIService", "spec: {group: batch, version: v1beta1}\n"),
    object(
      "apiregistration.k8s.io/v1",
      "APIService",
      "spec: {group: batch, version: v1beta1, service: {name: x}}\n",
    ),
    object("v1", "ResourceQuota", "spec: {hard: {count/ingresses.extensions: 1, count/pods: 2}}\n"),
    object("example.com/v1", "Scaler", "spec: {target: {apiVersion: apps/v1beta2, kind: Deployment}}\n"),
  ].join("---\n");
  assert.equal(shown(await judge(text)), [
    "without-effect warning USE008 5 ingresses.extensions: networking.k8s.io",
    "without-effect warning USE008 13 cronjobs.batch v1beta1: v1",
    "without-effect warning USE008 20 batch/v1beta1",
    "without-effect warning USE008 30 count/ingresses.extensions: networking.k8s.io",
    "without-effect warning USE008 35 apps/v1beta2 Deployment since 1.8 before 1.16: apps/v1 Deployment",
  ]);
});

test("says who still writes an old version", async () => {
  const text = object(
    "policy/v1",
    "PodDisruptionBudget",
    `metadata:
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{"apiVersion":"policy/v1beta1","kind":"PodDisruptionBudget"}'
  managedFields:
  - {manager: helm, apiVersion: policy/v1beta1, time: "2026-01-01T00:00:00Z"}
  - {manager: kubectl, apiVersion: policy/v1}
`,
  ).replace("metadata: {name: x}\n", "");
  const { uses } = await judge(text);
  assert.equal(
    uses.map(({ effect, manager, what }) => `${effect} ${manager} ${what}`),
    [
      "written helm policy/v1beta1 PodDisruptionBudget",
      "written undefined policy/v1beta1 PodDisruptionBudget",
    ],
  );
  const broken = text.replace(/'\{.*\}'/, "'{'");
  assert.is((await judge(broken)).uses.length, 1);
});

test("reads requests in metrics and audit logs", async () => {
  const metrics = `# TYPE apiserver_requested_deprecated_apis gauge
apiserver_requested_deprecated_apis{group="batch",removed_release="1.25",resource="cronjobs",subresource="",version="v1beta1"} 1
apiserver_requested_deprecated_apis{group="policy",removed_release="1.25",resource="podsecuritypolicies",subresource="",version="v1beta1"} 0
apiserver_request_total{group="batch"} 7
`;
  const asked = { from: "1.24", to: "1.25" };
  const found = await judge(metrics, asked);
  assert.equal([found.objects, found.records, found.problems.length], [0, 1, 0]);
  assert.equal(shown(found), [
    "not-served error USE012 2 batch/v1beta1 CronJob since 1.8 before 1.25: batch/v1 CronJob",
  ]);
  assert.equal(
    shown(await judge(metrics, { from: "1.23", to: "1.24" })).map((line) => line.split(" ")[0]),
    ["deprecated"],
  );
  const event = (stage: string, user: string, deprecated = "true"): string =>
    JSON.stringify({
      kind: "Event",
      apiVersion: "audit.k8s.io/v1",
      stage,
      userAgent: "nightly/v2 (linux/amd64)",
      user: { username: user },
      objectRef: { resource: "cronjobs", apiGroup: "batch", apiVersion: "v1beta1" },
      requestReceivedTimestamp: "2026-11-02T03:00:00Z",
      annotations: { "k8s.io/deprecated": deprecated },
    });
  const log = [
    event("RequestReceived", "a"),
    event("ResponseComplete", "a"),
    event("ResponseComplete", "a"),
    event("ResponseComplete", "b"),
    event("ResponseComplete", "c", "false"),
    '{"kind":"Event","apiVersion":"audit.k8s.io/v1","annotations":{"k8s.io/deprecated"',
  ].join("\n");
  const { uses } = await judge(log, asked);
  assert.equal(
    uses.map(
      ({ manager, diagnostic: { line, message } }) => `${line} ${manager} ${/\d+ times?/.exec(message)?.[0]}`,
    ),
    ["3 nightly/v2 as a 2 times", "4 nightly/v2 as b 1 time"],
  );
});

test("reads lists and templates of other systems, and counts kinds of others", async () => {
  const item = "{apiVersion: batch/v1beta1, kind: CronJob, metadata: {name: a}}";
  for (const text of [
    `apiVersion: v1\nkind: List\nitems: [${item}]\n`,
    `apiVersion: template.openshift.io/v1\nkind: Template\nobjects: [${item}]\n`,
    `[${item}]\n`,
  ]) {
    const found = shown(await judge(text)).filter((line) => line.includes("USE001"));
    assert.is(found.length, 1, text);
  }
  const { objects, others } = await judge(
    `${object("example.com/v1", "Thing")}---\n${pod("  nodeName: a\n")}`,
  );
  assert.equal([objects, others], [2, 1]);
});

test("leaves templates and what is no object alone", async () => {
  const chart = await judge("{{- if .Values.on }}\napiVersion: v1\n{{- end }}\n");
  assert.equal([chart.templates, chart.problems.length, chart.objects], [["a.yaml"], 0, 0]);
  const broken = await judge("a: [\n");
  assert.is(broken.templates.length, 0);
  assert.ok(broken.problems.length > 0);
  const values = await judge("replicas: 3\n---\n- a\n---\nkind: x\n");
  assert.equal([values.objects, values.uses.length], [0, 0]);
});

test("passes the releases in the order of the way", () => {
  const minors = (from: string, to: string): number[] =>
    releasesOf(release(from), release(to)).map(({ minor }) => minor);
  assert.equal(minors("1.35", "1.37"), [35, 36, 37]);
  assert.equal(minors("1.37", "1.35"), [37, 36, 35]);
  assert.equal(minors("1.36", "1.36"), [36]);
});

test("knows messages with their fields, releases and gates", () => {
  assert.is(messageOf("apps/v1", "Deployment"), "apps.v1.Deployment");
  assert.is(messageOf("apps/v1", "Nothing"), undefined);
  assert.equal(fieldsOf("core.v1.Volume").get("image"), {
    owner: "core.v1.VolumeSource",
    message: "core.v1.ImageVolumeSource",
    type: "core.v1.ImageVolumeSource",
    shape: "one",
    isPointer: true,
  });
  assert.ok(hasField("core.v1.PodSpec", "workloadRef", release("1.35")));
  assert.not(hasField("core.v1.PodSpec", "workloadRef", release("1.36")));
  assert.equal(gatesOf("core.v1.PodSpec", "hostnameOverride", release("1.34")), ["HostnameOverride"]);
});

test.run();
