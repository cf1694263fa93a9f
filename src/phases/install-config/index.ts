/** The install-config phase: what was read becomes the config that every other phase works with. */
import { type Problem, placed } from "../../core/diagnostics.js";
import type { Release } from "../../core/release.js";
import type { CloudFacts } from "../../generated/types/cloud-facts.js";
import type { InstallConfig } from "../../generated/types/install-config.js";
import type { NormalConfig, NormalPool } from "../../platforms/config.js";
import type { PlatformRules, RuleContext } from "../../platforms/platform.js";
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
  /** The rules of the config's platform; undefined where slipway does not handle it. */
  readonly platform: PlatformRules | undefined;
  /** The rules of the platforms that are named beside it, in pools too (`otherPlatforms`). */
  readonly others?: readonly PlatformRules[];
  readonly method?: RuleContext["method"];
  /** Rules of the way of installing, after all others. */
  alsoValidate?(config: NormalConfig, context: RuleContext): void;
  /** Offline facts, which may add to the config before the defaults (`PlatformModule.finish`). */
  readonly facts?: CloudFacts | undefined;
}

/** What the facts of a platform are asked for: its sections, and what says where and what machines are. */
const OF_FACTS =
  /(?:^|\.)platform(?:[.[]|$)|^(?:controlPlane|compute\[\d+\]|arbiter)(?:$|\.(?:name|architecture)$)|^networking\.machine|^(?:publish|operatorPublishingStrategy|credentialsMode|feature(?:Set|Gates))(?:[.[]|$)/;

/** A config with what was found wrong with it. */
export interface JudgedConfig {
  readonly asset: InstallConfigAsset;
  /** There was an error: nothing is made of the config. */
  readonly failed: boolean;
  /** No error is of what facts are about, so that they can be judged in the same run. */
  readonly leavesFacts: boolean;
}

/** {@link judgeInstallConfig}, with what can go on only. Undefined when there was an error. */
export function compileInstallConfig(
  read: ReadConfig,
  options: CompileOptions,
  report: (problem: Problem) => void,
): InstallConfigAsset | undefined {
  const judged = judgeInstallConfig(read, options, report);
  return judged?.failed === false ? judged.asset : undefined;
}

/**
 * Replaces old spellings, fills in the defaults and judges the result. Undefined when there is no config to judge; every
 * problem goes to `report`, with the place of the field that it is about.
 */
export function judgeInstallConfig(
  read: ReadConfig,
  options: CompileOptions,
  report: (problem: Problem) => void,
): JudgedConfig | undefined {
  const { release, platform } = options;
  let failed = false;
  let leavesFacts = true;
  const context: RuleContext = {
    release,
    method: options.method,
    report({ at, below, inFile, ...found }: Problem) {
      const problem = read.isReplaced(found.field ?? "") ? { ...found, ...inFile } : found;
      const place = at ?? problem.field ?? "";
      // What is there but cannot be read was reported by the reader; what follows from its absence tells nobody anything new.
      if (read.isUnreadable(place) || (below === true && read.holdsUnreadable(place))) return;
      const { field = "" } = problem;
      if ((problem.severity ?? "error") === "error") {
        failed = true;
        leavesFacts &&= field !== "" && !OF_FACTS.test(field);
      }
      // The rules name fields, never values; a field stays as it is even when a secret has the same letters.
      report({ ...read.redact(placed(problem, read.position(place))), field });
    },
  };
  const known = judge(read, context, options);
  if (known === undefined) return undefined;
  const { config, written } = known;
  return {
    asset: {
      written,
      config: withCanonicalBlocks(config),
      normalForm: normalForm(config, release, platform, options.others),
      position: read.position,
    },
    failed,
    leavesFacts,
  };
}

function judge(
  read: ReadConfig,
  context: RuleContext,
  { platform, others = [], facts, alsoValidate }: CompileOptions,
): { readonly config: NormalConfig; readonly written: InstallConfig } | undefined {
  const current = upconvert(read.config, context, platform);
  if (current === undefined) return undefined;
  const finished =
    platform?.finish === undefined ? current : platform.finish(current, facts, context.release);
  const config = applyDefaults(finished, context.release, platform);
  validate(config, context, platform, others);
  for (const other of others)
    if (config.platform[other.name] !== undefined) validateSection(other, config, context);
  alsoValidate?.(config, context);
  warn(config, current, context);
  return { config: platform?.settle?.(config) ?? config, written: current };
}

/**
 * Only the section of a platform, and as it is written: pools and defaults are those of the active one
 * (openshift/installer pkg/types/validation/installconfig.go, validatePlatform).
 */
function validateSection(other: PlatformRules, config: NormalConfig, { release, report }: RuleContext): void {
  const bare = <T extends NormalPool>(pool: T): T => ({ ...pool, platform: {} });
  const { controlPlane, compute, arbiter } = config;
  const alone: NormalConfig = {
    ...config,
    controlPlane: bare(controlPlane),
    compute: compute.map(bare),
    ...(arbiter === undefined ? {} : { arbiter: bare(arbiter) }),
  };
  const section = `platform.${other.name}`;
  other.validate(alone, {
    release,
    report: (problem) => {
      if (problem.field === section || problem.field?.startsWith(`${section}.`)) report(problem);
    },
  });
}
