/**
 * What the pipeline and the asset directory exchange.
 *
 * A run opens the directory (`open.ts`), compiles each phase in memory, has each compilation compared with the
 * record and the disk (`reconcile.ts`), and commits all plans at once (`commit.ts`). Only opening and committing
 * touch the disk.
 */
import type { OutputFile } from "../core/files.js";
import type { Json } from "../core/json.js";
import type { Copy } from "../generated/types/working-copy.js";
import type { Opened } from "../sops/file.js";
import type { PhaseName } from "./layout.js";

/** What became of a path since we last generated it (design: `slipway check`). */
export type Status =
  | "untouched"
  | "edited"
  | "removed"
  | "added"
  | "stale"
  | "conflict"
  | "missing"
  | "unverifiable";

/** What a run makes of a path, as `slipway create` reports it. */
export type Outcome = "created" | "updated" | "unchanged" | "kept" | "removed";

/** A regular file of the asset directory as it was read. */
export interface DiskFile {
  /** Relative to the asset directory, `/` as separator. */
  readonly path: string;
  readonly data: Uint8Array;
  /** Permission bits. */
  readonly mode: number;
  /**
   * Where the file is encrypted on disk. `data` is then what it holds; without the key, of an input what can be read of
   * it all the same, and of anything else the ciphertext. `onDisk` is the ciphertext in any case.
   */
  readonly sealed?: {
    readonly opened: Opened | undefined;
    readonly onDisk: Uint8Array;
    /** Both versions of a generated file in which Git left the marks of a merge; ours first. */
    readonly sides?: readonly [Opened, Opened];
  };
}

/** The files of a directory as they were read, by path. */
export type DiskFiles = ReadonlyMap<string, DiskFile>;

/** What a phase would write now. */
export interface Compilation {
  readonly phase: PhaseName;
  readonly files: readonly OutputFile[];
  /** Paths whose content needs a secret that is not there (`check` in a clone without the state). */
  readonly unverifiable?: readonly string[];
  /**
   * Only for a directory without a record whose install-config.yaml says something else than its state: the same
   * compilation with the configuration of the state. It tells what changed because of the new configuration.
   */
  readonly before?: readonly OutputFile[];
}

/** What was made of one path, and what to do about it. */
export interface PathPlan {
  readonly path: string;
  readonly status: Status;
  readonly outcome: Outcome;
  readonly action: "write" | "delete" | "none";
  /** The compiled file, where there is one. */
  readonly desired: OutputFile | undefined;
  /** What is written: the compiled file, with what the user changed in it. */
  readonly written: OutputFile | undefined;
  readonly disk: DiskFile | undefined;
  /** One clause for people where the status alone does not explain itself. */
  readonly why: string;
  /** Of a conflict: the fields that both sides changed, where it is known what was generated. */
  readonly fields: readonly FieldConflict[];
  /** True where a comment of the user cannot be kept. */
  readonly losesComments: boolean;
  /** True for a file in which marks of a merge stand; `--ours` does not keep it. */
  readonly isUnsettled: boolean;
}

/** The comparison of one phase. Nothing may be committed while a path of it is in conflict. */
export interface PhasePlan {
  readonly phase: PhaseName;
  /** In the order of paths. */
  readonly paths: readonly PathPlan[];
  readonly conflicts: readonly PathPlan[];
  /** The files of the phase as they will be on disk after the commit, edits and additions included, by path. */
  readonly after: readonly OutputFile[];
  /** What the record says about the phase after the commit. */
  readonly entries: ReadonlyMap<string, RecordEntry>;
  /** Removals and returns by path, as the record counts them after the commit. */
  readonly removed: ReadonlyMap<string, number>;
  /** What this working copy knows of every path after the commit. */
  readonly copies: ReadonlyMap<string, Copy>;
  /**
   * Files that wrap a manifest which another working copy has, and this one has not, or has otherwise: manifests that
   * are not committed do not come from there.
   */
  readonly elsewhere: readonly { readonly path: string; readonly how: "absent" | "differs" }[];
}

/** What the record says about one generated path. */
export interface RecordEntry {
  /** Digests of what was generated: one, or several after a merge of two branches. */
  readonly digests: readonly string[];
  /**
   * Digest of what slipway would have generated where the file was taken over from openshift-install; null where
   * slipway generates no such file.
   */
  readonly compiled?: string | null;
}

/** A field in which the user and the inputs want different things; an absent side has no such field. */
export interface FieldConflict {
  /** Path of the field, such as `spec.replicas`. */
  readonly field: string;
  /** What it was generated as. */
  readonly base: Json | undefined;
  readonly yours: Json | undefined;
  readonly now: Json | undefined;
}

/** Which side wins for a path: `ours` keeps the file on disk, `theirs` takes the compiled one. */
export type Side = "ours" | "theirs";
