/** Flags that something else on the command line leaves without effect: they are refused, since nobody gives one for nothing. */

import type { Report } from "../core/diagnostics.js";
import { type Flag, idleFlag } from "../core/flags.js";
import { UsageError } from "./exit.js";
import type { Arguments } from "./flags.js";

const wordsOf = (flags: readonly Flag<unknown>[]): string => flags.map(({ name }) => `--${name}`).join(", ");

/** A switch that is given as off is not given. */
const isGiven = (args: Arguments, flag: Flag<unknown>): boolean =>
  args.given(flag) && args.get(flag) !== false;

/** Refuses the flags beside one, or beside what `mode` says, that leaves them nothing to do. */
export function refuseBeside(
  args: Arguments,
  mode: Flag<unknown> | string,
  why: string,
  flags: readonly Flag<unknown>[],
): void {
  if (typeof mode !== "string" && !isGiven(args, mode)) return;
  const idle = flags.filter((flag) => isGiven(args, flag));
  if (idle.length > 0)
    throw new UsageError(
      `${typeof mode === "string" ? mode : wordsOf([mode])}: ${why}; remove ${wordsOf(idle)}`,
    );
}

/** Refuses the flags where none of those that they add to is given. */
export function refuseWithout(
  args: Arguments,
  owners: readonly Flag<unknown>[],
  flags: readonly Flag<unknown>[],
): void {
  const [idle] = flags.filter((flag) => isGiven(args, flag));
  if (idle === undefined || owners.some((owner) => isGiven(args, owner))) return;
  const none =
    owners.length === 1 ? ", which is not set" : `; ${owners.length === 2 ? "neither" : "none"} is set`;
  throw new UsageError(
    `--${idle.name} requires ${owners.map(({ name }) => `--${name}`).join(" or ")}${none}`,
  );
}

/** Reports the flags that are given and that what was read leaves without effect. */
export function reportIdle(
  args: Arguments,
  why: string,
  flags: readonly Flag<unknown>[],
  report: Report,
): void {
  for (const flag of flags) if (isGiven(args, flag)) report(idleFlag(flag, why, "remove it"));
}

/** As `reportIdle`, for flags that scripts give to every command of a group alike: the answer stands, with a warning. */
export function noteIdle(
  args: Arguments,
  why: string,
  flags: readonly Flag<unknown>[],
  report: Report,
): void {
  for (const flag of flags) if (isGiven(args, flag)) report(idleFlag(flag, why, "remove it", "warning"));
}
