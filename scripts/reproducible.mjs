// Builds the tarball and the executable twice, each time from a fresh copy of the working tree in another folder, and
// compares them byte for byte.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root } from "./generate.mjs";

const work = mkdtempSync(join(tmpdir(), "slipway-reproducible-"));

/** The digests of what one copy gives. */
function built(name) {
  const copy = join(work, name);
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" })
    .split("\0")
    .filter(Boolean);
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const out = join(copy, "out");
  mkdirSync(out);
  const run = (...words) => execFileSync("npm", words, { cwd: copy, stdio: ["ignore", "ignore", "inherit"] });
  run("pack", "--silent", "--pack-destination", out);
  run("run", "--silent", "build:binary", "--", out);
  const digests = readdirSync(out)
    .sort()
    .map(
      (each) =>
        `${createHash("sha256")
          .update(readFileSync(join(out, each)))
          .digest("hex")}  ${each}`,
    );
  rmSync(copy, { recursive: true });
  return digests;
}

try {
  const [one, other] = [built("one"), built("two")];
  const differing = one.filter((line, i) => line !== other[i]);
  process.stdout.write(`${one.join("\n")}\n`);
  if (differing.length > 0) process.stdout.write(`and from another folder:\n${other.join("\n")}\n`);
  process.exitCode = differing.length > 0 ? 1 : 0;
} finally {
  rmSync(work, { recursive: true, force: true });
}
