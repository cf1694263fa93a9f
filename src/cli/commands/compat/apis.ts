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
  summary: "Show the served group-versions and resources, with the reason",
  details:
    "Reads API lifecycles. Shows what a kube-apiserver serves at an emulated version, with\n--runtime-config and the forward-compatibility flags. Exit 1 if it would refuse to start.",
  examples: [
    {
      line: "slipway compat apis --table apis.yaml --binary-version 1.37 --emulated-version 1.35",
      does: "APIs of a 1.37 server that emulates 1.35",
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
  summary: "Show the storage version of every resource, with the reason",
  details:
    "Reads API lifecycles. Applies the rules of the binary's release unless you set --rule;\n--rules kep applies the design in the KEP.",
  examples: [
    {
      line: "slipway compat storage-versions --table apis.yaml --binary-version 1.37 --min-compatibility-version 1.36",
      does: "versions that 1.37 writes so that 1.36 can read them",
    },
  ],
  flags: [lifecycleTable, storageRule, pins, runtimeConfig, featureGates, ...VERSION_FLAGS],
  load: async () => (await import("./storage-versions-run.js")).run,
};
