/** MTU of the cluster network and the join subnet (docs/reference/install-config-and-manifests.md §1.4, §1.7). */
import { formatCidr, NO_CIDR, networkFault, overlap, parseCidr } from "../../../kubernetes/network.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { activeTraits, platformsWith } from "../../../platforms/registry.js";
import { quote } from "../../../text/quote.js";
import { blocksOf, networkMessage } from "./networking.js";

/** What OVN-Kubernetes needs of every packet for itself, in bytes. */
const OVERHEAD = 100;
/** Addresses of the join subnet that no node gets: network, broadcast and gateway. */
const JOIN_SUBNET_RESERVED = 3;
const NEARLY_FULL = 0.9;
const IPV6_BYTES = 16;

const MTU_BY_MANIFEST =
  "leave it out; elsewhere spec.defaultNetwork.ovnKubernetesConfig.mtu of a Network (operator.openshift.io/v1) in manifests/cluster-network-03-config.yml sets it";

export function validateMtu(config: NormalConfig, context: RuleContext): void {
  const mtu = config.networking.clusterNetworkMTU ?? 0;
  if (mtu === 0) return;
  const invalid = (message: string, hint: string) =>
    context.report({ code: "IC156", kind: "Invalid", field: "networking.clusterNetworkMTU", message, hint });
  const limits = activeTraits(config)?.clusterMtu;
  if (limits === undefined) {
    const possible = platformsWith(({ clusterMtu }) => clusterMtu !== undefined);
    invalid(`the MTU of the cluster network can be set on ${possible} only`, MTU_BY_MANIFEST);
    return;
  }
  const most = limits.most - OVERHEAD;
  if (mtu < limits.least || mtu > limits.most)
    invalid(`the MTU ${mtu} is out of range`, `use ${limits.least} to ${most}`);
  else if (config.networking.networkType !== "OVNKubernetes")
    invalid(
      `the MTU cannot be set with the network plug-in ${quote(config.networking.networkType)}`,
      "leave it out, or use OVNKubernetes",
    );
  else if (mtu > most)
    invalid(
      `the MTU ${mtu} leaves OVN-Kubernetes no room for its headers in the ${limits.most} bytes of ${limits.of}`,
      `use at most ${most}`,
    );
  else if (mtu > limits.edge - OVERHEAD && config.compute.some(({ name }) => name === "edge"))
    context.report({
      code: "IC166",
      severity: "warning",
      kind: "Invalid",
      field: "networking.clusterNetworkMTU",
      message: `most Local and Wavelength Zones carry no more than ${limits.edge} bytes to the region; the MTU is ${mtu}`,
      hint: `use at most ${limits.edge - OVERHEAD}, unless every zone of the edge pool carries more`,
    });
}

export function validateJoinSubnet(config: NormalConfig, context: RuleContext): void {
  const { networking } = config;
  const ovn = networking.ovnKubernetesConfig;
  if (ovn === undefined) return;
  if (networking.networkType.toLowerCase() !== "ovnkubernetes")
    context.report({
      code: "IC157",
      kind: "Invalid",
      field: "networking.networkType",
      message: `ovnKubernetesConfig is set, but the network plug-in is ${quote(networking.networkType)}`,
      hint: "write OVNKubernetes, or leave ovnKubernetesConfig out",
    });
  const text = ovn.ipv4?.internalJoinSubnet;
  if (text === undefined) return;
  const join = parseCidr(text) ?? NO_CIDR;
  const field = "networking.ovnKubernetesConfig.ipv4.internalJoinSubnet";
  const invalid = (message: string, hint: string) =>
    context.report({ code: "IC157", kind: "Invalid", field, message, hint });
  const fault = networkFault(join);
  if (fault !== undefined) {
    invalid(...networkMessage(join, fault));
    return;
  }
  const { machines, services, pods } = blocksOf(networking);
  for (const block of [...pods, ...machines, ...services])
    if (overlap(join, block.cidr))
      invalid(
        `the join subnet ${formatCidr(join)} overlaps ${formatCidr(block.cidr)} (${block.field})`,
        "give it a block of its own",
      );
  const nodes = largestNodeCount(config);
  const room = 2 ** (32 - join.prefix) - JOIN_SUBNET_RESERVED;
  if (nodes === undefined)
    context.report({
      code: "IC157",
      kind: "InternalError",
      field,
      message: "whether the join subnet is large enough cannot be told, since a host prefix is wrong",
      hint: "correct networking.clusterNetwork first",
    });
  else if (join.prefix > 32)
    invalid(`the join subnet ${formatCidr(join)} is not an IPv4 block`, "give an IPv4 block");
  else if (nodes >= room)
    invalid(
      `the join subnet ${formatCidr(join)} has too few addresses for the ${nodes} nodes that the cluster network has room for`,
      `use a larger block, at least /${Math.max(1, 32 - Math.ceil(Math.log2(nodes + JOIN_SUBNET_RESERVED + 1)))}`,
    );
  else if (nodes >= room * NEARLY_FULL)
    context.report({
      code: "IC161",
      severity: "warning",
      kind: "Invalid",
      field,
      message: `the join subnet ${formatCidr(join)} is nearly full: ${room} addresses for up to ${nodes} nodes`,
      hint: "it cannot be changed after the installation; use a larger block",
    });
}

/** How many nodes the join subnet has room for when it is not moved: 100.64.0.0/16. */
export const roomOfDefaultJoinSubnet = (): number => 2 ** (32 - 16) - JOIN_SUBNET_RESERVED;

/** How many nodes get a part of the IPv4 cluster networks; undefined when a host prefix is shorter than its block. */
export function largestNodeCount({ networking }: NormalConfig): number | undefined {
  let nodes = 0;
  for (const { cidr, hostPrefix } of blocksOf(networking).pods) {
    if (cidr.address.length === IPV6_BYTES) continue;
    if (hostPrefix < cidr.prefix) return undefined;
    nodes += powerOfTwo(hostPrefix - cidr.prefix);
  }
  return nodes;
}

/** As a 64-bit integer: a host prefix far beyond the address counts as room for none. */
const powerOfTwo = (exponent: number): number =>
  exponent > 63 ? 0 : exponent === 63 ? -(2 ** 63) : 2 ** exponent;
