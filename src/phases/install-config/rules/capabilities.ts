/** Optional parts of the cluster (docs/reference/install-config-and-manifests.md §1.8). */
import { unsupported } from "../../../core/problem.js";
import {
  CAPABILITY_SETS,
  capabilitiesAt,
  enabledCapabilities,
  requiredCapability,
} from "../../../platforms/capabilities.js";
import type { NormalConfig } from "../../../platforms/config.js";

import type { RuleContext } from "../../../platforms/platform.js";
import { namedPlatforms, namedTraits, PLATFORMS } from "../../../platforms/registry.js";
import { closest } from "../../../text/closest.js";

const FIELD = "capabilities";
const EXTRAS = `${FIELD}.additionalEnabledCapabilities`;

export function validateCapabilities(config: NormalConfig, { release, report }: RuleContext): void {
  const { capabilities } = config;
  if (capabilities === undefined) return;
  const known = capabilitiesAt(release);
  const set = capabilities.baselineCapabilitySet ?? "";
  const setField = `${FIELD}.baselineCapabilitySet`;
  if (!CAPABILITY_SETS.has(set)) report(unsupported("IC230", setField, set, [...CAPABILITY_SETS.keys()]));
  for (const [i, name] of (capabilities.additionalEnabledCapabilities ?? []).entries())
    if (!known.has(name)) {
      const near = closest(name, known);
      const supported = near === undefined ? [...known].sort() : [];
      const hint = near === undefined ? "" : `did you mean ${near}?`;
      report(unsupported("IC230", `${EXTRAS}[${i}]`, name, supported, hint));
    }
  const enabled = enabledCapabilities(config);
  const needed = (...given: Parameters<typeof requiredCapability>) => report(requiredCapability(...given));
  if (enabled.has("marketplace") && !enabled.has("OperatorLifecycleManager"))
    needed("OperatorLifecycleManager", "the capability marketplace", "additionalEnabledCapabilities");
  for (const platform of namedPlatforms(config)) {
    const { ownCapability: own } = PLATFORMS[platform].traits;
    if (set === "None" && own !== undefined && !enabled.has(own))
      needed(own, `the platform ${platform}`, "additionalEnabledCapabilities");
  }
  for (const name of ["CloudCredential", "CloudControllerManager"])
    if (!enabled.has(name) && namedTraits(config).every(({ capabilities: all }) => all.includes(name)))
      needed(name, "this platform");
  if (!enabled.has("Ingress")) needed("Ingress", "every cluster");
}
