/** The starters of all platforms that slipway handles; light, since the command line's help names them. */
import { starter as aws } from "./aws/starter.js";
import { starter as external } from "./external/starter.js";
import { starter as none } from "./none/starter.js";
import type { PlatformStarter } from "./starter.js";

const STARTERS = { aws, external, none } as const satisfies Readonly<Record<string, PlatformStarter>>;
export type StarterName = keyof typeof STARTERS;

/** In the order in which they are listed. */
export const HANDLED_STARTERS = ["aws", "external", "none"] as const satisfies readonly StarterName[];

export const starterOf = (name: StarterName): PlatformStarter => STARTERS[name];
