/** The platforms that slipway handles. A new platform is a folder and a line here. */
import { rules as aws } from "./aws/rules.js";
import type { PlatformName } from "./config.js";
import { platform as external } from "./external/index.js";
import { platform as none } from "./none/index.js";
import type { PlatformRules } from "./platform.js";

const RULES: Partial<Record<PlatformName, PlatformRules>> = { aws, external, none };

/** The platforms that slipway handles, in order. */
export const HANDLED_PLATFORMS: readonly string[] = Object.keys(RULES).sort();

/** The rules of a platform; undefined for one that this version does not handle. */
export const platformRules = (name: PlatformName): PlatformRules | undefined => RULES[name];
