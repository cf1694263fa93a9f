/** Who reaches the API and the routes, and how operators get credentials (facts/install-config-and-manifests.md §1.7). */
import { activePlatform, type NormalConfig, type PlatformName } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { inForce } from "../../../platforms/release-changes.js";
import { quote } from "../../../text/quote.js";

const STRATEGIES = ["External", "Internal", "Mixed"];
const OPERATOR_STRATEGIES = ["External", "Internal"];
const INTERNAL_ON: readonly (PlatformName | undefined)[] = ["aws", "azure", "gcp", "ibmcloud", "powervs"];

export function validatePublish(config: NormalConfig, { report }: RuleContext): void {
  const active = activePlatform(config);
  const { publish, operatorPublishingStrategy: strategy } = config;
  const invalid = (message: string, hint: string) =>
    report({ code: "IC210", kind: "Invalid", field: "publish", message, hint });
  if (!STRATEGIES.includes(publish))
    report({
      code: "IC210",
      kind: "NotSupported",
      field: "publish",
      message: `publish cannot be ${quote(publish)}`,
      hint: `write one of ${STRATEGIES.join(", ")}`,
    });
  if (publish === "Internal" && !INTERNAL_ON.includes(active))
    invalid(
      "this platform cannot be published Internal",
      "leave publish out; who reaches the cluster is up to your network",
    );
  if (publish === "Mixed") {
    if (active !== "azure") invalid("publish Mixed is for azure only", "write External or Internal");
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

/** The modes of each platform; a platform that is missing has none. */
const CREDENTIALS_MODES: Partial<Record<PlatformName, readonly string[]>> = {
  aws: ["Manual", "Mint", "Passthrough"],
  azure: ["Manual", "Passthrough"],
  gcp: ["Manual", "Mint", "Passthrough"],
  ibmcloud: ["Manual"],
  openstack: ["Passthrough"],
  powervc: ["Passthrough"],
  powervs: ["Manual"],
  nutanix: ["Manual"],
};

export function validateCredentialsMode(config: NormalConfig, { release, report }: RuleContext): void {
  const mode = config.credentialsMode ?? "";
  if (mode === "") return;
  const active = activePlatform(config);
  const modes =
    active === undefined ? undefined : modesOf(config, active, inForce(release, "openstackPassthrough"));
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

function modesOf(
  { platform }: NormalConfig,
  active: PlatformName,
  openstackPassthrough: boolean,
): readonly string[] | undefined {
  if (active === "azure" && platform.azure?.["cloudName"] === "AzureStackCloud") return ["Manual"];
  if (active === "openstack" && !openstackPassthrough) return undefined;
  return CREDENTIALS_MODES[active];
}
