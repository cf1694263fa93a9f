/** What openstack adds to the ignition phase (openshift/installer data/data/bootstrap/openstack, pkg/asset/cluster/openstack). */
import type { PlatformIgnition } from "../platform.js";
import { openstackOf } from "./config.js";

const CONF = "/etc/NetworkManager/conf.d";

export const ignition: PlatformIgnition = {
  metadata: ({ config, identity }) => ({
    openstack: {
      cloud: openstackOf(config).cloud ?? "",
      identifier: { openshiftClusterID: identity.infraID },
    },
  }),
  bootstrap: () => ({
    files: [
      // Addresses of IPv6 as the ports of the cloud have them, from the MAC address.
      { path: `${CONF}/02-ipv6.conf`, mode: 0o600, data: "[connection]\nipv6.addr-gen-mode=0\n" },
      // resolv.conf is left to what puts the node's own resolver first.
      { path: `${CONF}/99-openstack.conf`, mode: 0o600, data: "[main]\nrc-manager=unmanaged\n" },
    ],
    units: [],
  }),
  leftToInstaller:
    "the boot scripts, the node's name resolution and the upload of the config to the image service come from openshift-install",
};
