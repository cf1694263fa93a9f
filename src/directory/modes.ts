/**
 * Modes, as far as the file system keeps any: FAT, shares of a network and of virtual machines show every file as they
 * were mounted, and some of them refuse another mode.
 */
import { chmodSync, fchmodSync, fstatSync, statSync } from "node:fs";
import type { Report } from "../core/diagnostics.js";
import { warning } from "../core/problem.js";
import { systemCode } from "./fault.js";

const REFUSED = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

/**
 * Gives what this user owns, a path or an open file, its mode; it stays as it was mounted where the file system keeps
 * none. Errors are the system's.
 */
export function setMode(target: string | number, mode: number): void {
  try {
    if (typeof target === "number") fchmodSync(target, mode);
    else chmodSync(target, mode);
  } catch (error) {
    if (!REFUSED.has(systemCode(error)) || !isOwn(target)) throw error;
  }
}

function isOwn(target: string | number): boolean {
  const { uid } = typeof target === "number" ? fstatSync(target) : statSync(target);
  const user = process.geteuid?.();
  return user === undefined || user === 0 || uid === user;
}

/** A warning where others can read a file of secrets that was written for its owner alone. */
export function tellExposure(path: string, file: string, report: Report): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  // Windows has no modes, and Node shows some.
  if ((mode & 0o077) === 0 || process.platform === "win32") return;
  report(
    warning(
      "DIR044",
      "Invalid",
      "",
      `contains secrets and is readable by other users (mode 0${(mode & 0o777).toString(8)}); the file system does not support file modes`,
      { file, hint: "mount it with umask=077, or use a file system that supports file modes" },
    ),
  );
}
