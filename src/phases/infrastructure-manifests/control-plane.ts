import type { Problem } from "../../core/diagnostics.js";
import { releaseImageProblem } from "../../kubernetes/images.js";
import {
  CLUSTER_NAME_LABEL,
  IGNITION_INCLUDE,
  IGNITION_LABEL,
  PLACEHOLDER_ANNOTATION,
  RELEASE_IMAGE_ANNOTATION,
} from "../../kubernetes/labels.js";
import type { Identity, PlatformInfrastructure, Rendering } from "../../platforms/platform.js";
import type { InfrastructureOptions } from "../assets.js";
import { CONTROL_PLANE_FILE, installStateSecret } from "./layout.js";
import { objectReference, reportPlaceholder } from "./references.js";

const REFERENCE_FIELD = "spec.machineTemplate.infrastructureRef";

/**
 * OpenShiftControlPlane. Its reference has the v1beta1 shape whatever the Cluster's is. Without wrapped files there is
 * no selector: an empty one would select every Secret of the namespace (docs/reference/cluster-api.md §1 D4, D7).
 */
export function controlPlaneRendering(
  { machineTemplate }: PlatformInfrastructure,
  { infraID }: Identity,
  { namespace, releaseImage }: InfrastructureOptions,
  selects: boolean,
  report: (problem: Problem) => void,
): Rendering {
  if (machineTemplate.placeholder)
    reportPlaceholder(machineTemplate, CONTROL_PLANE_FILE, REFERENCE_FIELD, report);
  const wrong = releaseImage === undefined ? undefined : releaseImageProblem(releaseImage);
  if (wrong !== undefined) report(wrong);
  const annotations = {
    ...(machineTemplate.placeholder ? { [PLACEHOLDER_ANNOTATION]: REFERENCE_FIELD } : {}),
    ...(releaseImage === undefined ? {} : { [RELEASE_IMAGE_ANNOTATION]: releaseImage }),
  };
  return {
    template: "infrastructure-manifests/60_openshift-control-plane.yaml",
    path: CONTROL_PLANE_FILE,
    view: {
      name: infraID,
      namespace,
      labels: { [CLUSTER_NAME_LABEL]: infraID },
      annotations: Object.keys(annotations).length === 0 ? undefined : annotations,
      infrastructureRef: objectReference(machineTemplate, namespace),
      installStateSecret: installStateSecret(infraID),
      matchLabels: selects
        ? { [CLUSTER_NAME_LABEL]: infraID, [IGNITION_LABEL]: IGNITION_INCLUDE }
        : undefined,
    },
  };
}
