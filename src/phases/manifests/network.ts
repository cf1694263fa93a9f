/**
 * manifests/cluster-network-02-config.yml and, where the operator needs more, cluster-network-03-config.yml
 * (docs/reference/install-config-and-manifests.md §3.2).
 */
import type { Json } from "../../core/json.js";
import type { Asset, ManifestInput } from "./input.js";

const networks = ({ config: { networking } }: ManifestInput): { [name: string]: Json } => ({
  clusterNetwork: networking.clusterNetwork.map(({ cidr, hostPrefix }) =>
    hostPrefix === 0 ? { cidr } : { cidr, hostPrefix },
  ),
  serviceNetwork: networking.serviceNetwork,
});

export const network: Asset = (input) => [
  {
    template: "manifests/cluster-network-02-config.yml",
    path: "manifests/cluster-network-02-config.yml",
    view: { ...networks(input), networkType: input.config.networking.networkType },
  },
];

/**
 * Settings of the network operator: an MTU or a gateway that the platform asks for, a join subnet
 * (docs/reference/install-config-and-manifests.md §3.2).
 */
export const networkOperator: Asset = (input) => {
  const { manifests } = input.platform;
  const mtu = manifests.networkMtu(input);
  const gatewayConfig = manifests.gatewayConfig?.(input);
  const internalJoinSubnet = input.config.networking.ovnKubernetesConfig?.ipv4?.internalJoinSubnet;
  if (mtu === undefined && gatewayConfig === undefined && internalJoinSubnet === undefined) return [];
  const ovnKubernetesConfig = {
    egressIPConfig: {},
    ...(mtu === undefined ? {} : { mtu }),
    ...(gatewayConfig === undefined ? {} : { gatewayConfig }),
    ...(internalJoinSubnet === undefined ? {} : { ipv4: { internalJoinSubnet } }),
  };
  return [
    {
      template: "manifests/cluster-network-03-config.yml",
      path: "manifests/cluster-network-03-config.yml",
      view: { ...networks(input), ovnKubernetesConfig },
    },
  ];
};
