/**
 * What upstream accepts in the install-config and refuses when it makes the manifests
 * (docs/reference/install-config-and-manifests.md §3.13).
 */

import { problem } from "../../core/problem.js";
import { inForce } from "../../platforms/release-changes.js";
import type { ManifestInput } from "./input.js";
import { allowsArbiter, singleNodeSupport } from "./releases.js";
import { hasArbiter } from "./topology.js";

export function checkRules(input: ManifestInput): void {
  checkSingleNode(input);
  checkArbiter(input);
}

function checkSingleNode({ config, platform, release, report }: ManifestInput): void {
  if (config.controlPlane.replicas !== 1) return;
  const support = singleNodeSupport(release, platform.name);
  const inPlace =
    config.bootstrapInPlace !== undefined &&
    (!inForce(release, "inPlaceNeedsDisk") || (config.bootstrapInPlace.installationDisk ?? "") !== "");
  if (support === "always" || (support === "in place" && inPlace)) return;
  report(
    problem(
      "MAN001",
      "NotSupported",
      "controlPlane.replicas",
      `a single control plane replica is not supported on platform ${platform.name}`,
      support === "in place"
        ? "set bootstrapInPlace.installationDisk, or set replicas to 3"
        : "set replicas to 3",
    ),
  );
}

function checkArbiter({ config, platform, release, report }: ManifestInput): void {
  if (!inForce(release, "arbiterPool") || !hasArbiter(config)) return;
  if (allowsArbiter(release, platform.name)) return;
  report(
    problem(
      "MAN003",
      "NotSupported",
      "arbiter",
      `arbiter machines are not supported on platform ${platform.name} in OpenShift ${release.name}`,
      "remove the arbiter pool",
    ),
  );
}
