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
  flagsFrom,
  from,
  gatesFrom,
  hops,
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
  verbose,
} from "./flags.js";

export const compatSkew: Command = {
  path: "compat skew",
  summary: "Check component versions against the Kubernetes version skew policy",
  details:
    "Without --inventory, prints the allowed versions of each component. Exit 3 if a component is outside its range.",
  examples: [
    {
      line: "slipway compat skew --inventory nodes-and-leases.yaml --binary-version 1.35",
      does: "components outside their range",
    },
  ],
  flags: [inventory, featureGates, ...VERSION_FLAGS],
  load: async () => (await import("./skew-run.js")).run,
};

export const compatVersion: Command = {
  path: "compat version",
  summary: "Show the response of /version",
  details: "Omits fields that depend on the build (commit, build date, compiler).",
  flags: [featureGates, ...VERSION_FLAGS],
  load: async () => (await import("./version-run.js")).run,
};

export const compatLifecycle: Command = {
  path: "compat lifecycle",
  summary: "Show the stages of every gate and when its code can be removed",
  flags: [tables, annotations, current, policy, rules, stage],
  load: async () => (await import("./lifecycle-run.js")).run,
};

export const compatLint: Command = {
  path: "compat lint",
  summary: "Check a gate table against the rules for gates",
  details:
    "Rules: R1 to R16 (registration), D1 to D5 (dependencies), C1 and C2 (capabilities), L1 to L13 (project), and K1 to K3\n(source design) with --rules kep. Exit 1 if there is an error.",
  examples: [
    {
      line: "slipway compat lint --table new.yaml --base old.yaml --current 1.37",
      does: "gates that were removed too early",
    },
  ],
  flags: [tables, dependencies, annotations, base, current, policy, checkedIn, update, rules, stage],
  findings: true,
  load: async () => (await import("./lint-run.js")).run,
};

export const compatDiff: Command = {
  path: "compat diff",
  summary: "Compare two gate tables, or an API server at two versions",
  operands: [oldTable, newTable],
  flags: [],
  load: async () => (await import("./diff-run.js")).run,
};

export const compatFields: Command = {
  path: "compat fields",
  summary: "Show which new fields, enum values and relaxed validations can be written and read",
  details:
    "Reads a FieldCompatibility document. A field is readable as soon as the binary has it, and is never pruned.",
  flags: [entryTable, featureGates, ...VERSION_FLAGS],
  load: async () => (await import("./entries-run.js")).runFields,
};

export const compatCel: Command = {
  path: "compat cel",
  summary: "Show which CEL libraries and options new and stored expressions can use",
  details: "Reads a CELLibraries document (default: the libraries of the Kubernetes base environment).",
  flags: [entryTable, featureGates, ...VERSION_FLAGS],
  load: async () => (await import("./entries-run.js")).runCel,
};

export const compatPlan: Command = {
  path: "compat plan",
  summary: "Plan the upgrade or rollback of a cluster step by step",
  details:
    "Prints a summary first: what blocks the plan, what cannot be undone, what changes, and how long the old release can\ntake over again. The steps follow: they raise the binary version first, then the emulated version, then the minimum\ncompatibility version. To include removed gates, pass the lists of both releases: --table OLD NEW. If --to is older\nthan --from, the plan rolls the cluster back by emulation. Exit 3 if a step is blocked.",
  examples: [
    {
      line: "slipway compat plan --from 1.34 --to 1.37 --table list-1.34.yaml list-1.37.yaml --lifecycle apis.yaml",
      does: "all steps from 1.34 to 1.37",
    },
    {
      line: "slipway compat plan --from 1.36 --to 1.37 --table kubernetes --gates-from /etc/kubernetes/manifests/kube-apiserver.yaml",
      does: "configured gates that block an upgrade",
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
    flagsFrom,
    runtimeConfig,
    components,
    hops,
    rules,
    stage,
    verbose,
  ],
  load: async () => (await import("./plan-run.js")).run,
};

export const compatMatrix: Command = {
  path: "compat matrix",
  summary: "Show the test matrix of a binary: versions to emulate and gates to set",
  flags: [tables, annotations, perGate, binaryVersion, rules, stage],
  load: async () => (await import("./matrix-run.js")).run,
};

export const compatImport: Command = {
  path: "compat import",
  summary: "Convert gate lists of other formats to a FeatureGateTable",
  examples: [
    {
      line: "slipway compat import --from versioned-feature-list versioned_feature_list.yaml --out gates.yaml",
      does: "from the Kubernetes list",
    },
  ],
  operands: [importFiles],
  flags: [sourceForm, dependencies, annotations, component, out],
  load: async () => (await import("./import-run.js")).run,
};
