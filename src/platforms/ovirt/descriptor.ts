import type { PlatformDescriptor } from "../platform.js";

/** In the form of every release of ours, and refused by each. */
export const ovirt: PlatformDescriptor = {
  handling: "no longer",
  traits: {
    reviewed: "5.0",
    infrastructure: "made",
    publish: ["External"],
    credentials: [],
    ipFamilies: { ipv6Alone: true, both: { ipv6First: undefined } },
    singleNode: {},
    capabilities: ["CloudCredential", "CloudControllerManager"],
    poolSection: "refused",
  },
};
