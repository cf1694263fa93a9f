/** manifests/cvo-overrides.yaml: channel, cluster ID and capabilities; overrides come with the ignition configs. */
import { formatRelease } from "../../core/release.js";
import type { Asset } from "./input.js";

export const clusterVersion: Asset = ({ config, identity, release }) => [
  {
    template: "manifests/cvo-overrides.yaml",
    path: "manifests/cvo-overrides.yaml",
    view: {
      channel: `stable-${formatRelease(release)}`,
      clusterID: identity.clusterID,
      capabilities: capabilities(config.capabilities),
    },
  },
];

/**
 * Present as soon as the object is; an unset baseline reads back as null
 * (docs/reference/install-config-and-manifests.md §3.11).
 */
function capabilities(
  given: { baselineCapabilitySet?: string; additionalEnabledCapabilities?: string[] } | undefined,
): { baselineCapabilitySet: string | null; additionalEnabledCapabilities?: string[] } | undefined {
  if (given === undefined) return undefined;
  const { baselineCapabilitySet = "", additionalEnabledCapabilities = [] } = given;
  return {
    baselineCapabilitySet: baselineCapabilitySet === "" ? null : baselineCapabilitySet,
    ...(additionalEnabledCapabilities.length === 0 ? {} : { additionalEnabledCapabilities }),
  };
}
