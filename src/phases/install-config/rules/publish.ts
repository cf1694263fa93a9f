/**
 * Who reaches the API and the routes, and how operators get credentials (docs/reference/install-config-and-manifests.md
 * §1.7).
 */
import type { NormalConfig } from "../../../platforms/config.js";
import { credentialsModes } from "../../../platforms/credentials-rule.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { activePlatform, activeTraits, platformsWith } from "../../../platforms/registry.js";
import { quote } from "../../../text/quote.js";

const STRATEGIES = ["External", "Internal", "Mixed"];
const OPERATOR_STRATEGIES = ["External", "Internal"];

export function validatePublish(config: NormalConfig, { report }: RuleContext): void {
  const modes = activeTraits(config)?.publish ?? [];
  const { publish, operatorPublishingStrategy: strategy } = config;
  const invalid = (message: string, hint: string) =>
    report({ code: "IC210", kind: "Invalid", field: "publish", message, hint });
  if (!STRATEGIES.includes(publish))
    report({
      code: "IC210",
      kind: "NotSupported",
      field: "publish",
      message: `publish cannot be ${quote(publish)}`,
      hint: `write ${STRATEGIES.filter((each) => each === "External" || modes.some((mode) => mode === each)).join(" or ")}`,
    });
  if (publish === "Internal" && !modes.includes("Internal"))
    invalid(
      "this platform cannot be published Internal",
      "leave publish out; who reaches the cluster is up to your network",
    );
  if (publish === "Mixed") {
    if (!modes.includes("Mixed"))
      invalid(
        `publish Mixed is for ${platformsWith((traits) => traits.publish.includes("Mixed"))} only`,
        "write External or Internal",
      );
    if (strategy === undefined)
      invalid(
        "publish Mixed needs operatorPublishingStrategy",
        "say for apiserver and ingress which of them is Internal",
      );
  } else if (strategy !== undefined)
    report({
      code: "IC211",
      kind: "Invalid",
      field: "operatorPublishingStrategy",
      message: "operatorPublishingStrategy is for publish Mixed only",
      hint: "leave it out",
    });
  if (strategy === undefined) return;
  for (const name of ["apiserver", "ingress"] as const)
    if (!OPERATOR_STRATEGIES.includes(strategy[name] ?? ""))
      report({
        code: "IC211",
        kind: "NotSupported",
        field: name,
        at: `operatorPublishingStrategy.${name}`,
        message: `${name} cannot be ${quote(strategy[name] ?? "")}`,
        hint: `write ${OPERATOR_STRATEGIES.join(" or ")}`,
      });
  if (strategy.apiserver === "Internal" && strategy.ingress === "Internal")
    invalid("apiserver and ingress are both Internal", "write publish: Internal instead");
}

export function validateCredentialsMode(config: NormalConfig, { release, report }: RuleContext): void {
  const mode = config.credentialsMode ?? "";
  if (mode === "") return;
  const active = activePlatform(config);
  const modes = active === undefined ? undefined : credentialsModes(config, active, release)?.modes;
  if (modes === undefined)
    report({
      code: "IC220",
      kind: "Invalid",
      field: "credentialsMode",
      message: `the platform ${active ?? "is missing, so it"} has no credentials mode`,
      hint: "leave it out",
    });
  else if (!modes.includes(mode))
    report({
      code: "IC220",
      kind: "NotSupported",
      field: "credentialsMode",
      message: `the mode ${quote(mode)} cannot be used on ${active}`,
      hint: `write ${modes.join(" or ")}`,
    });
}
