/** The subnets of a network that is made for the cluster (docs/reference/cluster-api.md §5.1, managed subnets). */
import { splitIPv4 } from "../../subnet-blocks.js";

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
