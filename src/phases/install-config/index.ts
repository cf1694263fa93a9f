/** The install-config phase: what was read becomes the config that every other phase works with. */
import type { Problem } from "../../core/diagnostics.js";
import type { Release } from "../../core/release.js";
import type { CloudFacts } from "../../generated/types/cloud-facts.js";
import { activePlatform, type NormalConfig } from "../../platforms/config.js";
import type { RuleContext, RuleProblem } from "../../platforms/platform.js";
import { platformRules } from "../../platforms/registry.js";
import type { InstallConfigAsset } from "../assets.js";
import { applyDefaults } from "./defaults.js";
import { normalForm } from "./normal-form.js";
import type { ReadConfig } from "./read.js";
import { upconvert } from "./upconvert.js";
import { validate } from "./validate.js";
import { warn } from "./warnings.js";

export { normalValue } from "./normal-form.js";

export interface CompileOptions {
  readonly release: Release;
  /** Offline facts, from which parts of a config can follow (an edge pool, say). */
  readonly facts?: CloudFacts | undefined;
}

/**
 * Replaces old spellings, fills in the defaults and judges the result. Undefined when there was an error; every
 * problem goes to `report`, with the place of the field that it is about.
 */
export function compileInstallConfig(
  read: ReadConfig,
  { release, facts }: CompileOptions,
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
      report({ ...read.position(place), ...problem });
    },
  };
  const config = judge(read, facts, context);
  if (config === undefined || failed) return undefined;
  return { config, normalForm: normalForm(config, release), position: read.position };
}

function judge(
  read: ReadConfig,
  facts: CloudFacts | undefined,
  context: RuleContext,
): NormalConfig | undefined {
  const current = upconvert(read.config, context);
  if (current === undefined) return undefined;
  const name = activePlatform(current);
  const finish = name === undefined ? undefined : platformRules(name)?.finish;
  const config = applyDefaults(finish?.(current, facts) ?? current, context.release);
  validate(config, context);
  warn(config, context);
  return config;
}
