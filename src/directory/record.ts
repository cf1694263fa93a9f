/**
 * The record of what was generated (`.slipway/record.json`), and the journal of a run that was cut off.
 *
 * A run writes the record that it is about to make true as a journal, then the files, and at the end renames the
 * journal to the record. So after a kill every generated file matches the digest of one of the two, and neither a
 * file that is already new nor one that is still old looks like an edit.
 */
import { API_VERSION } from "../core/api-version.js";
import type { Problem } from "../core/diagnostics.js";
import { byCodeUnit, decode, encode } from "../core/files.js";
import { isJson, sortKeys } from "../core/json.js";
import type { DirectoryRecord, Phase } from "../generated/types/record.js";
import { isOutputOf, PHASES, type PhaseName } from "./layout.js";
import { schemaFaults } from "./schema-faults.js";
import type { RecordEntry } from "./types.js";

export type { DirectoryRecord, Phase };

export type ParsedRecord =
  | { readonly record: DirectoryRecord; readonly problems: readonly [] }
  | { readonly record: undefined; readonly problems: readonly Problem[] };

/** Reads the text of a record or journal; `file` is its path for the problems. */
export async function parseRecord(data: Uint8Array, file: string): Promise<ParsedRecord> {
  const refuse = (message: string): ParsedRecord => ({
    record: undefined,
    problems: [
      {
        code: "DIR020",
        kind: "Parse",
        file,
        message: `${file} ${message}`,
        hint: "restore it from version control, or delete it: then the files are compared with a fresh compile",
      },
    ],
  });
  const text = decode(data);
  if (text === undefined) return refuse("is not UTF-8 text");
  if (/^(?:<{7}|={7}|>{7})/m.test(text)) return refuse("holds the markers of a merge that is not resolved");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse("is not JSON");
  }
  const { default: validate } = await import("../generated/validators/record.js");
  const isRecord = (given: unknown): given is DirectoryRecord => validate(given);
  if (isRecord(value)) {
    const strange = PHASES.flatMap((phase) =>
      [...entriesOf(value, phase).keys()].filter((path) => !isOutputOf(phase, path)),
    );
    const [first] = strange;
    if (first === undefined) return { record: value, problems: [] };
    return refuse(`lists ${JSON.stringify(first)}, which slipway never generates`);
  }
  const version = apiVersionOf(value);
  if (version !== undefined && version !== API_VERSION)
    return refuse(`has the form ${JSON.stringify(version)}, which this version of slipway does not know`);
  const faults = schemaFaults(validate.errors ?? []);
  return refuse(`does not have the form of a record (${faults.map(({ text: each }) => each).join("; ")})`);
}

const apiVersionOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "apiVersion" in value ? value.apiVersion : undefined;

/** The bytes of a record: keys sorted, indented, one final newline. */
export function serialiseRecord(record: DirectoryRecord): Uint8Array {
  const value: unknown = JSON.parse(JSON.stringify(record));
  if (!isJson(value)) throw new Error("a record holds something that JSON cannot");
  return encode(`${JSON.stringify(sortKeys(value), null, 2)}\n`);
}

export function entriesOf(record: DirectoryRecord | undefined, phase: PhaseName): Map<string, RecordEntry> {
  return new Map(Object.entries(record?.phases[phase]?.files ?? {}));
}

/** Every path that a record speaks of. */
export const recordedPaths = (record: DirectoryRecord | undefined): string[] =>
  PHASES.flatMap((phase) => [...entriesOf(record, phase).keys()]);

/** What settling must know of the disk. */
export interface DiskView {
  has(path: string): boolean;
  /** True when the file is there and has this digest. */
  matches(path: string, digest: string): boolean;
  readonly hasState: boolean;
}

/**
 * The record that is true after a run was cut off: of each path the entry that fits the disk. Without a journal it
 * is the record itself.
 */
export function settleRecord(
  record: DirectoryRecord | undefined,
  journal: DirectoryRecord | undefined,
  disk: DiskView,
): DirectoryRecord | undefined {
  if (journal === undefined) return record;
  const phases: DirectoryRecord["phases"] = {};
  for (const phase of PHASES) {
    const settled = settlePhase(record?.phases[phase], journal.phases[phase], disk);
    if (settled !== undefined) phases[phase] = settled;
  }
  // The state is written before any file: without it the run was cut off before it had any effect.
  if (record === undefined && Object.keys(phases).length === 0 && !disk.hasState) return undefined;
  return { ...(record ?? journal), phases };
}

function settlePhase(old: Phase | undefined, planned: Phase | undefined, disk: DiskView): Phase | undefined {
  const files: Phase["files"] = {};
  const paths = new Set([...Object.keys(old?.files ?? {}), ...Object.keys(planned?.files ?? {})]);
  for (const path of [...paths].sort(byCodeUnit)) {
    const entry = settleEntry(path, old?.files[path], planned?.files[path], disk);
    if (entry !== undefined) files[path] = entry;
  }
  const empty = Object.keys(files).length === 0;
  const frame = empty && planned?.consumed === true ? planned : (old ?? (empty ? undefined : planned));
  return frame === undefined ? undefined : { ...frame, files };
}

function settleEntry(
  path: string,
  old: RecordEntry | undefined,
  planned: RecordEntry | undefined,
  disk: DiskView,
): RecordEntry | undefined {
  if (!disk.has(path)) return planned === undefined ? (old?.removed === true ? old : undefined) : old;
  if (planned !== undefined && disk.matches(path, planned.digest)) return planned;
  return old ?? planned;
}
