/**
 * Machine API machines, control plane machine set and compute machine sets of aws
 * (docs/reference/install-config-and-manifests.md §3.7, §3.12, §3.13).
 */
import { controlPlaneMachineSet, controlPlaneMachines, machineSets } from "../../machine-api.js";
import type { PlatformInput, Rendering } from "../../platform.js";
import { EDGE } from "../config.js";
import { subnetName } from "../names.js";
import { has } from "../tables.js";
import { clusterApiMachines } from "./compute-templates.js";
import { edgeLabels, type Pool, poolsOf } from "./pools.js";
import { providerSpec } from "./provider-spec.js";

/** Every machine object in `openshift/`. */
export function machines(input: PlatformInput): readonly Rendering[] {
  const { controlPlane: pool, compute } = poolsOf(input);
  const { infraID } = input.identity;
  const byClusterApi = ({ management }: Pool): boolean =>
    management === "ClusterAPI" && has(input.release, "computeByClusterAPI");
  return [
    ...controlPlaneMachines(
      input,
      "openshift/aws/99_openshift-cluster-api_master-machines.yaml",
      pool,
      (zone) => ({
        provider: providerSpec({ input, pool, role: "master", zone, instanceType: zone.instanceType }),
      }),
    ),
    ...controlPlaneMachineSet(
      input,
      "openshift/aws/99_openshift-machine-api_master-control-plane-machine-set.yaml",
      pool,
      () => ({
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
          instanceType: pool.zones[0]?.instanceType ?? "",
        }),
      }),
    ),
    ...machineSets(
      input,
      "openshift/aws/99_openshift-cluster-api_worker-machineset.yaml",
      compute.filter((pool) => !byClusterApi(pool)),
      (set, zone) => ({
        name: `${infraID}-${set.name}-${zone.name}`,
        role: set.name,
        edge: set.name === EDGE ? edgeLabels(zone) : undefined,
        provider: providerSpec({
          input,
          pool: set,
          role: "worker",
          zone,
          instanceType: zone.instanceType,
        }),
      }),
    ),
    ...clusterApiMachines(input, compute.filter(byClusterApi)),
  ];
}
