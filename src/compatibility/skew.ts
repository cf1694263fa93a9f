/**
 * Version skew between components: the ranges by minimum compatibility version M and emulated version E
 * (docs/reference/source-designs.md §2.8; docs/reference/compatibility-versions.md §3.5), and every component of an
 * inventory that leaves its range.
 */
import data from "../../tables/kubernetes-skew.json" with { type: "json" };
import type { Position } from "../core/diagnostics.js";
import type { EffectiveVersion } from "./effective.js";
import {
  addMinors,
  compareMinors,
  equalMinors,
  formatMinor,
  formatVersion,
  type Minor,
  maxMinor,
  minMinor,
  minorOf,
  type Version,
} from "./version.js";

export const API_SERVER = "kube-apiserver";

/** The versions of one API server, as far as skew asks for them. */
export type ServerVersions = Pick<EffectiveVersion, "binary" | "emulation" | "minCompatibility">;

export interface SkewRange {
  readonly component: string;
  readonly min: Minor;
  readonly max: Minor;
  /** The published policy, which still counts from the binary. */
  readonly published: { readonly min: Minor; readonly max: Minor };
}

export interface InventoryEntry {
  readonly component: string;
  readonly name: string;
  readonly version: Version;
  readonly emulated: Minor | undefined;
  readonly minCompatibility: Minor | undefined;
  /** Node that it runs on; empty when unknown. */
  readonly node: string;
  readonly place: Position;
}

export interface SkewViolation {
  readonly component: string;
  readonly name: string;
  readonly version: string;
  readonly emulatedVersion: string;
  readonly min: string;
  readonly max: string;
  readonly reason: string;
  readonly place: Position;
}

/** The canonical name of a component that has a skew rule. */
export function skewComponent(name: string): string | undefined {
  return data.components.find(
    ({ component, aliases }) => component === name || aliases.some((each) => each === name),
  )?.component;
}

/** What every component may be, beside all of these API servers at once. */
export function skewRanges(servers: readonly ServerVersions[]): SkewRange[] {
  return data.components.flatMap(({ component, min, max, published }): SkewRange[] => {
    const of = component === API_SERVER ? newestServer(servers) : servers;
    const ranges = of.map((server) => {
      const binary = minorOf(server.binary);
      const end = (edge: { of: string; offset: number }): Minor =>
        addMinors(edge.of === "M" ? server.minCompatibility : server.emulation, edge.offset);
      return {
        min: end(min),
        max: end(max),
        published: { min: addMinors(binary, published.min), max: addMinors(binary, published.max) },
      };
    });
    const [first, ...others] = ranges;
    if (first === undefined) return [];
    let range: Omit<SkewRange, "component"> = first;
    for (const other of others)
      range = {
        min: maxMinor(range.min, other.min),
        max: minMinor(range.max, other.max),
        published: {
          min: maxMinor(range.published.min, other.published.min),
          max: minMinor(range.published.max, other.published.max),
        },
      };
    return [{ component, ...range }];
  });
}

/** True for a component that can behave as an older release, as one that is not known may. */
export const canEmulate = (name: string): boolean =>
  data.components.every(({ component, emulates }) => component !== name || emulates);

/** Servers are held against the newest of them only: an older one need not know a newer one. */
function newestServer(servers: readonly ServerVersions[]): ServerVersions[] {
  const ordered = [...servers].sort(
    (a, b) =>
      compareMinors(b.emulation, a.emulation) || compareMinors(b.minCompatibility, a.minCompatibility),
  );
  return ordered.slice(0, 1);
}

/** Every entry that the published policy, which counts binaries, does not allow beside these API servers. */
export const publishedViolations = (
  ranges: readonly SkewRange[],
  inventory: readonly InventoryEntry[],
): SkewViolation[] =>
  outOfRange(
    ranges.map(({ component, published }) => ({ component, ...published, published })),
    inventory,
    ({ version }) => minorOf(version),
  );

/** Every entry out of its range, and every kube-proxy too far from the kubelet of its node. */
export function skewViolations(
  ranges: readonly SkewRange[],
  inventory: readonly InventoryEntry[],
): SkewViolation[] {
  return [...outOfRange(ranges, inventory, effectiveOf), ...proxyViolations(inventory)];
}

function outOfRange(
  ranges: readonly SkewRange[],
  inventory: readonly InventoryEntry[],
  versionOf: (entry: InventoryEntry) => Minor,
): SkewViolation[] {
  return inventory.flatMap((entry): SkewViolation[] => {
    const range = ranges.find(({ component }) => component === entry.component);
    if (range === undefined) return [];
    const own = versionOf(entry);
    const tooOld = compareMinors(own, range.min) < 0;
    if (!tooOld && compareMinors(own, range.max) <= 0) return [];
    const bounds = `${formatMinor(range.min)} to ${formatMinor(range.max)}`;
    const empty = compareMinors(range.min, range.max) > 0;
    const reason = empty
      ? "no version is supported by all API servers"
      : `${formatMinor(own)} is too ${tooOld ? "old" : "new"}; supported: ${bounds}`;
    return [violation(entry, range.min, range.max, reason)];
  });
}

/** The version that counts for skew: the emulated one where there is one. */
export const effectiveOf = ({ emulated, version }: InventoryEntry): Minor => emulated ?? minorOf(version);

function proxyViolations(inventory: readonly InventoryEntry[]): SkewViolation[] {
  return inventory.flatMap((proxy): SkewViolation[] => {
    if (proxy.component !== "kube-proxy" || proxy.node === "") return [];
    const kubelet = inventory.find(({ component, node }) => component === "kubelet" && node === proxy.node);
    if (kubelet === undefined) return [];
    const kubeletMinor = minorOf(kubelet.version);
    const [min, max] = [
      addMinors(kubeletMinor, -data.kubeProxyToKubelet),
      addMinors(kubeletMinor, data.kubeProxyToKubelet),
    ];
    const own = minorOf(proxy.version);
    if (compareMinors(own, min) >= 0 && compareMinors(own, max) <= 0) return [];
    const reason = `${formatMinor(own)} differs by more than ${data.kubeProxyToKubelet} minor versions from kubelet ${formatMinor(kubeletMinor)} on the same node`;
    return [violation(proxy, min, max, reason)];
  });
}

const violation = (entry: InventoryEntry, min: Minor, max: Minor, reason: string): SkewViolation => ({
  component: entry.component,
  name: entry.name,
  version: formatVersion(entry.version),
  emulatedVersion: formatMinor(effectiveOf(entry)),
  min: formatMinor(min),
  max: formatMinor(max),
  reason,
  place: entry.place,
});

/** True when the published policy, which does not know emulation, would answer otherwise. */
export const differsFromPublished = ({ min, max, published }: SkewRange): boolean =>
  !equalMinors(min, published.min) || !equalMinors(max, published.max);
