/** Splitting of address blocks into subnets (docs/reference/cluster-api.md §5). */
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
