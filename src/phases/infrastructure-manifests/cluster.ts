import type { Problem } from "../../core/diagnostics.js";
import { PLACEHOLDER_ANNOTATION } from "../../kubernetes/labels.js";
import type { Referent, Rendering } from "../../platforms/platform.js";
import type { InfrastructureOptions } from "../assets.js";
import { CLUSTER_FILE } from "./layout.js";
import { contractReference, objectReference, reportPlaceholder } from "./references.js";

const REFERENCE_FIELD = "spec.infrastructureRef";
/**
 * What the installer writes (docs/reference/cluster-api.md §2.2); the endpoint comes from the infrastructure cluster.
 */
const API_SERVER_PORT = 6443;

/**
 * The Cluster, named as its control plane is. As the installer's, its network has the port alone: pod and service
 * ranges belong to the network operator of OpenShift, and a second place for them could only disagree
 * (docs/deviations.md).
 * @param ranges of a control plane provider that takes them from here
 */
export function clusterRendering(
  { cluster }: { readonly cluster: Referent },
  controlPlane: Referent,
  { namespace, contract }: InfrastructureOptions,
  report: (problem: Problem) => void,
  ranges: { readonly pods?: readonly string[]; readonly services?: readonly string[] } = {},
): Rendering {
  if (cluster.placeholder) reportPlaceholder(cluster, CLUSTER_FILE, REFERENCE_FIELD, report);
  const reference = contract === "v1beta1" ? objectReference : contractReference;
  return {
    template: `infrastructure-manifests/70_cluster-${contract}.yaml`,
    path: CLUSTER_FILE,
    view: {
      name: controlPlane.name,
      namespace,
      annotations: cluster.placeholder ? { [PLACEHOLDER_ANNOTATION]: REFERENCE_FIELD } : undefined,
      apiServerPort: API_SERVER_PORT,
      pods: ranges.pods,
      services: ranges.services,
      controlPlaneRef: reference(controlPlane, namespace),
      infrastructureRef: reference(cluster, namespace),
    },
  };
}
