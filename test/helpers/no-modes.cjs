// Preloaded (`node --require`), it gives a program a file system that keeps no modes: every file and folder has 0755, as it
// was mounted, and a change is refused with EPERM, as on FAT.
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

const change = fs.chmodSync;
const refuse = (call) => () => {
  throw Object.assign(new Error(`EPERM: operation not permitted, ${call}`), {
    code: "EPERM",
    errno: -1,
    syscall: call,
  });
};
fs.chmodSync = refuse("chmod");
fs.fchmodSync = refuse("fchmod");

const { mkdirSync, openSync } = fs;
fs.mkdirSync = (path, options) => {
  const made = mkdirSync(path, options);
  change(path, 0o755);
  return made;
};
fs.openSync = (path, flags, mode) => {
  const isNew = /^[wa]/.test(String(flags)) && !fs.existsSync(path);
  const descriptor = openSync(path, flags, mode);
  if (isNew) change(path, 0o755);
  return descriptor;
};
syncBuiltinESMExports();
