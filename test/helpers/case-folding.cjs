// Preloaded (`node --require`), it gives a program a file system below CASE_FOLDING_ROOT that does not tell upper from
// lower case and keeps the case of a name that is there, as those of macOS and Windows do.
const fs = require("node:fs");
const path = require("node:path");
const { syncBuiltinESMExports } = require("node:module");

const root = process.env.CASE_FOLDING_ROOT;
const list = fs.readdirSync;

const readLink = fs.readlinkSync;

/** A path through a folder that is held open, by the name of that folder. */
const throughOpenFolder = (given) =>
  given.replace(/^\/proc\/self\/fd\/\d+(?=\/)/, (folder) => {
    try {
      return readLink(folder);
    } catch {
      return folder;
    }
  });

/** The path by the names that are there. */
function folded(given) {
  const whole = Buffer.isBuffer(given) ? given.toString() : given;
  if (typeof whole !== "string") return given;
  const full = path.resolve(throughOpenFolder(whole));
  if (full !== root && !full.startsWith(`${root}${path.sep}`)) return given;
  let at = root;
  for (const part of path.relative(root, full).split(path.sep)) {
    if (part === "") continue;
    let names = [];
    try {
      names = list(at);
    } catch {
      // Below a file, or nothing at all, no name is another's.
    }
    const same = names.includes(part) ? part : names.find((each) => each.toLowerCase() === part.toLowerCase());
    at = path.join(at, same ?? part);
  }
  return at;
}

const ONE =
  "access appendFile chmod chown exists lchown lstat lutimes mkdir open opendir readdir readFile readlink realpath rm rmdir stat truncate unlink utimes writeFile";
const TWO = "copyFile cp link rename";

function patch(holder, name, count) {
  const original = holder[name];
  if (typeof original !== "function") return;
  const own = (...args) => original.apply(holder, [...args.slice(0, count).map(folded), ...args.slice(count)]);
  Object.assign(own, original);
  holder[name] = own;
}

for (const [names, count] of [
  [ONE, 1],
  [TWO, 2],
])
  for (const name of names.split(" ")) {
    patch(fs, name, count);
    patch(fs, `${name}Sync`, count);
    patch(fs.promises, name, count);
  }
patch(fs.realpathSync, "native", 1);
syncBuiltinESMExports();
