/**
 * Install-configs that a seed decides, for the platforms that openshift-install does without a cloud: wide rather than
 * likely, most of them valid, and of the others each with a single fault (faults.ts).
 */
import { isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { type Draw, drawFrom } from "./draw.js";
import { withFault } from "./faults.js";
import { BUNDLE, FIPS_SSH_KEYS, PULL_SECRETS, SSH_KEYS } from "./samples.js";

export const PLATFORMS = ["none", "external", "baremetal", "vsphere"] as const;
export type PlatformName = (typeof PLATFORMS)[number];

export type Members = { [name: string]: Json };

export interface Case {
  readonly name: string;
  readonly config: JsonObject;
  /** What was made wrong on purpose; undefined where the config is meant to be valid. */
  readonly fault: string | undefined;
}

/** What a config is generated for: each member says whether a release knows the field. */
export type Knows = (field: string) => boolean;

/** The release that a field is new in; the installer takes none of them before. */
const NEW_FIELDS: Readonly<Record<string, number>> = {
  arbiter: 19,
  fencing: 19,
  diskSetup: 20,
  verification: 20,
  dnsRecordsType: 21,
  sourcePolicy: 21,
  bmcVerifyCA: 21,
  dataDisks: 19,
  hostGroups: 19,
  streams: 22,
  management: 22,
  gateway: 22,
  fencingByMac: 50,
  pki: 50,
};

/** Releases as numbers of one order, for the generator alone. */
const rank = (release: string): number => {
  const [major = 0, minor = 0] = release.split(".").map(Number);
  return major === 4 ? minor : major * 10 + minor;
};

export const knows =
  (release: string): Knows =>
  (field) =>
    rank(release) >= (NEW_FIELDS[field] ?? 0);

export function caseOf(platform: PlatformName, release: string, seed: number, index: number): Case {
  const draw = drawFrom(seed * 100_003 + index * 7 + PLATFORMS.indexOf(platform));
  const config = configOf(draw, platform, knows(release));
  const name = `${platform}-${seed}-${index}`;
  if (!draw.chance(0.3)) return { name, config, fault: undefined };
  const faulty = withFault(draw, config, platform);
  return { name, config: faulty.config, fault: faulty.fault };
}

type Families = "v4" | "v6" | "v4v6" | "v6v4";

interface Setting {
  readonly draw: Draw;
  readonly platform: PlatformName;
  readonly knows: Knows;
  readonly families: Families;
  /** True where a gate is on that is off by default. */
  on(gate: string): boolean;
  /** Machines of each kind. */
  readonly machines: { readonly control: number; readonly arbiter: number; readonly compute: number };
}

const MACHINES = { v4: "192.0.2.0/24", v6: "2001:db8:0:1::/64" };
const SERVICES = { v4: "172.31.0.0/16", v6: "fd02::/112" };
const PODS = { v4: { cidr: "10.132.0.0/14", hostPrefix: 23 }, v6: { cidr: "fd01::/48", hostPrefix: 64 } };

const inOrder = <T>(families: Families, of: Readonly<Record<"v4" | "v6", T>>): T[] =>
  ({ v4: [of.v4], v6: [of.v6], v4v6: [of.v4, of.v6], v6v4: [of.v6, of.v4] })[families];

const GATES = [
  "OSStreams",
  "DNSNameResolver",
  "ConfigurablePKI",
  "MultiDiskSetup",
  "DualReplica",
  "NodeSwap",
  "VSphereMultiNetworks",
  "VSphereMultiDisk",
  "VSphereHostVMGroupZonal",
  "OnPremDNSRecords",
];

function configOf(draw: Draw, platform: PlatformName, known: Knows): JsonObject {
  const families = draw.pick<Families>(["v4", "v4", "v4", "v4", "v6", "v4v6", "v6v4"]);
  const featureSet = draw.chance(0.35)
    ? draw.pick(["TechPreviewNoUpgrade", "DevPreviewNoUpgrade", "CustomNoUpgrade"])
    : "";
  const gates = featureSet === "CustomNoUpgrade" ? draw.some(GATES) : [];
  const none = { control: 3, arbiter: 0, compute: 3 };
  const preview = /Preview/.test(featureSet);
  const on = (gate: string): boolean => preview || gates.includes(gate);
  const pools = poolsOf({ draw, platform, knows: known, families, on, machines: none });
  const setting: Setting = { draw, platform, knows: known, families, on, machines: machinesOf(pools) };
  const fips = draw.chance(0.1);
  const config: Members = {
    apiVersion: "v1",
    baseDomain: draw.pick(["example.net", "sea.example.org", "a.b.c.example.com", "example.net."]),
    metadata: metadataOf(setting),
    networking: networkingOf(setting),
    platform: { [platform]: platformOf(setting) },
    pullSecret: draw.pick(PULL_SECRETS),
  };
  if (draw.chance(0.8)) config["sshKey"] = draw.pick(fips ? FIPS_SSH_KEYS : [...SSH_KEYS, ...FIPS_SSH_KEYS]);
  Object.assign(config, pools);
  if (featureSet !== "") config["featureSet"] = featureSet;
  if (gates.length > 0)
    config["featureGates"] = gates.map((gate) => `${gate}=${draw.pick(["true", "true", "True", "1"])}`);
  if (draw.chance(0.2)) config["capabilities"] = capabilitiesOf(setting);
  if (draw.chance(0.25)) config["proxy"] = proxyOf(setting);
  Object.assign(config, mirrorsOf(setting));
  if (draw.chance(0.1)) config["cpuPartitioningMode"] = draw.pick(["AllNodes", "None"]);
  if (fips) config["fips"] = true;
  if (draw.chance(0.15)) config["publish"] = "External";
  if (draw.chance(0.2)) {
    config["additionalTrustBundle"] = BUNDLE;
    if (draw.chance(0.6)) config["additionalTrustBundlePolicy"] = draw.pick(["Always", "Proxyonly"]);
  }
  if (known("streams") && draw.chance(on("OSStreams") || known("pki") ? 0.3 : 0.02))
    config["osImageStream"] = draw.pick(["rhel-9", "rhel-10"]);
  if (known("pki") && draw.chance(on("ConfigurablePKI") ? 0.5 : 0.02))
    config["pki"] = { signerCertificates: { key: signerKey(draw) } };
  return config;
}

const signerKey = (draw: Draw): JsonObject =>
  draw.chance(0.5)
    ? { algorithm: "RSA", rsa: { keySize: draw.pick([2048, 3072, 4096, 8192]) } }
    : { algorithm: "ECDSA", ecdsa: { curve: draw.pick(["P256", "P384", "P521"]) } };

function metadataOf({ draw, platform }: Setting): JsonObject {
  const names = ["tern", "curlew-2", "1a", "123", "true", "0x1f", "1e3", "a".repeat(54)];
  if (platform === "none" || platform === "external") names.push("a.b", "sea.tern-1");
  const metadata: Members = { name: draw.pick(names) };
  if (draw.chance(0.1)) metadata["labels"] = { "example.com/a": "b", c: "" };
  if (draw.chance(0.1)) metadata["annotations"] = { note: "as it is: yes" };
  if (draw.chance(0.1)) metadata["creationTimestamp"] = null;
  if (draw.chance(0.05)) metadata["namespace"] = "elsewhere";
  return metadata;
}

function networkingOf(setting: Setting): JsonObject {
  const { draw, families } = setting;
  const networking: Members = {
    machineNetwork: inOrder(families, MACHINES).map((cidr) => ({ cidr })),
  };
  const plain = families === "v4" && draw.chance(0.4);
  if (!plain) {
    networking["clusterNetwork"] = inOrder(families, PODS);
    networking["serviceNetwork"] = inOrder(families, SERVICES);
  }
  if (families === "v4" && draw.chance(0.1))
    networking["clusterNetwork"] = [PODS.v4, { cidr: "10.200.0.0/16", hostPrefix: 23 }];
  if (families === "v4" && draw.chance(0.1))
    networking["machineNetwork"] = [{ cidr: MACHINES.v4 }, { cidr: "198.51.100.0/25" }];
  if (draw.chance(0.5)) networking["networkType"] = draw.pick(["OVNKubernetes", "OVNKubernetes", "Calico"]);
  if (networking["networkType"] !== "Calico" && families === "v4" && draw.chance(0.1))
    networking["ovnKubernetesConfig"] = { ipv4: { internalJoinSubnet: "101.64.0.0/16" } };
  if (plain && draw.chance(0.2)) return inOldSpelling(draw);
  return networking;
}

const inOldSpelling = (draw: Draw): JsonObject => ({
  machineCIDR: MACHINES.v4,
  serviceCIDR: SERVICES.v4,
  clusterNetworks: [{ cidr: PODS.v4.cidr, hostSubnetLength: 9 }],
  type: draw.pick(["OVNKubernetes", "OVNkubernetes"]),
});

function capabilitiesOf({ draw, platform }: Setting): JsonObject {
  const additional = [
    "baremetal",
    "MachineAPI",
    "Ingress",
    "Build",
    "ImageRegistry",
    "Console",
    "NodeTuning",
  ];
  const needed =
    platform === "vsphere" || platform === "external"
      ? ["CloudCredential", "CloudControllerManager", "MachineAPI", "Ingress"]
      : ["Ingress"];
  const metal = platform === "baremetal" ? ["baremetal", "MachineAPI"] : [];
  const baselineCapabilitySet = draw.pick(["None", "v4.11", "v4.12", "v4.17", "v4.18", "vCurrent"]);
  const list = [...new Set([...needed, ...metal, ...draw.some(additional)])];
  // Those sets have marketplace, which needs another one.
  const enabled = /v4\.1[12]/.test(baselineCapabilitySet) ? [...list, "OperatorLifecycleManager"] : list;
  return {
    baselineCapabilitySet,
    ...(draw.chance(0.7) || !/^v(4.1[78]|Current)/.test(baselineCapabilitySet)
      ? { additionalEnabledCapabilities: enabled }
      : {}),
  };
}

function proxyOf({ draw }: Setting): JsonObject {
  const proxy: Members = {};
  const url = (): string =>
    draw.pick([
      "http://proxy.example.com:3128",
      "http://user:p%40ss@proxy.example.com:3128",
      "http://192.0.2.77",
      "http://[2001:db8::77]:8080/",
    ]);
  if (draw.chance(0.8)) proxy["httpProxy"] = url();
  if (draw.chance(0.8) || proxy["httpProxy"] === undefined) proxy["httpsProxy"] = url();
  if (draw.chance(0.6))
    proxy["noProxy"] = draw.pick([
      "example.com",
      ".corp.example.com,10.0.0.0/8",
      "*",
      "a.example,.b.example,192.0.2.9",
    ]);
  return proxy;
}

function mirrorsOf({ draw, knows: known }: Setting): JsonObject {
  if (!draw.chance(0.2)) return {};
  const entries = [
    { source: "quay.io/openshift-release-dev/ocp-release", mirrors: ["mirror.example.com:5000/ocp"] },
    { source: "registry.example.com", mirrors: ["m1.example.com/a", "m2.example.com/b"] },
  ].slice(0, draw.int(1, 2));
  if (draw.chance(0.3)) return { imageContentSources: entries };
  const policy = draw.pick(["AllowContactingSource", "NeverContactSource"]);
  return {
    imageDigestSources: entries.map((each) => ({
      ...each,
      ...(known("sourcePolicy") && draw.chance(0.4) ? { sourcePolicy: policy } : {}),
    })),
  };
}

function poolsOf(setting: Setting): JsonObject {
  const { draw, knows: known, on, platform } = setting;
  const metal = platform === "baremetal";
  const alone = platform === "none" || platform === "external";
  const pools: Members = {};
  const arch = alone && draw.chance(0.15) ? "arm64" : "";
  const pool = (name: string, replicas: number | undefined): Members => {
    const made: Members = { name };
    if (replicas !== undefined) made["replicas"] = replicas;
    if (draw.chance(0.1)) made["hyperthreading"] = draw.pick(["Disabled", "Enabled"]);
    if (arch !== "") made["architecture"] = arch;
    else if (draw.chance(0.1)) made["architecture"] = "amd64";
    if (platform === "vsphere" && draw.chance(0.4)) made["platform"] = { vsphere: vspherePool(setting) };
    else if (draw.chance(0.2)) made["platform"] = {};
    if (known("diskSetup") && on("MultiDiskSetup") && platform === "vsphere" && draw.chance(0.1))
      made["diskSetup"] =
        name === "master"
          ? [{ type: "etcd", etcd: { platformDiskID: "data" } }]
          : [{ type: "user-defined", userDefined: { platformDiskID: "data", mountPath: "/var/lib/data" } }];
    return made;
  };
  const kind = draw.int(0, 9);
  const fencing = known("fencing") && platform !== "vsphere" && kind === 0;
  const arbiter = known("arbiter") && metal && kind === 1;
  const single = alone && kind === 2;
  const control = pool(
    "master",
    fencing ? 2 : arbiter ? draw.pick([2, 3]) : single ? 1 : draw.pick([3, 3, 3, 5]),
  );
  if (fencing) control["fencing"] = { credentials: fencingOf(setting) };
  if (known("management") && draw.chance(0.05))
    control["management"] = draw.pick(["MachineAPI", "ClusterAPI"]);
  if (!draw.chance(0.05) || fencing || arbiter || single) pools["controlPlane"] = control;
  if (arbiter) pools["arbiter"] = pool("arbiter", 1);
  if (single && draw.chance(0.5)) pools["bootstrapInPlace"] = { installationDisk: "/dev/sda" };
  const workers = single ? 0 : draw.pick([0, 2, 2, 3, undefined]);
  if (draw.chance(0.9) || single) {
    const worker = pool("worker", workers);
    if (known("management") && draw.chance(0.05)) worker["management"] = "MachineAPI";
    pools["compute"] = [worker];
  } else if (draw.chance(0.3)) pools["compute"] = [];
  return pools;
}

function machinesOf({ controlPlane, arbiter, compute }: JsonObject): Setting["machines"] {
  const replicas = (pool: Json | undefined): number | undefined => {
    const count = isObject(pool) ? pool["replicas"] : undefined;
    return typeof count === "number" ? count : undefined;
  };
  const [worker] = isList(compute) ? compute : [];
  return {
    control: replicas(controlPlane) ?? 3,
    arbiter: replicas(arbiter) ?? 0,
    compute: replicas(worker) ?? 3,
  };
}

function fencingOf({ draw, knows: known, families }: Setting): Json[] {
  const byMac = known("fencingByMac") && draw.chance(0.4);
  const host = families === "v6" ? "[2001:db8::7]" : "192.0.2.7";
  return [0, 1].map((index) => ({
    ...(byMac ? { macAddress: `52-54-00-AA-BB-0${index}` } : { hostName: `master-${index}` }),
    username: "admin",
    password: `secret: ${index}`,
    address: `redfish+https://${host}:${8000 + index}/redfish/v1/Systems/${index}`,
    ...(known("verification") && draw.chance(0.5)
      ? { certificateVerification: draw.pick(["Enabled", "Disabled"]) }
      : {}),
  }));
}

function platformOf(setting: Setting): JsonObject {
  const { draw, platform } = setting;
  if (platform === "none") return {};
  if (platform === "external")
    return {
      ...(draw.chance(0.7) ? { platformName: draw.pick(["oci", "Unknown", "my-cloud"]) } : {}),
      ...(draw.chance(0.5) ? { cloudControllerManager: draw.pick(["External", "", "None"]) } : {}),
    };
  return platform === "baremetal" ? baremetalOf(setting) : vsphereOf(setting);
}

const VIPS = {
  api: { v4: "192.0.2.5", v6: "2001:db8:0:1::5" },
  ingress: { v4: "192.0.2.6", v6: "2001:db8:0:1::6" },
};

function vipsOf({ draw, families, knows: known, on }: Setting): JsonObject {
  const two = families.length === 4 && draw.chance(0.7);
  const vips = (of: (typeof VIPS)["api"]): string[] => {
    const all = inOrder(families, of);
    return two ? all : all.slice(0, 1);
  };
  const [api, ingress] = [vips(VIPS.api), vips(VIPS.ingress)];
  const own: Members =
    !two && draw.chance(0.15)
      ? { apiVIP: api[0] ?? "", ingressVIP: ingress[0] ?? "" }
      : { apiVIPs: api, ingressVIPs: ingress };
  if (draw.chance(0.2)) {
    own["loadBalancer"] = { type: draw.pick(["UserManaged", "OpenShiftManagedDefault"]) };
    if (on("OnPremDNSRecords") && known("dnsRecordsType") && draw.chance(0.3))
      own["dnsRecordsType"] = draw.pick(["External", "Internal"]);
  }
  return own;
}

function baremetalOf(setting: Setting): JsonObject {
  const { draw, families, knows: known } = setting;
  const metal: Members = { ...vipsOf(setting) };
  const mode = draw.pick(["", "Managed", "Unmanaged", "Disabled"]);
  if (mode !== "") metal["provisioningNetwork"] = mode;
  const v6 = draw.chance(0.3);
  if (mode === "Disabled") {
    if (draw.chance(0.5)) {
      metal["clusterProvisioningIP"] =
        inOrder(families, { v4: "192.0.2.80", v6: "2001:db8:0:1::80" })[0] ?? "";
      metal["bootstrapProvisioningIP"] =
        inOrder(families, { v4: "192.0.2.81", v6: "2001:db8:0:1::81" })[0] ?? "";
    }
  } else {
    if (draw.chance(0.4)) metal["provisioningNetworkCIDR"] = v6 ? "fd00:1101::/64" : "172.22.0.0/24";
    const chosen = metal["provisioningNetworkCIDR"] !== undefined;
    if (chosen && draw.chance(0.4))
      metal["provisioningDHCPRange"] = v6 ? "fd00:1101::a,fd00:1101::ffff" : "172.22.0.10,172.22.0.100";
    if (chosen && mode === "Unmanaged") delete metal["provisioningDHCPRange"];
    if (chosen && !v6 && known("gateway") && mode !== "Unmanaged" && draw.chance(0.2))
      metal["provisioningNetworkGateway"] = "172.22.0.1";
    if (draw.chance(0.3)) metal["provisioningNetworkInterface"] = "eno1";
    if (draw.chance(0.2)) metal["provisioningBridge"] = "provbr";
    if (draw.chance(0.2)) metal["provisioningMACAddress"] = "52:54:00:00:00:11";
  }
  if (draw.chance(0.2)) metal["externalBridge"] = "extbr";
  if (draw.chance(0.2)) metal["externalMACAddress"] = "52:54:00:00:00:10";
  if (draw.chance(0.2)) metal["libvirtURI"] = "qemu:///system";
  if (draw.chance(0.1) && families === "v4") {
    metal["bootstrapExternalStaticIP"] = "192.0.2.90";
    metal["bootstrapExternalStaticGateway"] = "192.0.2.1";
    if (draw.chance(0.5)) metal["bootstrapExternalStaticDNS"] = "192.0.2.53";
  }
  if (draw.chance(0.15)) metal["additionalNTPServers"] = ["ntp.example.com", "192.0.2.123"];
  if (known("bmcVerifyCA") && draw.chance(0.1)) metal["bmcVerifyCA"] = BUNDLE;
  if (draw.chance(0.1)) metal["defaultMachinePlatform"] = {};
  metal["hosts"] = hostsOf(setting);
  return metal;
}

const BMC_ADDRESSES = [
  "ipmi://192.0.2.201",
  "192.0.2.202:6230",
  "redfish://192.0.2.203:8000/redfish/v1/Systems/1",
  "redfish-virtualmedia+https://192.0.2.204/redfish/v1/Systems/1",
  "idrac-virtualmedia://192.0.2.205/redfish/v1/Systems/System.Embedded.1",
  "ilo5-virtualmedia+http://192.0.2.206/redfish/v1/Systems/1",
  "idrac-redfish://192.0.2.207/redfish/v1/Systems/System.Embedded.1",
];

function hostsOf(setting: Setting): Json[] {
  const { draw, machines } = setting;
  const { control, arbiter, compute } = machines;
  const roles = draw.chance(0.4) || arbiter > 0;
  return Array.from({ length: control + arbiter + compute + draw.pick([0, 0, 1, 2]) }, (_, index) => {
    const address = draw
      .pick(BMC_ADDRESSES)
      .replace(/192\.0\.2\.(\d+)/, (_, last: string) => `192.0.${index + 2}.${last}`);
    const host: Members = {
      name: draw.chance(0.1) ? `host.${index}` : `host-${index}`,
      bmc: {
        address,
        username: "admin",
        password: draw.pick(["secret", "p: 'x'", "0123"]),
        ...(draw.chance(0.3) ? { disableCertificateVerification: draw.chance(0.7) } : {}),
      },
      bootMACAddress: `${draw.pick(["52:54:00", "AA:BB:CC"])}:00:01:${10 + index}`,
    };
    if (roles) host["role"] = index < control ? "master" : index < control + arbiter ? "arbiter" : "worker";
    if (draw.chance(0.2)) host["hardwareProfile"] = draw.pick(["default", "unknown", "dell"]);
    const modes = address.includes("redfish") ? ["UEFI", "UEFISecureBoot", "legacy"] : ["UEFI", "legacy"];
    if (draw.chance(0.2)) host["bootMode"] = draw.pick(modes);
    if (draw.chance(0.2)) host["rootDeviceHints"] = hintsOf(draw);
    if (draw.chance(0.15)) host["networkConfig"] = nmstateOf(draw, index);
    return host;
  });
}

const hintsOf = (draw: Draw): JsonObject =>
  draw.pick<JsonObject>([
    { deviceName: "/dev/sda" },
    { deviceName: "/dev/disk/by-path/pci-0000:01:00.0-scsi-0:2:0:0" },
    {
      hctl: "1:0:0:0",
      model: "m",
      vendor: "v",
      serialNumber: "1234",
      minSizeGigabytes: 100,
      rotational: false,
    },
    { wwn: "0x5000", wwnWithExtension: "0x50001", wwnVendorExtension: "0x1", rotational: true },
  ]);

const nmstateOf = (draw: Draw, index: number): JsonObject => ({
  interfaces: [
    {
      name: "eno1",
      type: "ethernet",
      state: "up",
      ...(draw.chance(0.5) ? { mtu: 9000 } : {}),
      ipv4: { enabled: true, dhcp: false, address: [{ ip: `192.0.2.${100 + index}`, "prefix-length": 24 }] },
    },
  ],
  ...(draw.chance(0.5) ? { "dns-resolver": { config: { server: ["192.0.2.53"] } } } : {}),
});

function vspherePool({ draw, knows: known }: Setting): JsonObject {
  const made: Members = {};
  if (draw.chance(0.5)) made["cpus"] = draw.pick([4, 8]);
  if (made["cpus"] !== undefined && draw.chance(0.5)) made["coresPerSocket"] = draw.pick([2, 4]);
  if (draw.chance(0.5)) made["memoryMB"] = 16384;
  if (draw.chance(0.5)) made["osDisk"] = { diskSizeGB: draw.pick([120, 200]) };
  if (draw.chance(0.3)) made["zones"] = ["fd-0"];
  if (known("dataDisks") && draw.chance(0.2))
    made["dataDisks"] = [
      { name: "data", sizeGiB: 50, ...(draw.chance(0.5) ? { provisioningMode: "Thin" } : {}) },
    ];
  return made;
}

function vsphereOf(setting: Setting): JsonObject {
  const { draw, families, knows: known } = setting;
  const vsphere: Members = draw.chance(0.1) ? {} : { ...vipsOf(setting) };
  const servers = draw.chance(0.25) ? ["vcenter.example.com", "vc2.example.com"] : ["vcenter.example.com"];
  const count = Math.max(servers.length, draw.int(1, 3));
  const serverOf = (index: number): string => servers[index % servers.length] ?? "";
  const datacenterOf = (index: number): string => `DC${index % servers.length}`;
  vsphere["vcenters"] = servers.map((server, index) => ({
    server,
    user: draw.pick(["admin", "DOMAIN\\admin", "admin@vsphere.local"]),
    password: draw.pick(["secret", "p: 'x'", "0123"]),
    datacenters: [datacenterOf(index)],
    ...(draw.chance(0.3) ? { port: draw.pick([443, 8443]) } : {}),
  }));
  const groups = known("hostGroups") && draw.chance(0.1);
  const networks = [draw.pick(["VM Network", "seg/ment", "net-1"])];
  const preview = draw.chance(0.3);
  vsphere["failureDomains"] = Array.from({ length: count }, (_, index) => {
    const datacenter = datacenterOf(index);
    const topology: Members = {
      datacenter,
      computeCluster: `/${datacenter}/host/C${index}`,
      networks,
      datastore: `/${datacenter}/datastore/ds${index}`,
    };
    if (draw.chance(0.3)) topology["resourcePool"] = `/${datacenter}/host/C${index}/Resources/pool`;
    if (draw.chance(0.3)) topology["folder"] = `/${datacenter}/vm/folder`;
    if (draw.chance(0.15)) topology["template"] = `/${datacenter}/vm/rhcos`;
    if (draw.chance(0.1))
      topology["tagIDs"] = ["urn:vmomi:InventoryServiceTag:11111111-2222-3333-4444-555555555555:GLOBAL"];
    if (preview && draw.chance(0.3)) topology["networks"] = [...networks, "second"];
    if (groups) topology["hostGroup"] = `group-${index}`;
    return {
      name: `fd-${index}`,
      region: groups ? "region" : `region-${index % servers.length}`,
      zone: `zone-${index}`,
      server: serverOf(index),
      ...(groups ? { regionType: "ComputeCluster", zoneType: "HostGroup" } : {}),
      topology,
    };
  });
  const templates = JSON.stringify(vsphere["failureDomains"]).includes('"template"');
  if (!templates && draw.chance(0.15)) vsphere["clusterOSImage"] = "http://mirror.example.com/rhcos.ova";
  if (draw.chance(0.3)) vsphere["diskType"] = draw.pick(["thin", "thick", "eagerZeroedThick"]);
  if (draw.chance(0.3)) vsphere["defaultMachinePlatform"] = vspherePool(setting);
  if (draw.chance(0.15))
    vsphere["nodeNetworking"] = {
      external: { networkSubnetCidr: inOrder(families, MACHINES), network: networks[0] ?? "" },
      ...(draw.chance(0.5) ? { internal: { excludeNetworkSubnetCidr: ["198.51.100.0/24"] } } : {}),
    };
  if (draw.chance(0.15) && families === "v4") vsphere["hosts"] = staticHosts(setting);
  return vsphere;
}

const staticHosts = ({ draw, machines }: Setting): Json[] =>
  [
    "bootstrap",
    ...Array.from({ length: machines.control }, () => "control-plane"),
    ...Array.from({ length: machines.compute }, () => "compute"),
  ].map((role, index) => ({
    role,
    ...(draw.chance(0.5) ? { failureDomain: "fd-0" } : {}),
    networkDevice: {
      ipAddrs: [`192.0.2.${20 + index}/24`],
      gateway: "192.0.2.1",
      nameservers: ["192.0.2.53"],
    },
  }));
