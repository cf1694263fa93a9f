/**
 * The rules of an install-config (docs/reference/install-config-and-manifests.md §1.7, §1.8, §1.9): kinds and fields of
 * the errors are those of the installer, the words are ours. Every rule runs, whatever the others found.
 */
import type { NormalConfig } from "../../platforms/config.js";
import type { PlatformRules, RuleContext } from "../../platforms/platform.js";
import { validateCapabilities } from "./rules/capabilities.js";
import { validateTrustBundle } from "./rules/certificates.js";
import { validateBootstrapInPlace, validateFeatures, validateOsImageStream } from "./rules/features.js";
import { validateFips } from "./rules/fips.js";
import { validateIpFamilies } from "./rules/ip-families.js";
import { validateMirrors } from "./rules/mirrors.js";
import { validateNames } from "./rules/names.js";
import { validateNetworking } from "./rules/networking.js";
import { validateJoinSubnet, validateMtu } from "./rules/ovn-kubernetes.js";
import { validatePki } from "./rules/pki.js";
import { validatePlatform } from "./rules/platform.js";
import { validatePools } from "./rules/pools.js";
import { validateProxy } from "./rules/proxy.js";
import { validateCredentialsMode, validatePublish } from "./rules/publish.js";
import { validatePullSecret } from "./rules/pull-secret.js";
import { validateSshKeys } from "./rules/ssh-keys.js";

type ConfigRule = (
  config: NormalConfig,
  context: RuleContext,
  rules: PlatformRules | undefined,
  others: readonly PlatformRules[],
) => void;

const RULES: readonly ConfigRule[] = [
  validateSshKeys,
  validateFips,
  validateTrustBundle,
  validateNames,
  validateNetworking,
  validateIpFamilies,
  validateMtu,
  validateJoinSubnet,
  validatePlatform,
  validatePools,
  validateBootstrapInPlace,
  validatePullSecret,
  validateProxy,
  validateMirrors,
  validatePublish,
  validateCredentialsMode,
  validateCapabilities,
  validateFeatures,
  validateOsImageStream,
  validatePki,
];

/**
 * Reports every broken rule of a config that has its defaults; `rules` are those of its platform, `others` those of the
 * platforms that are named beside it.
 */
export function validate(
  config: NormalConfig,
  context: RuleContext,
  rules: PlatformRules | undefined,
  others: readonly PlatformRules[],
): void {
  for (const rule of RULES) rule(config, context, rules, others);
}
