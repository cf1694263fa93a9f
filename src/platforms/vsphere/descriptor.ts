import type { PlatformDescriptor } from "../platform.js";
import { starter } from "./starter.js";

export const vsphere: PlatformDescriptor = {
  handling: { starter, load: async () => (await import("./index.js")).platform },
  traits: {
    factsScript: true,
    reviewed: "5.0",
    agent: { platformType: "VSphere" },
    listsMachineNetworks: true,
    infrastructure: "made",
    publish: ["External"],
    credentials: [],
    ipFamilies: { ipv6Alone: true, both: { ipv6First: {} } },
    singleNode: {},
    capabilities: ["CloudCredential", "CloudControllerManager"],
    poolSection: "refused",
    clusterName: "without dots",
    dualStackArguments: true,
    userData: {
      what: "a guestinfo or vApp property of a vSphere machine",
      limit: 65536,
      counts: "base64",
      source: "open-vm-tools, GUESTMSG_MAX_IN_SIZE: 64 KiB; openshift/installer issue 3177",
    },
  },
};
