/** The smaller compat commands: data only. */
import type { Command } from "../../command.js";
import {
  annotations,
  base,
  binaryVersion,
  checkedIn,
  importedComponent as component,
  components,
  current,
  dependencies,
  entryTable,
  featureGates,
  from,
  gatesFrom,
  importFiles,
  inventory,
  lifecycle,
  newTable,
  oldTable,
  out,
  perGate,
  pins,
  policy,
  rules,
  runtimeConfig,
  sourceForm,
  stage,
  tables,
  to,
  update,
  VERSION_FLAGS,
} from "./flags.js";

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
  load: async () => (await import("./skew-run.js")).run,
};

export const compatVersion: Command = {
  path: "compat version",
  summary: "What /version answers",
  details: "Members that a binary alone knows (commit, build date, compiler) are left out.",
  flags: [featureGates, ...VERSION_FLAGS],
  load: async () => (await import("./version-run.js")).run,
};

export const compatLifecycle: Command = {
  path: "compat lifecycle",
  summary: "The life of every gate: stages, and when its code may be removed",
  flags: [tables, annotations, current, policy, rules, stage],
  load: async () => (await import("./lifecycle-run.js")).run,
};

export const compatLint: Command = {
  path: "compat lint",
  summary: "Check a gate table by the rules of registration and of the project",
  details:
    "Rules R1 to R16 of registration, D1 to D5 of dependencies, C1 and C2 of capabilities, L1 to L13 of the project,\nwith --rules kep K1 to K3 of the design. Exit 1 when there is an error.",
  examples: [
    {
      line: "slipway compat lint --table new.yaml --base old.yaml --current 1.37",
      does: "which gates vanished too early",
    },
  ],
  flags: [tables, dependencies, annotations, base, current, policy, checkedIn, update, rules, stage],
  load: async () => (await import("./lint-run.js")).run,
};

export const compatDiff: Command = {
  path: "compat diff",
  summary: "What changed between two gate tables, or what an API server does otherwise at other versions",
  operands: [oldTable, newTable],
  flags: [],
  load: async () => (await import("./diff-run.js")).run,
};

export const compatFields: Command = {
  path: "compat fields",
  summary: "Which new fields, enum values and relaxed validations may be written and read",
  details:
    "Reads a FieldCompatibility document. Fields are shown as soon as the binary has them, never pruned.",
  flags: [entryTable, featureGates, ...VERSION_FLAGS],
  load: async () => (await import("./entries-run.js")).runFields,
};

export const compatCel: Command = {
  path: "compat cel",
  summary: "Which CEL libraries and options new and stored expressions may use",
  details: "Reads a CELLibraries document; without one, the libraries of Kubernetes' base environment.",
  flags: [entryTable, featureGates, ...VERSION_FLAGS],
  load: async () => (await import("./entries-run.js")).runCel,
};

export const compatPlan: Command = {
  path: "compat plan",
  summary:
    "The stepwise upgrade of a cluster, or its way back: binary first, then emulated version, minimum last",
  details:
    "Each step says what changes (gates, APIs, storage versions), what blocks it, how to check the cluster and\nhow far back it still leads. Give the lists of both releases to see which gates vanish: --table OLD NEW.\nWith --to older than --from the same steps lead back by emulation. Exit 3 when a step is blocked.",
  examples: [
    {
      line: "slipway compat plan --from 1.34 --to 1.37 --table list-1.34.yaml list-1.37.yaml --lifecycle apis.yaml",
      does: "all steps from 1.34 to 1.37",
    },
    {
      line: "slipway compat plan --from 1.36 --to 1.37 --table kubernetes --gates-from /etc/kubernetes/manifests/kube-apiserver.yaml",
      does: "which of the gates that are set block an upgrade",
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
    gatesFrom,
    runtimeConfig,
    components,
    rules,
    stage,
  ],
  load: async () => (await import("./plan-run.js")).run,
};

export const compatMatrix: Command = {
  path: "compat matrix",
  summary: "What to test of a binary: every version that it can emulate, with which gates",
  flags: [tables, annotations, perGate, binaryVersion, rules, stage],
  load: async () => (await import("./matrix-run.js")).run,
};

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
  load: async () => (await import("./import-run.js")).run,
};
