/** Machine API objects of azure (openshift/installer pkg/asset/machines/azure/machines.go, machinesets.go). */
import { byCodeUnit } from "../../../core/files.js";
import {
  controlPlaneMachineSet,
  controlPlaneMachines,
  machineView,
  padded,
  share,
} from "../../machine-api.js";
import type { PlatformInput, Rendering } from "../../platform.js";
import { azureOf, MULTI_ZONE } from "../config.js";
import { azureFactsOf } from "../facts/view.js";
import { has } from "../tables.js";
import { machineSubnets, type Pool, poolsOf, subnetsByZone } from "./pools.js";
import { providerSpec } from "./provider-spec.js";

export function machines(input: PlatformInput): readonly Rendering[] {
  const { controlPlane, compute } = poolsOf(input);
  const { infraID } = input.identity;
  const azure = azureOf(input.config);
  const subnets = machineSubnets(azure, infraID, "master", input.release);
  const subnetAt = (index: number): string => subnets[index % subnets.length] ?? "";
  const { zones } = controlPlane;
  let index = 0;
  return [
    ...controlPlaneMachines(
      input,
      "openshift/azure/99_openshift-cluster-api_master-machines.yaml",
      controlPlane,
      (zone) => ({
        provider: providerSpec({ input, pool: controlPlane, zone, subnet: subnetAt(index++) }),
      }),
    ),
    ...controlPlaneMachineSet(
      input,
      "openshift/azure/99_openshift-machine-api_master-control-plane-machine-set.yaml",
      controlPlane,
      () => ({
        failureDomains: zones.length > 1 ? zones : undefined,
        provider: providerSpec({
          input,
          pool: controlPlane,
          zone: zones.length > 1 ? "" : (zones[0] ?? ""),
          subnet: subnetAt(controlPlane.replicas - 1),
        }),
      }),
    ),
    ...computeSets(input, compute),
  ];
}

export interface MachineSet {
  readonly name: string;
  readonly replicas: number;
  readonly pool: Pool;
  readonly zone: string;
  readonly subnet: string;
}

/** The machine sets of compute pools. */
export function machineSetsOf(input: PlatformInput, compute: readonly Pool[]): MachineSet[] {
  const gateways = azureOf(input.config).outboundType === MULTI_ZONE;
  return compute.flatMap((pool) => (gateways ? setsBySubnet(input, pool) : setsByZone(input, pool)));
}

function computeSets(input: PlatformInput, compute: readonly Pool[]): Rendering[] {
  const sets = machineSetsOf(input, compute);
  return sets.map(({ name, replicas, pool, zone, subnet }, index) => ({
    template: "openshift/azure/99_openshift-cluster-api_worker-machineset.yaml",
    path: `openshift/99_openshift-cluster-api_worker-machineset-${padded(index, sets.length)}.yaml`,
    view: { ...machineView(input), name, replicas, provider: providerSpec({ input, pool, zone, subnet }) },
  }));
}

const setName = (input: PlatformInput, pool: Pool, zone: string): string =>
  `${input.identity.infraID}-${pool.name}-${azureOf(input.config).region}${zone}`;

/** A machine set for each zone, in the subnets in turn. */
function setsByZone(input: PlatformInput, pool: Pool): MachineSet[] {
  const { release } = input;
  const sorted = has(release, "zonesOnce");
  const inOrder = (names: readonly string[]): readonly string[] =>
    sorted ? [...names].sort(byCodeUnit) : names;
  const zones = inOrder(pool.zones);
  const subnets = inOrder(machineSubnets(azureOf(input.config), input.identity.infraID, "worker", release));
  return zones.map((zone, index) => ({
    name: setName(input, pool, zone),
    replicas: share(pool.replicas, zones.length, index),
    pool,
    zone,
    subnet: subnets[index % subnets.length] ?? "",
  }));
}

/**
 * A machine set for each subnet, in rounds over the zones. The installer makes at least one machine in each subnet of a
 * round that it has begun, and begins no round when exactly as many machines are there as asked for.
 */
function setsBySubnet(input: PlatformInput, pool: Pool): MachineSet[] {
  const { identity, release, facts } = input;
  const left = new Map(
    [...subnetsByZone(azureOf(input.config), azureFactsOf(facts), identity.infraID, release)]
      .filter(([zone]) => pool.zones.includes(zone))
      .map(([zone, subnets]) => [zone, [...subnets].sort(byCodeUnit)]),
  );
  const count = [...left.values()].reduce((sum, subnets) => sum + subnets.length, 0);
  if (count === 0) return [];
  const each = Math.max(Math.floor(pool.replicas / count), 1);
  let remainder = pool.replicas < count ? 0 : pool.replicas % count;
  let wanted = pool.replicas;
  const used = new Map<string, number>();
  const sets: MachineSet[] = [];
  while (wanted !== 0 && left.size > 0)
    for (const zone of [...pool.zones].sort(byCodeUnit)) {
      const [subnet, ...others] = left.get(zone) ?? [];
      if (subnet === undefined) continue;
      if (others.length === 0) left.delete(zone);
      else left.set(zone, others);
      const replicas = each + (remainder > 0 ? 1 : 0);
      remainder = Math.max(remainder - 1, 0);
      const before = used.get(zone) ?? 0;
      used.set(zone, before + 1);
      const name = setName(input, pool, zone);
      sets.push({ name: before === 0 ? name : `${name}-${before}`, replicas, pool, zone, subnet });
      wanted -= replicas;
    }
  return sets;
}
