/** What the data tables of powervs say; the tables are in data/. */
import { factsAt, holdsAt, type Span } from "../../core/by-release.js";
import { lookup } from "../../core/lookup.js";
import type { Release } from "../../core/release.js";
import features from "./data/features.json" with { type: "json" };
import regions from "./data/regions.json" with { type: "json" };

/** True when the installer of the release does what the feature says. */
export const has = factsAt(features.features);

interface Zone extends Span {
  /** Types of systems that the zone offers, the default one first. */
  readonly systems: readonly string[];
}

export interface Region {
  /** The region of the VPC that goes with it, unless the config names another. */
  readonly vpcRegion: string;
  /** The region of object storage, where boot images lie. */
  readonly storageRegion: string;
  readonly zones: Readonly<Record<string, Zone>>;
  readonly vpcZones: readonly string[];
}

const REGIONS: Readonly<Record<string, Region>> = regions.regions;

export const REGION_NAMES: readonly string[] = Object.keys(REGIONS);
/** The regions of VPCs that go with some region. */
export const VPC_REGIONS: readonly string[] = [
  ...new Set(Object.values(REGIONS).map(({ vpcRegion }) => vpcRegion)),
];

export const regionNamed = (name: string): Region | undefined => lookup(REGIONS, name);

interface Place extends Zone {
  readonly name: string;
  readonly region: string;
}

const PLACES: readonly Place[] = Object.entries(REGIONS).flatMap(([region, { zones }]) =>
  Object.entries(zones).map(([name, zone]) => ({ ...zone, name, region })),
);

/** The zones of a release, with the region of each. */
export const zonesAt = (release: Release): readonly Place[] =>
  PLACES.filter((place) => holdsAt(place, release));

/** The region of a zone, of whatever release. */
export const regionOfZone = (zone: string): string | undefined =>
  PLACES.find(({ name }) => name === zone)?.region;

/** The systems of a zone by the release's own list; undefined when the zone is not of the region. */
export const systemsOf = (region: string, zone: string, release: Release): readonly string[] | undefined =>
  zonesAt(release).find((place) => place.region === region && place.name === zone)?.systems;

/** Region of object storage for a region of VPCs. */
export const storageRegionOf = (vpcRegion: string): string | undefined =>
  Object.values(REGIONS).find((region) => region.vpcRegion === vpcRegion)?.storageRegion;
