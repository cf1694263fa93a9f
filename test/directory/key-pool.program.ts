/** A process that takes keys out of a pool: `FILE COUNT TIMES`; prints each key on a line, once it is its own. */
import { takeKeys } from "../../src/directory/key-pool.js";

const [file = "", count = "", times = ""] = process.argv.slice(2);
for (let left = Number(times); left > 0; left--) {
  const taken = await takeKeys(file, Number(count));
  if (!taken.ok) throw new Error(taken.problem.message);
  for (const key of taken.value) process.stdout.write(`${JSON.stringify(key)}\n`);
  if (taken.value.length === 0) break;
}
