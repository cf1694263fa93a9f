/** What a platform may have at a release: its traits, asked with the release. */
import { holdsAt } from "../../core/by-release.js";
import type { Release } from "../../core/release.js";
import type { PlatformName } from "../../platforms/config.js";
import { PLATFORMS } from "../../platforms/registry.js";
import { inForce } from "../../platforms/release-changes.js";

/** True where a platform may have an arbiter pool. */
export function allowsArbiter(release: Release, platform: PlatformName): boolean {
  const span = PLATFORMS[platform].traits.arbiter;
  return span !== undefined && holdsAt(span, release);
}

/** True when the machines of a platform get the kernel arguments for two service networks. */
export const setsDualStackArguments = (release: Release, platform: PlatformName): boolean =>
  inForce(release, "dualStackKernelArguments") || PLATFORMS[platform].traits.dualStackArguments === true;

/**
 * Whether a single control plane machine can be installed: always, only in place, or not at all
 * (docs/reference/install-config-and-manifests.md §3.13).
 */
export function singleNodeSupport(release: Release, platform: PlatformName): "always" | "in place" | "never" {
  const { always, inPlace } = PLATFORMS[platform].traits.singleNode;
  if (always !== undefined && holdsAt(always, release)) return "always";
  return inPlace !== undefined && holdsAt(inPlace, release) ? "in place" : "never";
}
