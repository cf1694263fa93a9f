/**
 * Machine pools with everything decided: the layers of their settings put together, zones, instance types, images
 * and subnets chosen from the facts (docs/reference/install-config-and-manifests.md §1.5, §3.13).
 */
import { byCodeUnit } from "../../../core/files.js";
import type { Release } from "../../../core/release.js";
import type { NormalConfig, NormalPool } from "../../config.js";
import { onceFor } from "../../once.js";
import {
  type AwsConfig,
  type AwsMachinePool,
  awsOf,
  EDGE,
  existingSubnets,
  poolSection,
  publishesExternally,
} from "../config.js";
import {
  type AwsFacts,
  type AwsSubnet,
  awsFactsOf,
  bootImage,
  nodeSubnets,
  regionZones,
  type Zone,
  zoneOf,
  zonesOffering,
} from "../facts/view.js";
import { mergeSections } from "../install-config/defaults.js";
import { has, preferredInstanceTypes, type Topology } from "../tables.js";

export interface RootVolume {
  readonly size: number;
  readonly type: string;
  readonly iops: number;
  readonly throughput: number | undefined;
  readonly kmsKeyARN: string | undefined;
}

export interface PoolZone {
  readonly name: string;
  readonly instanceType: string;
  /** The subnet that is brought along for the zone; undefined when the network is to be made. */
  readonly subnet: AwsSubnet | undefined;
  /** Dedicated host of the zone. */
  readonly hostID: string | undefined;
  /** What the facts know about the zone; needed for edge zones. */
  readonly zone: Zone | undefined;
}

/** What labels of the nodes of an edge zone say. */
export const edgeLabels = ({ zone }: PoolZone) => ({
  type: zone?.type ?? "",
  group: zone?.group ?? "",
  parent: zone?.parent ?? "",
});

export interface Pool {
  readonly name: string;
  readonly replicas: number;
  readonly management: string | undefined;
  readonly zones: readonly PoolZone[];
  /** Undefined when the image is to be copied into the region first. */
  readonly amiID: string | undefined;
  readonly rootVolume: RootVolume;
  readonly authentication: string | undefined;
  readonly iamProfile: string | undefined;
  readonly iamRole: string | undefined;
  readonly securityGroupIDs: readonly string[];
  readonly confidentialCompute: string | undefined;
}

/** What was wanting or chosen while pools were resolved. `path` is the field of the pool's aws section. */
export type PoolFinding = { readonly path: string } & (
  | { readonly kind: "no-zones" }
  | {
      readonly kind: "no-zone-attributes" | "no-edge-type" | "no-image" | "no-host" | "no-subnet";
      readonly names: readonly string[];
    }
  | { readonly kind: "copied-image"; readonly architecture: string }
  | { readonly kind: "default-type"; readonly type: string }
  | {
      /** None of the preferred types is offered in all zones; or the one that was set is not in some. */
      readonly kind: "type-not-offered" | "set-type-not-offered";
      readonly type: string;
      readonly names: readonly string[];
    }
);

export interface ResolvedPools {
  readonly controlPlane: Pool;
  readonly compute: readonly Pool[];
  readonly findings: readonly PoolFinding[];
}

const DEFAULT_VOLUME_SIZE = 120;

function resolvePools(config: NormalConfig, facts: AwsFacts, release: Release): ResolvedPools {
  const findings: PoolFinding[] = [];
  const decide = (pool: NormalPool, path: string): Pool =>
    new PoolResolver(config, facts, release, pool, `${path}.platform.aws`, findings).resolve();
  return {
    controlPlane: decide(config.controlPlane, "controlPlane"),
    compute: config.compute.map((pool, index) => decide(pool, `compute[${index}]`)),
    findings,
  };
}

/** Decides every pool of an input; what is wanting is told in the findings and stays empty. */
export const poolsOf = onceFor(({ config, facts, release }) =>
  resolvePools(config, awsFactsOf(facts), release),
);

class PoolResolver {
  private readonly aws: AwsConfig;
  private readonly merged: AwsMachinePool;
  private readonly isControlPlane: boolean;
  private readonly isEdge: boolean;
  private readonly subnets: ReadonlyMap<string, AwsSubnet>;

  constructor(
    private readonly config: NormalConfig,
    private readonly facts: AwsFacts,
    private readonly release: Release,
    private readonly pool: NormalPool,
    private readonly path: string,
    private readonly findings: PoolFinding[],
  ) {
    this.aws = awsOf(config);
    this.merged = mergeSections(this.aws.defaultMachinePlatform ?? {}, poolSection(pool) ?? {});
    this.isControlPlane = pool === config.controlPlane;
    this.isEdge = !this.isControlPlane && pool.name === EDGE;
    this.subnets = nodeSubnets(
      this.aws,
      facts,
      this.isEdge ? "EdgeNode" : "ClusterNode",
      publishesExternally(config),
    );
  }

  resolve(): Pool {
    const { merged, pool } = this;
    this.findHosts();
    const zones = this.zones();
    return {
      name: pool.name,
      replicas: this.isEdge && pool.replicas === 0 ? zones.length : pool.replicas,
      management: this.isControlPlane || pool.management === "" ? undefined : pool.management,
      zones,
      amiID: this.image(),
      rootVolume: {
        size: merged.rootVolume?.size ?? DEFAULT_VOLUME_SIZE,
        type: merged.rootVolume?.type ?? (this.isEdge ? "gp2" : "gp3"),
        iops: merged.rootVolume?.iops ?? 0,
        throughput: has(this.release, "volumeThroughput") ? merged.rootVolume?.throughput : undefined,
        kmsKeyARN: merged.rootVolume?.kmsKeyARN,
      },
      authentication: merged.metadataService?.authentication,
      iamProfile: merged.iamProfile,
      iamRole: merged.iamRole,
      securityGroupIDs: merged.additionalSecurityGroupIDs ?? [],
      confidentialCompute: has(this.release, "cpuOptions")
        ? merged.cpuOptions?.confidentialCompute
        : undefined,
    };
  }

  /** The zones with an instance type and a subnet each; ordered as written, else by name. */
  private zones(): PoolZone[] {
    const written = this.merged.zones ?? [];
    const fromSubnets = [...this.subnets.keys()];
    const existing = existingSubnets(this.aws).length > 0;
    let names: readonly string[] = written.length > 0 ? written : fromSubnets;
    let byDefault = false;
    if (names.length === 0 && !existing && !this.isEdge) {
      names = regionZones(this.facts, this.release) ?? [];
      byDefault = true;
    }
    if (names.length === 0 && !existing) this.findings.push({ kind: "no-zones", path: this.path });
    if (this.isEdge) return this.edgeZones(names);
    const type = this.instanceType(names);
    if (byDefault) names = this.withOffer(names, type);
    if (this.merged.type !== undefined) this.findOffer(names, type);
    return this.located(names, () => type);
  }

  private edgeZones(names: readonly string[]): PoolZone[] {
    const bare = names.filter((name) => {
      const zone = zoneOf(this.facts, this.aws.region, name);
      return zone === undefined || zone.group === undefined || zone.parent === undefined;
    });
    if (bare.length > 0) this.findings.push({ kind: "no-zone-attributes", path: this.path, names: bare });
    const { type } = this.merged;
    if (type !== undefined) {
      this.findOffer(names, type);
      return this.located(names, () => type);
    }
    const types = this.preferred();
    const offered = new Map(
      names.map((name) => [name, types.find((each) => zonesOffering(this.facts, each)?.has(name))]),
    );
    const without = names.filter((name) => offered.get(name) === undefined);
    if (without.length > 0) this.findings.push({ kind: "no-edge-type", path: this.path, names: without });
    return this.located(names, (name) => offered.get(name) ?? "");
  }

  private located(names: readonly string[], typeOf: (name: string) => string): PoolZone[] {
    const lost = this.subnets.size > 0 ? names.filter((name) => !this.subnets.has(name)) : [];
    if (lost.length > 0) this.findings.push({ kind: "no-subnet", path: this.path, names: lost });
    return names.map((name) => ({
      name,
      instanceType: typeOf(name),
      subnet: this.subnets.get(name),
      hostID: this.hostOf(name),
      zone: zoneOf(this.facts, this.aws.region, name),
    }));
  }

  private instanceType(zones: readonly string[]): string {
    if (this.merged.type !== undefined) return this.merged.type;
    const types = this.preferred();
    const [first = ""] = types;
    if (zonesOffering(this.facts, first) === undefined) {
      this.findings.push({ kind: "default-type", path: this.path, type: first });
      return first;
    }
    const offered = types.find((type) => zones.every((zone) => zonesOffering(this.facts, type)?.has(zone)));
    if (offered === undefined)
      this.findings.push({ kind: "type-not-offered", path: this.path, type: first, names: zones });
    return offered ?? first;
  }

  /** Tells the zones that do not offer the type that was set, as far as the facts know offers. */
  private findOffer(zones: readonly string[], type: string): void {
    const offering = zonesOffering(this.facts, type);
    if (offering === undefined) return;
    const names = zones.filter((zone) => !offering.has(zone));
    if (names.length > 0) this.findings.push({ kind: "set-type-not-offered", path: this.path, type, names });
  }

  /** Compute pools share the architecture of the first (docs/reference/install-config-and-manifests.md §3.13). */
  private preferred(): readonly string[] {
    const [first] = this.config.compute;
    const { architecture } = this.isControlPlane ? this.pool : (first ?? this.config.controlPlane);
    const topology: Topology =
      this.isControlPlane && this.pool.replicas === 1 ? "SingleReplica" : "HighlyAvailable";
    return preferredInstanceTypes(architecture, topology);
  }

  /**
   * Of zones that nobody chose, those that offer the type; all of them when the facts name none,
   * where the installer is left without a zone and writes no machine.
   */
  private withOffer(zones: readonly string[], type: string): readonly string[] {
    const offering = zonesOffering(this.facts, type);
    const left = zones.filter((zone) => offering?.has(zone));
    return left.length > 0 ? left.sort(byCodeUnit) : zones;
  }

  private image(): string | undefined {
    if (this.merged.amiID !== undefined) return this.merged.amiID;
    const [first] = this.config.compute;
    const { architecture } = this.isControlPlane ? this.pool : (first ?? this.config.controlPlane);
    const image = bootImage(this.facts, this.aws.region, architecture);
    if (image === undefined) this.findings.push({ kind: "no-image", path: this.path, names: [architecture] });
    else if (image.copyFrom !== undefined)
      this.findings.push({ kind: "copied-image", path: this.path, architecture });
    return image?.copyFrom === undefined ? image?.id : undefined;
  }

  /** The dedicated hosts of a compute pool, with the zone that the config or the facts give. */
  private hosts(): readonly { readonly id: string; readonly zone: string | undefined }[] {
    const placement = this.merged.hostPlacement;
    if (this.isControlPlane || !has(this.release, "dedicatedHosts")) return [];
    if (placement?.affinity !== "DedicatedHost") return [];
    return (placement.dedicatedHost ?? []).map(({ id = "", zone }) => ({
      id,
      zone: zone ?? this.facts.dedicatedHosts?.find((each) => each.id === id)?.zone,
    }));
  }

  private findHosts(): void {
    const names = this.hosts().flatMap(({ id, zone }) => (zone === undefined ? [id] : []));
    if (names.length > 0) this.findings.push({ kind: "no-host", path: this.path, names });
  }

  private hostOf(zone: string): string | undefined {
    return this.hosts().find((host) => host.zone === zone)?.id;
  }
}
