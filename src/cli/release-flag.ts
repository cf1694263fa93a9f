/** A release that a flag names. */
import type { Minor } from "../core/minor.js";
import { releaseOfVersion } from "../core/named-release.js";
import { UsageError } from "./exit.js";
import type { Arguments, Flag } from "./flags.js";

/** Reads `1.36`, `4.22` or a version such as `v1.36.2`; anything else is refused, since the command line is wrong. */
export function releaseIn(args: Arguments, flag: Flag<string | undefined>): Minor | undefined {
  const text = args.get(flag);
  if (text === undefined) return undefined;
  const release = releaseOfVersion(text);
  if (release === undefined)
    throw new UsageError(
      `--${flag.name}: ${JSON.stringify(text)} is not a release; use a release such as 1.36 or a version such as v1.36.2`,
    );
  return release;
}
