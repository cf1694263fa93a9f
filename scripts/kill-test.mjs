// The kill tests at full length: 200 kills of each kind, or as many as the first argument says.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./generate.mjs";

const rounds = process.argv[2] ?? "200";
const { status } = spawnSync(process.execPath, [join(root, "scripts/test.mjs"), "kill", "--all"], {
  cwd: root,
  stdio: "inherit",
  env: { SLIPWAY_TEST_MINUTES: "120", ...process.env, SLIPWAY_KILL_ROUNDS: rounds },
});
process.exitCode = status ?? 1;
