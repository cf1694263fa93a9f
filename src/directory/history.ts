/**
 * What is known of the paths of a phase from earlier runs, here and elsewhere: the committed record says what the
 * inputs give, the working copy what was last written here, the state what it lists.
 */
import { byCodeUnit, decode, encode, equalBytes } from "../core/files.js";
import { adoptedBase } from "./adopt.js";
import { type Digester, isKeyed } from "./digest.js";
import { folderOf, isKustomization, isOutputOf, type PhaseName } from "./layout.js";
import { type DirectoryRecord, entriesOf, isOdd } from "./record.js";
import type { StateFile } from "./state.js";
import type { Compilation, DiskFiles, RecordEntry } from "./types.js";
import type { Copy, WorkingCopy } from "./working-copy.js";

/** What is known of one path. */
export interface Known {
  /** What the record says; undefined where it lists no such file. */
  readonly recorded: RecordEntry | undefined;
  /** The number of the record's removal (odd: removed); 0 without one. */
  readonly removals: number;
  /** What this working copy last wrote; undefined where it never did. */
  readonly copy: Copy | undefined;
  /** True when the file was here after the last run, so that its absence now is somebody's doing. */
  readonly wasHere: boolean;
  /** Contents that may be what a digest is of: the bases of a merge. */
  readonly contents: readonly Uint8Array[];
  /** Of a kustomization: the names that the record says were generated beside it, without what was removed. */
  readonly listed: readonly string[];
}

export interface History {
  readonly paths: ReadonlyMap<string, Known>;
  /** False when nothing at all is known of earlier runs. */
  readonly hasAny: boolean;
}

export interface Sources {
  readonly record: DirectoryRecord | undefined;
  readonly copy: WorkingCopy | undefined;
  /** Files that the state lists as generated, by phase. */
  readonly listed: Readonly<Partial<Record<PhaseName, readonly StateFile[] | undefined>>>;
  readonly disk: DiskFiles;
  readonly digester: Digester;
}

/** What is known of the paths of a phase. */
export function historyOf(compilation: Compilation, sources: Sources): History {
  const { record, copy, digester, disk } = sources;
  const { phase } = compilation;
  const listed = sources.listed[phase];
  const isAdopted = record?.phases[phase] === undefined && listed !== undefined;
  const recorded = isAdopted ? adoptedBase(listed, compilation, digester) : entriesOf(record, phase);
  const ofState = new Map((listed ?? []).map(({ path, data }) => [path, data]));
  const isFormer = record?.isFormer === true && copy === undefined;
  const isPartial = copy !== undefined && isPartialCopy(copy, disk);
  const paths = new Set([
    ...recorded.keys(),
    ...ofState.keys(),
    ...Object.keys(record?.removed ?? {}).filter((path) => isOutputOf(phase, path)),
    ...Object.keys(copy?.files ?? {}).filter((path) => isOutputOf(phase, path)),
  ]);
  return {
    paths: new Map(
      [...paths].map((path): [string, Known] => {
        const removals = record?.removed[path] ?? 0;
        const own = copy?.files[path];
        // Before there were working copies, the record was about one; what it says, that one knows.
        const known = isFormer && removals > 0 ? { changes: removals } : own;
        const text = own?.text;
        const inState = ofState.get(path);
        // openshift-install lists what it found on disk as well: what no run of slipway made is the user's.
        const made = [
          ...(recorded.get(path)?.digests ?? []),
          ...[own?.digest ?? []].flat(),
          ...(own?.earlier ?? []),
        ];
        const isBase =
          inState !== undefined &&
          (isAdopted || made.some((digest) => digester.matches(digest, inState) !== false));
        return [
          path,
          {
            recorded: recorded.get(path),
            removals,
            copy: known,
            wasHere:
              copy === undefined
                ? isAdopted && recorded.has(path)
                : !isPartial && own?.digest !== undefined && own.absent !== true,
            contents: [text === undefined ? [] : encode(text), isBase ? inState : []].flat(),
            listed: isKustomization(path) ? namesBeside(path, recorded.keys(), record) : [],
          },
        ];
      }),
    ),
    hasAny: record !== undefined || listed !== undefined || copy !== undefined,
  };
}

/** Names of the files in the folder of a kustomization that the record says to be generated and not removed, in order. */
const namesBeside = (
  path: string,
  recorded: Iterable<string>,
  record: DirectoryRecord | undefined,
): readonly string[] =>
  [...recorded]
    .filter((each) => each !== path && folderOf(each) === folderOf(path))
    .filter((each) => !isOdd(record?.removed[each] ?? 0))
    .map((each) => each.slice(folderOf(path).length + 1))
    .sort(byCodeUnit);

/** Fewer missing files than these are not taken for a copy that leaves secrets out. */
const FEW = 3;

/**
 * True where most secret files that were here are gone while their folders are not: this is a copy of the directory
 * from which secrets were left out, not one in which somebody removed them.
 */
function isPartialCopy({ files }: WorkingCopy, disk: DiskFiles): boolean {
  const folders = new Set([...disk.keys()].map((path) => path.slice(0, path.lastIndexOf("/") + 1)));
  const secrets = Object.entries(files).filter(
    ([path, { digest, absent }]) =>
      digest !== undefined &&
      isKeyed(digest) &&
      absent !== true &&
      folders.has(path.slice(0, path.lastIndexOf("/") + 1)),
  );
  const missing = secrets.filter(([path]) => !disk.has(path)).length;
  return missing >= FEW && missing * 2 > secrets.length;
}

/** The content that one of the digests is of. */
export const contentOf = (
  contents: readonly Uint8Array[],
  digests: readonly string[],
  digester: Digester,
): Uint8Array | undefined =>
  contents.find((data) => digests.some((digest) => digester.matches(digest, data) === true));

/** The text of a base that a working copy keeps: of plain YAML alone, since the file is read by people too. */
export const keptText = (data: Uint8Array, secret: boolean): string | undefined => {
  const text = secret ? undefined : decode(data);
  return text === undefined || !equalBytes(encode(text), data) ? undefined : text;
};
