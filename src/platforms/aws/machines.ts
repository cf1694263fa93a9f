/**
 * Machine API machines, control plane machine set and compute machine sets of aws
 * (facts/install-config-and-manifests.md §3.7, §3.12, §3.13).
 */
import type { PlatformInput, Rendering } from "../platform.js";
import { clusterApiMachines } from "./compute-templates.js";
import { EDGE } from "./config.js";
import { awsFactsOf } from "./facts-view.js";
import { subnetName } from "./names.js";
import { osStreamLabel } from "./os-stream.js";
import { type Pool, type PoolZone, resolvePools } from "./pools.js";
import { providerSpec } from "./provider-spec.js";
import { padded, share } from "./spread.js";

/** Every machine object in `openshift/`. */
export function machines(input: PlatformInput): readonly Rendering[] {
  const { controlPlane, compute } = resolvePools(input.config, awsFactsOf(input.facts), input.release);
  return [
    ...controlPlaneMachines(input, controlPlane),
    ...controlPlaneMachineSet(input, controlPlane),
    ...machineSets(
      input,
      compute.filter((pool) => pool.management !== "ClusterAPI"),
    ),
    ...clusterApiMachines(
      input,
      compute.filter((pool) => pool.management === "ClusterAPI"),
    ),
  ];
}

function controlPlaneMachines(input: PlatformInput, pool: Pool): Rendering[] {
  const { infraID } = input.identity;
  return Array.from({ length: pool.replicas }, (_, index) => index).flatMap((index) => {
    const zone = pool.zones[index % pool.zones.length];
    if (zone === undefined) return [];
    return {
      template: "openshift/aws/99_openshift-cluster-api_master-machines.yaml",
      path: `openshift/99_openshift-cluster-api_master-machines-${padded(index, pool.replicas)}.yaml`,
      view: {
        infraID,
        osStream: osStreamLabel(input),
        name: `${infraID}-${pool.name}-${index}`,
        provider: providerSpec({ input, pool, role: "master", zone, instanceType: zone.instanceType }),
      },
    };
  });
}

/** Only where there is more than one control plane machine. */
function controlPlaneMachineSet(input: PlatformInput, pool: Pool): Rendering[] {
  const { infraID } = input.identity;
  const [first] = pool.zones;
  if (pool.replicas <= 1 || first === undefined) return [];
  return [
    {
      template: "openshift/aws/99_openshift-machine-api_master-control-plane-machine-set.yaml",
      path: "openshift/99_openshift-machine-api_master-control-plane-machine-set.yaml",
      view: {
        infraID,
        osStream: osStreamLabel(input),
        replicas: pool.replicas,
        failureDomains: pool.zones.map(({ name, subnet }) => ({
          zone: name,
          subnetID: subnet?.id,
          subnetName: subnetName(infraID, name, false),
        })),
        provider: providerSpec({
          input,
          pool,
          role: "master",
          zone: undefined,
          instanceType: first.instanceType,
        }),
      },
    },
  ];
}

function machineSets(input: PlatformInput, pools: readonly Pool[]): Rendering[] {
  const { infraID } = input.identity;
  const sets = pools.flatMap((pool) =>
    pool.zones.map((zone, index) => ({
      pool,
      zone,
      replicas: share(pool.replicas, pool.zones.length, index),
    })),
  );
  return sets.map(({ pool, zone, replicas }, index) => ({
    template: "openshift/aws/99_openshift-cluster-api_worker-machineset.yaml",
    path: `openshift/99_openshift-cluster-api_worker-machineset-${padded(index, sets.length)}.yaml`,
    view: {
      infraID,
      osStream: osStreamLabel(input),
      name: `${infraID}-${pool.name}-${zone.name}`,
      role: pool.name,
      replicas,
      edge: pool.name === EDGE ? edgeLabels(zone) : undefined,
      provider: providerSpec({ input, pool, role: "worker", zone, instanceType: zone.instanceType }),
    },
  }));
}

const edgeLabels = ({ zone }: PoolZone) => ({
  type: zone?.type ?? "",
  group: zone?.group ?? "",
  parent: zone?.parent ?? "",
});
