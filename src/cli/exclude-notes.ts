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
      note: `${dry ? "Would add" : "Added"} ${counted(added.length, "pattern")} to ${file}, so that secrets stay ignored on branches without this .gitignore.`,
      lines: added,
    },
    {
      note: `${dry ? "Would remove" : "Removed"} ${counted(removed.length, "pattern")} from ${file} that are no longer in .gitignore.`,
      lines: removed,
    },
  ].filter(({ lines }) => lines.length > 0);
