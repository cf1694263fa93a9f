/**
 * Which files outside asset directories may be replaced: those that slipway wrote, told by what only its own outputs
 * say. What a person writes as well (documents of our API groups) is no sign. Nothing is recorded beside such files.
 */
import { isJson, isObject } from "../core/json.js";
import { problem } from "../core/problem.js";
import { Fault } from "./fault.js";

/** The lines that only an output of slipway has: they name it, and not as an API group. Numbers do not count. */
function signs(text: string): ReadonlySet<string> {
  const lines = text.split("\n").filter((line) => line.includes("slipway") && !/^\W*apiVersion\b/.test(line));
  return new Set(lines.map((line) => line.trim().replace(/[0-9a-f]{8,}|\d+(?:\.\d+)*/g, "0")));
}

/** A file that is there and is to have new content. */
export interface PresentFile {
  readonly path: string;
  readonly old: Uint8Array;
  readonly data: Uint8Array;
  readonly changed: boolean;
}

/**
 * The first file that would change and that slipway did not write. Where one file of a folder bears its sign, those
 * that cannot bear any (patches, requests) are taken for its own as well.
 */
export function foreignFile(files: readonly PresentFile[]): PresentFile | undefined {
  if (!files.some(({ changed }) => changed)) return undefined;
  const told = files.map((file) => {
    const own = signs(decode(file.data));
    const isEmpty = file.old.length === 0;
    return { file, own, found: isEmpty || [...signs(decode(file.old))].some((line) => own.has(line)) };
  });
  const isOurFolder = told.some(({ found }) => found);
  return told.find(({ file, own, found }) => file.changed && !found && !(own.size === 0 && isOurFolder))
    ?.file;
}

const decode = (data: Uint8Array): string => Buffer.from(data).toString("utf8");

/** True when two first lines of files with a JSON document a line are of one form. */
export function isSameForm(old: string, line: string): boolean {
  const [before, now] = [old, line].map(membersOf);
  return before !== undefined && before === now;
}

function membersOf(line: string): string | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJson(value) && isObject(value) ? Object.keys(value).sort().join() : undefined;
  } catch {
    return undefined;
  }
}

export const foreign = (path: string): Fault =>
  new Fault(
    problem("DIR019", "Duplicate", "", "the file already exists and was not written by slipway", {
      file: path,
      hint: "move it away, or specify another path",
    }),
  );
