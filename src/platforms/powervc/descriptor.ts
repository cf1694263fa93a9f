import type { PlatformDescriptor } from "../platform.js";

export const powervc: PlatformDescriptor = {
  handling: "not yet",
  traits: {
    reviewed: "5.0",
    infrastructure: "made",
    publish: ["External"],
    credentials: [{ modes: ["Passthrough"] }],
    ipFamilies: { ipv6Alone: false },
    singleNode: {},
    capabilities: ["CloudCredential", "CloudControllerManager"],
    poolSection: "ignored",
    poolShape: { type: { zero: "" } },
    clusterName: "without dots",
    standsOn: "openstack",
  },
};
