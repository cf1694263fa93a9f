/**
 * What vsphere adds to the ignition phase: logins in metadata.json, by which the cluster is destroyed, and a bootstrap
 * node whose resolver is left to the programs behind the virtual IPs (openshift/installer pkg/asset/cluster/vsphere,
 * data/data/bootstrap/vsphere).
 */
import type { JsonObject } from "../../core/json.js";
import type { IgnitionParts } from "../ignition.js";
import type { PlatformIgnition, PlatformInput } from "../platform.js";
import { vsphereOf } from "./config.js";

export const ignition: PlatformIgnition = {
  metadata,
  secretMetadata: true,
  bootstrap,
  leftToInstaller: "the boot scripts, keepalived and CoreDNS come from openshift-install",
};

function metadata({ config }: PlatformInput): JsonObject {
  const vcenters = (vsphereOf(config).vcenters ?? []).map(({ server = "", user = "", password = "" }) => ({
    vCenter: server,
    username: user,
    password,
  }));
  return { vsphere: { terraform_platform: "vsphere", VCenters: vcenters } };
}

/** With virtual IPs the bootstrap node resolves names by itself, and NetworkManager keeps its hands off resolv.conf. */
function bootstrap({ config }: PlatformInput): IgnitionParts {
  const own = (vsphereOf(config).apiVIPs ?? []).length > 0;
  return {
    files: [
      {
        path: "/etc/NetworkManager/conf.d/99-vsphere.conf",
        mode: 0o600,
        data: own ? "\n[main]\nrc-manager=unmanaged\n" : "",
      },
    ],
    units: [],
  };
}
