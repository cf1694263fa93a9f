/** manifests/cluster-dns-02-config.yml: the cluster domain and the zones that hold its records (§3.4). */
import type { Asset } from "./input.js";

export const dns: Asset = (input) => [
  {
    template: "manifests/cluster-dns-02-config.yml",
    path: "manifests/cluster-dns-02-config.yml",
    view: {
      spec: {
        platform: { aws: null, type: "" },
        ...input.platform.manifests.dns(input),
        baseDomain: input.domain,
      },
    },
  },
];
