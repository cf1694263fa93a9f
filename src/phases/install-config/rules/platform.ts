/** Exactly one platform, and one that slipway handles (docs/reference/install-config-and-manifests.md §1.7). */
import type { NormalConfig } from "../../../platforms/config.js";
import type { PlatformRules, RuleContext } from "../../../platforms/platform.js";
import { HANDLED_PLATFORMS, namedPlatforms, PLATFORMS } from "../../../platforms/registry.js";

/** `rules` are those of the active platform, where slipway handles it. */
export function validatePlatform(
  config: NormalConfig,
  context: RuleContext,
  rules: PlatformRules | undefined,
): void {
  const invalid = (message: string, hint: string) =>
    context.report({ code: "IC170", kind: "Invalid", field: "platform", message, hint });
  const [active, ...others] = namedPlatforms(config);
  if (active === undefined) {
    context.report({
      code: "IC170",
      kind: "Invalid",
      field: "platform",
      below: true,
      message: "no platform is named",
      hint: `name one of ${HANDLED_PLATFORMS.join(", ")}`,
    });
    return;
  }
  const traitsOf = (name: typeof active) => PLATFORMS[name].traits;
  const ignored = others.filter((name) => traitsOf(name).standsBack === true);
  const more = others.filter((name) => !ignored.includes(name) && traitsOf(name).standsOn === undefined);
  if (more.length > 0 && traitsOf(active).standsOn === undefined)
    invalid(`several platforms are named: ${[active, ...more].join(", ")}`, "keep one of them");
  if (ignored.length > 0)
    context.report({
      code: "IC172",
      severity: "warning",
      kind: "Invalid",
      field: `platform.${ignored[0]}`,
      message: `this platform is without effect, since ${active} is named too`,
      hint: "keep one platform",
    });
  if (rules !== undefined) rules.validate(config, context);
  else if (PLATFORMS[active].handling === "no longer") {
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
