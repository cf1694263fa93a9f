import type { PlatformDescriptor } from "../platform.js";
import { starter } from "./starter.js";

export const aws: PlatformDescriptor = {
  handling: { starter, load: async () => (await import("./index.js")).platform },
  traits: {
    factsScript: true,
    reviewed: "5.0",
    infrastructure: "made",
    publish: ["External", "Internal"],
    credentials: [{ modes: ["Manual", "Mint", "Passthrough"] }],
    ipFamilies: { ipv6Alone: false, byField: { since: "4.22", binding: true } },
    singleNode: { always: {} },
    inNames: ["region", "zones"],
    capabilities: ["CloudCredential", "CloudControllerManager"],
    poolSection: "refused",
    edgePools: true,
    architectures: ["amd64", "arm64"],
    mixedArchitectures: [{ since: "4.20" }, { before: "4.20", gate: "MultiArchInstallAWS" }],
    clusterMtu: { least: 1000, most: 9001, of: "a VPC", edge: 1300 },
    userData: {
      what: "user data of an AWS instance",
      limit: 16384,
      counts: "bytes",
      uploads: "the Cluster API provider of AWS keeps it in a bucket and gives the instance a pointer",
      source: "Amazon EC2 user guide: 16 KB before it is encoded with base64",
    },
  },
};
