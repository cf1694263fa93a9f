// A process that runs compiled test files one after the other, as they come by message. It answers each with counts and
// with what was printed meanwhile, and puts back what a file changes of the process: environment, folder and umask.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

globalThis.UVU_DEFER = 1;
await import("uvu");

const [cwd, umask, environment] = [process.cwd(), process.umask(), { ...process.env }];
const write = process.stdout.write;
let printed = [];
for (const stream of [process.stdout, process.stderr])
  stream.write = (part) => {
    printed.push(typeof part === "string" ? part : Buffer.from(part).toString());
    return true;
  };

/** Seconds of the processor that this process and the processes that it started have used, where the system says so. */
function processorTime() {
  try {
    const text = readFileSync("/proc/self/stat", "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
  } catch {
    return Number.NaN;
  }
}

async function runFile(file) {
  printed = [];
  const before = processorTime();
  const started = performance.now();
  const queue = globalThis.UVU_QUEUE;
  queue.length = 0;
  queue.push([]);
  globalThis.UVU_INDEX = 0;
  // As a program of its own would have it.
  process.argv[2] = file;
  const totals = { passed: 0, total: 0, skipped: 0 };
  await import(pathToFileURL(file).href);
  for (const run of queue[0]) {
    const [errors, passed, skipped, total] = await run();
    if (errors.length) process.stdout.write(`\n${errors}\n`);
    totals.passed += passed;
    totals.skipped += skipped;
    totals.total += total;
  }
  restore();
  return {
    ...totals,
    seconds: (performance.now() - started) / 1000,
    cpu: processorTime() - before,
    memory: process.memoryUsage.rss(),
    output: printed.join(""),
  };
}

function restore() {
  process.chdir(cwd);
  process.umask(umask);
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  process.exitCode = undefined;
}

/** What was printed goes out with a crash, and not only with an answer. */
function crash(error) {
  write.call(process.stdout, `${printed.join("")}\n${error?.stack ?? error}\n`, () => process.exit(1));
}
process.on("uncaughtException", crash);

process.on("message", ({ file }) => {
  runFile(file).then((result) => process.send(result), crash);
});
process.on("disconnect", () => process.exit(0));
