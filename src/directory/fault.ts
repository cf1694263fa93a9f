/** Faults of the file system as problems: what a user can do about is never an exception. */
import { constants } from "node:os";
import type { Code } from "../core/codes.js";
import { type Problem, problem } from "../core/problem.js";

/** A fault that ends an operation on files; `attempt` turns it into its problem. */
export class Fault extends Error {
  override readonly name = "Fault";
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

export type Attempt<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: Problem };

interface Explanation {
  readonly what: string;
  readonly hint: string;
}

/** What the errors of the operating system mean here. Others are told by their code. */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  ENOSPC: { what: "the disk is full", hint: "free some space and run again" },
  EDQUOT: { what: "the disk quota is used up", hint: "free some space and run again" },
  EROFS: { what: "the file system is read-only", hint: "choose another directory with --dir" },
  EACCES: { what: "permission denied", hint: "check owner and mode of the file and of its folder" },
  EPERM: { what: "operation not permitted", hint: "check owner, mode and attributes of the file" },
  ENOENT: { what: "no such file or directory", hint: "" },
  ENOTDIR: { what: "part of the path is not a folder", hint: "move the file away" },
  EISDIR: { what: "is a folder", hint: "move the folder away" },
  ENOTEMPTY: { what: "the folder is not empty", hint: "" },
  EEXIST: { what: "the path already exists", hint: "" },
  ENAMETOOLONG: { what: "the name is too long for the file system", hint: "choose a shorter directory" },
  ELOOP: { what: "too many levels of symbolic links", hint: "remove the link" },
  EMFILE: { what: "too many open files", hint: "raise the limit (ulimit -n)" },
  ENFILE: { what: "the system has too many open files", hint: "run again later" },
  EIO: { what: "input/output error", hint: "check the disk" },
  EBUSY: { what: "the file is in use", hint: "close the program that uses it" },
  EFBIG: { what: "the file is too large for the file system", hint: "" },
  ETXTBSY: { what: "the file is being executed", hint: "" },
  ESTALE: { what: "stale file handle of the network file system", hint: "mount it again" },
  ETOOLARGE: { what: "the file is endless or larger than 256 MiB", hint: "use a smaller file" },
  ENOTREG: { what: "is not a regular file", hint: "replace it with a regular file" },
  ENXIO: { what: "no such device", hint: "" },
};

/** Names of errors by their number: libuv has none for some that file systems give (EDQUOT, ESTALE). */
const NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(constants.errno).map(([name, number]) => [number, name]),
);

/** The code of a system error, such as `ENOENT`, or its number where it has no name (`E117`); empty for anything else. */
export function systemCode(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return "";
  if (/^E[A-Z0-9]+$/.test(error.code)) return error.code;
  if (!("errno" in error) || typeof error.errno !== "number") return "";
  const number = Math.abs(error.errno);
  return NAMES.get(number) ?? `E${number}`;
}

/** The problem of a system error while `doing` something (`read`, `write`, …) with a file; other errors are thrown. */
export function problemOf(error: unknown, code: Code, doing: string, file: string): Problem {
  if (error instanceof Fault) return error.problem;
  const name = systemCode(error);
  if (name === "") throw error;
  const known = EXPLANATIONS[name];
  return problem(
    code,
    name === "ENOENT" ? "NotFound" : "Invalid",
    "",
    `cannot ${doing} ${file}: ${known?.what ?? name}`,
    { file, hint: known?.hint ?? "" },
  );
}

/** Runs `work`; a system error becomes a `Fault` that says what was being done with which file. */
export function guarded<T>(code: Code, doing: string, file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Fault(problemOf(error, code, doing, file));
  }
}

/** The value of `work`, or the problem of its fault. Exceptions that are no faults stay exceptions. */
export async function attempt<T>(work: () => T | Promise<T>): Promise<Attempt<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (error instanceof Fault) return { ok: false, problem: error.problem };
    throw error;
  }
}
