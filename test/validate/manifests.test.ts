/** What a cluster would refuse of manifests/ and openshift/: each rule with what it tells and what it lets pass. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Problem } from "../../src/core/diagnostics.js";
import { parseRelease, type Release } from "../../src/core/release.js";
import { manifestProblems } from "../../src/validate/manifests/index.js";

const test = suite("manifests of the user");

const release = (text: string): Release => {
  const found = parseRelease(text);
  if (found === undefined) throw new Error(text);
  return found;
};
const short = ({ severity = "error", code, file, line = 0, column = 0 }: Problem): string =>
  `${severity} ${code} ${file}:${line}:${column}`;
const problemsOf = (texts: Readonly<Record<string, string>>, target = "4.22"): Promise<readonly Problem[]> =>
  manifestProblems(
    Object.entries(texts).map(([path, text]) => ({ path, data: new TextEncoder().encode(text) })),
    { release: release(target) },
  );

const ONE = "openshift/a.yaml";
const MCO = "machineconfiguration.openshift.io/v1";
const object = (kind: string, name: string, rest = "", apiVersion = "v1"): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: ${name}\n${rest}`;
const WORKER = "  labels: {machineconfiguration.openshift.io/role: worker}\n";
const machineConfig = (config: string, label = WORKER): string =>
  `${object("MachineConfig", "99-a", label, MCO)}spec:\n  config: ${config}\n`;
const machineSpec = (spec: string, label = WORKER, apiVersion = MCO): string =>
  `${object("MachineConfig", "99-a", label, apiVersion)}spec: ${spec}\n`;
const CONFIG = 'config: {ignition: {version: "3.2.0"}}';
const ofPool = (kind: string, spec: string, pool = "worker", name = "a"): string =>
  `${object(kind, name, "", MCO)}spec:\n  machineConfigPoolSelector: {matchLabels: {pools.operator.machineconfiguration.openshift.io/${pool}: ""}}\n  ${spec}\n`;
const kubelet = (config: string, pool?: string): string =>
  ofPool("KubeletConfig", `kubeletConfig: ${config}`, pool);
const configSpec = (kind: string, spec: string, apiVersion = "config.openshift.io/v1"): string =>
  `${object(kind, "cluster", "", apiVersion)}spec: ${spec}\n`;
const node = (mode: string): string => configSpec("Node", `{cgroupMode: ${mode}}`);
const apiServer = (spec: string): string => configSpec("APIServer", spec);
const etcd = (settings: string): string =>
  configSpec("Etcd", `{managementState: Managed, ${settings}}`, "operator.openshift.io/v1");
const inSet = (featureSet: string, text: string): Readonly<Record<string, string>> => ({
  [ONE]: text,
  "openshift/99_feature-gate.yaml": configSpec("FeatureGate", `{featureSet: ${featureSet}}`),
});
const pinned = (version: string): string =>
  `${object("PinnedImageSet", "a", WORKER, MCO.replace("v1", version))}spec: {pinnedImages: [{name: "quay.io/a/b@sha256:${"a".repeat(64)}"}]}\n`;
const runtime = (config: string): string =>
  ofPool("ContainerRuntimeConfig", `containerRuntimeConfig: ${config}`);
const pool = (selector: string, name = "infra"): string =>
  `${object("MachineConfigPool", name, "  labels: {tier: infra}\n", MCO)}spec:\n  machineConfigSelector: ${selector}\n`;
const map = (metadata: string, rest = ""): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: ${metadata}\n${rest}`;
const secret = (rest: string): string => object("Secret", "a", `  namespace: default\n${rest}`);

type Case = readonly [
  name: string,
  texts: Readonly<Record<string, string>> | string,
  expected: readonly string[],
  release?: string,
];

const at = (severity: string, code: string, place: string): string[] => [
  `${severity} ${code} ${ONE}:${place}`,
];

const CRON =
  "spec: {schedule: '0 1 * * *', jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}}\n";
const CASES: readonly Case[] = [
  ["a good object", map("{name: a, namespace: b}"), []],
  [
    "a kind that is nearly one of OpenShift's",
    object("DNSS", "a", "", "config.openshift.io/v1"),
    at("error", "BOOT022", "2:7"),
  ],
  ["a kind in other letters", object("Configmap", "a", "  namespace: b\n"), at("error", "BOOT022", "2:7")],
  [
    "a plural",
    object("PodDisruptionBudgets", "a", "  namespace: b\n", "policy/v1"),
    at("error", "BOOT022", "2:7"),
  ],
  ["a kind of another group", object("Deployment", "a", "  namespace: b\n"), at("error", "BOOT022", "2:7")],
  [
    "a kind that no group nearly has, where nobody can add one",
    object("Frobnicator", "a", "  namespace: b\n"),
    at("error", "BOOT022", "2:7"),
  ],
  [
    "a group in other letters",
    object("Deployment", "a", "  namespace: b\n", "Apps/v1"),
    at("error", "BOOT022", "2:7"),
  ],
  [
    "a group of others may have any kind",
    object("Frobnicator", "a", "  namespace: b\n", "example.com/v9"),
    [],
  ],
  [
    "a version that Kubernetes does not serve any more",
    object("CronJob", "a", "  namespace: b\n", "batch/v1beta1"),
    at("error", "KUB003", "1:13"),
  ],
  [
    "a version in other letters",
    object("Deployment", "a", "  namespace: b\n", "apps/V1"),
    at("error", "KUB003", "1:13"),
  ],
  [
    "a version that the release does not serve yet",
    object("MutatingAdmissionPolicy", "a", "", "admissionregistration.k8s.io/v1beta1"),
    at("error", "KUB003", "1:13"),
    "4.20",
  ],
  [
    "the same in a release that has it, off by default",
    object("MutatingAdmissionPolicy", "a", "", "admissionregistration.k8s.io/v1beta1"),
    [],
    "4.21",
  ],
  [
    "a kind that OpenShift has and slipway does not describe",
    object("ServiceCA", "cluster", "", "operator.openshift.io/v1"),
    [],
  ],
  [
    "a kind of others, which is nearly one of ours",
    object("Secrte", "a", "  namespace: b\n", "example.org/v1"),
    [],
  ],
  [
    "a CronJob of 52 characters",
    object("CronJob", "a".repeat(52), "  namespace: b\n", "batch/v1") + CRON,
    [],
  ],
  [
    "a CronJob of 53 characters",
    object("CronJob", "a".repeat(53), "  namespace: b\n", "batch/v1") + CRON,
    at("error", "KUB001", "4:9"),
  ],
  ["a name with capitals", map("{name: Gulls, namespace: b}"), at("error", "KUB001", "3:18")],
  [
    "a role with capitals and colons",
    object("ClusterRole", "system:Gulls", "", "rbac.authorization.k8s.io/v1"),
    [],
  ],
  [
    "a service that begins with a digit",
    `${object("Service", "1st", "  namespace: b\n")}spec: {ports: [{port: 80}]}\n`,
    at("error", "KUB001", "4:9"),
  ],
  [
    "a label that is a number",
    map("{name: a, namespace: b, labels: {tier: 2}}"),
    at("error", "KUB001", "3:50"),
  ],
  [
    "an annotation that is a list",
    map("{name: a, namespace: b, annotations: {x: [y]}}"),
    at("error", "KUB001", "3:52"),
  ],
  [
    "an owner without uid",
    map("{name: a, namespace: b, ownerReferences: [{apiVersion: v1, kind: Pod, name: c}]}"),
    at("error", "KUB001", "3:53"),
  ],
  [
    "a finalizer with a blank",
    map("{name: a, namespace: b, finalizers: [a b]}"),
    at("error", "KUB001", "3:48"),
  ],
  [
    "a value that is a number",
    map("{name: a, namespace: b}", "data: {port: 5}\n"),
    at("error", "KUB002", "4:14"),
  ],
  [
    "a key twice in two maps",
    map("{name: a, namespace: b}", "data: {k: x}\nbinaryData: {k: eA==}\n"),
    at("error", "KUB002", "5:17"),
  ],
  ["data that is not a base64", secret("data: {k: plain text}\n"), at("error", "KUB002", "6:11")],
  [
    "a basic-auth Secret without either",
    secret("type: kubernetes.io/basic-auth\n"),
    at("error", "KUB002", "1:1"),
  ],
  [
    "a token without its account",
    secret("type: kubernetes.io/service-account-token\n"),
    at("error", "KUB002", "4:3"),
  ],
  [
    "a docker config that is a list",
    secret('type: kubernetes.io/dockerconfigjson\nstringData: {.dockerconfigjson: "[]"}\n'),
    at("error", "KUB002", "1:1"),
  ],
  [
    "a docker config",
    secret('type: kubernetes.io/dockerconfigjson\nstringData: {.dockerconfigjson: "{}"}\n'),
    [],
  ],
  [
    "an encrypted Secret",
    secret('data: {k: "ENC[AES256_GCM,data:x]"}\nsops: {mac: x, version: 3.9.0}\n'),
    at("error", "KUB008", "7:7"),
  ],
  [
    "a hidden file",
    { "openshift/.a.yaml": map("{name: a, namespace: b}") },
    ["warning BOOT017 openshift/.a.yaml:0:0"],
  ],
  [
    "a file of nothing but an ending",
    { "manifests/.yml": map("{name: a, namespace: b}") },
    ["warning BOOT017 manifests/.yml:0:0"],
  ],
  ["a variable for a name", map("{name: $NAME, namespace: b}"), at("error", "IC002", "3:18")],
  ["a word for a namespace", map("{name: a, namespace: TARGET_NAMESPACE}"), at("error", "IC002", "3:32")],
  [
    "a placeholder where the schema takes any text",
    `${object("DNS", "cluster", "", "config.openshift.io/v1")}spec: {baseDomain: "<domain>"}\n`,
    at("warning", "IC002", "5:20"),
  ],
  [
    "a template that does not parse",
    `${object("Node", "cluster", "", "config.openshift.io/v1")}spec:\n{{- if .latency }}\n  workerLatencyProfile: {{ .latency }}\n{{- end }}\n`,
    [...at("error", "IC002", "6:1"), ...at("error", "IC002", "7:25"), ...at("error", "IC002", "8:1")],
  ],
  ["the end of a here-document", `${map("{name: a, namespace: b}")}EOF\n`, at("error", "IC003", "4:1")],
  [
    "a command around the file",
    `cat <<EOT > a.yaml\n${map("{name: a, namespace: b}")}EOT\n`,
    [...at("error", "IC003", "1:1"), ...at("error", "IC003", "5:1")],
  ],
  ["Butane", "variant: fcos\nversion: 1.5.0\nstorage: {}\n", at("error", "BOOT015", "1:1")],
  ["a bare Ignition config", "ignition: {version: 3.2.0}\n", at("error", "CAPI020", "1:1")],
  ["a name that the API server makes", map("{generateName: a-, namespace: b}"), []],
  ["a prefix that begins no name", map("{generateName: A_, namespace: b}"), at("error", "KUB001", "3:26")],
  [
    "two objects without a name",
    { "openshift/a.yaml": map("{namespace: b}"), "openshift/b.yaml": map("{namespace: b}") },
    ["error KUB001 openshift/a.yaml:3:11", "error KUB001 openshift/b.yaml:3:11"],
  ],
  [
    "an object that was taken out of a cluster",
    map('{name: a, namespace: b, resourceVersion: "5", uid: x, creationTimestamp: "2026-01-01T00:00:00Z"}'),
    at("error", "KUB001", "3:52"),
  ],
  ["the version of nothing", map('{name: a, namespace: b, resourceVersion: "0"}'), []],
  [
    "a time that is none",
    map("{name: a, namespace: b, creationTimestamp: today}"),
    at("error", "KUB001", "3:54"),
  ],
  [
    "a finalizer without a domain",
    map("{name: a, namespace: b, finalizers: [mine]}"),
    at("error", "KUB001", "3:48"),
  ],
  [
    "the same of a kind that a definition serves",
    machineSpec(`{${CONFIG}}`, `${WORKER}  finalizers: [mine]\n`),
    [],
  ],
  [
    "a field that metadata does not have",
    map("{name: a, namespace: b, label: {a: b}}"),
    at("warning", "KUB004", "3:42"),
  ],
  ["a field that a Secret does not have", secret("stringdata: {a: b}\n"), at("warning", "KUB004", "6:13")],
  [
    "a value that is a mapping",
    map("{name: a, namespace: b}", "data: {a: {b: c}}\n"),
    at("error", "KUB002", "4:11"),
  ],
  [
    "a key whose value cannot be read",
    secret("type: kubernetes.io/tls\ndata: {tls.crt: eA==, tls.key: y}\n"),
    at("error", "KUB002", "7:32"),
  ],
  [
    "a level of Pod Security",
    object(
      "Namespace",
      "a",
      "  labels: {pod-security.kubernetes.io/enforce: privileged, pod-security.kubernetes.io/warn-version: v1.33}\n",
    ),
    [],
  ],
  [
    "a level and a version that are none",
    object(
      "Namespace",
      "a",
      "  labels: {pod-security.kubernetes.io/enforce: priviledged, pod-security.kubernetes.io/warn-version: '1.33'}\n",
    ),
    [...at("error", "KUB001", "5:48"), ...at("error", "KUB001", "5:102")],
  ],
  [
    "a kustomization",
    "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n",
    at("error", "BOOT022", "2:7"),
  ],
  [
    "the kubelet's own file",
    object("KubeletConfiguration", "a", "", "kubelet.config.k8s.io/v1beta1"),
    at("error", "BOOT022", "2:7"),
  ],
  [
    "one object in two files, in a namespace that it cannot be in",
    {
      "openshift/a.yaml": machineSpec(`{${CONFIG}}`),
      "openshift/b.yaml": machineSpec(`{${CONFIG}}`, `${WORKER}  namespace: default\n`),
    },
    ["error CAPI017 openshift/b.yaml:4:9"],
  ],
  [
    "a label that is none and a role that no pool has",
    machineSpec(`{${CONFIG}}`, "  labels: {machineconfiguration.openshift.io/role: 'master,worker'}\n"),
    at("error", "KUB001", "5:52"),
  ],
  ["a config that is a text", machineSpec("{config: x}"), at("error", "IGN030", "6:16")],
  ["a setting of the kubelet in other letters", kubelet("{maxpods: 5}"), []],
  ["the same of a wrong type", kubelet('{maxpods: "5"}'), at("error", "BOOT016", "7:18")],
  ["a reserved setting in other letters", kubelet("{ClusterDomain: a}"), at("error", "BOOT016", "7:18")],
  ["a runtime that there is not", runtime("{defaultRuntime: kata}"), at("error", "BOOT016", "7:44")],
  [
    "a pool of the operator's that a file says more of",
    {
      "openshift/a.yaml": pool("{matchLabels: {machineconfiguration.openshift.io/role: worker}}", "worker"),
      "openshift/b.yaml": kubelet("{maxPods: 5}"),
    },
    [],
  ],
  [
    "a pace that: must be a number or a percentage",
    `${pool("{matchLabels: {machineconfiguration.openshift.io/role: worker}}")}  maxUnavailable: ten\n`,
    at("warning", "BOOT016", "8:19"),
  ],
  [
    "a no-break space",
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace:\u00a0b\n`,
    at("error", "YAML001", "5:13"),
  ],
  [
    "a scheduler with a text",
    `${object("Scheduler", "cluster", "", "config.openshift.io/v1")}spec: {mastersSchedulable: "true"}\n`,
    at("error", "KUB003", "5:28"),
  ],
  [
    "a key that is pruned",
    `${object("Scheduler", "cluster", "", "config.openshift.io/v1")}spec: {mastersScheduleable: true}\n`,
    at("warning", "KUB004", "5:29"),
  ],
  [
    "a legal field that is never generated",
    `${object("Scheduler", "cluster", "", "config.openshift.io/v1")}spec: {defaultNodeSelector: a=b}\n`,
    [],
  ],
  [
    "a proxy with a list",
    `${object("Proxy", "cluster", "", "config.openshift.io/v1")}spec: {noProxy: [a.example.org]}\n`,
    at("error", "KUB003", "5:17"),
  ],
  [
    "replicas as a text",
    `${object("MachineSet", "a", "  namespace: openshift-machine-api\n", "machine.openshift.io/v1beta1")}spec: {replicas: "3"}\n`,
    at("error", "KUB003", "6:18"),
  ],
  [
    "a plug-in that is gone",
    `${object("Network", "cluster", "", "operator.openshift.io/v1")}spec: {defaultNetwork: {type: Kuryr}}\n`,
    at("warning", "IC150", "5:31"),
  ],
  [
    "the same in the other object",
    `${object("Network", "cluster", "", "config.openshift.io/v1")}spec: {networkType: OpenShiftSDN}\n`,
    at("warning", "IC150", "5:21"),
  ],
  [
    "the plug-in that is there",
    `${object("Network", "cluster", "", "operator.openshift.io/v1")}spec: {defaultNetwork: {type: OVNKubernetes}}\n`,
    [],
  ],
  ["a good machine config", { "openshift/a.yaml": machineConfig('{ignition: {version: "3.2.0"}}') }, []],
  [
    "without a role",
    { "openshift/a.yaml": machineConfig('{ignition: {version: "3.2.0"}}', "") },
    ["warning BOOT007 openshift/a.yaml:4:3"],
  ],
  [
    "a spec version that is too new",
    { "openshift/a.yaml": machineConfig('{ignition: {version: "3.5.0"}}') },
    ["error IGN031 openshift/a.yaml:7:32"],
    "4.18",
  ],
  [
    "the same for a later release",
    { "openshift/a.yaml": machineConfig('{ignition: {version: "3.5.0"}}') },
    [],
    "4.19",
  ],
  [
    "a mode in octal digits",
    {
      "openshift/a.yaml": machineConfig(
        '{ignition: {version: "3.2.0"}, storage: {files: [{path: /a, mode: 644}]}}',
      ),
    },
    ["error IGN034 openshift/a.yaml:7:77"],
  ],
  [
    "a role that no pool has",
    machineConfig(
      '{ignition: {version: "3.2.0"}}',
      "  labels: {machineconfiguration.openshift.io/role: workers}\n",
    ),
    at("warning", "BOOT007", "5:52"),
  ],
  [
    "a role of a pool of the folders",
    {
      [ONE]: machineConfig(
        '{ignition: {version: "3.2.0"}}',
        "  labels: {machineconfiguration.openshift.io/role: infra}\n",
      ),
      "manifests/b.yaml": pool(
        "{matchExpressions: [{key: machineconfiguration.openshift.io/role, operator: In, values: [worker, infra]}]}",
      ),
    },
    [],
  ],
  ["a kernel type", machineSpec(`{kernelType: realtime, ${CONFIG}}`), []],
  [
    "a kernel type that is none",
    machineSpec(`{kernelType: real-time, ${CONFIG}}`),
    at("error", "BOOT016", "6:20"),
  ],
  ["an extension", machineSpec(`{extensions: [usbguard], ${CONFIG}}`), []],
  [
    "an extension that is none",
    machineSpec(`{extensions: [usb-guard], ${CONFIG}}`),
    at("error", "BOOT016", "6:21"),
  ],
  ["the same without a config", machineSpec("{extensions: [usb-guard]}"), at("warning", "BOOT016", "6:21")],
  [
    "an extension of a later release",
    machineSpec(`{extensions: [two-node-ha], ${CONFIG}}`),
    at("error", "BOOT016", "6:21"),
    "4.18",
  ],
  ["arguments as a text", machineSpec("{kernelArguments: nosmt}"), at("error", "KUB003", "6:25")],
  ["an argument that is a number", machineSpec("{kernelArguments: [5]}"), at("error", "KUB003", "6:26")],
  [
    "an API version that is gone",
    machineSpec(`{${CONFIG}}`, WORKER, "machineconfiguration.openshift.io/v1alpha1"),
    at("error", "KUB003", "1:13"),
  ],
  [
    "a sticky bit",
    machineConfig('{ignition: {version: "3.4.0"}, storage: {files: [{path: /a, mode: 1535}]}}'),
    at("error", "BOOT016", "7:77"),
  ],
  [
    "a machine config beyond the limit",
    machineConfig(
      `{ignition: {version: "3.2.0"}, storage: {files: [{path: /a, contents: {source: "data:,${"a".repeat(1_572_864)}"}}]}}`,
    ),
    at("error", "BOOT016", "7:3"),
  ],
  [
    "two that fit and their pool that does not",
    {
      "openshift/a.yaml": machineConfig(
        `{ignition: {version: "3.2.0"}, storage: {files: [{path: /a, contents: {source: "data:,${"a".repeat(800_000)}"}}]}}`,
      ),
      "openshift/b.yaml": machineConfig(
        `{ignition: {version: "3.2.0"}, storage: {files: [{path: /a, contents: {source: "data:,${"a".repeat(900_000)}"}}]}}`,
      ).replace("99-a", "99-b"),
    },
    ["error BOOT016 openshift/b.yaml:7:3"],
  ],
  [
    "a member that only version 2 has",
    machineConfig('{ignition: {version: "3.2.0"}, networkd: {}}'),
    at("warning", "IGN030", "7:42"),
  ],
  [
    "a member that stands too deep",
    machineConfig('{ignition: {version: "3.2.0"}, osImageURL: ""}'),
    at("warning", "IGN030", "7:42"),
  ],
  [
    "a member of Butane",
    machineConfig('{ignition: {version: "3.2.0"}, storage: {files: [{path: /a, contents: {inline: a}}]}}'),
    at("error", "IGN030", "7:82"),
  ],
  ["settings of the kubelet", kubelet("{maxPods: 500, kubeReserved: {cpu: 100m}}"), []],
  ["a number as a text", kubelet('{maxPods: "500"}'), at("error", "BOOT016", "7:28")],
  [
    "a setting that the kubelet does not know",
    kubelet("{maxPodsPerNode: 500}"),
    at("warning", "KUB004", "7:35"),
  ],
  ["control groups of the first version, in 4.18", node("v1"), [], "4.18"],
  ["the same in 4.19, which has lost them", node("v1"), at("error", "KUB003", "5:20"), "4.19"],
  [
    "a field of a later release",
    apiServer("{tlsAdherence: Strict}"),
    at("warning", "KUB004", "5:22"),
    "4.21",
  ],
  [
    "a value of a later release",
    apiServer("{encryption: {type: KMS}}"),
    at("error", "KUB003", "5:27"),
    "4.18",
  ],
  [
    "the same in that release without its gate",
    apiServer("{encryption: {type: KMS}}"),
    at("error", "KUB003", "5:27"),
    "4.19",
  ],
  [
    "the same with a feature set",
    inSet("TechPreviewNoUpgrade", apiServer("{encryption: {type: KMS}}")),
    [],
    "4.19",
  ],
  [
    "a field of a larger feature set",
    inSet("OKD", etcd("backendQuotaGiB: 32")),
    at("warning", "KUB004", "5:51"),
  ],
  ["the same with that feature set", inSet("CustomNoUpgrade", etcd("backendQuotaGiB: 32")), []],
  ["a field that a later release has by default", etcd("backendQuotaGiB: 16"), [], "5.0"],
  ["pinned images of v1, in 4.18", pinned("v1"), at("error", "KUB003", "1:13"), "4.18"],
  ["pinned images of v1alpha1, in 4.18", inSet("TechPreviewNoUpgrade", pinned("v1alpha1")), [], "4.18"],
  ["the same by default", pinned("v1alpha1"), at("error", "KUB003", "1:13"), "4.18"],
  [
    "a kind that has only its name here, by default",
    object("ClusterMonitoring", "cluster", "", "config.openshift.io/v1alpha1"),
    at("error", "KUB003", "1:13"),
  ],
  ["pinned images of v1alpha1, in 4.22", pinned("v1alpha1"), at("error", "KUB003", "1:13")],
  [
    "a setting of a later kubelet",
    kubelet("{singleProcessOOMKill: true}"),
    at("warning", "KUB004", "7:41"),
    "4.18",
  ],
  ["a flush of logs in nanoseconds, as Go writes it", kubelet("{logging: {flushFrequency: 0}}"), []],
  [
    "the same as a duration",
    kubelet("{logging: {flushFrequency: 5s, options: {json: {infoBufferSize: 1Ki}}}}"),
    [],
  ],
  ["the same as neither", kubelet("{logging: {flushFrequency: soon}}"), at("error", "BOOT016", "7:45")],
  ["a part of a processor as a number", kubelet("{systemReserved: {cpu: 0.5}, staticPodPath: ''}"), []],
  ["limits as numbers", kubelet("{reservedMemory: [{numaNode: 0, limits: {memory: 1.5e9}}]}"), []],
  [
    "limits that are no quantities",
    kubelet("{reservedMemory: [{numaNode: 0, limits: {memory: 1 Gi}}]}"),
    at("error", "BOOT016", "7:67"),
  ],
  ["durations in units that Go lacks", kubelet("{imageMinimumGCAge: 1d}"), at("error", "BOOT016", "7:38")],
  ["a duration that is a number", kubelet("{syncFrequency: 60}"), at("error", "BOOT016", "7:34")],
  ["more pods than an int32", kubelet("{maxPods: 3000000000}"), at("error", "BOOT016", "7:28")],
  ["a setting of the cluster", kubelet("{clusterDNS: [10.0.0.10]}"), at("error", "BOOT016", "7:31")],
  ["swap", kubelet("{memorySwap: {swapBehavior: LimitedSwap}}"), at("error", "BOOT016", "7:46")],
  [
    "static pods of the control plane",
    kubelet("{staticPodPath: /a}", "master"),
    at("error", "BOOT016", "7:34"),
  ],
  ["no static pods", kubelet('{staticPodPath: ""}'), []],
  ["a log level beyond the last", ofPool("KubeletConfig", "logLevel: 11"), at("error", "KUB003", "7:13")],
  ["a kubelet config for no pool", kubelet("{maxPods: 500}", "workers"), at("warning", "BOOT007", "6:30")],
  [
    "two for one pool",
    {
      "openshift/a.yaml": kubelet("{maxPods: 500}"),
      "openshift/b.yaml": ofPool("KubeletConfig", "logLevel: 5", "worker", "b"),
    },
    ["error BOOT016 openshift/b.yaml:6:30"],
  ],
  [
    "a runtime config",
    runtime("{pidsLimit: 2048, logSizeMax: 50Mi, overlaySize: 10G, logLevel: debug, defaultRuntime: crun}"),
    [],
  ],
  ["few processes", runtime("{pidsLimit: 5}"), at("error", "BOOT016", "7:39")],
  ["a small log", runtime("{logSizeMax: 8k}"), at("error", "BOOT016", "7:40")],
  ["a size below zero", runtime("{overlaySize: -1}"), at("error", "BOOT016", "7:41")],
  ["a log level that is none", runtime("{logLevel: verbose}"), at("error", "BOOT016", "7:38")],
  [
    "a pool that selects nothing",
    pool("{matchLabels: {machineconfiguration.openshift.io/role: infra}}"),
    at("error", "BOOT016", "7:26"),
  ],
  [
    "a pool without a selector",
    `${object("MachineConfigPool", "infra", "", MCO)}spec: {}\n`,
    at("error", "BOOT016", "5:7"),
  ],
  [
    "a selector without values",
    pool("{matchExpressions: [{key: a, operator: In}]}"),
    at("error", "BOOT016", "7:46"),
  ],
];

for (const [name, texts, expected, target] of CASES)
  test(name, async () => {
    const problems = await problemsOf(typeof texts === "string" ? { [ONE]: texts } : texts, target);
    assert.equal(problems.map(short), expected, JSON.stringify(problems.map(({ message }) => message)));
  });

const deployment = (container: string, spec = ""): string =>
  `${object("Deployment", "a", "  namespace: b\n", "apps/v1")}spec:
  ${spec}
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers: [${container}]
`;

const BUILT_IN: readonly (readonly [string, string, readonly string[], string?])[] = [
  [
    "a container as it is written",
    "{name: a, image: b, env: [{name: A, value: '1'}], resources: {limits: {cpu: 500m, memory: 2}}}",
    [],
  ],
  [
    "a number where a text is due",
    "{name: a, image: b, env: [{name: A, value: 1}]}",
    ["error KUB003 spec.template.spec.containers[0].env[0].value: must be string, not integer"],
  ],
  [
    "a text where a number is due",
    "{name: a, image: b, ports: [{containerPort: '80'}]}",
    ['error KUB003 spec.template.spec.containers[0].ports[0].containerPort: must be integer, not "80"'],
  ],
  [
    "an object where a list is due",
    "{name: a, image: b, args: {b: c}}",
    ["error KUB003 spec.template.spec.containers[0].args: must be array, not object"],
  ],
  [
    "a quantity that is none",
    "{name: a, image: b, resources: {limits: {cpu: 2 cores}}}",
    [
      'error KUB003 spec.template.spec.containers[0].resources.limits[cpu]: must be a quantity, such as 500m or 2Gi, not "2 cores"',
    ],
  ],
  [
    "a port by name or number",
    "{name: a, image: b, livenessProbe: {httpGet: {port: 80}}, readinessProbe: {httpGet: {port: web}}}",
    [],
  ],
  [
    "a port that is neither",
    "{name: a, image: b, livenessProbe: {httpGet: {port: true}}}",
    [
      "error KUB003 spec.template.spec.containers[0].livenessProbe.httpGet.port: must be integer or string, not boolean",
    ],
  ],
  ["null", "{name: a, image: b, command: null, resources: null}", []],
  [
    "an unknown field",
    "{name: a, image: b, imagePullPolices: Always}",
    [
      "warning KUB004 spec.template.spec.containers[0].imagePullPolices: unknown field in Container; the API server would drop it",
    ],
  ],
  [
    "a field of a newer release",
    "{name: a, image: b, restartPolicyRules: []}",
    [
      "warning KUB004 spec.template.spec.containers[0].restartPolicyRules: unknown field in Container; the API server would drop it",
    ],
    "4.20",
  ],
  [
    "the same field in the release that brought it",
    "{name: a, image: b, restartPolicyRules: []}",
    [],
    "4.21",
  ],
];
for (const [name, container, expected, target] of BUILT_IN)
  test(`members of built-in kinds: ${name}`, async () => {
    const found = await problemsOf({ [ONE]: deployment(container) }, target);
    assert.equal(
      found.map(({ severity = "error", code, field, message }) => `${severity} ${code} ${field}: ${message}`),
      expected,
    );
  });

test("a kind within another names its type, and inlined members count as its own", async () => {
  const claims = `${object("StatefulSet", "a", "  namespace: b\n", "apps/v1")}spec:
  serviceName: a
  selector: {matchLabels: {a: b}}
  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: b}], volumes: [{name: v, emptyDir: {}}]}}
  volumeClaimTemplates: [{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]
`;
  assert.equal(await problemsOf({ [ONE]: claims }), []);
});

test("validation rules of a definition have to compile", async () => {
  const definition = (rule: string): string =>
    `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: herons.example.org}
spec:
  group: example.org
  scope: Cluster
  names: {kind: Heron, plural: herons, singular: heron, listKind: HeronList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {legs: {type: integer}, nests: {maxItems: 13, type: array, items: {type: string, maxLength: 300}}}}}
        x-kubernetes-validations: [{rule: "${rule}"}]
`;
  assert.equal(await problemsOf({ [ONE]: definition("!has(self.spec) || self.spec.legs > 1") }), []);
  const [problem, ...more] = await problemsOf({ [ONE]: definition("self.spec.wings > 1") });
  assert.equal([problem?.code, more], ["KUB007", []]);
  assert.match(problem?.message ?? "", "compilation failed: undefined field 'wings'");
  // The server of the target counts: what a call costs, and which functions there are (Kubernetes 1.35 beside 1.31).
  const dear = "self.spec.nests.all(nest, matches(url(nest).getEscapedPath(), '^/v[0-9]+$'))";
  assert.equal(await problemsOf({ [ONE]: definition(dear) }), []);
  const late = "self.spec.nests.map(nest, size(nest)).sortBy(length, length).size() < 9";
  assert.equal(await problemsOf({ [ONE]: definition(late) }), []);
  const [missing] = await problemsOf({ [ONE]: definition(late) }, "4.18");
  assert.match(missing?.message ?? "", "compilation failed: undeclared reference to");
});

test("what another feature set or release serves is named with it", async () => {
  const hintOf = async (texts: Readonly<Record<string, string>>, target?: string): Promise<string> =>
    (await problemsOf(texts, target))[0]?.hint ?? "";
  assert.match(
    await hintOf({ [ONE]: apiServer("{tlsAdherence: StrictAllComponents}") }),
    "featureSet to TechPreviewNoUpgrade",
  );
  assert.match(await hintOf({ [ONE]: pinned("v1") }, "4.18"), "OpenShift 4.19, 4.20");
  const stream = object("OSImageStream", "cluster", "", MCO);
  assert.match(await hintOf({ [ONE]: stream }), "OpenShift 5.0");
  assert.match(await hintOf(inSet("TechPreviewNoUpgrade", stream)), "use v1alpha1");
  assert.is((await problemsOf({ [ONE]: apiServer("{wings: 2}") }))[0]?.hint, undefined);
});

test("what an operator expands itself is no placeholder in its kinds", async () => {
  const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ferries.harbor.example.org}
spec:
  group: harbor.example.org
  scope: Cluster
  names: {kind: Ferry, plural: ferries, singular: ferry, listKind: FerryList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {pier: {type: string}, seats: {type: integer}}}}
`;
  const told = (pier: string, seats = "9"): Promise<readonly Problem[]> =>
    problemsOf({
      [ONE]: `${object("Ferry", "a", "", "harbor.example.org/v1")}spec: {pier: ${pier}, seats: ${seats}}\n`,
      "openshift/b.yaml": definition,
    });
  for (const pier of ["'{{ .pier | upper }}'", '"{{`{{ .x }}`}}"', '"$(params.pier)"'])
    assert.equal((await told(pier)).map(short), [], pier);
  assert.equal((await told('"<pier>"')).map(short), at("warning", "IC002", "5:14"));
  assert.equal((await told('"$PIER"')).map(short), at("warning", "IC002", "5:14"));
  assert.equal((await told("north", '"{{ .seats }}"')).map(short), at("error", "IC002", "5:28"));
});

test("any value may stand anywhere, under any name", async () => {
  const values = ["text", "{toString: 1}", "[1]", "null", "5", "{constructor: {}}"];
  for (const value of values)
    for (const place of [
      "apiVersion",
      "kind",
      "metadata",
      "metadata.name",
      "metadata.labels",
      "spec",
      "data",
    ]) {
      const [top = "", inner] = place.split(".");
      const lines: Record<string, string> = {
        apiVersion: MCO,
        kind: "MachineConfig",
        metadata: "{name: a}",
        [top]: inner === undefined ? value : `{${inner}: ${value}}`,
      };
      const text = Object.entries(lines).map(([key, each]) => `${key}: ${each}\n`);
      await problemsOf({ [ONE]: text.join("") });
      await problemsOf({ [ONE]: text.join("").replace("MachineConfig", "Secret").replace(MCO, "v1") });
    }
});

test.run();
