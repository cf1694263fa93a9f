/**
 * Defaults of platform.vsphere, what its rules change on the way, and the layers of a pool's settings
 * (openshift/installer pkg/types/vsphere/defaults, pkg/types/vsphere/validation, pkg/types/vsphere/machinepool.go).
 */
import type { Release } from "../../../core/release.js";
import type { NormalConfig, NormalPool } from "../../config.js";
import {
  cleanPath,
  joinPath,
  topologyOf,
  type VsphereFailureDomain,
  type VspherePool,
  type VsphereTopology,
  withTopology,
  withVsphere,
} from "../config.js";
import { has } from "../tables.js";

/** Resource pools are the root pools of their compute clusters. */
export function applyDefaults(config: NormalConfig, release: Release): NormalConfig {
  const section = config.platform.vsphere;
  if (section === undefined) return config;
  const failureDomains = section.failureDomains?.map((domain): VsphereFailureDomain => {
    const { resourcePool = "", computeCluster = "" } = topologyOf(domain);
    return resourcePool !== "" || computeCluster === ""
      ? domain
      : withTopology(domain, { resourcePool: joinPath(computeCluster, "Resources") });
  });
  return withVsphere(config, {
    ...section,
    ...(failureDomains === undefined ? {} : { failureDomains }),
    ...(has(release, "dnsRecordsType") ? { dnsRecordsType: section.dnsRecordsType || "Internal" } : {}),
  });
}

const PATHS = ["datastore", "computeCluster", "resourcePool", "template"] as const;

/** Valid paths are written in their shortest form, and a section of a pool names all failure domains if it names none. */
export function settle(config: NormalConfig): NormalConfig {
  const section = config.platform.vsphere;
  if (section === undefined) return config;
  const failureDomains = section.failureDomains?.map((domain): VsphereFailureDomain => {
    const topology = topologyOf(domain);
    const clean = PATHS.flatMap((member): VsphereTopology[] => {
      const path = topology[member] ?? "";
      return path === "" ? [] : [{ [member]: cleanPath(path) }];
    });
    return withTopology(domain, Object.assign({}, ...clean));
  });
  const names = (failureDomains ?? []).map(({ name = "" }) => name);
  const zoned = (pool: NormalPool): NormalPool => {
    const own = pool.platform.vsphere;
    return own === undefined || (own.zones ?? []).length > 0 || names.length === 0
      ? pool
      : { ...pool, platform: { ...pool.platform, vsphere: { ...own, zones: [...names] } } };
  };
  return {
    ...withVsphere(config, { ...section, ...(failureDomains === undefined ? {} : { failureDomains }) }),
    controlPlane: zoned(config.controlPlane),
    compute: config.compute.map(zoned),
  };
}

/** A pool's settings with those of the platform and of the installer below; 0, "" and an empty list count as not given. */
export function mergePools(...layers: readonly (VspherePool | undefined)[]): Required<
  Omit<VspherePool, "osDisk">
> & {
  readonly osDisk: { readonly diskSizeGB: number };
} {
  const last = <T>(
    pick: (pool: VspherePool) => T | undefined,
    isGiven: (value: T) => boolean,
  ): T | undefined =>
    layers
      .flatMap((layer) => {
        const value = layer === undefined ? undefined : pick(layer);
        return value !== undefined && isGiven(value) ? [value] : [];
      })
      .at(-1);
  const number = (pick: (pool: VspherePool) => number | undefined): number =>
    last(pick, (value) => value !== 0) ?? 0;
  return {
    cpus: number(({ cpus }) => cpus),
    coresPerSocket: number(({ coresPerSocket }) => coresPerSocket),
    memoryMB: number(({ memoryMB }) => memoryMB),
    osDisk: { diskSizeGB: number(({ osDisk }) => osDisk?.diskSizeGB) },
    dataDisks:
      last(
        ({ dataDisks }) => dataDisks,
        ({ length }) => length > 0,
      ) ?? [],
    zones:
      last(
        ({ zones }) => zones,
        ({ length }) => length > 0,
      ) ?? [],
  };
}

/** What the machines of a pool have where nothing else is said. */
export const POOL_DEFAULTS: VspherePool = {
  cpus: 4,
  coresPerSocket: 4,
  memoryMB: 16384,
  osDisk: { diskSizeGB: 120 },
};
