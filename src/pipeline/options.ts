/**
 * Options of a compile: what the command line says, else what an earlier run recorded. A recorded file is named
 * relative to the asset directory, so that directory and file can move together (design: cli-contract, Pipeline).
 */
import type { Flag } from "../core/flags.js";
import { formatMinor } from "../core/minor.js";
import { info, type Problem } from "../core/problem.js";
import { formatRelease, parseRelease, type Release } from "../core/release.js";
import {
  type DirectoryRecord,
  type DiskFiles,
  IGNORE_FILE,
  type InstallerState,
  layoutOf,
  type OptionValue,
  type PhaseName,
} from "../directory/index.js";
import type { ShimSources } from "../phases/ignition-configs/shims.js";
import { FILE_FLAGS, type FileFlag, FLAGS, RECORDED, type RecordedFlags, recordedFlags } from "./flags.js";

/** Flags that are remembered, with what follows from them. Absent means: not given. */
export interface CompileFlags extends RecordedFlags {
  /** The release image was first named to ignition-configs: it is not wrapped, so that what is wrapped stays as it is. */
  readonly releaseImageIsLate?: boolean | undefined;
  /** An earlier run named an image, and this one takes it back. */
  readonly releaseImageIsTakenBack?: boolean | undefined;
  /** Addresses of configs by role; kept in the state, since they may be signed. */
  readonly shimSources?: ShimSources | undefined;
}

type Options = Readonly<Record<string, OptionValue>>;

/** The value of a flag as an earlier run recorded it; undefined for one that the flag does not take. */
function recordedValue<T>({ kind, choices, read }: Flag<T>, option: OptionValue | undefined): T | undefined {
  if (kind === "switch") return typeof option === "boolean" ? read(option) : undefined;
  if (typeof option !== "string" || option === "") return undefined;
  if (kind === "list") return read(option.split(",").filter((each) => each !== ""));
  return choices === undefined || choices.includes(option) ? read(option) : undefined;
}

/** Flags of this run over those of the record. */
export const effectiveFlags = (given: CompileFlags, options: Options = {}): CompileFlags =>
  recordedFlags((flag, member) => given[member] ?? recordedValue(flag, options[flag.name]));

/** What of a directory decides which flags are in force. */
interface Remembered {
  /** Before the first run the ignore file says what `slipway init` was told. */
  readonly files: DiskFiles;
  readonly record: Pick<DirectoryRecord, "options"> | undefined;
  readonly state: Pick<InstallerState, "options" | "ignitionOptions"> | undefined;
}

/** A recorded option that is text. */
export const textOption = (
  options: Readonly<Record<string, unknown>> | undefined,
  name: string,
): string | undefined => {
  const value = options?.[name];
  return typeof value === "string" ? value : undefined;
};

/** The release as it is written in the flags, in the record or in the state; undefined where none says. */
export const releaseIn = (
  given: CompileFlags,
  { record, state }: Omit<Remembered, "files">,
): string | undefined =>
  effectiveFlags(given, record?.options).release ?? textOption(state?.options, FLAGS.release.name);

/** The release of a flag or a record: `4.22`, or a version of it such as `4.22.3`; undefined for one without tables. */
export async function readRelease(text: string): Promise<Release | undefined> {
  const known = parseRelease(text);
  if (known !== undefined) return known;
  const { releaseOfVersion } = await import("../core/named-release.js");
  const release = releaseOfVersion(text);
  return release === undefined ? undefined : parseRelease(formatMinor(release));
}

/** The word on a patch release such as `4.22.7`, which is compiled with the rows of its minor release; none for `4.22`. */
export const patchReleaseProblems = (text: string, release: Release): Problem[] =>
  text === release.name
    ? []
    : [
        info(
          "VER013",
          "Invalid",
          "--release",
          `${text} uses the tables of ${release.name}, from openshift/installer ${release.installer.branch} at ${release.installer.commit} (${release.installer.date})`,
          {
            file: "--release",
            hint: "boot images and defaults can differ in a patch release; set --coreos-stream to the output of this release's openshift-install coreos print-stream-json",
          },
        ),
      ];

/** The flags of this run over those that are remembered. */
export function flagsInForce(
  given: CompileFlags,
  { record, state, files }: Remembered,
  target: PhaseName,
  release: Release,
): CompileFlags {
  const planned = record === undefined ? layoutOf(files.get(IGNORE_FILE)?.data) : undefined;
  const inForce = effectiveFlags(given, planned === undefined ? record?.options : { secrets: planned });
  if (given.releaseImage === NONE)
    return {
      ...inForce,
      release: formatRelease(release),
      releaseImage: undefined,
      releaseImageIsTakenBack: true,
    };
  const early = textOption(state?.options, FLAGS.releaseImage.name);
  const late = textOption(state?.ignitionOptions, FLAGS.releaseImage.name);
  return {
    ...inForce,
    // Recorded even when it is the default, which is another one with the next version of slipway.
    release: formatRelease(release),
    releaseImage: inForce.releaseImage ?? early ?? late,
    releaseImageIsLate:
      early === undefined &&
      (target === "ignition-configs" || (given.releaseImage === undefined && late !== undefined)),
  };
}

/** A file that a flag names. */
export interface NamedInput {
  /** Relative to the asset directory. */
  readonly path: string;
  readonly data: Uint8Array;
  /** The file is committed along with the directory; the place of another one is for this working copy alone. */
  readonly isShared: boolean;
}

/** What the flags name; `none` takes back what an earlier run was given. */
export type NamedInputs = Readonly<Partial<Record<FileFlag, NamedInput | typeof NONE>>>;
export const NONE = "none";

/** The options as the record remembers them; undefined takes one back, and those that are not named stay. */
export function recordedOptions(
  flags: CompileFlags,
  files: NamedInputs,
): Record<string, OptionValue | undefined> {
  const options: Record<string, OptionValue | undefined> = {};
  for (const member of RECORDED) {
    const value = flags[member];
    if (value !== undefined)
      options[FLAGS[member].name] = typeof value === "object" ? value.join(",") : value;
  }
  if (flags.releaseImageIsTakenBack === true) options[FLAGS.releaseImage.name] = undefined;
  for (const { name, input } of FILE_FLAGS) {
    const file = files[name];
    if (file === NONE) options[name] = undefined;
    else if (file !== undefined) options[name] = file.isShared ? file.path : input.told;
  }
  return options;
}

/** The options that only the working copy remembers, over those that it knew. */
export function ownOptions(
  files: NamedInputs,
  known: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const options: Record<string, string> = { ...known };
  for (const { name } of FILE_FLAGS) {
    const file = files[name];
    if (file === NONE || file?.isShared === true) delete options[name];
    else if (file !== undefined) options[name] = file.path;
  }
  return options;
}
