import type { PlatformDescriptor } from "../platform.js";
import { starter } from "./starter.js";

export const ibmcloud: PlatformDescriptor = {
  handling: { starter, load: async () => (await import("./index.js")).platform },
  traits: {
    reviewed: "5.0",
    infrastructure: "made",
    publish: ["External", "Internal"],
    credentials: [{ modes: ["Manual"] }],
    ipFamilies: { ipv6Alone: false },
    singleNode: { always: { since: "4.19" } },
    inNames: ["region", "zones"],
    capabilities: ["CloudCredential", "CloudControllerManager"],
    poolSection: "refused",
  },
};
