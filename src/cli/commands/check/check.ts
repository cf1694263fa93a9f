import { flagsOf } from "../../../pipeline/flags.js";
import type { Command } from "../../command.js";
import { FLEET_FLAGS } from "../../fleet/flags.js";
import { withFleet } from "../../fleet/with-fleet.js";
import { strict } from "./flags.js";

export const check: Command = {
  path: "check",
  summary: "Compare a directory with what would be generated now",
  details: `Compiles in memory with the recorded options and compares with the directory; writes nothing. Statuses: untouched, edited, removed, added (your changes, kept by every run), stale (an input changed), conflict (both), missing, unverifiable (needs a secret that is not here). Exit 3 for stale, conflict and missing; 0 when clean.`,
  flags: [strict, ...flagsOf("check"), ...FLEET_FLAGS],
  examples: [{ line: "slipway check --dir cluster --strict", does: "in a pipeline: any drift fails" }],
  load: async () => withFleet("check", (await import("./check-run.js")).check),
};
