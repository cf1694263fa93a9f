/** What differs by release in the files of this phase: a table with its source, asked by name. */
import table from "../../../schemas/data/releases-manifests.json" with { type: "json" };
import { compareReleases, parseRelease, type Release } from "../../core/release.js";
import type { PlatformName } from "../../platforms/config.js";

export type Trait = keyof typeof table.traits;

const since = (release: Release, text: string): boolean => {
  const from = parseRelease(text);
  if (from === undefined) throw new Error(`the release table names the unknown release ${text}`);
  return compareReleases(release, from) >= 0;
};

const listed = (
  platforms: { readonly [name: string]: string },
  platform: PlatformName,
  release: Release,
): boolean => {
  const from = platforms[platform];
  return from !== undefined && since(release, from);
};

/** True when the files of a release show a trait of the table. */
export const hasTrait = (release: Release, trait: Trait): boolean =>
  since(release, table.traits[trait].since);

/** Platforms that may have an arbiter pool. */
export const allowsArbiter = (release: Release, platform: PlatformName): boolean =>
  listed(table.arbiterPlatforms, platform, release);

/** Platforms whose machines get the kernel arguments for two service networks. */
export const setsDualStackArguments = (release: Release, platform: PlatformName): boolean =>
  hasTrait(release, "dualStackKernelArguments") || table.dualStackPlatforms.includes(platform);

/** Whether a single control plane machine can be installed: always, only in place, or not at all (§3.13). */
export const singleNodeSupport = (
  release: Release,
  platform: PlatformName,
): "always" | "in place" | "never" =>
  listed(table.singleNodePlatforms.always, platform, release)
    ? "always"
    : listed(table.singleNodePlatforms.inPlace, platform, release)
      ? "in place"
      : "never";
