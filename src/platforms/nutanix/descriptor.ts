import type { PlatformDescriptor } from "../platform.js";
import { starter } from "./starter.js";

export const nutanix: PlatformDescriptor = {
  handling: { starter, load: async () => (await import("./index.js")).platform },
  traits: {
    reviewed: "5.0",
    agent: { since: "4.19", platformType: "Nutanix" },
    infrastructure: "made",
    publish: ["External"],
    credentials: [{ modes: ["Manual"], initial: "Manual" }],
    ipFamilies: { ipv6Alone: true, both: { ipv6First: undefined } },
    singleNode: {},
    capabilities: ["CloudCredential", "CloudControllerManager"],
    poolSection: "ignored",
    clusterName: "without dots",
  },
};
