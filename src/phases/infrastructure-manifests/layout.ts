/** Where the objects of a cluster lie (docs/reference/source-designs.md §1.1); name order is apply order. */

export const INFRASTRUCTURE_FOLDER = "infrastructure-manifests";
/** With `--secrets separate`: every file that holds a Secret, under the same name; mode 0700, never committed. */
export const SECRETS_FOLDER = "infrastructure-manifests-secrets";

/** Objects that all clusters of a management cluster share: in one kustomization each may be named once only. */
export const SHARED_FOLDER = "infrastructure-manifests-shared";

export const NAMESPACE_FILE = "00_namespace.yaml";
export const INSTALL_STATE_FILE = "20_install-state.yaml";
export const INFRASTRUCTURE_CLUSTER_FILE = "40_infrastructure-cluster.yaml";
export const MACHINE_TEMPLATE_FILE = "50_machine-template.yaml";
export const CONTROL_PLANE_FILE = "60_openshift-control-plane.yaml";
export const CLUSTER_FILE = "70_cluster.yaml";
export const KUSTOMIZATION_FILE = "kustomization.yaml";

/** `name` is the short name of the wrapped file (src/kubernetes/manifest-secrets.ts). */
export const manifestFile = (name: string): string => `30_manifest-${name}.yaml`;

/** Name of the Secret with install-config and state. */
export const installStateSecret = (infraID: string): string => `${infraID}-install-state`;
