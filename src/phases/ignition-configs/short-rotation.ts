/** How long certificates last where the gate ShortCertRotation is on (docs/reference/ignition-configs.md §1). */
import type { Release } from "../../core/release.js";
import { FIRST_SHORT_ROTATION, SHORT_ROTATION, type ShortRotation } from "../../pki/sign.js";
import type { InstallConfig } from "../../platforms/config.js";
import { gateEnabled } from "../../platforms/enabled-gates.js";
import { inForce } from "../../platforms/release-changes.js";

/** False where certificates last as usual. */
export function shortRotation(release: Release, config: InstallConfig): ShortRotation | false {
  if (!inForce(release, "shortCertRotation") || !gateEnabled(release, config, "ShortCertRotation"))
    return false;
  return inForce(release, "longerShortRotation") ? SHORT_ROTATION : FIRST_SHORT_ROTATION;
}
