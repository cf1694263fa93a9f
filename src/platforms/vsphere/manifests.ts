/** What vsphere puts into the config objects of manifests/ (openshift/installer pkg/asset/manifests). */
import { isList, isObject, type Json, type JsonObject } from "../../core/json.js";
import type { DiskSetup, MachinePool } from "../config.js";
import { gateEnabled } from "../enabled-gates.js";
import type { PlatformInput, PlatformManifests } from "../platform.js";
import { virtualIpBlock, virtualIpStatus } from "../virtual-ips.js";
import { cloudConfig } from "./cloud-config.js";
import { HOST_GROUP, topologyOf, type VsphereFailureDomain, vsphereOf } from "./config.js";
import { generatedTemplate, machineGroup } from "./names.js";
import { has } from "./tables.js";

const CREDENTIALS = "vsphere-creds";
/** The operating system's disk is the first one of the controller. */
const diskAt = (index: number): string => `/dev/disk/by-path/pci-0000:03:00.0-scsi-0:0:${index + 1}:0`;

/** Members of the section that the install-config in the cluster lost up to 4.21, whose copy did not know them. */
const NOT_COPIED = ["nodeNetworking", "loadBalancer", "hosts", "dnsRecordsType"];

export const manifests: PlatformManifests = {
  infrastructure(input) {
    const { config, release } = input;
    const vsphere = vsphereOf(config);
    const { apiVIPs = [], ingressVIPs = [] } = vsphere;
    const machines = config.networking.machineNetwork.map(({ cidr }) => cidr);
    const virtual = [...apiVIPs, ...ingressVIPs].map(virtualIpBlock);
    const machineNetworks = has(release, "virtualIpNetworks")
      ? [...machines, ...new Set(virtual.filter((block) => !machines.includes(block)))]
      : machines;
    const failureDomains = (vsphere.failureDomains ?? []).flatMap((domain) => failureDomain(domain, input));
    return {
      type: "VSphere",
      spec: {
        vsphere: {
          vcenters: (vsphere.vcenters ?? []).map(({ server = "", port = 0, datacenters = [] }) => ({
            server,
            ...(port === 0 ? {} : { port }),
            datacenters,
          })),
          // A config of fields before failure domains has none with a network and a compute cluster.
          ...(failureDomains.length === 0 ? {} : { failureDomains }),
          apiServerInternalIPs: apiVIPs,
          ingressIPs: ingressVIPs,
          machineNetworks,
          nodeNetworking: nodeNetworking(input, machines),
        },
      },
      status: {
        vsphere: {
          ...(apiVIPs.length === 0
            ? { apiServerInternalIPs: null, ingressIPs: null }
            : virtualIpStatus(vsphere, { singular: has(release, "singularIps") })),
          machineNetworks,
        },
      },
    };
  },

  dns: () => ({}),
  ingressPlatform: () => ({}),
  noProxy: () => [],
  networkMtu: () => undefined,
  cloudProviderConfig: (input) => ({ config: cloudConfig(input) }),
  credentialsSecret: ({ config }) => ({
    name: CREDENTIALS,
    data: Object.fromEntries(
      (vsphereOf(config).vcenters ?? []).flatMap(({ server = "", user = "", password = "" }) => [
        [`${server}.username`, user],
        [`${server}.password`, password],
      ]),
    ),
  }),
  apiVips: ({ config }) => vsphereOf(config).apiVIPs ?? [],
  customBootImage: ({ config, release }) => {
    const { clusterOSImage = "", failureDomains = [] } = vsphereOf(config);
    const own = clusterOSImage !== "" || failureDomains.some((domain) => topologyOf(domain).template);
    return own && has(release, "ownBootImages");
  },
  diskDevice,
  redact,
  extra: () => [],
};

/** A failure domain without a compute cluster or a network is none for the cluster. */
function failureDomain(
  domain: VsphereFailureDomain,
  { config, identity, release }: PlatformInput,
): JsonObject[] {
  const { name = "", region = "", zone = "", server = "", regionType = "", zoneType = "" } = domain;
  const topology = topologyOf(domain);
  const { datacenter = "", computeCluster = "", networks = [], datastore = "" } = topology;
  if (computeCluster === "" || (networks[0] ?? "") === "") return [];
  const optional = (member: "resourcePool" | "folder"): JsonObject => {
    const path = topology[member] ?? "";
    return path === "" ? {} : { [member]: path };
  };
  const group = machineGroup(identity.infraID, domain);
  const grouped =
    zoneType === HOST_GROUP &&
    has(release, "dataDisks") &&
    (!has(release, "hostGroupGate") || gateEnabled(release, config, "VSphereHostVMGroupZonal"));
  return [
    {
      name,
      region,
      zone,
      server,
      topology: {
        datacenter,
        computeCluster,
        networks,
        datastore,
        ...optional("resourcePool"),
        ...optional("folder"),
        template:
          topology.template || `/${datacenter}/vm/${generatedTemplate(identity.infraID, domain, release)}`,
      },
      ...(grouped
        ? {
            regionAffinity: { type: regionType },
            zoneAffinity: {
              type: zoneType,
              hostGroup: { hostGroup: topology.hostGroup ?? "", vmGroup: group, vmHostRule: group },
            },
          }
        : {}),
    },
  ];
}

function nodeNetworking({ config, release }: PlatformInput, machines: readonly string[]): JsonObject {
  const { nodeNetworking: own } = vsphereOf(config);
  if (!has(release, "nodesInCloudConfig") && !gateEnabled(release, config, "VSphereMultiNetworks"))
    return { external: {}, internal: {} };
  if (own === undefined)
    return { external: { networkSubnetCidr: [...machines] }, internal: { networkSubnetCidr: [...machines] } };
  const side = (given: NonNullable<typeof own>["external"]): JsonObject => {
    const { networkSubnetCidr = [], network = "", excludeNetworkSubnetCidr = [] } = given ?? {};
    return {
      ...(networkSubnetCidr.length === 0 ? {} : { networkSubnetCidr }),
      ...(network === "" ? {} : { network }),
      ...(excludeNetworkSubnetCidr.length === 0 ? {} : { excludeNetworkSubnetCidr }),
    };
  };
  return { external: side(own.external), internal: side(own.internal) };
}

/** The disk of a pool's own section that a setup names; that of defaultMachinePlatform does not count. */
function diskDevice(
  { config, release }: PlatformInput,
  pool: MachinePool,
  disk: DiskSetup,
): string | undefined {
  if (!gateEnabled(release, config, "VSphereMultiDisk")) return undefined;
  const wanted = (
    disk.type === "user-defined" ? disk.userDefined : disk.type === "etcd" ? disk.etcd : disk.swap
  )?.platformDiskID;
  const at = (pool.platform?.vsphere?.dataDisks ?? []).findIndex(({ name }) => name === wanted);
  return at < 0 ? undefined : diskAt(at);
}

function redact(installConfig: JsonObject, { release }: PlatformInput): JsonObject {
  const platform = installConfig["platform"];
  const section = isObject(platform) ? platform["vsphere"] : undefined;
  if (!isObject(platform) || !isObject(section)) return installConfig;
  const dropped = ["username", "password", ...(has(release, "redactedInPlace") ? [] : NOT_COPIED)];
  const kept = Object.fromEntries(Object.entries(section).filter(([name]) => !dropped.includes(name)));
  const vcenters = isList(kept["vcenters"]) ? kept["vcenters"].map(withoutLogin) : [];
  return { ...installConfig, platform: { ...platform, vsphere: { ...kept, vcenters } } };
}

function withoutLogin(vcenter: Json): Json {
  if (!isObject(vcenter)) return vcenter;
  const { port: _, ...rest } = vcenter;
  return { ...rest, user: "", password: "" };
}
