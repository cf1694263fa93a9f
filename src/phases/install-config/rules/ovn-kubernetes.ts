/** MTU of the cluster network and the join subnet (docs/reference/install-config-and-manifests.md §1.4, §1.7). */
import { conflict, forbidden, invalid, problem, warning } from "../../../core/problem.js";
import { formatCidr, NO_CIDR, networkFault, overlap, parseCidr } from "../../../kubernetes/network.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { activeTraits, platformsWith } from "../../../platforms/registry.js";
import { quote } from "../../../text/quote.js";
import { blocksOf, networkProblem } from "./networking.js";

/** What OVN-Kubernetes needs of every packet for itself, in bytes. */
const OVERHEAD = 100;
/** Addresses of the join subnet that no node gets: network, broadcast and gateway. */
const JOIN_SUBNET_RESERVED = 3;
const NEARLY_FULL = 0.9;
const IPV6_BYTES = 16;

const MTU_BY_MANIFEST =
  "remove it; on other platforms, set spec.defaultNetwork.ovnKubernetesConfig.mtu of the Network (operator.openshift.io/v1) in manifests/cluster-network-03-config.yml";
const MTU_FIELD = "networking.clusterNetworkMTU";

export function validateMtu(config: NormalConfig, context: RuleContext): void {
  const mtu = config.networking.clusterNetworkMTU ?? 0;
  if (mtu === 0) return;
  const fault = (must: string, hint: string): void =>
    context.report(invalid("IC156", MTU_FIELD, mtu, must, hint));
  const limits = activeTraits(config)?.clusterMtu;
  if (limits === undefined) {
    const possible = platformsWith(({ clusterMtu }) => clusterMtu !== undefined);
    context.report(
      forbidden("IC156", MTU_FIELD, `supported only on ${possible}`, {
        kind: "Invalid",
        hint: MTU_BY_MANIFEST,
      }),
    );
    return;
  }
  const most = limits.most - OVERHEAD;
  if (mtu < limits.least || mtu > limits.most)
    fault(`must be from ${limits.least} to ${most}`, `use a value from ${limits.least} to ${most}`);
  else if (config.networking.networkType !== "OVNKubernetes")
    fault(
      `requires the network plugin OVNKubernetes, found ${quote(config.networking.networkType)}`,
      "set networking.networkType: OVNKubernetes, or remove the MTU",
    );
  else if (mtu > most)
    fault(
      `must be at most ${most}: OVN-Kubernetes needs ${OVERHEAD} of the ${limits.most} bytes of ${limits.of} for headers`,
      `use a value up to ${most}`,
    );
  else if (mtu > limits.edge - OVERHEAD && config.compute.some(({ name }) => name === "edge"))
    context.report(
      warning(
        invalid(
          "IC166",
          MTU_FIELD,
          mtu,
          `most Local Zones and Wavelength Zones support at most ${limits.edge} bytes to the region`,
          `use a value up to ${limits.edge - OVERHEAD}, unless every zone of the edge pool supports more`,
        ),
      ),
    );
}

export function validateJoinSubnet(config: NormalConfig, context: RuleContext): void {
  const { networking } = config;
  const ovn = networking.ovnKubernetesConfig;
  if (ovn === undefined) return;
  if (networking.networkType.toLowerCase() !== "ovnkubernetes")
    context.report(
      conflict(
        "IC157",
        "networking.networkType",
        "networking.ovnKubernetesConfig",
        `the network plugin is ${quote(networking.networkType)}`,
        "use OVNKubernetes, or remove ovnKubernetesConfig",
      ),
    );
  const text = ovn.ipv4?.internalJoinSubnet;
  if (text === undefined) return;
  const join = parseCidr(text) ?? NO_CIDR;
  const field = "networking.ovnKubernetesConfig.ipv4.internalJoinSubnet";
  const fault = (must: string, hint: string): void =>
    context.report(invalid("IC157", field, formatCidr(join), must, hint));
  const notNetwork = networkFault(join);
  if (notNetwork !== undefined) {
    context.report(networkProblem("IC157", field, join, notNetwork));
    return;
  }
  const { machines, services, pods } = blocksOf(networking);
  for (const block of [...pods, ...machines, ...services])
    if (overlap(join, block.cidr))
      fault(`must not overlap ${formatCidr(block.cidr)} (${block.field})`, "use CIDRs that do not overlap");
  const nodes = largestNodeCount(config);
  const room = 2 ** (32 - join.prefix) - JOIN_SUBNET_RESERVED;
  if (nodes === undefined)
    context.report(
      problem(
        "IC157",
        "InternalError",
        field,
        "cannot check the size of the join subnet because a hostPrefix is invalid",
        "correct networking.clusterNetwork first",
      ),
    );
  else if (join.prefix > 32) fault("must be an IPv4 CIDR", "use an IPv4 CIDR");
  else if (nodes >= room)
    fault(
      `must have at least one address for each of the ${nodes} nodes that fit in the cluster network`,
      `use a prefix length of /${Math.max(1, 32 - Math.ceil(Math.log2(nodes + JOIN_SUBNET_RESERVED + 1)))} or shorter`,
    );
  else if (nodes >= room * NEARLY_FULL)
    context.report(
      warning(
        "IC161",
        "Invalid",
        field,
        `the join subnet ${formatCidr(join)} is nearly full: ${room} addresses for up to ${nodes} nodes`,
        "use a larger CIDR; it cannot be changed after the installation",
      ),
    );
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
