/** Flags of this run that nothing of the cluster could heed: they are refused, since nobody gives a flag for nothing. */
import { type Flag, idleFlag } from "../core/flags.js";
import facts from "../generated/schemas/inputs/cloud-facts.js";
import type { PlatformModule } from "../platforms/platform.js";
import { FLAGS } from "./flags.js";
import type { CompileRequest } from "./request.js";

interface FlagContext extends Pick<CompileRequest, "flags"> {
  readonly platform: PlatformModule;
}

interface Idle {
  readonly flag: Flag<unknown>;
  isIdle(context: FlagContext): boolean;
  why(context: FlagContext): string;
  readonly hint: string;
}

const IDLE: readonly Idle[] = [
  {
    flag: FLAGS.credentials,
    isIdle: ({ platform }) => platform.readCredentials === undefined,
    why: ({ platform }) => `the platform ${platform.name} does not use a credentials file`,
    hint: "remove it; credentials that the platform requires are fields of the install-config",
  },
  {
    flag: FLAGS.facts,
    isIdle: ({ platform }) => !(platform.name in Object(facts["properties"])),
    why: ({ platform }) => `the platform ${platform.name} has no cloud facts`,
    hint: "remove it",
  },
  {
    flag: FLAGS.coreosStream,
    isIdle: ({ platform }) => platform.takesStream !== true,
    why: ({ platform }) =>
      `the platform ${platform.name} does not use boot images from CoreOS stream metadata`,
    hint: "remove it",
  },
  {
    flag: FLAGS.ageRecipients,
    isIdle: ({ flags }) => flags.secrets !== "sops",
    why: () => "files are not encrypted",
    hint: "add --secrets sops, or remove it",
  },
  {
    flag: FLAGS.controlPlaneApiVersion,
    isIdle: ({ flags }) => flags.controlPlaneProvider !== "openshift-assisted",
    why: () => "OpenShiftControlPlane has a single API version",
    hint: "add --control-plane-provider openshift-assisted, or remove it",
  },
];

/** Reports what this run was given and the cluster has no use for. What an earlier run recorded may wait. */
export function reportIdle({ flags, isGiven, report }: CompileRequest, platform: PlatformModule): void {
  for (const { flag, isIdle, why, hint } of IDLE)
    if (isGiven?.(flag) === true && isIdle({ flags, platform }))
      report(idleFlag(flag, why({ flags, platform }), hint));
}
