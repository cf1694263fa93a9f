import type { Problem } from "../../core/diagnostics.js";
import { PLACEHOLDER_ANNOTATION } from "../../kubernetes/labels.js";
import { CONTROL_PLANE_API_VERSION, CONTROL_PLANE_KIND } from "../../kubernetes/openshift-control-plane.js";
import type { Identity, PlatformInfrastructure, Rendering } from "../../platforms/platform.js";
import type { InfrastructureOptions } from "../assets.js";
import { CLUSTER_FILE } from "./layout.js";
import { contractReference, objectReference, reportPlaceholder } from "./references.js";

const REFERENCE_FIELD = "spec.infrastructureRef";
/**
 * What the installer writes (docs/reference/cluster-api.md §2.2); the endpoint comes from the infrastructure cluster.
 */
const API_SERVER_PORT = 6443;

/**
 * The Cluster. As the installer's, its network has the port alone: pod and service ranges belong to the network
 * operator of OpenShift, and a second place for them could only disagree (docs/deviations.md).
 */
export function clusterRendering(
  { cluster }: PlatformInfrastructure,
  { infraID }: Identity,
  { namespace, contract }: InfrastructureOptions,
  report: (problem: Problem) => void,
): Rendering {
  if (cluster.placeholder) reportPlaceholder(cluster, CLUSTER_FILE, REFERENCE_FIELD, report);
  const controlPlane = {
    apiVersion: CONTROL_PLANE_API_VERSION,
    kind: CONTROL_PLANE_KIND,
    name: infraID,
    placeholder: false,
  };
  const reference = contract === "v1beta1" ? objectReference : contractReference;
  return {
    template: `infrastructure-manifests/70_cluster-${contract}.yaml`,
    path: CLUSTER_FILE,
    view: {
      name: infraID,
      namespace,
      annotations: cluster.placeholder ? { [PLACEHOLDER_ANNOTATION]: REFERENCE_FIELD } : undefined,
      apiServerPort: API_SERVER_PORT,
      controlPlaneRef: reference(controlPlane, namespace),
      infrastructureRef: reference(cluster, namespace),
    },
  };
}
