import { flagsOf } from "../../../pipeline/flags.js";
import type { Command } from "../../command.js";
import { FLEET_FLAGS } from "../../fleet/flags.js";
import { withFleet } from "../../fleet/with-fleet.js";
import { strict } from "./flags.js";

export const check: Command = {
  path: "check",
  summary: "Check whether compiling again would change a directory",
  details: `Compiles in memory with the recorded options and compares the result with the directory; writes nothing. Statuses: untouched, edited, removed, added (your changes, kept by every run), stale (an input changed), conflict (you edited the file, and an input changed), missing, unverifiable (requires a secret that is not available). Exit 3 if a file is stale, conflicting or missing, otherwise 0.`,
  flags: [strict, ...flagsOf("check"), ...FLEET_FLAGS],
  examples: [
    { line: "slipway check --dir cluster --strict", does: "fail on any drift, such as in a pipeline" },
  ],
  findings: true,
  load: async () => withFleet("check", (await import("./check-run.js")).check),
};
