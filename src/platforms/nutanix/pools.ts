/** Machine pools with everything decided: their settings put together, what is named looked up in the facts. */
import type { CloudFacts } from "../../generated/types/cloud-facts.js";
import type { NormalConfig } from "../config.js";
import { onceFor } from "../once.js";
import {
  failureDomain,
  type NutanixDataDisk,
  type NutanixFailureDomain,
  type NutanixMachinePool,
  nutanixOf,
  type PlacedPool,
  poolsIn,
} from "./config.js";

export type NutanixFacts = NonNullable<CloudFacts["nutanix"]>;

export const nutanixFactsOf = (facts: CloudFacts | undefined): NutanixFacts => facts?.nutanix ?? {};

/** The one thing of a list of facts that has the name; undefined where there is none, or more than one. */
export const uuidNamed = (
  list: readonly { readonly uuid: string; readonly name: string }[] | undefined,
  name: string,
): string | undefined => {
  const [first, ...more] = (list ?? []).filter((each) => each.name === name);
  return more.length === 0 ? first?.uuid : undefined;
};

export interface Pool {
  readonly name: string;
  readonly replicas: number;
  readonly cpus: number;
  readonly coresPerSocket: number;
  readonly memoryMiB: number;
  readonly diskSizeGiB: number;
  readonly bootType: string | undefined;
  /** UUID of the Prism project. */
  readonly project: string | undefined;
  readonly categories: readonly { readonly key: string; readonly value: string }[];
  readonly gpus: NonNullable<NutanixMachinePool["gpus"]>;
  readonly dataDisks: readonly DataDisk[];
  /** In the order written; empty where the machines are in the platform's own Prism Element. */
  readonly failureDomains: readonly NutanixFailureDomain[];
}

export interface DataDisk extends NutanixDataDisk {
  /** UUID of the image that the disk is made from. */
  readonly image: string | undefined;
}

const CPUS = { master: 8, worker: 4 } as const;
const CORES_PER_SOCKET = 1;
const MEMORY_MIB = 16384;
const DISK_SIZE_GIB = 120;

/** Members of `own` win over those of `fallback`; 0, an empty text and an empty list count as not given. */
export function mergeSections(fallback: NutanixMachinePool, own: NutanixMachinePool): NutanixMachinePool {
  const diskSizeGiB = own.osDisk?.diskSizeGiB || fallback.osDisk?.diskSizeGiB || undefined;
  return {
    ...given(fallback),
    ...given(own),
    osDisk: diskSizeGiB === undefined ? {} : { diskSizeGiB },
  };
}

const given = (section: NutanixMachinePool): NutanixMachinePool => {
  const kept = { ...section };
  for (const [name, value] of Object.entries(section))
    if (!value || (Array.isArray(value) && value.length === 0)) Reflect.deleteProperty(kept, name);
  return kept;
};

/** The section of a pool, put together with what holds for all. */
export const sectionOf = (config: NormalConfig, { pool }: PlacedPool): NutanixMachinePool =>
  mergeSections(nutanixOf(config).defaultMachinePlatform ?? {}, pool.platform.nutanix ?? {});

/** Every pool of an input; what is wanting was told when the facts were resolved, and stays empty. */
export const poolsOf = onceFor(({ config, facts }) => {
  const [master, ...compute] = poolsIn(config).map((each) => decide(config, nutanixFactsOf(facts), each));
  if (master === undefined) throw new Error("a config has a control plane");
  return { controlPlane: master, compute };
});

function decide(config: NormalConfig, facts: NutanixFacts, placed: PlacedPool): Pool {
  const section = sectionOf(config, placed);
  const { project } = section;
  return {
    name: placed.pool.name,
    replicas: placed.pool.replicas,
    cpus: section.cpus ?? CPUS[placed.role],
    coresPerSocket: section.coresPerSocket ?? CORES_PER_SOCKET,
    memoryMiB: section.memoryMiB ?? MEMORY_MIB,
    diskSizeGiB: section.osDisk?.diskSizeGiB ?? DISK_SIZE_GIB,
    bootType: section.bootType,
    project: project?.type === "name" ? uuidNamed(facts.projects, project.name ?? "") : project?.uuid,
    categories: (section.categories ?? []).map(({ key = "", value = "" }) => ({ key, value })),
    gpus: section.gpus ?? [],
    dataDisks: (section.dataDisks ?? []).map((disk) => ({ ...disk, image: imageOf(disk, facts) })),
    failureDomains: (section.failureDomains ?? []).flatMap(
      (name) => failureDomain(nutanixOf(config), name) ?? [],
    ),
  };
}

/**
 * The installer looks up a name where there is neither a reference nor a UUID; a reference it only looks for in the
 * failure domains, and then takes the UUID that stands beside it.
 */
function imageOf({ dataSourceImage: image }: NutanixDataDisk, facts: NutanixFacts): string | undefined {
  if (image === undefined) return undefined;
  const { referenceName, uuid = "", name } = image;
  return referenceName || uuid || !name ? uuid : (uuidNamed(facts.images, name) ?? "");
}
