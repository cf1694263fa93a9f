/**
 * openshift/openshift-install-manifests.yaml: who made the manifests, for telemetry of the cluster
 * (docs/reference/install-config-and-manifests.md §3.6).
 */
import type { Asset } from "./input.js";

export const installRecord: Asset = ({ tool }) => [
  {
    template: "openshift/openshift-install-manifests.yaml",
    path: "openshift/openshift-install-manifests.yaml",
    view: { invoker: "user", version: tool },
  },
];
