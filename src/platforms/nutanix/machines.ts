/** Machine API machines, control plane machine set and machine sets of nutanix (openshift/installer pkg/asset/machines/nutanix). */
import type { JsonObject } from "../../core/json.js";
import type { Release } from "../../core/release.js";
import { canonicalQuantity } from "../../kubernetes/quantities.js";
import type { View } from "../../text/render.js";
import { controlPlaneMachineSet, controlPlaneMachines, machineView, padded } from "../machine-api.js";
import type { PlatformInput, Rendering } from "../platform.js";
import { byUuid, has, imageName, type NutanixFailureDomain, nutanixOf, prismElement } from "./config.js";
import { type DataDisk, type Pool, poolsOf } from "./pools.js";

export function machines(input: PlatformInput): readonly Rendering[] {
  const { controlPlane: pool, compute } = poolsOf(input);
  const domains = pool.failureDomains;
  const zones = domains.length > 0 ? domains : [undefined];
  return [
    ...controlPlaneMachines(
      input,
      "openshift/nutanix/99_openshift-cluster-api_master-machines.yaml",
      { ...pool, zones },
      (domain) => ({ provider: providerSpec(input, pool, "master", placeOf(input, domain)) }),
    ),
    ...controlPlaneMachineSet(
      input,
      "openshift/nutanix/99_openshift-machine-api_master-control-plane-machine-set.yaml",
      { ...pool, zones },
      () => ({
        failureDomains: domains.length > 0 ? domains.map(({ name = "" }) => name) : undefined,
        provider: providerSpec(
          input,
          pool,
          "master",
          // The failure domains say where the machines are.
          domains.length > 0
            ? { cluster: { type: "" }, subnets: [], failureDomain: null }
            : placeOf(input, undefined),
        ),
      }),
    ),
    ...machineSets(input, compute),
  ];
}

export interface MachineSet {
  readonly pool: Pool;
  readonly name: string;
  readonly replicas: number;
  readonly domain: NutanixFailureDomain | undefined;
}

/** A set for each failure domain that gets machines, else one for the pool. */
export const machineSetsOf = (input: PlatformInput, pools: readonly Pool[]): MachineSet[] =>
  pools.flatMap((pool): MachineSet[] => {
    const name = `${input.identity.infraID}-${pool.name}`;
    if (pool.failureDomains.length === 0) return [{ pool, name, replicas: pool.replicas, domain: undefined }];
    return spreadOver(pool).map(({ domain, replicas }, index) => ({
      pool,
      name: `${name}-${index}`,
      replicas,
      domain,
    }));
  });

function machineSets(input: PlatformInput, pools: readonly Pool[]): Rendering[] {
  const sets = machineSetsOf(input, pools);
  return sets.map(({ pool, name, replicas, domain }, index) => ({
    template: "openshift/nutanix/99_openshift-cluster-api_worker-machineset.yaml",
    path: `openshift/99_openshift-cluster-api_worker-machineset-${padded(index, sets.length)}.yaml`,
    view: {
      ...machineView(input),
      name,
      replicas,
      provider: providerSpec(input, pool, "worker", placeOf(input, domain)),
    },
  }));
}

/**
 * The failure domains that get machines, each with its number of them: the machines take turns. The installer numbers
 * the sets in an order of chance.
 */
function spreadOver({ failureDomains, replicas }: Pool) {
  const counts = new Map<NutanixFailureDomain, number>();
  failureDomains.forEach((domain, index) => {
    const count = Math.max(0, Math.ceil((replicas - index) / failureDomains.length));
    counts.set(domain, (counts.get(domain) ?? 0) + count);
  });
  return [...counts].filter(([, count]) => count > 0).map(([domain, count]) => ({ domain, replicas: count }));
}

interface Place {
  readonly cluster: JsonObject;
  readonly subnets: readonly JsonObject[];
  readonly failureDomain: JsonObject | null;
}

/** A failure domain, or the platform's own Prism Element. */
export function placeOf({ config }: PlatformInput, domain: NutanixFailureDomain | undefined): Place {
  const nutanix = nutanixOf(config);
  const { uuid = "" } = domain === undefined ? prismElement(nutanix) : (domain.prismElement ?? {});
  const subnets = (domain ?? nutanix).subnetUUIDs ?? [];
  return {
    cluster: byUuid(uuid),
    subnets: subnets.map(byUuid),
    failureDomain: domain === undefined ? null : { name: domain.name ?? "" },
  };
}

/** An amount of a power of two, as the API server prints it. */
export const sizeOf = (amount: number, unit: "Mi" | "Gi"): string =>
  canonicalQuantity(`${amount}${unit}`) ?? "0";

/** View of templates/openshift/nutanix/_provider-spec. */
function providerSpec(input: PlatformInput, pool: Pool, role: "master" | "worker", place: Place): View {
  const orNull = <T>(list: readonly T[]): readonly T[] | null => (list.length > 0 ? list : null);
  return {
    ...place,
    bootType: pool.bootType ?? "",
    categories: orNull(pool.categories),
    dataDisks: orNull(pool.dataDisks.map((disk) => dataDisk(disk, input.release))),
    gpus: orNull(pool.gpus.map(({ type = "", ...rest }): JsonObject => ({ type, ...rest }))),
    image: imageName(nutanixOf(input.config), input.identity.infraID),
    memorySize: sizeOf(pool.memoryMiB, "Mi"),
    project: pool.project === undefined ? { type: "" } : byUuid(pool.project),
    systemDiskSize: sizeOf(pool.diskSizeGiB, "Gi"),
    userDataSecret: `${role}-user-data`,
    vcpuSockets: pool.cpus,
    vcpusPerSocket: pool.coresPerSocket,
  };
}

function dataDisk(
  { diskSize = "0", deviceProperties, storageConfig, image }: DataDisk,
  release: Release,
): JsonObject {
  const { deviceType = "", adapterType = "", deviceIndex = 0 } = deviceProperties ?? {};
  const container = storageConfig?.storageContainer;
  return {
    diskSize: canonicalQuantity(diskSize) ?? diskSize,
    ...(deviceProperties === undefined
      ? {}
      : {
          deviceProperties: {
            deviceType,
            adapterType,
            ...(deviceIndex === 0 ? {} : { deviceIndex }),
          },
        }),
    ...(storageConfig === undefined
      ? {}
      : {
          storageConfig: {
            diskMode: storageConfig.diskMode ?? "",
            ...(container === undefined
              ? has(release, "nullStorageContainer")
                ? { storageContainer: null }
                : {}
              : { storageContainer: byUuid(container.uuid ?? "") }),
          },
        }),
    ...(image === undefined ? {} : { dataSource: byUuid(image) }),
  };
}
