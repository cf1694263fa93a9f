/** Machine pools with everything decided: the layers of their settings, and the failure domains of their machines. */
import type { NormalConfig, NormalPool } from "../../config.js";
import { poolSection, type VsphereFailureDomain, type VsphereHost, vsphereOf } from "../config.js";
import { mergePools, POOL_DEFAULTS } from "../install-config/defaults.js";

export interface DataDisk {
  readonly name: string;
  readonly sizeGiB: number;
  readonly provisioningMode?: string;
}

export interface Pool {
  readonly name: string;
  readonly replicas: number;
  readonly cpus: number;
  readonly coresPerSocket: number;
  readonly memoryMiB: number;
  readonly diskGiB: number;
  readonly dataDisks: readonly DataDisk[];
  /** The failure domains that machines take in turn. */
  readonly zones: readonly VsphereFailureDomain[];
  /** Hosts with static addresses, in the order of the machines that get them; empty where addresses are not static. */
  readonly hosts: readonly VsphereHost[];
  /** Zones that are named and are no failure domains. */
  readonly unknown: readonly string[];
}

const HOST_ROLES = { master: "control-plane", worker: "compute" } as const;

function decide(config: NormalConfig, pool: NormalPool, role: "master" | "worker"): Pool {
  const { defaultMachinePlatform, failureDomains = [], hosts = [] } = vsphereOf(config);
  const merged = mergePools(POOL_DEFAULTS, defaultMachinePlatform, poolSection(pool));
  const named = (name: string): VsphereFailureDomain | undefined =>
    // Of two with one name the installer takes the later one.
    failureDomains.findLast((domain) => domain.name === name);
  const zones =
    merged.zones.length === 0 ? failureDomains : merged.zones.flatMap((name) => named(name) ?? []);
  return {
    name: pool.name,
    replicas: pool.replicas,
    cpus: merged.cpus,
    coresPerSocket: merged.coresPerSocket,
    memoryMiB: merged.memoryMB,
    diskGiB: merged.osDisk.diskSizeGB,
    dataDisks: merged.dataDisks.map(({ name = "", sizeGiB = 0, provisioningMode = "" }) => ({
      name,
      sizeGiB,
      ...(provisioningMode === "" ? {} : { provisioningMode }),
    })),
    zones,
    hosts: hosts.filter((host) => host.role === HOST_ROLES[role]),
    unknown: merged.zones.filter((name) => named(name) === undefined),
  };
}

export const controlPlanePool = (config: NormalConfig): Pool => decide(config, config.controlPlane, "master");

export const computePools = (config: NormalConfig): readonly Pool[] =>
  config.compute.map((pool) => decide(config, pool, "worker"));

/** The failure domain of a machine: that of its host, else the pool's in turn. */
export function domainOf(
  pool: Pool,
  index: number,
  all: readonly VsphereFailureDomain[],
): VsphereFailureDomain {
  const wanted = pool.hosts[index]?.failureDomain ?? "";
  const own = wanted === "" ? undefined : all.findLast(({ name }) => name === wanted);
  return own ?? pool.zones[index % Math.max(pool.zones.length, 1)] ?? {};
}
