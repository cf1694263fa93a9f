/** Single faults for install-configs: what a generated config is turned into something to refuse by, or nearly so. */
import { isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import type { Draw } from "./draw.js";
import type { PlatformName } from "./generate.js";

interface Fault {
  /** Path of the member that is set, numbers for elements of a list; the place need not exist. */
  readonly at: string;
  /** Values to choose from; undefined takes the member away. */
  readonly to: readonly (Json | undefined)[];
  readonly platform?: PlatformName;
}

const FAULTS: readonly Fault[] = [
  { at: "apiVersion", to: ["v2", undefined, "v1beta4", 1] },
  {
    at: "baseDomain",
    to: ["", undefined, "-x.example.net", "UPPER.example.net", "a_b.example.net", "example"],
  },
  { at: "metadata.name", to: ["", undefined, "-a", "A", "a_b", "a".repeat(64), ".a", "a.-b"] },
  { at: "metadata.labels", to: ["x", ["a"]] },
  { at: "unknownField", to: ["x", null] },
  { at: "networking.unknown", to: [1] },
  {
    at: "sshKey",
    to: [
      "ssh-rsa AAAA",
      "not a key",
      "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5",
      " ",
      "# a comment\n\nssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHTLVnPyBW6UiEnt5yNRCpdaPx8fWyLfqqhh2QxQ2mVH a\n",
    ],
  },
  {
    at: "pullSecret",
    to: [
      "",
      "{}",
      "x",
      '{"auths":{}}',
      '{"auths":{"a":{}}}',
      '{"auths":{"a":{"auth":"x"}}}',
      '{"auths":{"a":{"auth":"eDp5"}}} ',
    ],
  },
  { at: "networking.networkType", to: ["OpenShiftSDN", "Kuryr", "ovnkubernetes", ""] },
  {
    at: "networking.machineNetwork",
    to: [[], [{ cidr: "10.0.0.1/16" }], [{ cidr: "x" }], [{}], [{ cidr: "10.132.0.0/16" }]],
  },
  {
    at: "networking.serviceNetwork",
    to: [[], ["172.31.0.0/16", "172.32.0.0/16"], ["10.132.0.0/16"], ["192.0.2.0/24"], ["x"]],
  },
  {
    at: "networking.clusterNetwork",
    to: [
      [],
      [{ cidr: "10.132.0.0/14", hostPrefix: 13 }],
      [{ cidr: "10.132.0.0/14", hostPrefix: 33 }],
      [{ cidr: "10.132.0.0/14" }],
      [{ cidr: "172.17.0.0/16", hostPrefix: 23 }],
      [{ cidr: "100.64.0.0/16", hostPrefix: 23 }],
      [{ cidr: "10.132.0.0/24", hostPrefix: 24 }],
      [{ cidr: "fd01::/48", hostPrefix: 65 }],
    ],
  },
  { at: "networking.clusterNetworkMTU", to: [1, 1200, 70000, -1, "x", 999, 8901] },
  {
    at: "networking.ovnKubernetesConfig",
    to: [
      { ipv4: { internalJoinSubnet: "10.132.0.0/16" } },
      { ipv4: { internalJoinSubnet: "101.64.0.0/31" } },
      {},
    ],
  },
  { at: "controlPlane.replicas", to: [0, 1, 2, 4, 6, -1, "3", 3.5] },
  { at: "controlPlane.name", to: ["worker", "", "x"] },
  { at: "controlPlane.hyperthreading", to: ["x", ""] },
  { at: "controlPlane.architecture", to: ["x", "arm64", "ppc64le", "s390x"] },
  { at: "controlPlane.management", to: ["ClusterAPI", "x"] },
  {
    at: "controlPlane.fencing",
    to: [{}, { credentials: [] }, { credentials: [{ hostName: "a", username: "b" }] }],
  },
  {
    at: "arbiter",
    to: [{ name: "arbiter", replicas: 1 }, { name: "x", replicas: 1 }, { name: "arbiter", replicas: 0 }, {}],
  },
  { at: "compute.0.name", to: ["x", "edge", "master", ""] },
  { at: "compute.0.replicas", to: [-1, 1, 4] },
  { at: "compute.0.architecture", to: ["arm64", "x"] },
  { at: "compute.0.management", to: ["ClusterAPI", "x"] },
  { at: "compute.1", to: [{ name: "worker" }, { name: "edge" }, { name: "infra" }] },
  { at: "compute.0.platform", to: [{ aws: {} }, { none: {} }, { vsphere: { cpus: -1 } }, { baremetal: {} }] },
  { at: "controlPlane.diskSetup", to: [[{ type: "etcd", etcd: { platformDiskID: "x" } }], [{ type: "x" }]] },
  { at: "platform", to: [{}, undefined, { none: {}, external: {} }, { azure: {} }] },
  { at: "featureSet", to: ["Default", "x", "LatencySensitive", "OKD", "CustomNoUpgrade"] },
  { at: "featureGates", to: [["X=true"], ["X"], ["X=maybe"], []] },
  {
    at: "capabilities",
    to: [
      {},
      { baselineCapabilitySet: "x" },
      { baselineCapabilitySet: "None" },
      { additionalEnabledCapabilities: ["x"] },
      { baselineCapabilitySet: "vCurrent", additionalEnabledCapabilities: ["ClusterAPI"] },
      {
        baselineCapabilitySet: "vCurrent",
        additionalEnabledCapabilities: ["CompatibilityRequirements", "ClusterAPI"],
      },
      { baselineCapabilitySet: "None", additionalEnabledCapabilities: ["marketplace"] },
    ],
  },
  {
    at: "proxy",
    to: [
      {},
      { httpProxy: "x" },
      { httpsProxy: "ftp://a" },
      { httpProxy: "http://a b" },
      { noProxy: "a,b" },
      { httpProxy: "http://p", noProxy: "a/b" },
      { httpProxy: "http://p", noProxy: "10.0.0.0/33" },
      { httpProxy: "http://p", noProxy: "a.example, .b.example" },
    ],
  },
  {
    at: "imageDigestSources",
    to: [
      [{ source: "" }],
      [{ source: "a b" }],
      [{ source: "quay.io/a:tag" }],
      [{ source: "quay.io/a", mirrors: ["x y"] }],
      [{ source: "quay.io/a", sourcePolicy: "x" }],
    ],
  },
  { at: "imageContentSources", to: [[{ source: "x" }], []] },
  { at: "cpuPartitioningMode", to: ["x", ""] },
  { at: "publish", to: ["x", "Mixed", "Internal", ""] },
  { at: "operatorPublishingStrategy", to: [{ ingress: "Internal" }, {}] },
  { at: "credentialsMode", to: ["x", "Manual", "Mint", "Passthrough", ""] },
  {
    at: "additionalTrustBundle",
    to: ["x", "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n", ""],
  },
  { at: "additionalTrustBundlePolicy", to: ["x", "Always", ""] },
  { at: "osImageStream", to: ["rhel-8", "rhel-9", "rhel-10", "x", ""] },
  { at: "bootstrapInPlace", to: [{}, { installationDisk: "" }, { installationDisk: "/dev/vda" }] },
  {
    at: "pki",
    to: [
      {},
      { signerCertificates: {} },
      { signerCertificates: { key: { algorithm: "RSA" } } },
      { signerCertificates: { key: { algorithm: "x" } } },
      { signerCertificates: { key: { algorithm: "RSA", rsa: { keySize: 1024 } } } },
    ],
  },
  { at: "fips", to: ["x", null, true] },
  { platform: "external", at: "platform.external.cloudControllerManager", to: ["x", "external"] },
  { platform: "external", at: "platform.external.platformName", to: ["", 1] },
  { platform: "none", at: "platform.none", to: [null, { x: 1 }] },
  {
    platform: "baremetal",
    at: "platform.baremetal.apiVIPs",
    to: [
      [],
      ["198.51.100.5"],
      ["x"],
      ["192.0.2.5", "192.0.2.7"],
      ["192.0.2.5", "192.0.2.7", "192.0.2.8"],
      ["192.0.2.6"],
      undefined,
    ],
  },
  {
    platform: "baremetal",
    at: "platform.baremetal.ingressVIPs",
    to: [[], ["198.51.100.5"], ["x"], ["192.0.2.5"], undefined],
  },
  {
    platform: "baremetal",
    at: "platform.baremetal.provisioningNetwork",
    to: ["x", "Managed", "Disabled", "Unmanaged"],
  },
  {
    platform: "baremetal",
    at: "platform.baremetal.provisioningNetworkCIDR",
    to: ["172.22.0.5/24", "x", "192.0.2.0/24", "fd00:1101::/48", "172.22.0.0/30"],
  },
  {
    platform: "baremetal",
    at: "platform.baremetal.provisioningDHCPRange",
    to: ["172.22.0.10", "172.22.0.100,172.22.0.10", "x,y", "10.0.0.1,10.0.0.9"],
  },
  {
    platform: "baremetal",
    at: "platform.baremetal.clusterProvisioningIP",
    to: ["172.22.0.3", "x", "172.22.0.20", "192.0.2.5"],
  },
  {
    platform: "baremetal",
    at: "platform.baremetal.bootstrapProvisioningIP",
    to: ["172.22.0.2", "x", "172.22.0.3"],
  },
  {
    platform: "baremetal",
    at: "platform.baremetal.provisioningNetworkGateway",
    to: ["172.22.0.1", "x", "10.0.0.1"],
  },
  {
    platform: "baremetal",
    at: "platform.baremetal.externalMACAddress",
    to: ["x", "01:00:5e:00:00:01", "52:54:00:00:00:11"],
  },
  {
    platform: "baremetal",
    at: "platform.baremetal.libvirtURI",
    to: ["x y", "qemu+tcp://192.0.2.9/system", ""],
  },
  { platform: "baremetal", at: "platform.baremetal.hosts", to: [[], undefined] },
  { platform: "baremetal", at: "platform.baremetal.hosts.0.name", to: ["", "host-1", "Host 0", undefined] },
  {
    platform: "baremetal",
    at: "platform.baremetal.hosts.0.role",
    to: ["x", "worker", "arbiter", "master", ""],
  },
  {
    platform: "baremetal",
    at: "platform.baremetal.hosts.0.bootMACAddress",
    to: ["x", "52:54:00:00:01:01", "", undefined, "52:54:00:00:01:0G"],
  },
  {
    platform: "baremetal",
    at: "platform.baremetal.hosts.0.bmc",
    to: [
      {},
      { address: "x" },
      { address: "ftp://a", username: "a", password: "b" },
      { address: "redfish://", username: "a", password: "b" },
      undefined,
    ],
  },
  { platform: "baremetal", at: "platform.baremetal.hosts.0.bmc.username", to: [undefined, ""] },
  { platform: "baremetal", at: "platform.baremetal.hosts.0.bootMode", to: ["x", "uefi", ""] },
  {
    platform: "baremetal",
    at: "platform.baremetal.hosts.0.rootDeviceHints",
    to: [{ deviceName: "sda" }, { deviceName: "/dev/disk/by-id/x" }, {}, { minSizeGigabytes: -1 }],
  },
  {
    platform: "baremetal",
    at: "platform.baremetal.hosts.0.networkConfig",
    to: ["x", { interfaces: "x" }, { interfaces: [{ name: "a", mtu: "x" }] }, {}],
  },
  { platform: "baremetal", at: "platform.baremetal.hosts.0.unknown", to: ["x"] },
  { platform: "baremetal", at: "platform.baremetal.bootstrapExternalStaticIP", to: ["192.0.2.90", "x"] },
  { platform: "baremetal", at: "platform.baremetal.additionalNTPServers", to: [["x y"], ["-a"], []] },
  { platform: "baremetal", at: "platform.baremetal.dnsRecordsType", to: ["External", "x"] },
  {
    platform: "baremetal",
    at: "platform.baremetal.loadBalancer",
    to: [{}, { type: "x" }, { type: "UserManaged" }],
  },
  { platform: "baremetal", at: "platform.baremetal.bmcVerifyCA", to: ["x", ""] },
  {
    platform: "vsphere",
    at: "platform.vsphere.vcenters",
    to: [[], undefined, [{ server: "vcenter.example.com" }]],
  },
  {
    platform: "vsphere",
    at: "platform.vsphere.vcenters.0.server",
    to: ["", "https://vcenter.example.com", "x y", "UPPER.example.com", undefined],
  },
  { platform: "vsphere", at: "platform.vsphere.vcenters.0.user", to: ["", undefined] },
  { platform: "vsphere", at: "platform.vsphere.vcenters.0.password", to: ["", undefined] },
  { platform: "vsphere", at: "platform.vsphere.vcenters.0.port", to: [0, -1, 70000, "x"] },
  {
    platform: "vsphere",
    at: "platform.vsphere.vcenters.0.datacenters",
    to: [[], undefined, ["other"], ["DC0", "DC0"]],
  },
  { platform: "vsphere", at: "platform.vsphere.failureDomains", to: [[], undefined] },
  { platform: "vsphere", at: "platform.vsphere.failureDomains.0.name", to: ["", "fd-1", undefined] },
  {
    platform: "vsphere",
    at: "platform.vsphere.failureDomains.0.region",
    to: ["", undefined, "x".repeat(90)],
  },
  { platform: "vsphere", at: "platform.vsphere.failureDomains.0.zone", to: ["", "zone-1", undefined] },
  {
    platform: "vsphere",
    at: "platform.vsphere.failureDomains.0.server",
    to: ["", "x.example.com", undefined],
  },
  {
    platform: "vsphere",
    at: "platform.vsphere.failureDomains.0.topology.computeCluster",
    to: ["", "C0", "/x/host/C", undefined],
  },
  {
    platform: "vsphere",
    at: "platform.vsphere.failureDomains.0.topology.networks",
    to: [[], [""], undefined, Array.from({ length: 11 }, (_, i) => `n${i}`)],
  },
  {
    platform: "vsphere",
    at: "platform.vsphere.failureDomains.0.topology.datastore",
    to: ["", "ds", "/x/datastore/d", undefined],
  },
  {
    platform: "vsphere",
    at: "platform.vsphere.failureDomains.0.topology.folder",
    to: ["f", "/x/vm/f", "/DC0/f"],
  },
  {
    platform: "vsphere",
    at: "platform.vsphere.failureDomains.0.topology.resourcePool",
    to: ["p", "/x/host/C/Resources/p", ""],
  },
  {
    platform: "vsphere",
    at: "platform.vsphere.failureDomains.0.topology.template",
    to: ["t", "/x/vm/t", "/DC0/t"],
  },
  {
    platform: "vsphere",
    at: "platform.vsphere.failureDomains.0.zoneType",
    to: ["HostGroup", "ComputeCluster", "x"],
  },
  { platform: "vsphere", at: "platform.vsphere.failureDomains.0.regionType", to: ["Datacenter", "x"] },
  { platform: "vsphere", at: "platform.vsphere.diskType", to: ["x", ""] },
  {
    platform: "vsphere",
    at: "platform.vsphere.clusterOSImage",
    to: ["x", "http://m/a.ova?sha256=x", "ftp://a"],
  },
  {
    platform: "vsphere",
    at: "platform.vsphere.apiVIPs",
    to: [[], ["198.51.100.5"], ["x"], ["192.0.2.5", "192.0.2.7"], ["192.0.2.6"]],
  },
  { platform: "vsphere", at: "platform.vsphere.ingressVIPs", to: [[], ["x"], ["192.0.2.5"]] },
  { platform: "vsphere", at: "platform.vsphere.vCenter", to: ["vcenter.example.com", "other.example.com"] },
  {
    platform: "vsphere",
    at: "platform.vsphere.defaultMachinePlatform",
    to: [
      { cpus: -1 },
      { coresPerSocket: 3, cpus: 4 },
      { memoryMB: -1 },
      { osDisk: { diskSizeGB: -1 } },
      { zones: ["x"] },
    ],
  },
  {
    platform: "vsphere",
    at: "controlPlane.platform.vsphere",
    to: [
      { zones: ["x"] },
      { cpus: 3, coresPerSocket: 2 },
      { dataDisks: [{ name: "", sizeGiB: 1 }] },
      { dataDisks: [{ name: "a", sizeGiB: 0 }] },
    ],
  },
  {
    platform: "vsphere",
    at: "platform.vsphere.hosts",
    to: [
      [],
      [{ role: "x" }],
      [{ role: "compute", networkDevice: { ipAddrs: ["x"] } }],
      [{ role: "bootstrap", failureDomain: "x", networkDevice: { ipAddrs: ["192.0.2.9/24"] } }],
    ],
  },
  {
    platform: "vsphere",
    at: "platform.vsphere.nodeNetworking",
    to: [{ external: { networkSubnetCidr: ["x"] } }, {}],
  },
  { platform: "vsphere", at: "platform.vsphere.loadBalancer", to: [{}, { type: "x" }] },
];

export function withFault(
  draw: Draw,
  config: JsonObject,
  platform: PlatformName,
): { readonly config: JsonObject; readonly fault: string } {
  const { at, to } = draw.pick(
    FAULTS.filter((each) => each.platform === undefined || each.platform === platform),
  );
  // A wrapper, since one of the values may be undefined.
  const { value } = draw.pick(to.map((each) => ({ value: each })));
  const made = set(config, at.split("."), value);
  return { config: isObject(made) ? made : config, fault: `${at} = ${JSON.stringify(value) ?? "absent"}` };
}

/** The value with the member at the path set, what lies above made where it is missing. */
export function set(
  whole: Json | undefined,
  path: readonly string[],
  value: Json | undefined,
): Json | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (/^\d+$/.test(name)) {
    const list = isList(whole) ? [...whole] : [];
    const made = set(list[Number(name)], rest, value);
    if (made === undefined) list.splice(Number(name), 1);
    else list[Math.min(Number(name), list.length)] = made;
    return list;
  }
  const members = isObject(whole) ? whole : {};
  const made = set(members[name], rest, value);
  const { [name]: _gone, ...others } = members;
  return made === undefined ? others : { ...members, [name]: made };
}
