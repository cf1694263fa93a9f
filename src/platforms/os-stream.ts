/**
 * Streams of the operating system, and the label with which machines say theirs, where the release has streams
 * (docs/reference/install-config-and-manifests.md §3.7).
 */
import { gateEnabled } from "./enabled-gates.js";
import type { PlatformInput } from "./platform.js";
import { inForce } from "./release-changes.js";

export const OS_IMAGE_STREAMS: readonly string[] = ["rhel-9", "rhel-10"];

/** The stream of a cluster's machines: the one that the config names, else the release's default. */
export const osImageStreamOf = ({ config, release }: Pick<PlatformInput, "config" | "release">): string =>
  config.osImageStream || (release.osImageStream ?? "");

/** Value of `machineconfiguration.openshift.io/osstream`; undefined when machines carry no such label. */
export const osStreamLabel = ({ config, release }: PlatformInput): string | undefined =>
  inForce(release, "osStreamLabels") && gateEnabled(release, config, "OSStreams")
    ? osImageStreamOf({ config, release })
    : undefined;
