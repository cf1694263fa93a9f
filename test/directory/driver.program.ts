/**
 * A process that works in an asset directory: `create DIR`, `check DIR`, or `lock DIR MILLISECONDS`, which says
 * `held` or `busy`, and `held` again after that time. Answers JSON on stdout; exit codes as slipway's.
 */
import { acquireLock } from "../../src/directory/lock.js";
import { check, create } from "../helpers/mini-pipeline.js";

const [command = "", dir = "", ...rest] = process.argv.slice(2);
const say = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

if (command === "create") {
  const result = await create(dir, {
    theirs: rest.includes("--theirs") ? ["."] : [],
    ours: rest.includes("--ours") ? ["."] : [],
  });
  say(result);
  process.exitCode = result.ok ? 0 : 1;
} else if (command === "check") {
  const result = await check(dir);
  say(result);
  process.exitCode = result.clean ? 0 : 3;
} else if (command === "lock") {
  const lock = await acquireLock(dir);
  say(lock.ok ? "held" : "busy");
  await new Promise((resolve) => setTimeout(resolve, Number(rest[0])));
  if (lock.ok) {
    lock.value.assertHeld();
    lock.value.release();
    say("held");
  }
} else {
  process.exitCode = 2;
}
