import type { PlatformDescriptor } from "../platform.js";
import { starter } from "./starter.js";

export const baremetal: PlatformDescriptor = {
  handling: { starter, load: async () => (await import("./index.js")).platform },
  traits: {
    reviewed: "5.0",
    agent: { platformType: "BareMetal" },
    listsMachineNetworks: true,
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
    mediaServer: { login: "*baremetal.IronicCreds" },
    inPlace: { never: { since: "5.0" } },
  },
};
