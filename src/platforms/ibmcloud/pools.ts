/**
 * Machine pools with everything decided: the layers of their settings put together, zones and subnets chosen from the
 * facts (openshift/installer pkg/asset/machines/ibmcloud, pkg/asset/machines/{master,worker}.go).
 */
import type { CloudFacts } from "../../generated/types/cloud-facts.js";
import type { NormalConfig, NormalPool } from "../config.js";
import { onceFor } from "../once.js";
import { existingSubnets, ibmcloudOf, mergeSections, poolSection, type Role } from "./config.js";

export interface PoolZone {
  readonly name: string;
  /** Name of the subnet that is brought along for the zone; undefined when the network is to be made. */
  readonly subnet: string | undefined;
  /** The dedicated host of the zone: its name, or the profile of one to be made. */
  readonly host: { readonly name?: string; readonly profile?: string } | undefined;
}

export interface Pool {
  readonly name: string;
  readonly replicas: number;
  readonly role: Role;
  readonly zones: readonly PoolZone[];
  readonly profile: string;
  /** CRN; empty for a key of the cloud's own. */
  readonly encryptionKey: string;
}

export interface ResolvedPools {
  readonly controlPlane: Pool;
  readonly compute: readonly Pool[];
  /** Fields of zones that are needed and not known. */
  readonly findings: readonly string[];
}

/** Decides every pool of an input; what is wanting is told in the findings and stays empty. */
export const poolsOf = onceFor(({ config, facts }): ResolvedPools => {
  const findings: string[] = [];
  const decide = (pool: NormalPool, role: Role, path: string): Pool =>
    resolve(config, facts, pool, role, `${path}.platform.ibmcloud.zones`, findings);
  return {
    controlPlane: decide(config.controlPlane, "master", "controlPlane"),
    compute: config.compute.map((pool, i) => decide(pool, "worker", `compute[${i}]`)),
    findings,
  };
});

function resolve(
  config: NormalConfig,
  { ibmcloud: facts = {} }: CloudFacts,
  pool: NormalPool,
  role: Role,
  path: string,
  findings: string[],
): Pool {
  const section = ibmcloudOf(config);
  const own = poolSection(pool);
  const merged = mergeSections(section.defaultMachinePlatform ?? {}, own);
  const existing = existingSubnets(section, role);
  const ofRegion = facts.zones ?? [];
  const names = merged.zones.length > 0 ? merged.zones : ofRegion;
  // Subnets that are brought along are held against the zones of the pool alone, else against those of the region.
  const asksRegion = names.length === 0 || (existing.length > 0 && own.zones === undefined);
  if (asksRegion && ofRegion.length === 0) findings.push(path);
  const subnets = new Map(
    existing.flatMap((name) => {
      const found = facts.subnets?.find((each) => each.name === name);
      return found === undefined ? [] : [[found.zone, name] as const];
    }),
  );
  return {
    name: pool.name,
    replicas: pool.replicas,
    role,
    zones: names.map((name, i) => ({
      name,
      subnet: existing.length > 0 ? (subnets.get(name) ?? "") : undefined,
      host: merged.dedicatedHosts.length === names.length ? merged.dedicatedHosts[i] : undefined,
    })),
    profile: merged.type,
    encryptionKey: merged.bootVolume.encryptionKey ?? "",
  };
}
