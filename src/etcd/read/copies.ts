/** One interface over the forms that a copy of etcd comes in. */
import type { Problem } from "../../core/diagnostics.js";
import { PACKED_HEAD, packed } from "../../text/packed.js";
import { looksLikeBbolt } from "./bbolt-pages.js";
import { CopyFault, type CopyFile } from "./copy-file.js";
import { type DumpHeader, readDump } from "./dump.js";
import { Keyspace } from "./keyspace.js";
import type { HistoryRecord, StoredRecord } from "./record.js";

/** `snapshot`: etcdctl snapshot save. `db`: the file of a data directory. `dump`: JSON of etcdctl get. */
export type CopyForm = "snapshot" | "db" | "dump";

export interface Copy {
  readonly file: CopyFile;
  readonly form: CopyForm;
  /** Newest revision; of a dump only known once it was read. */
  revision(): bigint | undefined;
  /** Oldest revision whose state is complete; undefined where there is no history. */
  readonly compacted: bigint | undefined;
  /**
   * True where a key that begins so would be in the copy if there were one; known once it was read. etcdctl takes a dump
   * of the keys that begin with a text, and does not write down with which, so a dump is no evidence beyond what its keys
   * have in common.
   */
  covers(start: string): boolean;
  /** The keys that live at a revision (the newest by default), each once, in no particular order. */
  live(at?: bigint): Generator<StoredRecord>;
  /** Every record at or below a revision, newest first; undefined where there is no history. */
  readonly history: ((upTo: bigint) => Generator<HistoryRecord>) | undefined;
}

/** Opens a copy; throws a `CopyFault` for a file that is not one. */
export function openCopy(file: CopyFile, form: CopyForm, report: (problem: Problem) => void): Copy {
  const head = Buffer.alloc(PACKED_HEAD);
  const unread = packed(head.subarray(0, file.readInto(head, 0)));
  if (unread !== undefined) throw new CopyFault(file, "ETC001", unread.message, unread.hint);
  return form === "dump" ? openDump(file, report) : openKeyspace(file, form);
}

function openKeyspace(file: CopyFile, form: CopyForm): Copy {
  const head = Buffer.alloc(64);
  const read = file.readInto(head, 0);
  if (!looksLikeBbolt(file) && /^\s*\{/.test(head.toString("latin1", 0, read)))
    throw new CopyFault(file, "ETC001", "the file is JSON, not an etcd snapshot", "use --dump for this file");
  const keyspace = new Keyspace(file);
  return {
    file,
    form,
    revision: () => keyspace.revision,
    compacted: keyspace.compacted,
    covers: () => true,
    live: (at = keyspace.revision) => live(file, keyspace, at),
    history: (upTo) => keyspace.newestFirst(upTo),
  };
}

function* live(file: CopyFile, keyspace: Keyspace, at: bigint): Generator<StoredRecord> {
  if (at > keyspace.revision)
    throw revisionFault(file, at, `the newest revision in the copy is ${keyspace.revision}`);
  if (at < keyspace.compacted)
    throw revisionFault(file, at, `the history was compacted at revision ${keyspace.compacted}`);
  for (const record of keyspace.newestOfEach(at)) if (!record.tombstone) yield record;
}

function openDump(file: CopyFile, report: (problem: Problem) => void): Copy {
  if (looksLikeBbolt(file))
    throw new CopyFault(
      file,
      "ETC001",
      "the file is an etcd snapshot, not JSON",
      "use --snapshot or --db for this file",
    );
  const header: DumpHeader = { revision: undefined, extents: [] };
  return {
    file,
    form: "dump",
    revision: () => header.revision,
    compacted: undefined,
    covers: (start) => header.extents.some((each) => start.startsWith(each)),
    history: undefined,
    live: (at) => dumpAt(file, header, at, report),
  };
}

function* dumpAt(
  file: CopyFile,
  header: DumpHeader,
  at: bigint | undefined,
  report: (problem: Problem) => void,
): Generator<StoredRecord> {
  yield* readDump(file, header, report);
  if (at !== undefined && at !== header.revision)
    throw revisionFault(file, at, `the dump contains only revision ${header.revision ?? "unknown"}`);
}

const revisionFault = (file: CopyFile, at: bigint, reason: string): CopyFault =>
  new CopyFault(
    file,
    "ETC006",
    `revision ${at} cannot be read: ${reason}`,
    "omit --revision, or use a revision in this range",
    "NotFound",
  );
