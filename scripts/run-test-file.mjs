// Runs one compiled uvu file and prints `RESULT passed total skipped` at the end, so that a file without tests or
// with a forgotten `.run()` cannot look green.
import { pathToFileURL } from "node:url";

globalThis.UVU_DEFER = 1;
const uvu = await import("uvu");
const file = process.argv[2];
globalThis.UVU_INDEX = 0;
globalThis.UVU_QUEUE.push([null]);
await import(pathToFileURL(file).href);

const totals = { passed: 0, total: 0, skipped: 0 };
const group = globalThis.UVU_QUEUE[0];
for (let i = 1; i < group.length; i++) {
  const run = group[i];
  group[i] = async () => {
    const result = await run();
    totals.passed += result[1];
    totals.skipped += result[2];
    totals.total += result[3];
    return result;
  };
}
await uvu.exec();
process.stdout.write(`\nRESULT ${totals.passed} ${totals.total} ${totals.skipped}\n`);
