/**
 * manifests/cluster-dns-02-config.yml: the cluster domain and the zones that hold its records
 * (docs/reference/install-config-and-manifests.md §3.4).
 */
import { NO_DNS_PLATFORM } from "../../platforms/traits.js";
import type { Asset } from "./input.js";

export const dns: Asset = (input) => [
  {
    template: "manifests/cluster-dns-02-config.yml",
    path: "manifests/cluster-dns-02-config.yml",
    view: {
      spec: {
        platform: NO_DNS_PLATFORM,
        ...input.platform.manifests.dns(input),
        baseDomain: input.domain,
      },
    },
  },
];
