/** Machines of the Machine API, spread over zones (docs/reference/install-config-and-manifests.md §3.7). */
import type { TemplateName, View } from "../text/render.js";
import { osStreamLabel } from "./os-stream.js";
import type { PlatformInput, Rendering } from "./platform.js";

/** A pool whose machines are spread over zones, or over what stands for them, such as failure domains. */
export interface SpreadPool {
  readonly replicas: number;
  readonly zones: readonly unknown[];
}

/** `index` with as many digits as the count has, so that names sort. */
export const padded = (index: number, count: number): string =>
  String(index).padStart(String(count).length, "0");

/** The share of one of `zones` in `total`: equal for all, the remainder to the first ones. */
export const share = (total: number, zones: number, index: number): number =>
  Math.floor(total / zones) + (index < total % zones ? 1 : 0);

/** Every zone of every pool, with its share of the pool's machines and the number in the names of its files. */
export function spread<Pool extends SpreadPool>(
  pools: readonly Pool[],
): readonly {
  readonly pool: Pool;
  readonly zone: Pool["zones"][number];
  readonly replicas: number;
  readonly number: string;
}[] {
  const sets = pools.flatMap((pool) =>
    pool.zones.map((zone, index) => ({
      pool,
      zone,
      replicas: share(pool.replicas, pool.zones.length, index),
    })),
  );
  return sets.map((set, index) => ({ ...set, number: padded(index, sets.length) }));
}

/** What the templates of machines have in common. */
export const machineView = (input: PlatformInput): View => ({
  infraID: input.identity.infraID,
  osStream: osStreamLabel(input),
});

/** The machines of the control plane, which take turns in the zones; `view` is what is the platform's own. */
export const controlPlaneMachines = <Pool extends SpreadPool & { readonly name: string }>(
  input: PlatformInput,
  template: TemplateName,
  pool: Pool,
  view: (zone: Pool["zones"][number]) => View,
): Rendering[] =>
  pool.zones.length === 0
    ? []
    : Array.from({ length: pool.replicas }, (_, index) => ({
        template,
        path: `openshift/99_openshift-cluster-api_master-machines-${padded(index, pool.replicas)}.yaml`,
        view: {
          ...machineView(input),
          name: `${input.identity.infraID}-${pool.name}-${index}`,
          ...view(pool.zones[index % pool.zones.length]),
        },
      }));

/** The set that keeps the control plane's machines; only where there is more than one. */
export const controlPlaneMachineSet = (
  input: PlatformInput,
  template: TemplateName,
  pool: SpreadPool,
  view: () => View,
): Rendering[] =>
  pool.replicas <= 1 || pool.zones.length === 0
    ? []
    : [
        {
          template,
          path: "openshift/99_openshift-machine-api_master-control-plane-machine-set.yaml",
          view: { ...machineView(input), replicas: pool.replicas, ...view() },
        },
      ];

/** A machine set for each zone of each pool. */
export const machineSets = <Pool extends SpreadPool>(
  input: PlatformInput,
  template: TemplateName,
  pools: readonly Pool[],
  view: (pool: Pool, zone: Pool["zones"][number], index: number) => View,
): Rendering[] =>
  spread(pools).map(({ pool, zone, replicas, number }, index) => ({
    template,
    path: `openshift/99_openshift-cluster-api_worker-machineset-${number}.yaml`,
    view: { ...machineView(input), replicas, ...view(pool, zone, index) },
  }));
