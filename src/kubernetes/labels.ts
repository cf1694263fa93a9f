/**
 * Labels and annotations that the pipeline writes and reads (docs/reference/source-designs.md §1.2,
 * docs/reference/cluster-api.md §4.4). Membership is a label since selectors read labels only; annotations repeat it
 * and carry what no label value can hold.
 */
import { isObject, type JsonObject } from "../core/json.js";

/** Names the Cluster an object belongs to. */
export const CLUSTER_NAME_LABEL = "cluster.x-k8s.io/cluster-name";
/** Names the MachineDeployment that a machine belongs to. */
export const DEPLOYMENT_NAME_LABEL = "cluster.x-k8s.io/deployment-name";
/** Takes an object along in `clusterctl move` although no owner reference leads to it. */
/** Names the compute pool that machines are of, and the one that a machine template of the user's is for. */
export const POOL_LABEL = "slipway.dev/pool";
export const MOVE_LABEL = "clusterctl.cluster.x-k8s.io/move";
/** `include` on a Secret whose content goes into the ignition phase; selected by OpenShiftControlPlane. */
export const IGNITION_LABEL = "cluster.openshift.io/ignition";
export const IGNITION_INCLUDE = "include";
/** `manifests` or `openshift`: the folder of the wrapped file. */
export const MANIFEST_FOLDER_LABEL = "cluster.openshift.io/manifest-folder";

/** `<folder>/<file>` of the wrapped file, exactly as on disk. */
export const MANIFEST_PATH_ANNOTATION = "cluster.openshift.io/manifest-path";
/** `"true"`, beside the label, as the design words it. */
export const INCLUDE_ANNOTATION = "cluster.openshift.io/include-in-ignition";
/** Release payload to bootstrap with; the API of the control plane has no field for it. */
export const RELEASE_IMAGE_ANNOTATION = "cluster.openshift.io/release-image";
/** Field path of a reference that the user has to fill in. */
export const PLACEHOLDER_ANNOTATION = "slipway.dev/placeholder";
/** How a name that the user has to replace starts, in either case (docs/reference/source-designs.md §1.4). */
export const PLACEHOLDER_PREFIX = "REPLACE-ME-";

export const isPlaceholder = (text: string): boolean => text.toUpperCase().includes(PLACEHOLDER_PREFIX);

const textsOf = (object: JsonObject, member: "labels" | "annotations"): ReadonlyMap<string, string> => {
  const metadata = object["metadata"];
  const given = isObject(metadata) ? metadata[member] : undefined;
  const entries = isObject(given) ? Object.entries(given) : [];
  return new Map(
    entries.flatMap(([key, value]): [string, string][] => (typeof value === "string" ? [[key, value]] : [])),
  );
};

/** The labels of an object; what is not a text is left out. */
export const labelsOf = (object: JsonObject): ReadonlyMap<string, string> => textsOf(object, "labels");

/** The annotations of an object; what is not a text is left out. */
export const annotationsOf = (object: JsonObject): ReadonlyMap<string, string> =>
  textsOf(object, "annotations");
