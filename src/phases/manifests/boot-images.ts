/**
 * manifests/90_cluster-mco-02-config.yaml: where the user chose the boot image of the compute machines, the cluster
 * must not replace it (§3.2).
 */
import type { Asset } from "./input.js";
import { hasTrait } from "./releases.js";

export const bootImages: Asset = (input) => {
  const chosen = input.platform.manifests.customBootImage?.(input) ?? false;
  if (!chosen || !hasTrait(input.release, "machineConfiguration")) return [];
  return [
    {
      template: "manifests/90_cluster-mco-02-config.yaml",
      path: "manifests/90_cluster-mco-02-config.yaml",
      view: {},
    },
  ];
};
