/** Optional parts of the cluster (facts/install-config-and-manifests.md §1.8). */
import { CAPABILITIES, CAPABILITY_SETS, enabledCapabilities } from "../../../platforms/capabilities.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { closest } from "../../../text/closest.js";
import { quote } from "../../../text/quote.js";

const FIELD = "capabilities";
const EXTRAS = `${FIELD}.additionalEnabledCapabilities`;

export function validateCapabilities(config: NormalConfig, { report }: RuleContext): void {
  const { capabilities, platform } = config;
  if (capabilities === undefined) return;
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
    if (!CAPABILITIES.has(name)) {
      const near = closest(name, CAPABILITIES);
      report({
        code: "IC230",
        kind: "NotSupported",
        field: `${EXTRAS}[${i}]`,
        message: `there is no capability ${quote(name)}`,
        hint:
          near === undefined
            ? `the capabilities are ${[...CAPABILITIES].sort().join(", ")}`
            : `write ${near}`,
      });
    }
  const enabled = enabledCapabilities(config);
  const needed = (message: string, name: string, field = FIELD) =>
    report({
      code: "IC231",
      kind: "Invalid",
      field,
      at: EXTRAS,
      message,
      hint: `add ${name} to additionalEnabledCapabilities, or choose a larger baseline set`,
    });
  if (enabled.has("marketplace") && !enabled.has("OperatorLifecycleManager"))
    needed(
      "the capability marketplace needs OperatorLifecycleManager",
      "OperatorLifecycleManager",
      "additionalEnabledCapabilities",
    );
  if (set === "None" && platform.baremetal !== undefined && !enabled.has("baremetal"))
    needed(
      "the platform baremetal needs the capability baremetal",
      "baremetal",
      "additionalEnabledCapabilities",
    );
  const onOwnMachines = platform.none !== undefined || platform.baremetal !== undefined;
  if (!enabled.has("CloudCredential") && !onOwnMachines)
    needed("this platform needs the capability CloudCredential", "CloudCredential");
  if (!enabled.has("CloudControllerManager")) {
    if (!onOwnMachines && platform.external === undefined)
      needed("this platform needs the capability CloudControllerManager", "CloudControllerManager");
    if (platform.external?.cloudControllerManager === "External")
      needed(
        "cloudControllerManager External needs the capability CloudControllerManager",
        "CloudControllerManager",
      );
  }
  if (!enabled.has("Ingress")) needed("every cluster needs the capability Ingress", "Ingress");
}
