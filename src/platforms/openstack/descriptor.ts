import type { PlatformDescriptor } from "../platform.js";
import { starter } from "./starter.js";

export const openstack: PlatformDescriptor = {
  handling: { starter, load: async () => (await import("./index.js")).platform },
  traits: {
    reviewed: "5.0",
    listsMachineNetworks: true,
    infrastructure: "made",
    publish: ["External"],
    credentials: [{ since: "4.21", modes: ["Passthrough"], initial: "Passthrough" }],
    ipFamilies: { ipv6Alone: true, both: { ipv6First: {} } },
    singleNode: {},
    capabilities: ["CloudCredential", "CloudControllerManager"],
    poolSection: "refused",
    clusterName: "without dots",
    dualStackArguments: true,
    userData: {
      what: "user data of an OpenStack server",
      limit: 65535,
      counts: "base64",
      source: "Nova, user data: 65535 bytes, encoded with base64",
    },
  },
};
