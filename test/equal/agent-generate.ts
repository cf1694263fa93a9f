/**
 * Pairs of install-config.yaml and agent-config.yaml that a seed decides, for every platform of the agent-based
 * installer: a quarter valid, and the others each with a single fault in one of the two files.
 */
import { isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { type Draw, drawFrom } from "./draw.js";
import { set } from "./faults.js";
import type { Members } from "./generate.js";
import { BUNDLE, PULL_SECRETS, SSH_KEYS } from "./samples.js";

export const AGENT_PLATFORMS = ["none", "external", "baremetal", "vsphere", "nutanix"] as const;
export type AgentPlatform = (typeof AGENT_PLATFORMS)[number];

export interface AgentCase {
  readonly name: string;
  readonly installConfig: JsonObject;
  readonly agentConfig: JsonObject;
  readonly fault: string | undefined;
}

const VIRTUAL_IPS = { apiVIPs: ["192.0.2.5"], ingressVIPs: ["192.0.2.6"] };

interface Shape {
  readonly masters: number;
  readonly workers: number;
}

/** @param networks whether hosts may have static networks, for which the installer runs nmstatectl */
export function agentCaseOf(
  platform: AgentPlatform,
  seed: number,
  index: number,
  networks: boolean,
): AgentCase {
  const draw = drawFrom(seed * 100_019 + index * 11 + AGENT_PLATFORMS.indexOf(platform));
  const isSingle = (platform === "none" || platform === "external") && draw.chance(0.4);
  const shape = isSingle
    ? { masters: 1, workers: 0 }
    : { masters: draw.pick([3, 3, 3, 4, 5]), workers: draw.pick([0, 0, 2, 3]) };
  const installConfig = installConfigOf(draw, platform, shape);
  const agentConfig = agentConfigOf(draw, platform, shape, networks);
  const name = `agent-${platform}-${seed}-${index}`;
  if (!draw.chance(0.75)) return { name, installConfig, agentConfig, fault: undefined };
  const { file, at, to } = draw.pick(
    FAULTS.filter((each) => each.platform === undefined || each.platform === platform),
  );
  const { value } = draw.pick(to.map((each) => ({ value: each })));
  const changed = (config: JsonObject): JsonObject => {
    const made = set(config, at.split("."), value);
    return isObject(made) ? made : config;
  };
  return {
    name,
    installConfig: file === "install" ? changed(installConfig) : installConfig,
    agentConfig: file === "agent" ? changed(agentConfig) : agentConfig,
    fault: `${file}-config ${at} = ${JSON.stringify(value) ?? "absent"}`,
  };
}

function installConfigOf(draw: Draw, platform: AgentPlatform, { masters, workers }: Shape): JsonObject {
  const architecture =
    platform === "none" && draw.chance(0.2) ? draw.pick(["arm64", "s390x", "ppc64le"]) : undefined;
  const machine: Members = architecture === undefined ? {} : { architecture };
  const config: Members = {
    apiVersion: "v1",
    baseDomain: draw.pick(["example.net", "sea.example.org"]),
    metadata: {
      name: draw.pick(["ostest", "a-1", "a".repeat(30)]),
      ...(draw.chance(0.2) ? { namespace: draw.pick(["site", "ostest"]) } : {}),
    },
    controlPlane: { name: "master", replicas: masters, ...machine },
    compute: [{ name: "worker", replicas: workers, ...machine }],
    networking: {
      networkType: masters === 1 ? "OVNKubernetes" : draw.pick(["OVNKubernetes", "OVNKubernetes", "Calico"]),
      machineNetwork: [{ cidr: "192.0.2.0/24" }],
      clusterNetwork: [{ cidr: "10.128.0.0/14", hostPrefix: draw.pick([23, 24]) }],
      serviceNetwork: ["172.30.0.0/16"],
    },
    platform: { [platform]: platformOf(draw, platform) },
    pullSecret: draw.pick(PULL_SECRETS),
  };
  if (draw.chance(0.8)) config["sshKey"] = draw.pick(SSH_KEYS);
  if (draw.chance(0.3))
    config["proxy"] = {
      httpProxy: draw.pick(["http://proxy.example.net:3128", "http://u:p%20w@proxy.example.net:3128"]),
      ...(draw.chance(0.5) ? { httpsProxy: "http://proxy.example.net:3129" } : {}),
      ...(draw.chance(0.5) ? { noProxy: draw.pick([".example.net", "192.0.2.0/24,.x"]) } : {}),
    };
  if (draw.chance(0.3)) {
    config["imageDigestSources"] = [
      {
        source: draw.pick(["quay.io/openshift-release-dev/ocp-release", "quay.io/other"]),
        mirrors: draw.some(["registry.example.net:5000/ocp", "other.example.net/ocp"]),
      },
      { source: "registry.example.org/a", mirrors: ["m.example.net/a"] },
    ];
  }
  if (draw.chance(0.3)) {
    config["additionalTrustBundle"] = BUNDLE;
    if (draw.chance(0.6)) config["additionalTrustBundlePolicy"] = draw.pick(["Always", "Proxyonly"]);
  }
  if (draw.chance(0.15)) config["cpuPartitioningMode"] = draw.pick(["AllNodes", "None"]);
  if (draw.chance(0.15)) config["featureSet"] = draw.pick(["TechPreviewNoUpgrade", "DevPreviewNoUpgrade"]);
  return config;
}

function platformOf(draw: Draw, platform: AgentPlatform): JsonObject {
  switch (platform) {
    case "none":
      return {};
    case "external":
      return draw.pick<JsonObject>([
        {},
        { platformName: "other" },
        { platformName: "oci", cloudControllerManager: "External" },
        { platformName: "other", cloudControllerManager: "None" },
      ]);
    case "baremetal":
      return {
        ...VIRTUAL_IPS,
        ...(draw.chance(0.2)
          ? { loadBalancer: { type: draw.pick(["UserManaged", "OpenShiftManagedDefault"]) } }
          : {}),
        ...(draw.chance(0.2) ? { additionalNTPServers: ["ntp.example.net"] } : {}),
        ...(draw.chance(0.2) ? { provisioningNetwork: draw.pick(["Disabled", "Managed", "Unmanaged"]) } : {}),
      };
    case "vsphere":
      return draw.chance(0.4)
        ? VIRTUAL_IPS
        : {
            ...VIRTUAL_IPS,
            vcenters: [{ server: "vc.example.net", user: "u", password: "pw", datacenters: ["dc1"] }],
            failureDomains: [
              {
                name: "fd1",
                region: "r1",
                zone: "z1",
                server: "vc.example.net",
                topology: {
                  datacenter: "dc1",
                  computeCluster: "/dc1/host/c1",
                  datastore: "/dc1/datastore/ds1",
                  networks: ["net1"],
                  resourcePool: "/dc1/host/c1/Resources",
                  folder: "/dc1/vm/f",
                },
              },
            ],
          };
    case "nutanix":
      return {
        ...VIRTUAL_IPS,
        prismCentral: {
          endpoint: { address: "pc.example.net", port: 9440 },
          username: "u",
          password: "pw",
        },
        prismElements: [
          {
            endpoint: { address: "pe.example.net", port: 9440 },
            uuid: "0005b0f8-8f43-a0f2-02b7-3cecef193712",
          },
        ],
        subnetUUIDs: ["c7938dc6-7659-453e-a688-e26020c68e43"],
      };
  }
}

function agentConfigOf(
  draw: Draw,
  platform: AgentPlatform,
  { masters, workers }: Shape,
  networks: boolean,
): JsonObject {
  const roles = [
    ...Array.from({ length: masters }, () => "master"),
    ...Array.from({ length: workers }, () => "worker"),
  ];
  const hosts = draw.chance(0.8) ? roles.map((role, index) => hostOf(draw, role, index, networks)) : [];
  const isStatic = hosts.some((host) => host["networkConfig"] !== undefined && host["role"] === "master");
  return {
    apiVersion: draw.pick(["v1beta1", "v1beta1", "v1alpha1"]),
    kind: "AgentConfig",
    metadata: { name: "ostest" },
    ...(isStatic && draw.chance(0.5) ? {} : { rendezvousIP: "192.0.2.20" }),
    ...(hosts.length === 0 ? {} : { hosts }),
    ...(draw.chance(0.3) ? { additionalNTPSources: ["ntp.example.net", "192.0.2.1"] } : {}),
    ...(draw.chance(0.2) ? { bootArtifactsBaseURL: "http://boot.example.net/agent" } : {}),
    ...(draw.chance(0.1) && platform !== "external" ? { minimalISO: true } : {}),
  };
}

const mac = (index: number): string => `52:54:00:aa:bb:${(index + 1).toString(16).padStart(2, "0")}`;

function hostOf(draw: Draw, role: string, index: number, networks: boolean): Members {
  const host: Members = {
    interfaces: [{ name: "eno1", macAddress: draw.chance(0.2) ? mac(index).toUpperCase() : mac(index) }],
    ...(draw.chance(0.8) ? { hostname: `${role}-${index}` } : {}),
    ...(draw.chance(0.9) ? { role } : {}),
  };
  if (draw.chance(0.3))
    host["rootDeviceHints"] = draw.pick<JsonObject>([
      { deviceName: "/dev/sda" },
      { minSizeGigabytes: 120, rotational: false },
      { wwn: "0x5000c500a0b1c2d3", vendor: "A" },
    ]);
  if (draw.chance(0.15))
    host["bmc"] = {
      address: `redfish://192.0.2.${100 + index}/redfish/v1/Systems/1`,
      username: "u",
      password: "p",
    };
  if (networks && draw.chance(0.5)) host["networkConfig"] = networkOf(draw, index);
  return host;
}

const networkOf = (draw: Draw, index: number): JsonObject => ({
  interfaces: [
    {
      name: "eno1",
      type: "ethernet",
      state: "up",
      ...(draw.chance(0.7) ? { "mac-address": mac(index) } : {}),
      ...(draw.chance(0.3) ? { mtu: 9000 } : {}),
      ipv4: {
        enabled: true,
        dhcp: false,
        address: [{ ip: `192.0.2.${20 + index}`, "prefix-length": 24 }],
      },
      ...(draw.chance(0.3) ? { ipv6: { enabled: false } } : {}),
    },
    ...(draw.chance(0.3)
      ? [
          {
            name: "eno1.404",
            type: "vlan",
            state: "up",
            vlan: { "base-iface": "eno1", id: 404 },
            ipv4: { enabled: true, dhcp: true },
          },
        ]
      : []),
  ],
  ...(draw.chance(0.5) ? { "dns-resolver": { config: { server: ["192.0.2.1"] } } } : {}),
  ...(draw.chance(0.5)
    ? {
        routes: {
          config: [
            {
              destination: "0.0.0.0/0",
              "next-hop-address": "192.0.2.1",
              "next-hop-interface": "eno1",
            },
          ],
        },
      }
    : {}),
});

interface Fault {
  readonly file: "install" | "agent";
  readonly at: string;
  readonly to: readonly (Json | undefined)[];
  readonly platform?: AgentPlatform;
}

const install = (at: string, ...to: readonly (Json | undefined)[]): Fault => ({ file: "install", at, to });
const agent = (at: string, ...to: readonly (Json | undefined)[]): Fault => ({ file: "agent", at, to });
const on = (platform: AgentPlatform, fault: Fault): Fault => ({ ...fault, platform });
const below = (platform: AgentPlatform, at: string, ...to: readonly (Json | undefined)[]): Fault =>
  on(platform, install(`platform.${platform}.${at}`, ...to));

const FAULTS: readonly Fault[] = [
  agent("apiVersion", "v1", "v2beta1", undefined, ""),
  agent("unknown", 1),
  agent("rendezvousIP", "192.0.2", "a", "", "192.0.2.300", "2001:db8::1"),
  agent("additionalNTPSources", ["ntp.example.net."], ["a_b"], [""], ["http://ntp"]),
  agent("additionalNTPSources.1", "-x", "1.2.3"),
  agent("bootArtifactsBaseURL", "boot.example.net", "://x", "http//x"),
  agent("minimalISO", "yes", true),
  agent("hosts", "x", [{}]),
  agent("hosts.0.interfaces", [], undefined),
  agent(
    "hosts.0.interfaces.0.macAddress",
    "",
    "52-54-00-aa-bb-01",
    "01:00:5e:00:00:01",
    "x",
    "52:54:00:aa:bb:02",
  ),
  agent("hosts.1.interfaces.0.macAddress", "52:54:00:aa:bb:01"),
  agent("hosts.0.interfaces.1", { name: "eno1", macAddress: "52:54:00:aa:cc:01" }),
  agent("hosts.0.role", "controller", "worker", "arbiter", "MASTER"),
  agent("hosts.0.hostname", "localhost", "A_b", "-x", "a".repeat(64), ""),
  agent(
    "hosts.0.rootDeviceHints",
    { deviceName: "sda" },
    { deviceName: "/dev/disk/by-id/x" },
    { wwnWithExtension: "x" },
    { wwnVendorExtension: "y" },
    { deviceName: "/dev/disk/by-other/x" },
  ),
  agent("hosts.0.rootDeviceHints.minSizeGigabytes", "x", -1),
  agent("hosts.0.unknown", 1),
  agent("hosts.9", {
    hostname: "more",
    role: "master",
    interfaces: [{ name: "a", macAddress: "52:54:00:aa:dd:01" }],
  }),
  install("apiVersion", "v2", undefined),
  install("baseDomain", "", undefined, "-x.example.net", "UPPER.example.net"),
  install("metadata.name", "", undefined, "A", "a_b", "a".repeat(64), "-a"),
  install("unknown", 1),
  install("pullSecret", "", "{}", "x", '{"auths":{"a":{}}}'),
  install("sshKey", "not a key"),
  install("controlPlane.replicas", 0, 2, 6, 7, undefined),
  install("controlPlane.architecture", "s390x", "x86", "arm64"),
  install("controlPlane.name", "main"),
  install("compute.0.replicas", -1, "x", undefined),
  install("compute.0.architecture", "arm64", "ppc64le"),
  install("compute.0.name", "infra"),
  install("compute.1", { name: "worker", replicas: 1 }, { name: "edge", replicas: 0 }),
  install("arbiter", { name: "arbiter", replicas: 1 }),
  install("networking.networkType", "OpenShiftSDN", "Kuryr", ""),
  install("networking.machineNetwork", [], [{ cidr: "x" }], [{ cidr: "10.128.0.0/16" }]),
  install("networking.clusterNetwork.0.hostPrefix", 26, 30, 13, 15, 16),
  install("networking.clusterNetwork.0.cidr", "10.128.0.0", "192.0.2.0/25", "10.128.0.1/14"),
  install("networking.serviceNetwork", [], ["x"], ["172.30.0.0/16", "172.31.0.0/16"]),
  install("proxy", { httpProxy: "ftp://x" }, { httpProxy: "x" }, { noProxy: "x y" }, {}),
  install("imageDigestSources.0.source", "", "UPPER/x", "quay.io/x:tag"),
  install("imageContentSources", [{ source: "quay.io/a", mirrors: ["m.example.net/a"] }]),
  install("additionalTrustBundle", "x", ""),
  install("additionalTrustBundlePolicy", "Never"),
  install("cpuPartitioningMode", "Some"),
  install("featureSet", "Unknown", "CustomNoUpgrade"),
  install("featureGates", ["A=true"]),
  install("credentialsMode", "Manual", "Mint"),
  install("publish", "Internal", "External", "Mixed"),
  install("fips", true),
  install("capabilities", { baselineCapabilitySet: "None" }, { baselineCapabilitySet: "x" }),
  install("osImageStream", "rhel-10", "x"),
  install("platform", {}, { aws: { region: "eu-west-1" } }, { none: {}, external: {} }),
  below("external", "platformName", "oci", ""),
  below("external", "cloudControllerManager", "x", "External"),
  below(
    "baremetal",
    "apiVIPs",
    undefined,
    [],
    ["192.0.2.6"],
    ["198.51.100.1"],
    ["x"],
    ["192.0.2.5", "192.0.2.7"],
  ),
  below("baremetal", "ingressVIPs", undefined, ["192.0.2.5"], ["198.51.100.1"]),
  below("baremetal", "provisioningNetwork", "x"),
  below("baremetal", "hosts", [{ name: "a", bootMACAddress: "52:54:00:aa:bb:01" }], [{ name: "a" }]),
  below("baremetal", "loadBalancer.type", "x"),
  below("baremetal", "externalBridge", "br0"),
  below("vsphere", "apiVIPs", undefined, [], ["192.0.2.6"], ["198.51.100.1"]),
  below("vsphere", "vcenters.0.password", "", undefined),
  below("vsphere", "vcenters.0.server", "", "https://vc.example.net", undefined),
  below("vsphere", "vcenters.0.user", ""),
  below("vsphere", "vcenters.0.datacenters", [], ["other"]),
  below("vsphere", "failureDomains.0.topology.folder", "", undefined, "f"),
  below("vsphere", "failureDomains.0.server", "other", ""),
  below("vsphere", "diskType", "thin", "x"),
  below("nutanix", "apiVIPs", undefined, [], ["198.51.100.1"]),
  below("nutanix", "prismCentral.username", ""),
  below("nutanix", "prismCentral.endpoint.address", "", "pc_1"),
  below("nutanix", "prismElements", [], undefined),
  below("nutanix", "subnetUUIDs", [], undefined, ["a", "a"]),
];
