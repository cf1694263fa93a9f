/** What openstack puts into the config objects of manifests/ (openshift/installer pkg/asset/manifests). */
import type { PlatformInput, PlatformManifests } from "../platform.js";
import { virtualIpStatus } from "../virtual-ips.js";
import { CA_FILE, caCertificate, regionOf, withoutAuthority } from "./clouds.js";
import { openstackOf } from "./config.js";
import { externalNetworkID, hasLoadBalancers } from "./facts.js";
import { has } from "./tables.js";

const METADATA_SERVICE = "169.254.169.254";

export const manifests: PlatformManifests = {
  infrastructure({ config }) {
    const openstack = openstackOf(config);
    const machineNetworks = config.networking.machineNetwork.map(({ cidr }) => cidr);
    const { apiVIPs = [], ingressVIPs = [] } = openstack;
    return {
      type: "OpenStack",
      spec: {
        openstack: { apiServerInternalIPs: apiVIPs, ingressIPs: ingressVIPs, machineNetworks },
      },
      status: { openstack: { ...virtualIpStatus(openstack, { singular: true }), machineNetworks } },
    };
  },
  dns: () => ({}),
  ingressPlatform: () => ({}),
  noProxy: () => [METADATA_SERVICE],
  cloudProviderConfig(input) {
    const authority = caCertificate(input);
    return {
      config: providerConfig(input, authority !== undefined),
      ...(authority === undefined || authority === "" ? {} : { "ca-bundle.pem": authority }),
    };
  },
  credentialsSecret: ({ credentials, release }) => ({
    name: "openstack-credentials",
    data: has(release, "authorityInSecret") ? credentials : withoutAuthority(credentials),
  }),
  networkMtu: () => undefined,
  apiVips: ({ config }) => openstackOf(config).apiVIPs ?? [],
  extra: () => [],
};

/** The config of the cloud provider: where its login is, and what its load balancers may use. */
function providerConfig(input: PlatformInput, hasAuthority: boolean): string {
  const region = regionOf(input);
  const network = externalNetworkID(input);
  return [
    "[Global]",
    "secret-name = openstack-credentials",
    "secret-namespace = kube-system",
    ...(region === "" ? [] : [`region = ${region}`]),
    ...(hasAuthority ? [`ca-file = ${CA_FILE}`] : []),
    ...(hasLoadBalancers(input)
      ? network === undefined
        ? []
        : ["", "[LoadBalancer]", `floating-network-id = ${network}`]
      : ["", "[LoadBalancer]", "enabled = false"]),
    "",
  ].join("\n");
}
