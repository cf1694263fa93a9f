/** What baremetal puts into the config objects of manifests/ and beside them (openshift/installer pkg/asset/manifests). */
import { isList, isObject, type Json, type JsonObject } from "../../core/json.js";
import { formatCidr, parseCidr } from "../../kubernetes/network.js";
import type { PlatformInput, PlatformManifests, Rendering } from "../platform.js";
import { virtualIpStatus } from "../virtual-ips.js";
import { assignedHosts, baremetalOf, keepsMachines } from "./config.js";
import { profileOf } from "./hosts.js";
import { has } from "./tables.js";

export const manifests: PlatformManifests = {
  infrastructure({ config }) {
    const baremetal = baremetalOf(config);
    const { apiVIPs = [], ingressVIPs = [] } = baremetal;
    const machineNetworks = config.networking.machineNetwork.map(({ cidr }) => cidr);
    return {
      type: "BareMetal",
      spec: {
        baremetal: { apiServerInternalIPs: [...apiVIPs], ingressIPs: [...ingressVIPs], machineNetworks },
      },
      status: { baremetal: { ...virtualIpStatus(baremetal, { singular: true }), machineNetworks } },
    };
  },
  dns: () => ({}),
  ingressPlatform: () => ({}),
  noProxy: () => [],
  cloudProviderConfig: () => undefined,
  credentialsSecret: () => undefined,
  networkMtu: () => undefined,
  apiVips: ({ config }) => baremetalOf(config).apiVIPs ?? [],
  managedUserData: ({ config }, role) => role === "master" || keepsMachines(config),
  redact: withoutLogins,
  extra: (input) => [provisioning(input), ...controllerCertificates(input)],
};

function provisioning({ config, release }: PlatformInput): Rendering {
  const baremetal = baremetalOf(config);
  const { provisioningNetworkCIDR: network } = baremetal;
  const block = network === undefined ? undefined : parseCidr(network);
  return {
    template: "openshift/baremetal/99_baremetal-provisioning-config.yaml",
    path: "openshift/99_baremetal-provisioning-config.yaml",
    view: {
      additionalNTPServers: baremetal.additionalNTPServers ?? [],
      provisioningDHCPRange: baremetal.provisioningDHCPRange ?? "",
      provisioningIP: baremetal.clusterProvisioningIP ?? "",
      provisioningInterface: baremetal.provisioningNetworkInterface ?? "",
      provisioningNetwork: baremetal.provisioningNetwork ?? "",
      provisioningNetworkCIDR: block === undefined ? "" : formatCidr(block),
      provisioningNetworkGateway: has(release, "networkGateway")
        ? (baremetal.provisioningNetworkGateway ?? "")
        : undefined,
      provisioningOSDownloadURL: baremetal.clusterOSImage ?? "",
    },
  };
}

function controllerCertificates({ config, release }: PlatformInput): Rendering[] {
  const certificates = baremetalOf(config).bmcVerifyCA ?? "";
  if (certificates === "" || !has(release, "verifiedControllers")) return [];
  return [
    {
      template: "manifests/baremetal/bmc-verify-ca-configmap.yaml",
      path: "manifests/bmc-verify-ca-configmap.yaml",
      view: { certificates },
    },
  ];
}

/**
 * The install-config without logins of controllers, at every release (the installer leaves them in before 4.22). Hosts that have
 * objects name their profile as these do, since the installer has changed it by then.
 */
function withoutLogins(installConfig: JsonObject, { config, release }: PlatformInput): JsonObject {
  const platform = installConfig["platform"];
  const section = isObject(platform) ? platform["baremetal"] : undefined;
  if (!isObject(platform) || !isObject(section) || !isList(section["hosts"])) return installConfig;
  const withObjects = new Set(
    keepsMachines(config) ? assignedHosts(config, release).map(({ index }) => index) : [],
  );
  const { hosts: given = [] } = baremetalOf(config);
  const hosts = section["hosts"].map((host, index): Json => {
    if (!isObject(host)) return host;
    const bmc = isObject(host["bmc"]) ? host["bmc"] : {};
    const profile = withObjects.has(index) ? profileOf(given[index] ?? {}) : host["hardwareProfile"];
    return {
      ...host,
      bmc: { ...bmc, username: "", password: "" },
      ...(profile === undefined ? {} : { hardwareProfile: profile }),
    };
  });
  return { ...installConfig, platform: { ...platform, baremetal: { ...section, hosts } } };
}
