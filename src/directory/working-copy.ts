/**
 * What this working copy last wrote (`.slipway/local.json`): the other half of what is known, beside the committed
 * record. A clone has none, and after a pull or a switch of branches it still tells what lies here from what people
 * changed. It is never committed, since of another directory it would say what is not so.
 */
import { API_VERSION } from "../core/api-version.js";
import { byCodeUnit, decode, encode } from "../core/files.js";
import type { Copy, WorkingCopy } from "../generated/types/working-copy.js";
import { isOutputOf, PHASES } from "./layout.js";

export type { Copy, WorkingCopy };

/** So many earlier digests of a path are kept. */
const EARLIER = 32;

/** Reads the file. One that is damaged, or of another cluster, says nothing: then the directory counts as a clone. */
export async function parseWorkingCopy(data: Uint8Array): Promise<WorkingCopy | undefined> {
  const { default: validate } = await import("../generated/validators/working-copy.js");
  const isWorkingCopy = (given: unknown): given is WorkingCopy => validate(given);
  try {
    const value: unknown = JSON.parse(decode(data) ?? "");
    if (!isWorkingCopy(value)) return undefined;
    const isOurs = (path: string): boolean => PHASES.some((phase) => isOutputOf(phase, path));
    return Object.keys(value.files).every(isOurs) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function serialiseWorkingCopy({
  clusterID,
  options,
  files,
}: Omit<WorkingCopy, "apiVersion" | "kind">): Uint8Array {
  const inOrder = <T>(values: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(values).sort(([a], [b]) => byCodeUnit(a, b)));
  const value: WorkingCopy = {
    apiVersion: API_VERSION,
    kind: "WorkingCopy",
    clusterID,
    options: inOrder(options),
    files: inOrder(files),
  };
  return encode(`${JSON.stringify(value, null, 1)}\n`);
}

/** The entry of a path after a run. */
export function nextCopy(
  old: Copy | undefined,
  now: Omit<Copy, "earlier">,
  recorded: readonly string[],
): Copy {
  const earlier = [...new Set([...recorded, old?.digest ?? [], old?.earlier ?? []].flat())]
    .filter((digest) => digest !== now.digest)
    .slice(0, EARLIER);
  return { ...now, ...(earlier.length === 0 ? {} : { earlier }) };
}
