/** The label of the OS stream, on machines from the release on that has streams (facts §3.7). */
import { gateEnabled } from "./enabled-gates.js";
import type { PlatformInput } from "./platform.js";
import { inForce } from "./release-changes.js";

/** Value of `machineconfiguration.openshift.io/osstream`; undefined when machines carry no such label. */
export const osStreamLabel = ({ config, release }: PlatformInput): string | undefined =>
  inForce(release, "osStreamLabels") && gateEnabled(release, config, "OSStreams")
    ? config.osImageStream
    : undefined;
