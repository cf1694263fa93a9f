/** What powervs puts into the config objects of manifests/ and openshift/ (openshift/installer pkg/asset/manifests). */
import { base64 } from "../../core/base64.js";
import { formatAddress, hostOf, networkOf, parseCidr } from "../../kubernetes/network.js";
import type { NormalPool } from "../config.js";
import type { MachineConfig, MachineRole, PlatformInput, PlatformManifests } from "../platform.js";
import {
  endpointOf,
  givenEndpoints,
  isDisconnected,
  isPrivate,
  mappedVpcRegion,
  poolSection,
  powervsOf,
  regionOf,
  vpcRegionOf,
} from "./config.js";
import { endpointsOf } from "./endpoints.js";
import { factsOf } from "./facts.js";
import { subnetName, vpcName, workspaceName } from "./names.js";
import { poolsOf } from "./pools.js";
import { has, regionNamed } from "./tables.js";

export const manifests: PlatformManifests = {
  infrastructure({ config, facts, release }) {
    const section = powervsOf(config);
    const crn = factsOf(facts).dnsZone?.instanceCRN ?? "";
    const endpoints = endpointsOf(config, mappedVpcRegion(section), release);
    const inStatus = has(release, "privateStatus") ? endpoints : givenEndpoints(section);
    return {
      type: "PowerVS",
      spec: {
        powervs: endpoints.length === 0 ? {} : { serviceEndpoints: endpoints.map((each) => ({ ...each })) },
      },
      status: {
        powervs: {
          ...(isPrivate(config) ? { dnsInstanceCRN: crn } : { cisInstanceCRN: crn }),
          region: regionOf(section),
          resourceGroup: section.powervsResourceGroup ?? "",
          ...(inStatus.length === 0 ? {} : { serviceEndpoints: inStatus.map((each) => ({ ...each })) }),
          zone: section.zone ?? "",
        },
      },
    };
  },

  /** Both kinds of cluster have their records in the zone of the base domain. */
  dns({ config, facts }) {
    const id = factsOf(facts).dnsZone?.id ?? "";
    return { ...(isPrivate(config) ? {} : { publicZone: { id } }), privateZone: { id } };
  },

  ingressPlatform: () => ({}),
  noProxy: () => [],
  cloudProviderConfig: (input) => ({ config: providerConfig(input) }),
  // The mode is Manual: operators get their keys by hand.
  credentialsSecret: () => undefined,
  networkMtu: () => undefined,
  gatewayConfig: ({ config }) =>
    config.networking.networkType === "OVNKubernetes"
      ? { ipv4: {}, ipv6: {}, routingViaHost: true }
      : undefined,
  machineConfigs,
  extra: () => [],
};

/** pkg/asset/manifests/powervs/cloudproviderconfig.go */
function providerConfig(input: PlatformInput): string {
  const { config, identity, facts, release } = input;
  const { infraID } = identity;
  const section = powervsOf(config);
  const { serviceInstanceGUID = "" } = section;
  const account = factsOf(facts).accountID ?? "";
  const endpoints = endpointsOf(config, vpcRegionOf(section), release);
  // Of a service that is named twice the later endpoint counts; the rules let none through.
  const endpoint = (service: string): string => endpointOf(endpoints, service) ?? "";
  const lines = [
    "[global]",
    "version = 1.1.0",
    "[kubernetes]",
    'config-file = ""',
    "[provider]",
    `accountID = ${account}`,
    `clusterID = ${infraID}`,
    "cluster-default-provider = g2",
    `region = ${vpcRegionOf(section)}`,
    "g2Credentials = /etc/vpc/ibmcloud_api_key",
    `g2ResourceGroupName = ${section.powervsResourceGroup ?? ""}`,
    `g2VpcName = ${vpcName(section, infraID, facts)}`,
    `g2workerServiceAccountID = ${account}`,
    `g2VpcSubnetNames = ${subnetNames(input).join(",")}`,
    `powerVSCloudInstanceID = ${serviceInstanceGUID}`,
    `powerVSCloudInstanceName = ${serviceInstanceGUID === "" ? workspaceName(infraID) : ""}`,
    `powerVSRegion = ${regionOf(section)}`,
    `powerVSZone = ${section.zone ?? ""}`,
    `g2EndpointOverride = ${endpoint("VPC")}`,
    `iamEndpointOverride = ${endpoint("IAM")}`,
    `powerVSEndpointOverride = ${endpoint("Power")}`,
    `rcEndpointOverride = ${endpoint("ResourceController")}`,
    ...(has(release, "managerEndpoint") ? [`rmEndpointOverride = ${endpoint("ResourceManager")}`] : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** Subnets that are named, and all of a VPC that is brought along; else those that the provider makes, one in each zone. */
function subnetNames({ config, identity, facts }: PlatformInput): readonly string[] {
  const section = powervsOf(config);
  const { vpcSubnets = [] } = section;
  const existing = section.vpcName ? (factsOf(facts).vpc?.subnets ?? []).map(({ name }) => name) : [];
  const known = [...vpcSubnets, ...existing];
  if (known.length > 0) return known;
  return (regionNamed(regionOf(section))?.vpcZones ?? []).map((zone) => subnetName(identity.infraID, zone));
}

const TIME_SERVER = "time.adn.networklayer.com";
/** Blocks of IBM's own network. */
const ROUTED = ["166.8.0.0/14", "161.26.0.0/16"];

/** pkg/asset/machines/{master,worker}.go, pkg/asset/machines/machineconfig */
function machineConfigs(input: PlatformInput, role: MachineRole, pool: NormalPool): readonly MachineConfig[] {
  const { config, release } = input;
  // Compute pools do not inherit the level.
  const level = role === "master" ? poolsOf(input).controlPlane.smtLevel : (poolSection(pool).smtLevel ?? "");
  return [
    {
      name: `99-${role}-multipath`,
      kernelArguments: ["rd.multipath=default", "root=/dev/disk/by-label/dm-mpath-root"],
    },
    ...(level === "" ? [] : [unitConfig(`99-${role}-powersmt`, smtUnit(level))]),
    ...(has(release, "disconnected") && isDisconnected(config)
      ? [
          {
            name: `99-${role}-chrony`,
            ignition: {
              storage: {
                files: [
                  {
                    path: "/etc/chrony.conf",
                    user: { name: "root" },
                    overwrite: true,
                    mode: 0o644,
                    contents: {
                      source: `data:text/plain;charset=utf-8;base64,${base64(CHRONY)}`,
                    },
                  },
                ],
              },
            },
          },
          unitConfig(`99-${role}-routes`, routesUnit(config.networking.machineNetwork[0]?.cidr ?? "")),
        ]
      : []),
  ];
}

const unitConfig = (name: string, contents: string): MachineConfig => ({
  name,
  ignition: { systemd: { units: [{ name: `${name}.service`, enabled: true, contents }] } },
});

const CHRONY = `server ${TIME_SERVER} iburst
driftfile /var/lib/chrony/drift
makestep 1.0 3
rtcsync
logdir /var/log/chrony`;

const smtUnit = (level: string): string => `[Unit]
Description=Set SMT
After=network-online.target
Before= crio.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/sbin/ppc64_cpu --smt=${level}
[Install]
WantedBy=multi-user.target`;

/** Through the first address of the machines' network, which is its gateway. */
function routesUnit(network: string): string {
  const block = parseCidr(network);
  const gateway = formatAddress((block === undefined ? undefined : hostOf(networkOf(block), 1)) ?? []);
  const routes = ROUTED.map((block) => `ExecStart=/usr/sbin/ip route add ${block} via ${gateway}\n`).join("");
  return `[Unit]
Description=Add routes
After=ovs-configuration.service
[Service]
Type=oneshot
RemainAfterExit=yes
${routes}
[Install]
WantedBy=network-online.target
`;
}
