import type { Command } from "../../command.js";
import {
  discovery,
  emulationForwardCompatible,
  featureGates,
  lifecycleTable,
  pins,
  runtimeConfig,
  runtimeConfigForwardCompatible,
  serveRemovedOneMore,
  storageRule,
  strictRemovedInAlpha,
  VERSION_FLAGS,
} from "./flags.js";

export const compatApis: Command = {
  path: "compat apis",
  summary: "Group-versions and resources that are served, with the reason",
  details:
    "Reads API lifecycles. Answers what a kube-apiserver serves at an emulated version, with\n--runtime-config and the forward-compatibility flags. Exit 1 when it would refuse to start.",
  examples: [
    {
      line: "slipway compat apis --table apis.yaml --binary-version 1.37 --emulated-version 1.35",
      does: "APIs of 1.37 that behaves as 1.35",
    },
  ],
  flags: [
    lifecycleTable,
    runtimeConfig,
    emulationForwardCompatible,
    runtimeConfigForwardCompatible,
    strictRemovedInAlpha,
    serveRemovedOneMore,
    discovery,
    featureGates,
    ...VERSION_FLAGS,
  ],
  load: async () => (await import("./apis-run.js")).run,
};

export const compatStorageVersions: Command = {
  path: "compat storage-versions",
  summary: "The version in which every resource is written to etcd, with the reason",
  details:
    "Reads API lifecycles. The rule is that of the binary's release unless --rule names another;\n--rules kep takes the source design's.",
  examples: [
    {
      line: "slipway compat storage-versions --table apis.yaml --binary-version 1.37 --min-compatibility-version 1.36",
      does: "what 1.37 writes while it must stay readable for 1.36",
    },
  ],
  flags: [lifecycleTable, storageRule, pins, runtimeConfig, featureGates, ...VERSION_FLAGS],
  load: async () => (await import("./storage-versions-run.js")).run,
};
