/** What a run of `slipway init` is about, and the files that it may write. */
import type { OutputFile } from "../../../core/files.js";
import type { GitLayout } from "../../../directory/git-files.js";
import type { OptionValue } from "../../../directory/index.js";

export interface Wanted {
  readonly root: string;
  readonly file: OutputFile;
  /** A file that is there may be written over: it is ours, or keeps all that the user has in it. */
  readonly extends: boolean;
  /** Values that the user replaces in the file are no difference. */
  readonly isSame?: (old: string, text: string) => boolean;
  /** A file of the user's in its place is kept, with a warning, and the rest is written. */
  readonly isOptional?: boolean;
}

/** A cluster of a run. */
export interface Target {
  /** As the fleet knows it. */
  readonly name: string;
  /** From where the user is. */
  readonly directory: string;
  readonly layout: GitLayout;
  /** The controller that its objects were compiled for, or `none`; undefined where there are no objects yet. */
  readonly compiledFor: OptionValue | undefined;
}
