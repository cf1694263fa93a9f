/** The install-config phase: what was read becomes the config that every other phase works with. */
import type { Problem } from "../../core/diagnostics.js";
import type { Release } from "../../core/release.js";
import type { InstallConfig, NormalConfig } from "../../platforms/config.js";
import type { RuleContext, RuleProblem } from "../../platforms/platform.js";
import type { InstallConfigAsset } from "../assets.js";
import { applyDefaults } from "./defaults.js";
import { normalForm, withCanonicalBlocks } from "./normal-form.js";
import type { ReadConfig } from "./read.js";
import { upconvert } from "./upconvert.js";
import { validate } from "./validate.js";
import { warn } from "./warnings.js";

export { normalValue } from "./normal-form.js";

export interface CompileOptions {
  readonly release: Release;
  /** Adds what follows from offline facts, before the defaults (`PlatformModule.finish`). */
  finish?(config: InstallConfig): InstallConfig;
}

/**
 * Replaces old spellings, fills in the defaults and judges the result. Undefined when there was an error; every
 * problem goes to `report`, with the place of the field that it is about.
 */
export function compileInstallConfig(
  read: ReadConfig,
  { release, finish }: CompileOptions,
  report: (problem: Problem) => void,
): InstallConfigAsset | undefined {
  let failed = false;
  const context: RuleContext = {
    release,
    report({ at, ...problem }: RuleProblem) {
      const place = at ?? problem.field ?? "";
      // What is there but cannot be read was reported by the reader; what follows from its absence is no news.
      if (read.isUnreadable(place)) return;
      failed ||= (problem.severity ?? "error") === "error";
      const { field = "" } = problem;
      // The rules name fields, never values; a field stays as it is even when a secret has the same letters.
      report({ ...read.redact({ ...read.position(place), ...problem }), field });
    },
  };
  const config = judge(read, context, finish);
  if (config === undefined || failed) return undefined;
  return {
    config: withCanonicalBlocks(config),
    normalForm: normalForm(config, release),
    position: read.position,
  };
}

function judge(
  read: ReadConfig,
  context: RuleContext,
  finish: CompileOptions["finish"] = (config) => config,
): NormalConfig | undefined {
  const current = upconvert(read.config, context);
  if (current === undefined) return undefined;
  const config = applyDefaults(finish(current), context.release);
  validate(config, context);
  warn(config, current, context);
  return config;
}
