/**
 * manifests/cluster-scheduler-02-config.yml: without compute machines the control plane takes the workload
 * (docs/reference/install-config-and-manifests.md §3.2), unless somebody says otherwise. Who makes compute machines by
 * hand is told by the installer's documentation to set zero replicas, and mastersSchedulable back to false.
 */
import { type Asset, computeReplicas } from "./input.js";

export const scheduler: Asset = (input) => [
  {
    template: "manifests/cluster-scheduler-02-config.yml",
    path: "manifests/cluster-scheduler-02-config.yml",
    view: { mastersSchedulable: input.mastersSchedulable ?? computeReplicas(input) === 0 },
  },
];
