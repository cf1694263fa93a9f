/** What the data tables of azure say. */
import { factsAt, rowAt, rowsAt, type Span } from "../../core/by-release.js";
import { lookup } from "../../core/lookup.js";
import type { Release } from "../../core/release.js";
import clouds from "./data/clouds.json" with { type: "json" };
import features from "./data/features.json" with { type: "json" };

/** True when the installer of the release does what the feature says (data/features.json). */
export const has = factsAt(features.features);

/** How machines may reach the internet. */
export const outboundTypes = (release: Release): readonly string[] =>
  rowsAt(features.outboundTypes, release).map(({ name }) => name);

export const CLOUDS: readonly string[] = Object.keys(clouds.clouds);
export const PUBLIC = "AzurePublicCloud";
export const GOVERNMENT = "AzureUSGovernmentCloud";
export const STACK = "AzureStackCloud";

/** The end of storage accounts' host names, such as `core.windows.net`; empty where only facts can tell. */
export const storageSuffix = (cloud: string): string => lookup(clouds.clouds, cloud)?.storageSuffix ?? "";

/** The oldest TLS that storage accounts of the cloud speak. */
export const oldestTls = (cloud: string): string => lookup(clouds.clouds, cloud)?.tls ?? "";

/** The size of machines that name none. */
export function defaultType(
  role: "master" | "worker",
  cloud: string,
  architecture: string,
  release: Release,
): string {
  const types: Readonly<Record<"amd64" | "arm64" | "stack", readonly ({ readonly name: string } & Span)[]>> =
    clouds.types[role];
  const rows = cloud === STACK ? types.stack : architecture === "arm64" ? types.arm64 : types.amd64;
  return rowAt(rows, release)?.name ?? "";
}
