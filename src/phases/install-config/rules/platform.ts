/** Exactly one platform, and one that slipway handles (docs/reference/install-config-and-manifests.md §1.7). */
import { forbidden, ignored, problem, required } from "../../../core/problem.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { PlatformRules, RuleContext } from "../../../platforms/platform.js";
import { HANDLED_PLATFORMS, namedPlatforms, PLATFORMS } from "../../../platforms/registry.js";

/** `rules` are those of the active platform, where slipway handles it. */
export function validatePlatform(
  config: NormalConfig,
  context: RuleContext,
  rules: PlatformRules | undefined,
): void {
  const useOne = `set one of ${HANDLED_PLATFORMS.join(", ")}`;
  const [active, ...others] = namedPlatforms(config);
  if (active === undefined) {
    context.report(required("IC170", "platform", "", { kind: "Invalid", below: true, hint: useOne }));
    return;
  }
  const traitsOf = (name: typeof active) => PLATFORMS[name].traits;
  const ignoredNames = others.filter((name) => traitsOf(name).standsBack === true);
  const more = others.filter((name) => !ignoredNames.includes(name) && traitsOf(name).standsOn === undefined);
  if (more.length > 0 && traitsOf(active).standsOn === undefined)
    context.report(
      problem(
        "IC170",
        "Invalid",
        "platform",
        `only one platform can be set, found ${[active, ...more].join(", ")}`,
        "remove the others",
      ),
    );
  if (ignoredNames.length > 0)
    context.report(
      ignored(
        "IC172",
        `platform.${ignoredNames[0]}`,
        `platform.${active} is also set`,
        "keep only one platform",
      ),
    );
  if (rules !== undefined) rules.validate(config, context);
  else if (PLATFORMS[active].handling === "no longer") {
    const gone = "no longer supported";
    context.report(problem("IC170", "Invalid", "platform", `${active} is ${gone}`, useOne));
    context.report(forbidden("IC170", `platform.${active}`, gone, "remove the section"));
  } else
    context.report(
      problem(
        "IC171",
        "NotSupported",
        "platform",
        `${active} is not supported by this version of slipway, so platform.${active} was not checked`,
        useOne,
      ),
    );
}
