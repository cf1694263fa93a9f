/**
 * Platform external: the name of the infrastructure, and whether a cloud controller manager of the user will run
 * (docs/reference/install-config-and-manifests.md §1.8, §3.3, §3.12).
 */
import { warning } from "../../core/problem.js";
import { quote } from "../../text/quote.js";
import { lacksCapability, requiredCapability } from "../capabilities.js";
import type { NormalConfig } from "../config.js";
import type { RuleContext } from "../platform.js";
import { userSupplied } from "../user-supplied.js";
import { agent } from "./agent.js";

const OF_THE_USER = "External";
const CONTROLLER = "CloudControllerManager";

const managerOf = ({ platform }: NormalConfig): string => platform.external?.cloudControllerManager ?? "";

function validate(config: NormalConfig, context: RuleContext): void {
  const manager = managerOf(config);
  if (manager === OF_THE_USER && lacksCapability(config, CONTROLLER))
    context.report(requiredCapability(CONTROLLER, `cloudControllerManager: ${OF_THE_USER}`));
  if (manager === "" || manager === OF_THE_USER) return;
  // The installer has no rule here; a value that it takes for "none" is worth a word.
  context.report(
    warning(
      "IC280",
      "NotSupported",
      "platform.external.cloudControllerManager",
      `unsupported value ${quote(manager)}, which is treated as unset`,
      `use "${OF_THE_USER}", or remove it`,
    ),
  );
}

export const platform = userSupplied({
  name: "external",
  validate,
  agent,
  infrastructure({ config }) {
    const { platformName = "" } = config.platform.external ?? {};
    const state = managerOf(config) === OF_THE_USER ? "External" : "None";
    return {
      type: "External",
      spec: { external: platformName === "" ? {} : { platformName } },
      status: { external: { cloudControllerManager: { state } } },
    };
  },
});
