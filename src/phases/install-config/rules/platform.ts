/** Exactly one platform, and one that slipway handles (facts/install-config-and-manifests.md §1.7). */
import {
  activePlatform,
  type NormalConfig,
  PLATFORM_NAMES,
  type PlatformName,
} from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { HANDLED_PLATFORMS, platformRules } from "../../../platforms/registry.js";

/** Never counted as a second platform: the installer has no rules for them. */
const WITHOUT_RULES: readonly PlatformName[] = ["none", "external"];

/** Known in the form, refused by every release of ours. */
const REMOVED: readonly PlatformName[] = ["ovirt"];

export function validatePlatform(config: NormalConfig, context: RuleContext): void {
  const active = activePlatform(config);
  const invalid = (message: string, hint: string) =>
    context.report({ code: "IC170", kind: "Invalid", field: "platform", message, hint });
  if (active === undefined) {
    invalid("no platform is named", `name one of ${HANDLED_PLATFORMS.join(", ")}`);
    return;
  }
  const others = PLATFORM_NAMES.filter(
    (name) => name !== active && config.platform[name] !== undefined && !WITHOUT_RULES.includes(name),
  );
  // powervc stands on openstack, so that both may be there.
  const more = others.filter((name) => name !== "powervc" && active !== "powervc");
  if (more.length > 0)
    invalid(`several platforms are named: ${[active, ...more].join(", ")}`, "keep one of them");
  const ignored = WITHOUT_RULES.filter((name) => name !== active && config.platform[name] !== undefined);
  if (ignored.length > 0)
    context.report({
      code: "IC172",
      severity: "warning",
      kind: "Invalid",
      field: `platform.${ignored[0]}`,
      message: `this platform is without effect, since ${active} is named too`,
      hint: "keep one platform",
    });
  const rules = platformRules(active);
  if (rules !== undefined) rules.validate(config, context);
  else if (REMOVED.includes(active)) {
    invalid(`the platform ${active} is no longer supported`, `name one of ${HANDLED_PLATFORMS.join(", ")}`);
    context.report({
      code: "IC170",
      kind: "Forbidden",
      field: `platform.${active}`,
      message: "this platform is no longer supported",
      hint: "remove the section",
    });
  } else
    context.report({
      code: "IC171",
      kind: "NotSupported",
      field: "platform",
      message: `this version of slipway does not handle the platform ${active}`,
      hint: `the platforms are ${HANDLED_PLATFORMS.join(", ")}; the other sections were checked, platform.${active} was not`,
    });
}
