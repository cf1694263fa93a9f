/** metadata.json: what destroying the cluster needs to know (docs/reference/ignition-configs.md §3d). */
import { type OutputFile, textFile } from "../../core/files.js";
import { CUSTOM_FEATURE_SET } from "../../platforms/enabled-gates.js";
import type { PlatformInput, PlatformModule } from "../../platforms/platform.js";
import { customGates } from "../manifests/feature-gate.js";
import { goJson } from "../pointer-config.js";

/** One line without final newline; the members of the platform stand before those of the features. */
export function metadataFile(input: PlatformInput & { readonly platform: PlatformModule }): OutputFile {
  const { config, identity, platform } = input;
  const featureSet = config.featureSet ?? "";
  const metadata = {
    clusterName: config.metadata.name,
    clusterID: identity.clusterID,
    infraID: identity.infraID,
    ...platform.ignition?.metadata?.(input),
    featureSet,
    customFeatureSet: featureSet === CUSTOM_FEATURE_SET ? customGates(config.featureGates ?? []) : null,
  };
  return textFile("metadata.json", goJson(metadata), { secret: platform.ignition?.secretMetadata ?? false });
}
