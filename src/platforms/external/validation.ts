import { quote } from "../../text/quote.js";
import type { NormalConfig } from "../config.js";
import type { RuleContext } from "../platform.js";

const CLOUD_CONTROLLER_MANAGER = "External";

/** The installer has no rules for external; a value that it takes for "none" is worth a word. */
export function validate(config: NormalConfig, { report }: RuleContext): void {
  const manager = config.platform.external?.cloudControllerManager ?? "";
  if (manager === "" || manager === CLOUD_CONTROLLER_MANAGER) return;
  report({
    code: "IC280",
    severity: "warning",
    kind: "NotSupported",
    field: "platform.external.cloudControllerManager",
    message: `${quote(manager)} counts as no cloud controller manager`,
    hint: `write "${CLOUD_CONTROLLER_MANAGER}", or leave it out`,
  });
}
