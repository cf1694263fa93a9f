/** Optional parts of the cluster (docs/reference/install-config-and-manifests.md §1.8). */
import {
  CAPABILITY_SETS,
  capabilitiesAt,
  enabledCapabilities,
  needsCapability,
} from "../../../platforms/capabilities.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { namedPlatforms, namedTraits, PLATFORMS } from "../../../platforms/registry.js";
import { closest } from "../../../text/closest.js";
import { quote } from "../../../text/quote.js";

const FIELD = "capabilities";
const EXTRAS = `${FIELD}.additionalEnabledCapabilities`;

export function validateCapabilities(config: NormalConfig, { release, report }: RuleContext): void {
  const { capabilities } = config;
  if (capabilities === undefined) return;
  const known = capabilitiesAt(release);
  const set = capabilities.baselineCapabilitySet ?? "";
  if (!CAPABILITY_SETS.has(set))
    report({
      code: "IC230",
      kind: "NotSupported",
      field: `${FIELD}.baselineCapabilitySet`,
      message: set === "" ? "the baseline set is missing" : `there is no capability set ${quote(set)}`,
      hint: `write one of ${[...CAPABILITY_SETS.keys()].join(", ")}`,
    });
  for (const [i, name] of (capabilities.additionalEnabledCapabilities ?? []).entries())
    if (!known.has(name)) {
      const near = closest(name, known);
      report({
        code: "IC230",
        kind: "NotSupported",
        field: `${EXTRAS}[${i}]`,
        message: `there is no capability ${quote(name)}`,
        hint: near === undefined ? `the capabilities are ${[...known].sort().join(", ")}` : `write ${near}`,
      });
    }
  const enabled = enabledCapabilities(config);
  const needed = (...given: Parameters<typeof needsCapability>) => report(needsCapability(...given));
  if (enabled.has("marketplace") && !enabled.has("OperatorLifecycleManager"))
    needed(
      "the capability marketplace needs OperatorLifecycleManager",
      "OperatorLifecycleManager",
      "additionalEnabledCapabilities",
    );
  for (const platform of namedPlatforms(config)) {
    const { ownCapability: own } = PLATFORMS[platform].traits;
    if (set === "None" && own !== undefined && !enabled.has(own))
      needed(`the platform ${platform} needs the capability ${own}`, own, "additionalEnabledCapabilities");
  }
  for (const name of ["CloudCredential", "CloudControllerManager"])
    if (!enabled.has(name) && namedTraits(config).every(({ capabilities: all }) => all.includes(name)))
      needed(`this platform needs the capability ${name}`, name);
  if (!enabled.has("Ingress")) needed("every cluster needs the capability Ingress", "Ingress");
}
