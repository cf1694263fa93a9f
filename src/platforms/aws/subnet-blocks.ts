/** Splitting of address blocks into subnets (facts/cluster-api.md §5.1, managed subnets). */
import ipaddr from "ipaddr.js";

/**
 * The first `count` parts of an IPv4 block that is split into the next power of two of equal parts; undefined when
 * the block is not IPv4 or too small for that many.
 */
export function splitIPv4(block: string, count: number): string[] | undefined {
  if (!ipaddr.IPv4.isValidCIDR(block)) return undefined;
  const [address, prefix] = ipaddr.IPv4.parseCIDR(block);
  const length = prefix + Math.ceil(Math.log2(count));
  if (length > 32) return undefined;
  const size = 2 ** (32 - length);
  const [a = 0, b = 0, c = 0, d = 0] = address.octets;
  const value = ((a * 256 + b) * 256 + c) * 256 + d;
  const start = value - (value % 2 ** (32 - prefix));
  return Array.from({ length: count }, (_, index) => `${dotted(start + index * size)}/${length}`);
}

const dotted = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");

/** The length of a block's prefix; undefined when it is not IPv4. */
export const prefixLength = (block: string): number | undefined =>
  ipaddr.IPv4.isValidCIDR(block) ? ipaddr.IPv4.parseCIDR(block)[1] : undefined;

/** True when the first address of a block lies in one of the networks, as the installer asks it. */
export function startsWithin(block: string, networks: readonly string[]): boolean {
  if (!ipaddr.isValidCIDR(block)) return false;
  const [address] = ipaddr.parseCIDR(block);
  return networks.filter(ipaddr.isValidCIDR).some((network) => {
    const [base, prefix] = ipaddr.parseCIDR(network);
    return base.kind() === address.kind() && address.match(base, prefix);
  });
}

export interface ManagedSubnet {
  readonly zone: string;
  readonly cidr: string;
  readonly public: boolean;
  readonly edge: boolean;
}

/**
 * The subnets of a new network, in the installer's order: for each zone the private one, then the public one;
 * edge zones last. Undefined when the block is too small.
 */
export function managedSubnets(
  block: string,
  zones: readonly string[],
  edgeZones: readonly string[],
  external: boolean,
): ManagedSubnet[] | undefined {
  const count = zones.length + 1 + (external ? 1 : 0) + (edgeZones.length > 0 ? 1 : 0);
  const parts = splitIPv4(block, count);
  const publicPart = parts?.[zones.length];
  if (parts === undefined || publicPart === undefined) return undefined;
  const publicParts = external ? splitIPv4(publicPart, zones.length) : [];
  if (publicParts === undefined) return undefined;
  const subnets = subnetsOf(zones, parts, publicParts, false);
  if (edgeZones.length === 0) return subnets;

  const edgePart = parts[zones.length + 1];
  const wanted = edgeZones.length * (external ? 2 : 1) + 1;
  const edgeParts = edgePart === undefined ? undefined : splitIPv4(edgePart, wanted);
  if (edgeParts === undefined) return undefined;
  const edgePublic = external ? edgeParts.slice(edgeZones.length) : [];
  return [...subnets, ...subnetsOf(edgeZones, edgeParts, edgePublic, true)];
}

function subnetsOf(
  zones: readonly string[],
  privateParts: readonly string[],
  publicParts: readonly string[],
  edge: boolean,
): ManagedSubnet[] {
  return zones.flatMap((zone, index) => {
    const own = privateParts[index];
    const open = publicParts[index];
    return [
      ...(own === undefined ? [] : [{ zone, cidr: own, public: false, edge }]),
      ...(open === undefined ? [] : [{ zone, cidr: open, public: true, edge }]),
    ];
  });
}
