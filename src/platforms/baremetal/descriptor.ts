import type { PlatformDescriptor } from "../platform.js";

export const baremetal: PlatformDescriptor = {
  handling: "not yet",
  traits: {
    reviewed: "4.22",
    infrastructure: "made",
    publish: ["External"],
    credentials: [],
    ipFamilies: { ipv6Alone: true, both: { ipv6First: {} } },
    singleNode: {},
    capabilities: [],
    poolSection: "refused",
    ownCapability: "baremetal",
    clusterName: "without dots",
    arbiter: {},
    fencing: true,
    mixedArchitectures: [{ since: "4.21", only: { controlPlane: "amd64", compute: "arm64" } }],
    inPlace: { never: { since: "4.22" } },
  },
};
