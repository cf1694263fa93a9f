// Preload (node --import) for tests of what a kill leaves behind: counts every call that changes the file system and
// kills the process with SIGKILL just before call number SLIPWAY_KILL_AT; a write of content counts twice, the second
// time half of it is written. With SLIPWAY_KILL_COUNT=FILE it kills nothing and writes the number of calls.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const at = Number(process.env.SLIPWAY_KILL_AT ?? Number.POSITIVE_INFINITY);
const counting = process.env.SLIPWAY_KILL_COUNT;
const { writeFileSync } = fs;
let calls = 0;

function die() {
  process.kill(process.pid, "SIGKILL");
  // The signal arrives at the next moment; nothing may happen until then.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
}

const step = () => {
  if (++calls === at) die();
};

const isReading = (flags) => flags === undefined || flags === "r";

for (const name of [
  "renameSync",
  "unlinkSync",
  "rmdirSync",
  "mkdirSync",
  "linkSync",
  "symlinkSync",
  "chmodSync",
  "fchmodSync",
  "utimesSync",
  "fsync",
  "fsyncSync",
  "ftruncateSync",
]) {
  const original = fs[name];
  fs[name] = (...args) => {
    step();
    return original(...args);
  };
}

const { openSync } = fs;
fs.openSync = (path, flags, mode) => {
  if (!isReading(flags)) step();
  return openSync(path, flags, mode);
};

const { writeSync } = fs;
fs.writeSync = (descriptor, bytes, from, ...rest) => {
  // The streams of the process are no files.
  if (descriptor <= 2) return writeSync(descriptor, bytes, from, ...rest);
  step();
  if (++calls === at) {
    writeSync(descriptor, bytes, from ?? 0, bytes.length >> 1, rest[1]);
    die();
  }
  return writeSync(descriptor, bytes, from, ...rest);
};

fs.writeFileSync = (file, data, options) => {
  step();
  if (++calls === at) {
    const bytes = Buffer.from(data);
    writeFileSync(file, bytes.subarray(0, bytes.length >> 1), options);
    die();
  }
  return writeFileSync(file, data, options);
};

syncBuiltinESMExports();
if (counting !== undefined) process.on("exit", () => writeFileSync(counting, String(calls)));
