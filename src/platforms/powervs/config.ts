/** The powervs section of an install-config, and what follows from it alone. */
import type { PowervsMachinePool, PowervsPlatform } from "../../generated/types/install-config.js";
import type { NormalConfig, NormalPool } from "../config.js";
import { regionNamed, regionOfZone } from "./tables.js";

export type { PowervsMachinePool, PowervsPlatform };

/** The powervs section; a config of another platform has none, which is a bug here. */
export function powervsOf(config: NormalConfig): PowervsPlatform {
  const section = config.platform.powervs;
  if (section === undefined) throw new Error("the install-config has no section platform.powervs");
  return section;
}

/** The powervs section of a pool as it is written; empty when it has none. */
export const poolSection = (pool: NormalPool): PowervsMachinePool => pool.platform.powervs ?? {};

/** True when the API is reachable from within the VPC alone. */
export const isPrivate = (config: NormalConfig): boolean => config.publish === "Internal";

/** True for a private cluster whose images come from mirrors: it reaches nothing outside IBM's own network. */
export const isDisconnected = (config: NormalConfig): boolean =>
  isPrivate(config) &&
  ((config.imageDigestSources ?? []).length > 0 || (config.imageContentSources ?? []).length > 0);

/** The region, which follows from the zone where it is not named. */
export const regionOf = ({ region, zone }: PowervsPlatform): string =>
  region || (regionOfZone(zone ?? "") ?? "");

/** The region that goes with the cluster's for VPCs, whatever the config names. */
export const mappedVpcRegion = (section: PowervsPlatform): string =>
  regionNamed(regionOf(section))?.vpcRegion ?? "";

/** The region of the VPC. */
export const vpcRegionOf = (section: PowervsPlatform): string =>
  section.vpcRegion || mappedVpcRegion(section);

/** The region of object storage. */
export const storageRegion = (section: PowervsPlatform): string =>
  regionNamed(regionOf(section))?.storageRegion ?? "";

export interface Endpoint {
  readonly name: string;
  readonly url: string;
}

export const givenEndpoints = ({ serviceEndpoints = [] }: PowervsPlatform): readonly Endpoint[] =>
  serviceEndpoints.map(({ name = "", url = "" }) => ({ name, url }));

/** The endpoint of a service; undefined where it is the cloud's own. */
export const endpointOf = (endpoints: readonly Endpoint[], service: string): string | undefined =>
  endpoints.find(({ name }) => name === service)?.url;
