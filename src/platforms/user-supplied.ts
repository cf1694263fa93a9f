/** Parts of a platform whose infrastructure is the user's own business: none and external. */
import type {
  InfrastructureInput,
  PlatformInfrastructure,
  PlatformManifests,
  SupplementItem,
} from "./platform.js";

/** Everything of the manifests that such a platform has nothing to say about. */
export const SILENT_MANIFESTS: Omit<PlatformManifests, "infrastructure"> = {
  dns: () => ({}),
  ingressPlatform: () => ({}),
  noProxy: () => [],
  cloudProviderConfig: () => undefined,
  credentialsSecret: () => undefined,
  networkMtu: () => undefined,
  extra: () => [],
};

/**
 * OpenShiftControlPlane and Cluster require references, and there is no object to refer to: names that nobody can
 * overlook (seed-errata.md). No server knows such a kind, so nothing comes up by mistake.
 */
export const placeholders = (_input: InfrastructureInput): PlatformInfrastructure => ({
  cluster: {
    apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
    kind: "REPLACE-ME-Cluster",
    name: "REPLACE-ME-infrastructure-cluster",
    placeholder: true,
  },
  machineTemplate: {
    apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
    kind: "REPLACE-ME-MachineTemplate",
    name: "REPLACE-ME-machine-template",
    placeholder: true,
  },
  objects: [],
});

export const NO_SUPPLEMENT: readonly SupplementItem[] = [];
