/** What differs by release in the files of this phase: a table with its source, asked by name. */
import table from "../../../schemas/data/releases-manifests.json" with { type: "json" };
import { holdsAt } from "../../core/by-release.js";
import { compareReleases, parseRelease, type Release } from "../../core/release.js";
import type { PlatformName } from "../../platforms/config.js";
import { PLATFORMS } from "../../platforms/registry.js";

export type Trait = keyof typeof table.traits;

const since = (release: Release, text: string): boolean => {
  const from = parseRelease(text);
  if (from === undefined) throw new Error(`the release table names the unknown release ${text}`);
  return compareReleases(release, from) >= 0;
};

/** True when the files of a release show a trait of the table. */
export const hasTrait = (release: Release, trait: Trait): boolean =>
  since(release, table.traits[trait].since);

/** True where a platform may have an arbiter pool. */
export function allowsArbiter(release: Release, platform: PlatformName): boolean {
  const span = PLATFORMS[platform].traits.arbiter;
  return span !== undefined && holdsAt(span, release);
}

/** True when the machines of a platform get the kernel arguments for two service networks. */
export const setsDualStackArguments = (release: Release, platform: PlatformName): boolean =>
  hasTrait(release, "dualStackKernelArguments") || PLATFORMS[platform].traits.dualStackArguments === true;

/** Whether a single control plane machine can be installed: always, only in place, or not at all (§3.13). */
export function singleNodeSupport(release: Release, platform: PlatformName): "always" | "in place" | "never" {
  const { always, inPlace } = PLATFORMS[platform].traits.singleNode;
  if (always !== undefined && holdsAt(always, release)) return "always";
  return inPlace !== undefined && holdsAt(inPlace, release) ? "in place" : "never";
}
