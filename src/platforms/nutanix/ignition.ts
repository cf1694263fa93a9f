/** What nutanix adds to the ignition phase (openshift/installer pkg/asset/cluster/nutanix, data/data/bootstrap/nutanix). */
import type { PlatformIgnition } from "../platform.js";
import { nutanixOf, prismCentral } from "./config.js";

export const ignition: PlatformIgnition = {
  metadata({ config }) {
    const nutanix = nutanixOf(config);
    const { address, port } = prismCentral(nutanix);
    const { username = "", password = "" } = nutanix.prismCentral ?? {};
    return { nutanix: { prismCentral: address, username, password, port: String(port) } };
  },
  secretMetadata: true,
  bootstrap: ({ identity }) => ({
    files: [
      {
        path: "/etc/NetworkManager/conf.d/99-nutanix.conf",
        mode: 0o600,
        data: "[main]\nrc-manager=unmanaged\n",
      },
      // Prism gives a machine no name.
      { path: "/etc/hostname", mode: 0o644, data: bootstrapName(identity.infraID) },
    ],
    units: [],
  }),
  leftToInstaller:
    "the boot scripts, the local DNS of the virtual IPs and the boot image come from openshift-install",
};

export const bootstrapName = (infraID: string): string => `${infraID}-bootstrap`;
