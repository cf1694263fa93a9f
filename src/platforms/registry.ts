/** The platforms that slipway handles. A new platform is a folder and a line here. */
import { rules as aws } from "./aws/rules.js";
import type { PlatformName } from "./config.js";
import { platform as external } from "./external/index.js";
import { platform as none } from "./none/index.js";
import type { PlatformModule, PlatformRules } from "./platform.js";

const RULES: Partial<Record<PlatformName, PlatformRules>> = { aws, external, none };

/** The platforms that slipway handles, in order. */
export const HANDLED_PLATFORMS: readonly string[] = Object.keys(RULES).sort();

/** The rules of a platform; undefined for one that this version does not handle. */
export const platformRules = (name: PlatformName): PlatformRules | undefined => RULES[name];

const MODULES: Partial<Record<PlatformName, () => Promise<PlatformModule>>> = {
  aws: async () => (await import("./aws/index.js")).platform,
  external: async () => (await import("./external/index.js")).platform,
  none: async () => (await import("./none/index.js")).platform,
};

/** Everything of a platform that slipway handles; loaded when it is asked for. */
export async function loadPlatform(name: PlatformName): Promise<PlatformModule> {
  const load = MODULES[name];
  if (load === undefined) throw new Error(`the platform ${name} is not handled`);
  return load();
}
