/**
 * Machine pools with everything decided: the layers of their settings put together, zones, networking and images chosen
 * from the facts (openshift/installer pkg/asset/machines/master.go, worker.go, azure/machines.go).
 */
import { byCodeUnit } from "../../../core/files.js";
import type { Release } from "../../../core/release.js";
import type { NormalConfig, NormalPool } from "../../config.js";
import { onceFor } from "../../once.js";
import {
  type AzureConfig,
  type AzureMachinePool,
  azureOf,
  CONTROL_PLANE,
  isStack,
  MULTI_ZONE,
  NODE,
  ownSubnets,
  poolSection,
  subnetsFor,
} from "../config.js";
import {
  type AzureFacts,
  architectureOf,
  azureFactsOf,
  generationOf,
  instanceType,
  offersAcceleration,
} from "../facts/view.js";
import { mergeSections } from "../install-config/defaults.js";
import { defaultType, has } from "../tables.js";

/** Where the boot image of a pool comes from. */
export type PoolImage =
  | {
      readonly from: "marketplace";
      readonly publisher: string;
      readonly offer: string;
      readonly sku: string;
      readonly version: string;
      /** True for an image whose terms are accepted by a purchase plan. */
      readonly plan: boolean;
    }
  /** An image in a gallery that is made for the cluster, for machines of a generation. */
  | { readonly from: "gallery"; readonly generation: string | undefined }
  /** A managed image, on Azure Stack Hub. */
  | { readonly from: "managed" };

export interface Pool {
  readonly name: string;
  readonly role: "master" | "worker";
  /** Field of the pool, such as `compute[0]`. */
  readonly path: string;
  readonly replicas: number;
  /** An empty text stands for no zone. */
  readonly zones: readonly string[];
  /** True when nobody chose the zones. */
  readonly zonesByDefault: boolean;
  readonly type: string;
  readonly architecture: string;
  /** What the machine type can do; `accelerated` is what the machines do. */
  readonly offersAcceleration: boolean;
  readonly accelerated: boolean;
  /** The settings with all layers; those of the disk and the identity are always there. */
  readonly settings: AzureMachinePool;
  readonly diskSize: number;
  readonly diskType: string;
  readonly identity: NonNullable<AzureMachinePool["identity"]>;
  readonly image: PoolImage;
}

/** What was wanting or chosen while pools were resolved. */
export interface Finding {
  readonly kind:
    | "no-type"
    | "no-generation"
    | "no-image"
    | "no-zones-of-gateways"
    | "publisher"
    | "other-zones";
  /** The field of the pool's azure section, or of the platform's. */
  readonly path: string;
  readonly name: string;
}

export interface ResolvedPools {
  readonly controlPlane: Pool;
  readonly compute: readonly Pool[];
  readonly findings: readonly Finding[];
}

const CONTROL_PLANE_DISK = 1024;
const DISK = 128;
const DISK_TYPE = "Premium_LRS";

/** True for machines that cannot boot from an image in the marketplace. */
const isSecured = ({ settings }: AzureMachinePool): boolean => (settings?.securityType ?? "") !== "";

function resolvePools(config: NormalConfig, facts: AzureFacts, release: Release): ResolvedPools {
  const findings: Finding[] = [];
  const resolver = new Resolver(config, facts, release, findings);
  const controlPlane = resolver.resolve(config.controlPlane, "master", "controlPlane");
  const compute = config.compute.map((pool, index) =>
    resolver.resolve(pool, "worker", `compute[${index}]`, controlPlane),
  );
  if (azureOf(config).outboundType === MULTI_ZONE && (facts.natGatewayZones ?? []).length === 0)
    findings.push({ kind: "no-zones-of-gateways", path: "platform.azure.outboundType", name: "" });
  return { controlPlane, compute, findings };
}

/** Decides every pool of an input; what is wanting is told in the findings. */
export const poolsOf = onceFor(({ config, facts, release }) =>
  resolvePools(config, azureFactsOf(facts), release),
);

class Resolver {
  private readonly azure: AzureConfig;

  constructor(
    private readonly config: NormalConfig,
    private readonly facts: AzureFacts,
    private readonly release: Release,
    private readonly findings: Finding[],
  ) {
    this.azure = azureOf(config);
  }

  resolve(pool: NormalPool, role: "master" | "worker", path: string, first?: Pool): Pool {
    const { azure, facts } = this;
    const settings = mergeSections(azure.defaultMachinePlatform, poolSection(pool));
    const type = settings.type ?? defaultType(role, azure.cloudName, pool.architecture, this.release);
    const known = instanceType(facts, type);
    const field = `${path}.platform.azure`;
    const written = settings.zones ?? [];
    const zones = written.length > 0 ? written : this.defaultZones(known?.zones ?? [], first, field);
    const networking = settings.vmNetworkingType ?? "";
    const image = this.image(pool, settings, generationOf(known), field);
    const needsGeneration = !isStack(azure) && !settings.osImage?.publisher;
    const asks = written.length === 0 || networking === "" || needsGeneration;
    if (known === undefined && asks)
      this.findings.push({ kind: "no-type", path: `${field}.type`, name: type });
    else if (needsGeneration && generationOf(known) === undefined)
      this.findings.push({ kind: "no-generation", path: `${field}.type`, name: type });
    return {
      name: pool.name,
      role,
      path,
      replicas: pool.replicas,
      zones: zones.length === 0 ? [""] : zones,
      zonesByDefault: written.length === 0,
      type,
      architecture: pool.architecture,
      offersAcceleration: offersAcceleration(known),
      accelerated: networking === "" ? offersAcceleration(known) : networking === "Accelerated",
      settings,
      diskSize:
        settings.osDisk?.diskSizeGB ?? (role === "master" && !isStack(azure) ? CONTROL_PLANE_DISK : DISK),
      diskType: settings.osDisk?.diskType ?? DISK_TYPE,
      identity: this.identity(settings),
      image,
    };
  }

  /** From 4.21 on the installer asks for zones once, for the first pool that names none. */
  private defaultZones(
    offered: readonly string[],
    first: Pool | undefined,
    field: string,
  ): readonly string[] {
    if (!has(this.release, "zonesOnce")) return offered;
    const sorted = [...offered].sort(byCodeUnit);
    if (first?.zonesByDefault !== true || first.zones[0] === "") return sorted;
    if (first.zones.some((zone) => !sorted.includes(zone)))
      this.findings.push({ kind: "other-zones", path: `${field}.zones`, name: first.zones.join(", ") });
    return first.zones;
  }

  /** Without a word of the pool's, machines get the identity that is made for the cluster. */
  private identity(settings: AzureMachinePool): Pool["identity"] {
    const own = has(this.release, "identities") ? settings.identity : undefined;
    return own ?? { type: isStack(this.azure) ? "None" : "UserAssigned" };
  }

  private image(
    pool: NormalPool,
    settings: AzureMachinePool,
    generation: string | undefined,
    field: string,
  ): PoolImage {
    const own = settings.osImage;
    if (own?.publisher) {
      const { publisher, offer = "", sku = "", version = "", plan = "" } = own;
      const known = this.facts.marketplaceImages?.find(
        (each) =>
          each.publisher.toLowerCase() === publisher.toLowerCase() &&
          each.offer === offer &&
          each.sku === sku &&
          each.version === version,
      );
      if (known === undefined)
        this.findings.push({ kind: "publisher", path: `${field}.osImage.publisher`, name: publisher });
      return {
        from: "marketplace",
        publisher: known?.plan?.publisher || publisher,
        offer,
        sku,
        version,
        plan: plan !== "NoPurchasePlan",
      };
    }
    if (isStack(this.azure)) return { from: "managed" };
    const gallery = { from: "gallery", generation } as const;
    if (!has(this.release, "marketplaceImages") || isSecured(settings)) return gallery;
    // Compute machines share the image of the first pool.
    const [compute] = this.config.compute;
    const like = pool === this.config.controlPlane ? pool : (compute ?? pool);
    const architecture = architectureOf(like);
    const images = this.facts.images?.[architecture];
    const urn = generation === "V1" ? images?.gen1 : images?.gen2;
    if (images === undefined || (urn === undefined && images.gen2 !== undefined))
      this.findings.push({
        kind: "no-image",
        path: `${field}.osImage`,
        name: images === undefined ? architecture : `${architecture}, generation 1`,
      });
    if (urn === undefined) return gallery;
    const [publisher = "", offer = "", sku = "", version = ""] = urn.split(":");
    return { from: "marketplace", publisher, offer, sku, version, plan: false };
  }
}

/** The subnets that machines of a role are put into, in order; those that are made where none is brought along. */
export function machineSubnets(
  azure: AzureConfig,
  infraID: string,
  role: Pool["role"],
  release: Release,
): readonly string[] {
  const own = subnetsFor(azure, release, role === "master" ? CONTROL_PLANE : NODE);
  return own.length > 0 ? own : [`${infraID}-${role}-subnet`];
}

/**
 * Which subnets of nodes lie in which zone, with NAT gateways in several: in turn, own subnets by name, else one that is
 * made for each zone (openshift/installer pkg/asset/installconfig/azure/metadata.go, GenerateZonesSubnetMap).
 */
export function subnetsByZone(
  azure: AzureConfig,
  facts: AzureFacts,
  infraID: string,
  release: Release,
): ReadonlyMap<string, readonly string[]> {
  const zones = [...(facts.natGatewayZones ?? [])].sort(byCodeUnit);
  const subnets =
    ownSubnets(azure, release).length > 0
      ? [...subnetsFor(azure, release, NODE)].sort(byCodeUnit)
      : zones.map((_, index) => madeNodeSubnet(infraID, index));
  const found = new Map<string, string[]>();
  for (const [index, subnet] of subnets.entries()) {
    const zone = zones[index % zones.length] ?? "";
    found.set(zone, [...(found.get(zone) ?? []), subnet]);
  }
  return found;
}

/** The name of the subnet of nodes that is made for the zone at an index. */
export const madeNodeSubnet = (infraID: string, index: number): string =>
  index === 0 ? `${infraID}-worker-subnet` : `${infraID}-worker-subnet-${index + 1}`;
