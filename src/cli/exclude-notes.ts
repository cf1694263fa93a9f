/** What is said of a change in the list of what Git passes over. */
import { counted } from "../core/counted.js";
import type { ExcludeChange } from "../directory/index.js";

export interface ExcludeNote {
  readonly note: string;
  /** The lines that it is about. */
  readonly lines: readonly string[];
}

/** @param dry nothing was changed; a run would */
export const excludeNotes = ({ file, added, removed }: ExcludeChange, dry: boolean): readonly ExcludeNote[] =>
  [
    {
      note: `${dry ? "A run would add" : "Added"} ${counted(added.length, "line")} to ${file}, so that Git passes over secrets on branches without their .gitignore too.`,
      lines: added,
    },
    {
      note: `${dry ? "A run would take" : "Took"} ${counted(removed.length, "line")} out of ${file}, which .gitignore has no longer.`,
      lines: removed,
    },
  ].filter(({ lines }) => lines.length > 0);
