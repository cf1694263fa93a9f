import type { Command } from "../command.js";
import { choice, list, text, toggle } from "../flags.js";
import { featureGates, lifecycle, VERSION_FLAGS } from "./compat-flags.js";

export const runtimeConfig = list(
  "runtime-config",
  "group/version[/resource][=bool], api/all|ga|beta|alpha=bool, …",
  {
    value: "SETTINGS",
  },
);
export const emulationForwardCompatible = toggle(
  "emulation-forward-compatible",
  "serve newer versions of what is served too",
);
export const runtimeConfigForwardCompatible = toggle(
  "runtime-config-emulation-forward-compatible",
  "serve newer versions that --runtime-config names",
);
export const strictRemovedInAlpha = toggle(
  "strict-removed-api-handling-in-alpha",
  "as KUBE_APISERVER_STRICT_REMOVED_API_HANDLING_IN_ALPHA=true",
);
export const serveRemovedOneMore = toggle(
  "serve-removed-apis-for-one-release",
  "as KUBE_APISERVER_SERVE_REMOVED_APIS_FOR_ONE_RELEASE=true",
);
export const discovery = toggle("discovery", "print the aggregated discovery document instead");

export const compatApis: Command = {
  path: "compat apis",
  summary: "Group-versions and resources that are served, with the reason",
  details:
    "Reads API lifecycles. Answers what a kube-apiserver serves at an emulated version, with\n--runtime-config and the forward-compatibility flags. Exit 1 when it would refuse to start.",
  examples: [
    {
      line: "slipway compat apis --lifecycle apis.yaml --binary-version 1.37 --emulated-version 1.35",
      does: "APIs of 1.37 that behaves as 1.35",
    },
  ],
  flags: [
    lifecycle,
    runtimeConfig,
    emulationForwardCompatible,
    runtimeConfigForwardCompatible,
    strictRemovedInAlpha,
    serveRemovedOneMore,
    discovery,
    featureGates,
    ...VERSION_FLAGS,
  ],
  load: async () => (await import("./compat-apis-run.js")).run,
};

export const storageRule = choice(
  "rule",
  "rule to compute by; default: the one of the binary's release",
  ["kep", "1.31", "1.32", "1.37"] as const,
  { value: "RULE" },
);
export const pins = text("pins", "storage versions that are fixed by hand", { value: "FILE" });

export const compatStorageVersions: Command = {
  path: "compat storage-versions",
  summary: "The version in which every resource is written to etcd, with the reason",
  details:
    "Reads API lifecycles. The rule is that of the binary's release unless --rule names another;\n--rules kep takes the source design's.",
  examples: [
    {
      line: "slipway compat storage-versions --lifecycle apis.yaml --binary-version 1.37 --min-compatibility-version 1.36",
      does: "what 1.37 writes while it must stay readable for 1.36",
    },
  ],
  flags: [lifecycle, storageRule, pins, runtimeConfig, featureGates, ...VERSION_FLAGS],
  load: async () => (await import("./compat-storage-versions-run.js")).run,
};
