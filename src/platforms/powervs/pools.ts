/**
 * Machine pools with everything decided: the layers of their settings put together (openshift/installer
 * pkg/types/powervs/machinepools.go, pkg/asset/machines/worker.go).
 */
import type { Release } from "../../core/release.js";
import type { NormalPool } from "../config.js";
import { onceFor } from "../once.js";
import type { PlatformInput } from "../platform.js";
import { type PowervsMachinePool, type PowervsPlatform, poolSection, powervsOf, regionOf } from "./config.js";
import { has, systemsOf } from "./tables.js";

export interface Pool {
  readonly name: string;
  readonly replicas: number;
  readonly memoryGiB: number;
  /** Cores, as they are written. */
  readonly processors: number | string;
  readonly processorType: string;
  /** Level of simultaneous multithreading; empty for that of the operating system. */
  readonly smtLevel: string;
  /** Type of system; empty where the release has none for the zone. */
  readonly systemType: string;
}

export interface ResolvedPools {
  readonly controlPlane: Pool;
  readonly compute: readonly Pool[];
}

/** What the user gave wins over what is for all pools; what is empty or 0 counts as not given. */
export const mergeSections = (fallback: PowervsMachinePool, own: PowervsMachinePool): PowervsMachinePool => ({
  memoryGiB: own.memoryGiB || fallback.memoryGiB || 0,
  processors: own.processors || fallback.processors || 0,
  procType: own.procType || fallback.procType || "",
  smtLevel: own.smtLevel || fallback.smtLevel || "",
  sysType: own.sysType || fallback.sysType || "",
});

const PREFERRED_SYSTEM = "s922";

/** The type of system of pools that name none: `listed` are those that the cloud offers in the zone. */
export function defaultSystem(
  section: PowervsPlatform,
  listed: readonly string[] | undefined,
  release: Release,
): string {
  if (has(release, "asksForSystems") && listed !== undefined && listed.length > 0)
    return listed.includes(PREFERRED_SYSTEM) ? PREFERRED_SYSTEM : (listed[0] ?? "");
  const known = systemsOf(regionOf(section), section.zone ?? "", release);
  return known?.[0] ?? (has(release, "asksForSystems") ? PREFERRED_SYSTEM : "");
}

export const poolsOf = onceFor(({ config, facts, release }: PlatformPools): ResolvedPools => {
  const section = powervsOf(config);
  const systemType = defaultSystem(section, facts.powervs?.systemTypes, release);
  const decide = (pool: NormalPool): Pool => {
    const merged = mergeSections(section.defaultMachinePlatform ?? {}, poolSection(pool));
    return {
      name: pool.name,
      replicas: pool.replicas,
      memoryGiB: merged.memoryGiB || 32,
      processors: merged.processors || "0.5",
      processorType: merged.procType || "Shared",
      smtLevel: merged.smtLevel ?? "",
      systemType: merged.sysType || systemType,
    };
  };
  return { controlPlane: decide(config.controlPlane), compute: config.compute.map(decide) };
});

type PlatformPools = Pick<PlatformInput, "config" | "facts" | "release">;
