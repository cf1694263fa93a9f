import type { PlatformDescriptor } from "../platform.js";
import { starter } from "./starter.js";

export const powervs: PlatformDescriptor = {
  handling: { starter, load: async () => (await import("./index.js")).platform },
  traits: {
    reviewed: "5.0",
    infrastructure: "made",
    publish: ["External", "Internal"],
    credentials: [{ modes: ["Manual"], initial: "Manual" }],
    ipFamilies: { ipv6Alone: false },
    singleNode: { always: {} },
    capabilities: ["CloudCredential", "CloudControllerManager"],
    poolSection: "refused",
    machineNetwork: "192.168.0.0/24",
  },
};
