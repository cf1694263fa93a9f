import type { PlatformDescriptor } from "../platform.js";
import { starter } from "./starter.js";

export const gcp: PlatformDescriptor = {
  handling: { starter, load: async () => (await import("./index.js")).platform },
  traits: {
    reviewed: "5.0",
    infrastructure: "made",
    publish: ["External", "Internal"],
    credentials: [{ modes: ["Manual", "Mint", "Passthrough"] }],
    ipFamilies: { ipv6Alone: false },
    singleNode: { always: {} },
    inNames: ["region", "zones"],
    capabilities: ["CloudCredential", "CloudControllerManager"],
    poolSection: "refused",
    clusterName: "begins with a letter",
    mixedArchitectures: [{ since: "4.20" }, { before: "4.20", gate: "MultiArchInstallGCP" }],
    userData: {
      what: "a metadata value of a Google Cloud instance",
      limit: 262144,
      counts: "bytes",
      source: "Compute Engine: 256 KB for each metadata value",
    },
  },
};
