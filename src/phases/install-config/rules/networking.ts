/**
 * Network plug-in and the blocks of machines, services and pods (docs/reference/install-config-and-manifests.md §1.4,
 * §1.7).
 */
import type { Code } from "../../../core/codes.js";
import type { Problem } from "../../../core/diagnostics.js";
import { invalid, problem, required, unsupported, warning } from "../../../core/problem.js";
import type { Release } from "../../../core/release.js";
import {
  BlockIndex,
  type Cidr,
  effectivePrefix,
  formatCidr,
  isV4,
  NO_CIDR,
  networkFault,
  networkOf,
  overlap,
  parseCidr,
} from "../../../kubernetes/network.js";
import type { NormalConfig, NormalNetworking } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { inForce } from "../../../platforms/release-changes.js";

/** Blocks that a later one may overlap. */
interface Earlier {
  readonly what: string;
  readonly blocks: BlockIndex;
}

/** A block of the config with the place it has there. */
export interface Block {
  readonly cidr: Cidr;
  readonly field: string;
}

export interface Blocks {
  readonly machines: readonly Block[];
  readonly services: readonly Block[];
  readonly pods: readonly (Block & { readonly hostPrefix: number })[];
}

/** False for a block that could not be read. */
export const isRead = ({ cidr }: Block): boolean => cidr !== NO_CIDR;

/** The blocks of a networking section; one that cannot be read counts as left out (reading refuses it). */
export function blocksOf(networking: NormalNetworking): Blocks {
  const read = (text: string): Cidr => parseCidr(text) ?? NO_CIDR;
  return {
    machines: networking.machineNetwork.map(({ cidr }, i) => ({
      cidr: read(cidr),
      field: `networking.machineNetwork[${i}]`,
    })),
    services: networking.serviceNetwork.map((cidr, i) => ({
      cidr: read(cidr),
      field: `networking.serviceNetwork[${i}]`,
    })),
    pods: networking.clusterNetwork.map(({ cidr, hostPrefix }, i) => ({
      cidr: read(cidr),
      field: `networking.clusterNetwork[${i}]`,
      hostPrefix,
    })),
  };
}

/** Ranges that OVN-Kubernetes keeps for itself, by family; only the IPv4 join subnet can be moved. */
const RESERVED = [
  { name: "join subnet", block: "100.64.0.0/16", movable: true },
  { name: "transit subnet", block: "100.88.0.0/16", movable: false },
  { name: "masquerade subnet", block: "169.254.0.0/17", movable: false },
  { name: "join subnet", block: "fd98::/64", movable: false },
  { name: "transit subnet", block: "fd97::/64", movable: false },
  { name: "masquerade subnet", block: "fd69::/112", movable: false },
].map((range) => ({ ...range, cidr: parseCidr(range.block) ?? NO_CIDR }));

const DOCKER_BRIDGE = parseCidr("172.17.0.0/16") ?? NO_CIDR;

/** Service networks hold at most this many host bits: the API server keeps a bitmap of them. */
const SHORTEST_SERVICE_PREFIX = { 32: 12, 128: 108 } as const;
const IPV6_HOST_PREFIX = 64;

/** Most overlaps that are reported for one block and one list: of a long list of equal blocks every pair would be one. */
const MOST_OVERLAPS = 16;

const isOvn = (networking: NormalNetworking): boolean =>
  networking.networkType.toLowerCase() === "ovnkubernetes";

export function validateNetworking({ networking }: NormalConfig, context: RuleContext): void {
  validateNetworkType(networking, context);
  const blocks = blocksOf(networking);
  const rules = new BlockRules(networking, context);
  const all = [...blocks.machines, ...blocks.services, ...blocks.pods];
  const lengths = new Set(all.map(({ cidr }) => effectivePrefix(cidr)));
  const earlier = (what: string): Earlier => ({ what, blocks: new BlockIndex(lengths, MOST_OVERLAPS) });
  const [machines, services, pods] = [earlier("machine"), earlier("service"), earlier("cluster")];
  for (const block of blocks.machines) {
    if (rules.network(block, block.field)) rules.clear(block, block.field, [machines]);
    machines.blocks.add(block.cidr);
  }
  for (const block of blocks.services) {
    if (rules.service(block)) rules.clear(block, block.field, [machines, services]);
    services.blocks.add(block.cidr);
  }
  /** The first two that differ tell of any other whether one before it is different, and which. */
  const hostPrefixes = new Set<number>();
  for (const block of blocks.pods) {
    const field = `${block.field}.cidr`;
    if (rules.network(block, field)) {
      rules.clear(block, field, [machines, services, pods]);
      rules.hostPrefix(block, hostPrefixes);
    }
    pods.blocks.add(block.cidr);
    if (isV4(block.cidr) && hostPrefixes.size < 2) hostPrefixes.add(block.hostPrefix);
  }
}

/** The plug-in that a name means and that no release of ours has any more. */
export function goneNetworkPlugin(networkType: string, release: Release): string | undefined {
  const fold = (name: string) => (inForce(release, "networkTypeInAnyLetters") ? name.toLowerCase() : name);
  return ["Kuryr", "OpenShiftSDN"].find((name) => fold(name) === fold(networkType));
}

function validateNetworkType({ networkType }: NormalNetworking, { release, report }: RuleContext): void {
  const gone = goneNetworkPlugin(networkType, release);
  if (gone === undefined) return;
  report(
    unsupported("IC150", "networking.networkType", networkType, ["OVNKubernetes"], {
      kind: "Invalid",
      hint: `${gone} was removed in 4.15; use OVNKubernetes`,
    }),
  );
}

class BlockRules {
  private readonly ovn: boolean;
  private readonly joinSubnetMoved: boolean;
  private readonly needsHostPrefix: boolean;

  constructor(
    networking: NormalNetworking,
    private readonly context: RuleContext,
  ) {
    this.ovn = isOvn(networking);
    this.joinSubnetMoved = networking.ovnKubernetesConfig?.ipv4?.internalJoinSubnet !== undefined;
    this.needsHostPrefix = networking.networkType === "OVNKubernetes";
  }

  /** Judges a block by itself; false when nothing more can be said of it. */
  network({ cidr }: Block, field: string): boolean {
    const fault = networkFault(cidr);
    if (fault === undefined) return true;
    this.report(networkProblem("IC151", field, cidr, fault));
    return !inForce(this.context.release, "badBlockStandsAlone");
  }

  service(block: Block): boolean {
    if (networkFault(block.cidr) !== undefined) return this.network(block, block.field);
    const { bits, prefix } = block.cidr;
    const shortest = bits === 32 || bits === 128 ? SHORTEST_SERVICE_PREFIX[bits] : 0;
    if (prefix >= shortest) return true;
    this.report(
      invalid(
        "IC151",
        block.field,
        formatCidr(block.cidr),
        `the prefix length must be at least /${shortest}`,
        bits === 32
          ? `use a prefix length of /${shortest} or longer, such as /16`
          : "use a prefix length of /112",
      ),
    );
    return !inForce(this.context.release, "badBlockStandsAlone");
  }

  /** Compares a block with what the plug-in keeps for itself and with the blocks before it. */
  clear(block: Block, field: string, others: readonly Earlier[]): void {
    if (overlap(block.cidr, DOCKER_BRIDGE))
      this.context.report(
        warning(
          "IC159",
          "Invalid",
          field,
          `${formatCidr(block.cidr)} overlaps 172.17.0.0/16, the default bridge network of Docker`,
          "use another CIDR, or hosts that run Docker may not reach the cluster",
        ),
      );
    if (this.ovn && inForce(this.context.release, "reservedRanges")) this.clearOfReserved(block, field);
    for (const { what, blocks } of others)
      for (const { place, cidr } of blocks.overlapping(block.cidr))
        this.report(
          problem(
            "IC152",
            "Invalid",
            field,
            `${formatCidr(block.cidr)} overlaps the ${what} network ${formatCidr(cidr)} (networking.${what}Network[${place}])`,
            "use CIDRs that do not overlap",
          ),
        );
  }

  private clearOfReserved(block: Block, field: string): void {
    for (const range of RESERVED) {
      if (isV4(range.cidr) !== isV4(block.cidr) || (range.movable && this.joinSubnetMoved)) continue;
      if (!overlap(block.cidr, range.cidr)) continue;
      this.report(
        problem(
          "IC153",
          "Invalid",
          field,
          `${formatCidr(block.cidr)} overlaps ${range.block}, the ${range.name} of OVN-Kubernetes`,
          range.movable
            ? "use another CIDR, or move the join subnet with networking.ovnKubernetesConfig.ipv4.internalJoinSubnet"
            : "use another CIDR",
        ),
      );
    }
  }

  /** @param others of IPv4 cluster networks before it, in their order */
  hostPrefix(pods: Blocks["pods"][number], others: ReadonlySet<number>): void {
    const { cidr, hostPrefix } = pods;
    if (!this.needsHostPrefix && hostPrefix === 0) return;
    const field = `${pods.field}.hostPrefix`;
    const first = [...others].find((other) => other !== hostPrefix);
    const fault = (must: string, hint: string): void =>
      this.report(invalid("IC154", field, hostPrefix, must, hint));
    if (hostPrefix < 0) fault("must not be negative", "use a length such as 23");
    else if (hostPrefix < cidr.prefix) {
      const hint = isV4(cidr)
        ? `use a host prefix of ${cidr.prefix} or longer, such as ${Math.min(32, Math.max(23, cidr.prefix + 2))}, or a larger CIDR`
        : `use ${IPV6_HOST_PREFIX}`;
      if (hostPrefix === 0) this.report(required("IC154", field, "", { kind: "Invalid", hint }));
      else fault(`must be at least the prefix length of the cluster network ${formatCidr(cidr)}`, hint);
    } else if (cidr.bits === 32) {
      if (first !== undefined && inForce(this.context.release, "equalHostPrefixes"))
        fault(`must be ${first}, as in the other IPv4 cluster networks`, `use ${first}`);
    } else if (cidr.bits === 128 && hostPrefix !== IPV6_HOST_PREFIX)
      fault(`must be ${IPV6_HOST_PREFIX} for IPv6`, `use ${IPV6_HOST_PREFIX}`);
  }

  private report(found: Problem): void {
    // The installer names the entry; what is wrong is in its CIDR.
    const { field = "" } = found;
    const at = /(?:machine|cluster)Network\[\d+\]$/.test(field) ? `${field}.cidr` : field;
    this.context.report({ ...found, at });
  }
}

/** The problem of a block that is not a network. */
export const networkProblem = (
  code: Code,
  field: string,
  cidr: Cidr,
  fault: "unspecified" | "host-bits",
): Problem =>
  fault === "unspecified"
    ? invalid(code, field, formatCidr(cidr), "must have an address")
    : invalid(
        code,
        field,
        formatCidr(cidr),
        "must not have host bits set",
        `use ${formatCidr(networkOf(cidr))}`,
      );
