import type { PlatformDescriptor } from "../platform.js";

export const vsphere: PlatformDescriptor = {
  handling: "not yet",
  traits: {
    reviewed: "4.22",
    infrastructure: "made",
    publish: ["External"],
    credentials: [],
    ipFamilies: { ipv6Alone: true, both: { ipv6First: {} } },
    singleNode: {},
    capabilities: ["CloudCredential", "CloudControllerManager"],
    poolSection: "refused",
    clusterName: "without dots",
    dualStackArguments: true,
    cloudConfigKey: "vsphere.conf",
    userData: {
      what: "a guestinfo or vApp property of a vSphere machine",
      limit: 65536,
      counts: "base64",
      source: "open-vm-tools, GUESTMSG_MAX_IN_SIZE: 64 KiB; openshift/installer issue 3177",
    },
  },
};
