/**
 * The network of an AzureCluster: a new one, or subnets that are brought along (openshift/installer
 * pkg/asset/manifests/azure/cluster.go, pkg/types/azure/network.go).
 */
import ipaddr from "ipaddr.js";
import { byCodeUnit } from "../../../core/files.js";
import type { JsonObject } from "../../../core/json.js";
import { formatCidr, isV4, parseCidr } from "../../../kubernetes/network.js";
import type { PlatformInput } from "../../platform.js";
import { splitIPv4 } from "../../subnet-blocks.js";
import {
  type AzureConfig,
  azureOf,
  CONTROL_PLANE,
  isStack,
  LOAD_BALANCER,
  MULTI_ZONE,
  NODE,
  OWN_ROUTES,
  ownSubnets,
  publishesApi,
  SINGLE_ZONE,
  subnetsFor,
} from "../config.js";
import { azureFactsOf, subnetFact } from "../facts/view.js";
import { madeNodeSubnet, subnetsByZone } from "../machines/pools.js";
import { has } from "../tables.js";

/** What the provider takes where nothing else is said. */
const PREFERRED_ADDRESS = "10.0.0.100";
/** Azure keeps the first four addresses of a subnet. */
const FIRST_FREE = 4;
/** A subnet with an identifier counts as one that is there, so that the provider makes no NAT gateway for it. */
const NO_GATEWAY_ID = "UNKNOWN";
const API_PORT = "6443";
const SSH_PORT = "22";
const KONNECTIVITY_PORT = "8091";

/** Address blocks of the subnets, by what they are for; `undefined` where the machine networks cannot be split. */
interface Blocks {
  readonly controlPlane: readonly string[];
  /** A list for each subnet of nodes. */
  readonly nodes: readonly (readonly string[])[];
  /** Further networks, each a subnet of nodes of its own. */
  readonly further: readonly (readonly string[])[];
  /** Every block before those of nodes were split by zones, IPv4 before IPv6; security rules name them. */
  readonly all: readonly { readonly block: string; readonly ipv4: boolean }[];
}

export interface ClusterNetwork {
  readonly subnets: readonly JsonObject[];
  /** Address blocks of the virtual network. */
  readonly blocks: readonly string[];
  /** Address of the internal load balancer; empty where there is none to be had. */
  readonly address: string;
  /** True where nobody knows whether the address is free. */
  readonly addressAssumed: boolean;
  /** False when the machine networks cannot be split into the subnets that are made. */
  readonly fits: boolean;
}

const NONE: Blocks = { controlPlane: [], nodes: [[]], further: [], all: [] };

export function clusterNetwork(input: PlatformInput): ClusterNetwork {
  const { config, release } = input;
  const azure = azureOf(config);
  const facts = azureFactsOf(input.facts);
  const zones = gatewayZones(input);
  const blocks = blocksOf(input, zones.length);
  const group = securityGroup(input, blocks ?? NONE);
  const made = blocks ?? NONE;
  const own = azure.virtualNetwork ? facts.virtualNetwork : undefined;
  const machineNetworks = config.networking.machineNetwork.map(({ cidr }) => cidr);
  const { address, assumed } = balancerAddress(input, made);
  return {
    subnets: (has(release, "subnetList") ? subnetsOf : twoSubnets)(input, made, zones).map((subnet) => ({
      ...subnet,
      securityGroup: group,
    })),
    blocks:
      own === undefined
        ? has(release, "rulesByNetwork")
          ? machineNetworks
          : machineNetworks.slice(0, 1)
        : (own.addressPrefixes ?? []),
    address,
    addressAssumed: assumed,
    fits: blocks !== undefined,
  };
}

/** Zones of NAT gateways, where there are several. */
function gatewayZones({ config, identity, release, facts }: PlatformInput): readonly string[] {
  const azure = azureOf(config);
  if (azure.outboundType !== MULTI_ZONE) return [];
  return [...subnetsByZone(azure, azureFactsOf(facts), identity.infraID, release).keys()].sort(byCodeUnit);
}

/** One network is halved, the first half for the control plane; of several the first is the control plane's. */
function blocksOf({ config, release }: PlatformInput, zones: number): Blocks | undefined {
  const cidrs = config.networking.machineNetwork.flatMap(({ cidr }) => parseCidr(cidr) ?? []);
  if (!has(release, "rulesByNetwork"))
    return firstNetwork(config.networking.machineNetwork[0]?.cidr ?? "", zones);
  const networks = (ipv4: boolean): string[] => cidrs.filter((each) => isV4(each) === ipv4).map(formatCidr);
  const [own4, own6] = [networks(true), networks(false)];
  const four = own4.length === 1 ? splitIPv4(own4[0] ?? "", 2) : own4;
  const six = own6.length === 1 ? splitIPv6(own6[0] ?? "", 2) : own6;
  if (four === undefined || four.length === 0 || six.length > four.length) return undefined;
  const pair = (index: number): string[] => [four[index], six[index]].flatMap((each) => each ?? []);
  const split4 = zones === 0 ? undefined : splitIPv4(four[1] ?? "", zones);
  if (zones > 0 && split4 === undefined) return undefined;
  const split6 = zones === 0 || six.length < 2 ? [] : splitIPv6(six[1] ?? "", zones);
  return {
    controlPlane: pair(0),
    nodes:
      split4 === undefined
        ? [pair(1)]
        : split4.map((block, index) => [block, ...(split6[index] === undefined ? [] : [split6[index]])]),
    further: four.slice(2).map((_, index) => pair(index + 2)),
    all: [...four.map((block) => ({ block, ipv4: true })), ...six.map((block) => ({ block, ipv4: false }))],
  };
}

/** Releases before 4.22 look at the first network alone. */
function firstNetwork(cidr: string, zones: number): Blocks | undefined {
  const parts = splitIPv4(cidr, zones === 0 ? 2 : zones + 1);
  if (parts === undefined) return undefined;
  const [first = "", ...others] = parts;
  return {
    controlPlane: [first],
    nodes: others.map((block) => [block]),
    further: [],
    all: [{ block: cidr, ipv4: true }],
  };
}

/** Networks of 64 bits that follow the block's first one, as the installer counts them up. */
function splitIPv6(block: string, count: number): string[] {
  const [address] = ipaddr.IPv6.parseCIDR(block);
  const bytes = address.toByteArray().map((byte, index) => (index < 8 ? byte : 0));
  return Array.from({ length: count }, (_, index) => {
    const next = bytes.map((byte, at) => (at === 7 ? (byte + index + 1) % 256 : byte));
    return `${new ipaddr.IPv6(next).toRFC5952String()}/64`;
  });
}

/** The rules of the one security group, which every subnet has. */
function securityGroup({ config, identity, release }: PlatformInput, { all }: Blocks): JsonObject {
  const { infraID } = identity;
  const rule = (name: string, port: string, source: string, priority: number): JsonObject => ({
    action: "Allow",
    description: "",
    destination: "*",
    destinationPorts: port,
    direction: "Inbound",
    name,
    priority,
    protocol: "Tcp",
    source,
    sourcePorts: "*",
  });
  const group = (securityRules: readonly JsonObject[]): JsonObject => ({
    name: `${infraID}-nsg`,
    securityRules,
  });
  if (!has(release, "rulesByNetwork")) {
    const source = config.publish === "Internal" ? (all[0]?.block ?? "*") : "*";
    return group([
      rule("apiserver_in", API_PORT, source, 101),
      ...(has(release, "subnetList") ? [rule(`${infraID}_ssh_in`, SSH_PORT, source, 220)] : []),
    ]);
  }
  if (publishesApi(config) || all.length === 0)
    return group([
      rule("apiserver_in", API_PORT, "*", 100),
      rule("ssh_in", SSH_PORT, "*", 220),
      ...(has(release, "konnectivity") ? [rule("konnectivity_in", KONNECTIVITY_PORT, "*", 230)] : []),
    ]);
  const families = [all.filter(({ ipv4 }) => ipv4), all.filter(({ ipv4 }) => !ipv4)];
  const passed = [
    { name: "apiserver_in", port: API_PORT },
    { name: "ssh_in", port: SSH_PORT },
    ...(has(release, "konnectivity") ? [{ name: "konnectivity_in", port: KONNECTIVITY_PORT }] : []),
  ];
  let priority = 90;
  return group(
    families.flatMap((blocks, six) =>
      blocks.flatMap(({ block }, index) => {
        const end = `ipv${six === 0 ? 4 : 6}_${String(index).padStart(2, "0")}`;
        return passed.map(({ name, port }) => {
          priority += 10;
          return rule(`${name}_${end}`, port, block, priority);
        });
      }),
    ),
  );
}

/** Further networks first, then the subnets that are brought along by name, then those that are made. */
function subnetsOf(input: PlatformInput, blocks: Blocks, zones: readonly string[]): JsonObject[] {
  const { config, identity, release } = input;
  const { infraID } = identity;
  const azure = azureOf(config);
  const facts = azureFactsOf(input.facts);
  const several = azure.outboundType === MULTI_ZONE;
  const id = bySubnetID(azure);
  const zoneAt = (index: number): string => zones[index % zones.length] ?? "";
  const own = [...ownSubnets(azure, release)].sort((a, b) => byCodeUnit(a.name, b.name));
  const nodes = own.filter(({ role }) => role === NODE);
  const ownGateway = (name: string, index: number): JsonObject => {
    const turn = nodes.findIndex((each) => each.name === name);
    if (turn < 0 || !(several || (azure.outboundType === SINGLE_ZONE && turn === 0))) return {};
    return {
      natGateway: {
        ip: { name: `${infraID}-publicip-${index}` },
        name: `${infraID}-natgw-${index}`,
        ...(several ? { zones: [zoneAt(turn)] } : {}),
      },
    };
  };
  const madeNodes = (): JsonObject[] =>
    several
      ? blocks.nodes.map((cidrBlocks, index) => ({
          cidrBlocks,
          name: madeNodeSubnet(infraID, index),
          natGateway: {
            name: `${infraID}-natgw-${has(release, "rulesByNetwork") ? index : index + 1}`,
            zones: [zoneAt(index)],
          },
          role: NODE,
        }))
      : [
          {
            cidrBlocks: blocks.nodes[0] ?? [],
            ...id,
            name: madeNodeSubnet(infraID, 0),
            ...(azure.outboundType === SINGLE_ZONE ? { natGateway: { name: `${infraID}-natgw` } } : {}),
            role: NODE,
          },
        ];
  return [
    ...blocks.further.map((cidrBlocks, index) => ({
      cidrBlocks,
      ...id,
      name: `subnet_${String(index).padStart(2, "0")}`,
      role: NODE,
    })),
    ...own.map(({ name, role }, index) => ({
      cidrBlocks: subnetFact(facts, name)?.blocks ?? [],
      id: subnetFact(facts, name)?.id ?? "",
      name,
      ...ownGateway(name, index),
      role,
    })),
    ...(nodes.length === 0 ? madeNodes() : []),
    ...(own.some(({ role }) => role === CONTROL_PLANE)
      ? []
      : [{ cidrBlocks: blocks.controlPlane, name: `${infraID}-master-subnet`, role: CONTROL_PLANE }]),
  ];
}

const bySubnetID = ({ outboundType }: AzureConfig): JsonObject =>
  outboundType === LOAD_BALANCER || outboundType === OWN_ROUTES ? { id: NO_GATEWAY_ID } : {};

/** Before 4.21 there are two subnets, made or brought along. */
function twoSubnets({ config, identity, release, facts }: PlatformInput, blocks: Blocks): JsonObject[] {
  const azure = azureOf(config);
  const { infraID } = identity;
  const named = (role: string, made: string, block: readonly string[]): JsonObject => {
    const [own] = subnetsFor(azure, release, role);
    const known = own === undefined ? undefined : subnetFact(azureFactsOf(facts), own)?.blocks;
    return {
      cidrBlocks: known ?? block,
      name: own ?? made,
      role,
    };
  };
  return [
    named(CONTROL_PLANE, `${infraID}-master-subnet`, blocks.controlPlane),
    {
      ...named(NODE, `${infraID}-worker-subnet`, blocks.nodes[0] ?? []),
      ...bySubnetID(azure),
      ...(azure.outboundType === SINGLE_ZONE ? { natGateway: { name: `${infraID}-natgw` } } : {}),
    },
  ];
}

const contains = (block: string, address: string): boolean => {
  if (!ipaddr.isValidCIDR(block) || !ipaddr.isValid(address)) return false;
  const [base, prefix] = ipaddr.parseCIDR(block);
  const given = ipaddr.parse(address);
  return given.kind() === base.kind() && given.match(base, prefix);
};

/** The address if it lies in a block, else the first that is free in the first block. */
function addressIn(blocks: readonly string[], address: string): string {
  if (blocks.some((block) => contains(block, address))) return address;
  return firstFree(blocks[0] ?? "");
}

function firstFree(block: string): string {
  const cidr = parseCidr(block);
  if (cidr === undefined) return "";
  const [base] = ipaddr.parseCIDR(formatCidr(cidr));
  const bytes = base.toByteArray();
  const last = bytes.length - 1;
  return ipaddr
    .fromByteArray(bytes.map((byte, index) => (index === last ? (byte + FIRST_FREE) % 256 : byte)))
    .toString();
}

/**
 * The address of the internal load balancer. In a network that is brought along somebody else may have it; Azure Stack
 * Hub cannot be asked.
 */
function balancerAddress(
  { config, release, facts }: PlatformInput,
  blocks: Blocks,
): { readonly address: string; readonly assumed: boolean } {
  const azure = azureOf(config);
  const known = azureFactsOf(facts);
  const made = [
    ...blocks.controlPlane.slice(0, 1),
    ...blocks.nodes.map(([block = ""]) => block),
    ...blocks.further.map(([block = ""]) => block),
  ].filter((block) => block !== "" && !block.includes(":"));
  const own = subnetsFor(azure, release, CONTROL_PLANE).at(-1);
  const ownBlocks = own === undefined ? [] : (subnetFact(known, own)?.blocks ?? []);
  const preferred = addressIn(made, PREFERRED_ADDRESS);
  const wanted = own === undefined ? preferred : addressIn(ownBlocks, preferred);
  if (!azure.virtualNetwork) return { address: wanted, assumed: false };
  const allowed = own === undefined ? config.networking.machineNetwork.map(({ cidr }) => cidr) : ownBlocks;
  const isAllowed = (address: string): boolean => allowed.some((block) => contains(block, address));
  if (isStack(azure)) {
    const stays = has(release, "rulesByNetwork") && contains(allowed[0] ?? "", wanted);
    return { address: stays ? wanted : firstFree(allowed[0] ?? ""), assumed: false };
  }
  const check = known.loadBalancerAddress;
  if (check === undefined) return { address: isAllowed(wanted) ? wanted : "", assumed: true };
  if (check.available && isAllowed(wanted)) return { address: wanted, assumed: false };
  return { address: (check.availableIPAddresses ?? []).find(isAllowed) ?? "", assumed: false };
}
