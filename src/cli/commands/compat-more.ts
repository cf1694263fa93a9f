/** The smaller compat commands: data only. */
import type { Command } from "../command.js";
import { operand, operands, text, toggle } from "../flags.js";
import { pins, runtimeConfig } from "./compat-apis.js";
import {
  annotations,
  dependencies,
  featureGates,
  lifecycle,
  rules,
  stage,
  tables,
  VERSION_FLAGS,
} from "./compat-flags.js";

export const inventory = text("inventory", "ComponentInventory, or a dump of Nodes, Leases and Pods", {
  value: "FILE",
});

export const compatSkew: Command = {
  path: "compat skew",
  summary: "Which versions may run beside a kube-apiserver, and which components of a cluster may not",
  details: "Exit 3 when a component of the inventory is out of its range.",
  examples: [
    {
      line: "slipway compat skew --inventory nodes-and-leases.yaml --binary-version 1.35",
      does: "every component out of range",
    },
  ],
  flags: [inventory, featureGates, ...VERSION_FLAGS],
  load: async () => (await import("./compat-skew-run.js")).run,
};

export const compatVersion: Command = {
  path: "compat version",
  summary: "What /version answers",
  details: "Members that a binary alone knows (commit, build date, compiler) are left out.",
  flags: [featureGates, ...VERSION_FLAGS],
  load: async () => (await import("./compat-version-run.js")).run,
};

export const current = text("current", "the release that is being made; default: the newest of the table", {
  value: "RELEASE",
});
export const policy = text("policy", "RemovalPolicy; default: that of Kubernetes", { value: "FILE" });

export const compatLifecycle: Command = {
  path: "compat lifecycle",
  summary: "The life of every gate: stages, and when its code may be removed",
  flags: [tables, annotations, current, policy, rules, stage],
  load: async () => (await import("./compat-lifecycle-run.js")).run,
};

export const base = text("base", "the list of the release before", { value: "FILE" });
export const checkedIn = text("list", "checked-in versioned list that the table must equal (L5)", {
  value: "FILE",
});
export const update = toggle("update", "rewrite --list from the table, unless a rule forbids it (L12)");

export const compatLint: Command = {
  path: "compat lint",
  summary: "Check a gate table by the rules of registration and of the project",
  details: "Rules R1 to R17 and L1 to L13. Exit 1 when there is an error.",
  examples: [
    {
      line: "slipway compat lint --table new.yaml --base old.yaml --current 1.37",
      does: "which gates vanished too early",
    },
  ],
  flags: [tables, dependencies, annotations, base, current, policy, checkedIn, update, rules, stage],
  load: async () => (await import("./compat-lint-run.js")).run,
};

export const oldTable = operand("old", "the older gate table");
export const newTable = operand("new", "the newer gate table");

export const compatDiff: Command = {
  path: "compat diff",
  summary: "What changed between two gate tables",
  operands: [oldTable, newTable],
  flags: [],
  load: async () => (await import("./compat-diff-run.js")).run,
};

export const entryTable = text("table", "table of entries", { value: "FILE" });

export const compatFields: Command = {
  path: "compat fields",
  summary: "Which new fields, enum values and relaxed validations may be written and read",
  details:
    "Reads a FieldCompatibility document. Fields are shown as soon as the binary has them, never pruned.",
  flags: [entryTable, featureGates, ...VERSION_FLAGS],
  load: async () => (await import("./compat-entries-run.js")).runFields,
};

export const compatCel: Command = {
  path: "compat cel",
  summary: "Which CEL libraries and options new and stored expressions may use",
  details: "Reads a CELLibraries document; without one, the libraries of Kubernetes' base environment.",
  flags: [entryTable, featureGates, ...VERSION_FLAGS],
  load: async () => (await import("./compat-entries-run.js")).runCel,
};

export const from = text("from", "the release that the cluster runs", { value: "RELEASE" });
export const to = text("to", "the release to upgrade to", { value: "RELEASE" });
export const components = text(
  "components",
  "components of the cluster, separated by commas; default: control plane, kubelet and kube-proxy",
  { value: "NAMES" },
);

export const compatPlan: Command = {
  path: "compat plan",
  summary:
    "The stepwise upgrade of a cluster: binary first, then emulated version, minimum compatibility last",
  details:
    "Each step says what changes (gates, APIs, storage versions), what blocks it, how to check the cluster and\nhow far back it still leads. Give the lists of both releases to see which gates vanish: --table OLD NEW.\nExit 3 when a step is blocked.",
  examples: [
    {
      line: "slipway compat plan --from 1.34 --to 1.37 --table list-1.34.yaml list-1.37.yaml --lifecycle apis.yaml",
      does: "all steps from 1.34 to 1.37",
    },
  ],
  flags: [
    from,
    to,
    tables,
    base,
    dependencies,
    annotations,
    lifecycle,
    pins,
    featureGates,
    runtimeConfig,
    components,
    rules,
    stage,
  ],
  load: async () => (await import("./compat-plan-run.js")).run,
};

export const perGate = toggle("per-gate", "one more test for every beta gate, the other way round");

export const compatMatrix: Command = {
  path: "compat matrix",
  summary: "What to test of a binary: every version that it can emulate, with which gates",
  flags: [tables, dependencies, annotations, perGate, ...VERSION_FLAGS],
  load: async () => (await import("./compat-matrix-run.js")).run,
};

export const FORMS = ["versioned-feature-list", "openshift-featuregate", "openshift-features"] as const;
export const sourceForm = text("from", `form of the files: ${FORMS.join(", ")}`, { value: "FORM" });
export const importFiles = operands("file", "files to import; several are merged", { required: true });
export const out = text("out", "file to write; default: stdout", { value: "FILE" });
export const component = text("component", "name of the versioned component; default: kube", {
  value: "NAME",
});

export const compatImport: Command = {
  path: "compat import",
  summary: "Turn foreign gate lists into a FeatureGateTable; what the source loses is marked",
  examples: [
    {
      line: "slipway compat import --from versioned-feature-list versioned_feature_list.yaml --out gates.yaml",
      does: "our own form of Kubernetes' list",
    },
  ],
  operands: [importFiles],
  flags: [sourceForm, dependencies, annotations, component, out],
  load: async () => (await import("./compat-import-run.js")).run,
};
