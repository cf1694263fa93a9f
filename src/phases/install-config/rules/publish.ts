/**
 * How the API and the routes are published, and how operators get credentials (docs/reference/install-config-and-manifests.md
 * §1.7).
 */
import { forbidden, invalid, required, unsupported } from "../../../core/problem.js";
import type { NormalConfig } from "../../../platforms/config.js";
import { credentialsModes } from "../../../platforms/credentials-rule.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { activePlatform, activeTraits, platformsWith } from "../../../platforms/registry.js";

const STRATEGIES = ["External", "Internal", "Mixed"];
const OPERATOR_STRATEGIES = ["External", "Internal"];

export function validatePublish(config: NormalConfig, { report }: RuleContext): void {
  const modes = activeTraits(config)?.publish ?? [];
  const { publish, operatorPublishingStrategy: strategy } = config;
  if (!STRATEGIES.includes(publish)) {
    const possible = STRATEGIES.filter((each) => each === "External" || modes.some((mode) => mode === each));
    report(unsupported("IC210", "publish", publish, possible));
  }
  if (publish === "Internal" && !modes.includes("Internal"))
    report(
      unsupported("IC210", "publish", publish, ["External"], {
        kind: "Invalid",
        hint: "remove publish; on this platform your network decides who can access the cluster",
      }),
    );
  if (publish === "Mixed") {
    if (!modes.includes("Mixed"))
      report(
        invalid(
          "IC210",
          "publish",
          publish,
          `supported only on ${platformsWith((traits) => traits.publish.includes("Mixed"))}`,
          "use External or Internal",
        ),
      );
    if (strategy === undefined)
      report(
        required("IC210", "publish", "operatorPublishingStrategy, which Mixed requires", {
          kind: "Invalid",
          hint: "set operatorPublishingStrategy.apiserver or operatorPublishingStrategy.ingress to Internal",
        }),
      );
  } else if (strategy !== undefined)
    report(
      forbidden("IC211", "operatorPublishingStrategy", "requires publish: Mixed", {
        kind: "Invalid",
        hint: "remove operatorPublishingStrategy",
      }),
    );
  if (strategy === undefined) return;
  for (const name of ["apiserver", "ingress"] as const)
    if (!OPERATOR_STRATEGIES.includes(strategy[name] ?? ""))
      report(
        unsupported("IC211", name, strategy[name] ?? "", OPERATOR_STRATEGIES, {
          at: `operatorPublishingStrategy.${name}`,
        }),
      );
  if (strategy.apiserver === "Internal" && strategy.ingress === "Internal")
    report(
      invalid(
        "IC210",
        "publish",
        publish,
        "apiserver and ingress are both Internal",
        "set publish: Internal",
      ),
    );
}

export function validateCredentialsMode(config: NormalConfig, { release, report }: RuleContext): void {
  const mode = config.credentialsMode ?? "";
  if (mode === "") return;
  const active = activePlatform(config);
  const modes = active === undefined ? undefined : credentialsModes(config, active, release)?.modes;
  if (modes === undefined)
    report(
      forbidden(
        "IC220",
        "credentialsMode",
        active === undefined ? "no platform is set" : `not supported on the platform ${active}`,
        {
          kind: "Invalid",
          hint: "remove credentialsMode",
        },
      ),
    );
  else if (!modes.includes(mode)) report(unsupported("IC220", "credentialsMode", mode, modes));
}
