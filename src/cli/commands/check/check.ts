import type { Command } from "../../command.js";
import { COMPILE_FLAGS, diff, dir } from "../create/flags.js";
import { strict } from "./flags.js";

/** Flags that shape what is compiled; the recorded ones are used where a flag is left out. */
const SHAPING = COMPILE_FLAGS.filter(
  ({ name }) =>
    ![
      "ours",
      "theirs",
      "dry-run",
      "diff",
      "stdout",
      "consume",
      "split-documents",
      "dir",
      "key-algorithm",
      "seed",
      "keys",
    ].includes(name),
);

export const check: Command = {
  path: "check",
  summary: "Would a fresh compile change anything?",
  details: `Compiles in memory with the recorded options and compares with the directory; writes nothing. Statuses: untouched, edited, removed, added (your changes, kept by every run), stale (an input changed), conflict (both), missing, unverifiable (needs a secret that is not here). Exit 3 for stale, conflict and missing; 0 when clean.`,
  flags: [dir, strict, diff, ...SHAPING],
  examples: [{ line: "slipway check --dir cluster --strict", does: "in a pipeline: any drift fails" }],
  load: async () => (await import("./check-run.js")).check,
};
