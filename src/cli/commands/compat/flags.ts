/** Flags that several compat commands share. */
import { KUBERNETES } from "../../../compatibility/kubernetes-name.js";
import { STORED_VERSION_RULES } from "../../../kubernetes/behavior.js";
import {
  choice,
  choiceWithDefault,
  list,
  type Operand,
  operand,
  operands,
  optionalOperand,
  text,
  toggle,
} from "../../flags.js";

export const binaryVersion = text(
  "binary-version",
  "version of the binary, such as 1.35 or v1.35.2 (or OpenShift 4.22); default: the newest known release",
  { value: "VERSION", alias: "release" },
);
export const emulatedVersion = list(
  "emulated-version",
  "version to emulate, [component=]major.minor; default: the binary's",
  { value: "VERSION", alias: "emulation-version" },
);
export const minCompatibilityVersion = list(
  "min-compatibility-version",
  "oldest version to stay compatible with, [component=]major.minor; default: one minor below the emulated version",
  { value: "VERSION" },
);
export const rules = choiceWithDefault(
  "rules",
  "kep: the design in the KEP; shipped: the behavior of Kubernetes",
  ["kep", "shipped"] as const,
  "shipped",
  { value: "RULES" },
);
export const stage = choiceWithDefault(
  "stage",
  "graduation stage of the KEP (only with --rules kep)",
  ["alpha", "beta"] as const,
  "beta",
  { value: "STAGE" },
);

/** What every question about versions takes. */
export const VERSION_FLAGS = [binaryVersion, emulatedVersion, minCompatibilityVersion, rules, stage] as const;

/** What a command line says that lacks a table. */
export const TABLE_REQUIRED = `--table FILE is required; use --table ${KUBERNETES} for the built-in Kubernetes tables`;

export const tables = list(
  "table",
  "gate table: kubernetes or kubernetes@1.35, a FeatureGateTable, versioned_feature_list.yaml or an OpenShift format; one per component",
  { value: "FILE", stream: "input", names: "input" },
);
export const lifecycle = text(
  "lifecycle",
  "kubernetes or kubernetes@1.36, an APILifecycle, or a list of kinds with their lifecycle",
  {
    value: "FILE",
    stream: "input",
    names: "input",
  },
);
/** The same where a command reads no other table. */
export const lifecycleTable = text("table", lifecycle.describe, {
  value: "FILE",
  stream: "input",
  names: "input",
  formerly: ["lifecycle"],
});
export const featureGates = list("feature-gates", "settings, [component:]Gate=bool,…; repeatable", {
  value: "SETTINGS",
});
export const dependencies = text("dependencies", "map of gate → gates that it depends on", {
  value: "FILE",
  stream: "input",
});
export const annotations = text(
  "annotations",
  "minimum compatibility versions that other formats lack: list of {name, index, minCompatibilityVersion}",
  { value: "FILE", stream: "input" },
);

export const runtimeConfig = list(
  "runtime-config",
  "group/version[/resource][=bool], api/all|ga|beta|alpha=bool, …",
  {
    value: "SETTINGS",
  },
);

export const emulationForwardCompatible = toggle(
  "emulation-forward-compatible",
  "also serve newer versions of served resources",
);

export const runtimeConfigForwardCompatible = toggle(
  "runtime-config-emulation-forward-compatible",
  "serve newer versions listed in --runtime-config",
);

export const strictRemovedInAlpha = toggle(
  "strict-removed-api-handling-in-alpha",
  "same as KUBE_APISERVER_STRICT_REMOVED_API_HANDLING_IN_ALPHA=true",
);

export const serveRemovedOneMore = toggle(
  "serve-removed-apis-for-one-release",
  "same as KUBE_APISERVER_SERVE_REMOVED_APIS_FOR_ONE_RELEASE=true",
);
export const discovery = toggle("discovery", "print the aggregated discovery document instead");

export const storageRule = choice(
  "rule",
  "rules to apply; default: those of the binary's release",
  ["kep", ...STORED_VERSION_RULES.map(({ name }) => name)],
  { value: "RULE" },
);
export const pins = text(
  "pins",
  "pinned storage versions; kubernetes belongs to the lifecycles of the same name",
  { value: "FILE", stream: "input" },
);

export const gatesFrom = list(
  "gates-from",
  "settings of the component: KubeletConfiguration, KubeProxyConfiguration, kubeadm ClusterConfiguration, static pod, or a dump of its /metrics",
  { value: "FILE", stream: "input" },
);
export const batch = text(
  "batch",
  "file with queries, one JSON document per line; prints one answer per line",
  {
    value: "FILE",
    stream: "own",
  },
);

export const component = text(
  "component",
  "evaluate as this binary, which does not know the gates of other binaries",
  {
    value: "NAME",
  },
);

export const featureSet = text("feature-set", "for OpenShift tables: the feature set, such as Default", {
  value: "NAME",
});

export const clusterProfile = text("cluster-profile", "for OpenShift tables: SelfManagedHA or Hypershift", {
  value: "NAME",
});

export const inventory = text("inventory", "ComponentInventory, or a dump of Nodes, Leases and Pods", {
  value: "FILE",
  stream: "input",
});

export const current = text("current", "release under development; default: the newest in the table", {
  value: "VERSION",
  names: "input",
});
export const policy = text("policy", "RemovalPolicy; default: the Kubernetes policy", {
  value: "FILE",
  stream: "input",
  names: "input",
});
export const base = text("base", "gate list of the previous release", {
  value: "FILE",
  stream: "input",
  names: "input",
});

export const checkedIn = text("list", "committed versioned list that the table must match (L5)", {
  value: "FILE",
  names: "input",
});
export const update = toggle("update", "update --list from the table, unless a rule forbids it (L12)");
export const oldTable = operand(
  "old",
  "old gate table, or versions: 1.36, 1.37:1.36 (binary:emulated[:minimum])",
  { stream: "input" },
);
export const newTable = operand("new", "new gate table, or versions", { stream: "input" });
export const entryTable = text("table", "table of entries", { value: "FILE", stream: "input" });
export const from = text("from", "release that the cluster runs, Kubernetes or OpenShift", {
  value: "VERSION",
});
export const to = text("to", "release to upgrade or roll back to", { value: "VERSION" });

export const usagePaths = operands(
  "path",
  "manifests, or folders of them; the output of kubectl get -o yaml; /metrics of an API server, audit logs; - for standard input",
  { required: true },
);

export const FLAG_COMPONENTS = [
  "kube-apiserver",
  "kube-controller-manager",
  "kube-proxy",
  "kube-scheduler",
  "kubelet",
] as const;
export const flagComponent: Operand<string | undefined> = {
  ...optionalOperand("component", "only this component"),
  choices: FLAG_COMPONENTS,
};
export const flagsFrom = list(
  "flags-from",
  "flags that components are started with: static pods, kubeadm ClusterConfiguration, k3s or rke2 configuration, OpenShift's KubeAPIServer and KubeControllerManager",
  { value: "FILE", stream: "input" },
);

export const write = toggle(
  "write",
  "rewrite files: objects in versions that are gone or deprecated, where nothing is lost; comments are preserved",
);

export const components = text(
  "components",
  "comma-separated components; default: control plane, kubelet and kube-proxy",
  { value: "NAMES" },
);
export const hops = choiceWithDefault(
  "hops",
  "minor: upgrade one minor release at a time, as the Kubernetes policy requires; fewest: as few binaries as emulation allows",
  ["minor", "fewest"] as const,
  "minor",
  { value: "HOPS" },
);
export const verbose = toggle("verbose", "list all gates, and show every check at its step");
export const perGate = toggle("per-gate", "add a test for every beta gate with the opposite setting");
export const FORMS = ["versioned-feature-list", "openshift-featuregate", "openshift-features"] as const;
export const sourceForm = text("from", `format of the files: ${FORMS.join(", ")}; default: detected`, {
  value: "FORM",
});
export const importFiles = operands("file", "files to import; several files are merged", {
  required: true,
  stream: "input",
});
export const out = text("out", "file to write; default, and -: stdout", { value: "FILE", stream: "own" });

export const importedComponent = text("component", "name of the versioned component; default: kube", {
  value: "NAME",
});
