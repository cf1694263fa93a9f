/**
 * manifests/cluster-scheduler-02-config.yml: without compute machines the control plane takes the workload
 * (docs/reference/install-config-and-manifests.md §3.2).
 */
import { type Asset, computeReplicas } from "./input.js";

export const scheduler: Asset = (input) => [
  {
    template: "manifests/cluster-scheduler-02-config.yml",
    path: "manifests/cluster-scheduler-02-config.yml",
    view: { mastersSchedulable: computeReplicas(input) === 0 },
  },
];
