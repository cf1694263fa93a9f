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
      `a single control plane machine cannot be installed on platform ${platform.name} this way`,
      support === "in place"
        ? "set bootstrapInPlace.installationDisk, or ask for 3 replicas"
        : "ask for 3 replicas",
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
      `platform ${platform.name} has no arbiter machines in OpenShift ${release.name}`,
      "leave the arbiter pool out",
    ),
  );
}
