/**
 * Machine pools with everything decided: the layers of their settings put together, zones and images chosen from the
 * facts (openshift/installer pkg/asset/machines, master.go and worker.go).
 */
import { byCodeUnit } from "../../core/files.js";
import { lookup } from "../../core/lookup.js";
import type { Release } from "../../core/release.js";
import type { NormalConfig, NormalPool } from "../config.js";
import { onceFor } from "../once.js";
import { type GcpMachinePool, gcpOf, poolSection, poolsOfConfig } from "./config.js";
import { mergeSections } from "./defaults.js";
import { type GcpFacts, gcpFactsOf, imagePath, regionZones, zonesOffering } from "./facts.js";
import { defaultDisk, defaultMachineType } from "./tables.js";

const DISK_SIZE = 128;

export interface Pool {
  readonly name: string;
  readonly replicas: number;
  /** The section of the pool's platform in the install-config. */
  readonly path: string;
  readonly architecture: string;
  /** Architecture of the release's image for the pool. */
  readonly imageArchitecture: string;
  /** In the order of the install-config, else by name; empty where a fact is missing. */
  readonly zones: readonly string[];
  readonly machineType: string;
  readonly diskSize: number;
  readonly diskType: string;
  /** Path of the image; undefined where a fact is missing. */
  readonly image: string | undefined;
  /** The layers put together. */
  readonly section: GcpMachinePool;
}

function resolve(
  { pool, path }: { readonly pool: NormalPool; readonly path: string },
  config: NormalConfig,
  facts: GcpFacts,
  release: Release,
): Pool {
  const section = mergeSections(gcpOf(config).defaultMachinePlatform ?? {}, poolSection(pool) ?? {});
  // All compute machines boot the image of the first pool's architecture.
  const first = pool === config.controlPlane ? pool : (config.compute[0] ?? pool);
  const image = section.osImage ?? lookup(facts.images, first.architecture);
  const fallback = defaultMachineType(pool.architecture, gcpOf(config), release);
  const machineType = section.type ?? fallback;
  return {
    name: pool.name,
    replicas: pool.replicas,
    path: `${path}.platform.gcp`,
    architecture: pool.architecture,
    imageArchitecture: first.architecture,
    zones: section.zones ?? zonesFor(machineType, facts),
    machineType,
    diskSize: section.osDisk?.DiskSizeGB ?? DISK_SIZE,
    diskType: section.osDisk?.diskType ?? defaultDisk(fallback, gcpOf(config), release),
    image:
      image === undefined ? undefined : imagePath({ project: image.project ?? "", name: image.name ?? "" }),
    section,
  };
}

/** The region's zones that offer the type; all of them for a type that the facts do not know. */
function zonesFor(machineType: string, facts: GcpFacts): readonly string[] {
  const zones = regionZones(facts) ?? [];
  const offering = zonesOffering(facts, machineType);
  return offering === undefined ? zones : zones.filter((zone) => offering.has(zone)).sort(byCodeUnit);
}

export interface ResolvedPools {
  readonly controlPlane: Pool;
  readonly compute: readonly Pool[];
}

/** Decides every pool of an input; what is wanting stays empty. */
export const poolsOf = onceFor(({ config, facts, release }): ResolvedPools => {
  const [controlPlane, ...compute] = poolsOfConfig(config).map((each) =>
    resolve(each, config, gcpFactsOf(facts), release),
  );
  if (controlPlane === undefined) throw new Error("the install-config has no control plane");
  return { controlPlane, compute };
});
