/**
 * manifests/cluster-infrastructure-02-config.yml and the cloud provider's config
 * (docs/reference/install-config-and-manifests.md §3.3, §3.5).
 */
import type { Asset } from "./input.js";
import { controlPlaneTopology, infrastructureTopology } from "./topology.js";

export const infrastructure: Asset = (input) => {
  const { config, domain, identity, platform } = input;
  const { type, spec, status } = platform.manifests.infrastructure(input);
  const provider = platform.manifests.cloudProviderConfig(input);
  return [
    {
      template: "manifests/cluster-infrastructure-02-config.yml",
      path: "manifests/cluster-infrastructure-02-config.yml",
      view: {
        cloudConfig: provider === undefined ? { name: "" } : { name: "cloud-provider-config", key: "config" },
        platformSpec: { ...spec, type },
        platformStatus: { ...status, type },
        platform: type,
        apiServerURL: `https://api.${domain}:6443`,
        apiServerInternalURI: `https://api-int.${domain}:6443`,
        controlPlaneTopology: controlPlaneTopology(input),
        infrastructureTopology: infrastructureTopology(input),
        cpuPartitioning: config.cpuPartitioningMode === "AllNodes" ? "AllNodes" : "None",
        infraID: identity.infraID,
      },
    },
  ];
};

/** openshift-config/cloud-provider-config, where the platform has one. */
export const cloudProviderConfig: Asset = (input) => {
  const data = input.platform.manifests.cloudProviderConfig(input);
  if (data === undefined) return [];
  return [
    {
      template: "manifests/cloud-provider-config.yaml",
      path: "manifests/cloud-provider-config.yaml",
      view: { data },
    },
  ];
};

/** Static: the Secret that older cloud providers read their config from. */
export const kubeCloudConfig: Asset = () => [
  { template: "manifests/kube-cloud-config.yaml", path: "manifests/kube-cloud-config.yaml", view: {} },
];
