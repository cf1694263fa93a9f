/**
 * The OpenShiftControlPlane API (cluster.openshift.io/v1alpha1, Tech Preview), defined once. The spec is the
 * enhancement's; what its text leaves out and the Cluster API control-plane contract (v1beta1) needs is added: status
 * with `initialized`, `ready` and conditions, the status subresource, the contract label and the ClusterRole
 * (docs/reference/cluster-api.md §1, §4.3; docs/deviations.md).
 */
import { conditionsSchema } from "./conditions.js";
import type { CrdDefinition, StructuralSchema } from "./definition.js";

export const CONTROL_PLANE_GROUP = "cluster.openshift.io";
export const CONTROL_PLANE_VERSION = "v1alpha1";
export const CONTROL_PLANE_API_VERSION = `${CONTROL_PLANE_GROUP}/${CONTROL_PLANE_VERSION}`;
export const CONTROL_PLANE_KIND = "OpenShiftControlPlane";

/** Keys of the install-state Secret. */
export const INSTALL_CONFIG_KEY = "install-config.yaml";
export const STATE_KEY = ".openshift_install_state.json";

const text = (description: string): StructuralSchema => ({ type: "string", description });
const texts = (description: string): StructuralSchema => ({
  type: "object",
  description,
  additionalProperties: { type: "string" },
});

const infrastructureReference: StructuralSchema = {
  type: "object",
  description: "Machine template of the infrastructure provider for the bootstrap and control plane nodes.",
  required: ["apiVersion", "kind", "name", "namespace"],
  properties: {
    apiVersion: text("API version of the referent."),
    kind: text("Kind of the referent, such as AWSMachineTemplate."),
    name: text("Name of the referent."),
    namespace: text("Namespace of the referent; must be that of the OpenShiftControlPlane."),
  },
};

const machineTemplate: StructuralSchema = {
  type: "object",
  description:
    "Specification of the first machines, bootstrap and control plane. Afterwards, the control plane machine set of the cluster manages them, so the template applies only to the bootstrap and is immutable.",
  required: ["infrastructureRef"],
  properties: {
    metadata: {
      type: "object",
      description: "Metadata of every control plane machine.",
      properties: {
        labels: texts("Labels of the machines."),
        annotations: texts("Annotations of the machines."),
      },
    },
    infrastructureRef: infrastructureReference,
    nodeDrainTimeout: text(
      "Maximum duration of draining a control plane node, such as 10m0s. If omitted or 0, there is no limit.",
    ),
    nodeVolumeDetachTimeout: text(
      "Maximum duration of detaching all volumes, such as 10m0s. If omitted or 0, there is no limit.",
    ),
    nodeDeletionTimeout: text(
      "How long to retry the deletion of the Node of a deleted Machine, such as 10m0s. 0 means forever. Defaults to the default of Machine.",
    ),
  },
  "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "machineTemplate is immutable" }],
};

const installStateSecretRef: StructuralSchema = {
  type: "object",
  description: `The Secret with the install state, in the namespace of the OpenShiftControlPlane. It contains ${INSTALL_CONFIG_KEY}, ${STATE_KEY}, or both under these keys. The installer creates the Ignition configs from them.`,
  required: ["name"],
  properties: {
    name: {
      type: "string",
      description: "Name of the Secret, a DNS subdomain.",
      minLength: 1,
      maxLength: 253,
      pattern: "^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$",
    },
  },
};

const manifestsSelector: StructuralSchema = {
  type: "object",
  description:
    "Selects the Secrets with manifests for the Ignition phase by their labels. Each of these Secrets contains one file of manifests/ or openshift/: the key is its base name, the label cluster.openshift.io/manifest-folder its folder, the annotation cluster.openshift.io/manifest-path its path. Without a selector, the default manifests of the installer are used. An empty selector selects every Secret.",
  properties: {
    matchLabels: texts("Labels that must all be present with these values."),
    matchExpressions: {
      type: "array",
      description: "Requirements that must all be met.",
      "x-kubernetes-list-type": "atomic",
      items: {
        type: "object",
        required: ["key", "operator"],
        properties: {
          key: text("The label key."),
          operator: text("In, NotIn, Exists or DoesNotExist."),
          values: {
            type: "array",
            description: "Values for In and NotIn; empty for Exists and DoesNotExist.",
            "x-kubernetes-list-type": "atomic",
            items: { type: "string" },
          },
        },
      },
    },
  },
  "x-kubernetes-map-type": "atomic",
};

const conditions = conditionsSchema(
  "Conditions of the control plane. Available is True while its API server serves requests; Cluster API mirrors it to the Cluster.",
);

export const OPENSHIFT_CONTROL_PLANE: CrdDefinition = {
  group: CONTROL_PLANE_GROUP,
  kind: CONTROL_PLANE_KIND,
  plural: "openshiftcontrolplanes",
  singular: "openshiftcontrolplane",
  shortNames: ["oscp"],
  categories: ["cluster-api"],
  scope: "Namespaced",
  labels: {
    // Tells Cluster API which version of the kind speaks which contract; without it core does not find the kind.
    "cluster.x-k8s.io/v1beta1": CONTROL_PLANE_VERSION,
    // `clusterctl move` looks at kinds whose definition carries this label.
    "clusterctl.cluster.x-k8s.io": "",
  },
  versions: [
    {
      name: CONTROL_PLANE_VERSION,
      served: true,
      storage: true,
      description:
        "OpenShiftControlPlane configures how Cluster API bootstraps the control plane of an OpenShift cluster (Technology Preview).",
      spec: {
        type: "object",
        description: "Specification of the control plane.",
        required: ["installStateSecretRef", "machineTemplate"],
        properties: { machineTemplate, installStateSecretRef, manifestsSelector },
      },
      status: {
        type: "object",
        description: "Status reported by the control plane provider.",
        properties: {
          initialized: {
            type: "boolean",
            description: "True after the API server of the cluster has responded for the first time.",
          },
          ready: {
            type: "boolean",
            description: "True while the API server of the cluster serves requests.",
          },
          conditions,
        },
      },
      columns: [
        {
          name: "Cluster",
          type: "string",
          jsonPath: ".metadata.labels['cluster\\.x-k8s\\.io/cluster-name']",
          description: "Cluster of the control plane",
        },
        {
          name: "Initialized",
          type: "boolean",
          jsonPath: ".status.initialized",
          description: "Whether the API server has responded once",
        },
        {
          name: "Ready",
          type: "boolean",
          jsonPath: ".status.ready",
          description: "Whether the API server serves requests",
        },
        {
          name: "Age",
          type: "date",
          jsonPath: ".metadata.creationTimestamp",
          description: "Time since the object was created",
        },
      ],
    },
  ],
};

/**
 * Lets the managers of Cluster API work with the kind, whose group is not one of theirs (docs/reference/cluster-api.md
 * §4.3).
 */
export const CONTROL_PLANE_ROLE = {
  name: "slipway-openshift-control-plane-manager",
  labels: { "cluster.x-k8s.io/aggregate-to-manager": "true" },
  rules: [
    {
      apiGroups: [CONTROL_PLANE_GROUP],
      resources: [OPENSHIFT_CONTROL_PLANE.plural],
      verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
    },
  ],
} as const;
