/**
 * manifests/90_cluster-mco-02-config.yaml: where the user chose the boot image of the compute machines, the cluster
 * must not replace it (docs/reference/install-config-and-manifests.md §3.2).
 */

import { inForce } from "../../platforms/release-changes.js";
import type { Asset } from "./input.js";

export const bootImages: Asset = (input) => {
  const chosen = input.platform.manifests.customBootImage?.(input) ?? false;
  if (!chosen || !inForce(input.release, "machineConfiguration")) return [];
  return [
    {
      template: "manifests/90_cluster-mco-02-config.yaml",
      path: "manifests/90_cluster-mco-02-config.yaml",
      view: {},
    },
  ];
};
