import type { PlatformDescriptor } from "../platform.js";

export const ibmcloud: PlatformDescriptor = {
  handling: "not yet",
  traits: {
    publish: ["External", "Internal"],
    credentials: [{ modes: ["Manual"] }],
    ipFamilies: { ipv6Alone: false },
    singleNode: { always: { since: "4.19" } },
    capabilities: ["CloudCredential", "CloudControllerManager"],
    poolSection: "refused",
  },
};
