/** The last line of a run on stderr: how many problems were found, and what became of the files. */
import { counted } from "../core/counted.js";
import { type Diagnostic, isError } from "../core/diagnostics.js";
import { hasChangedFiles } from "../directory/changes.js";
import type { CliContext } from "./cli-context.js";
import { type Arguments, output } from "./flags.js";

/** What a run did with files, or would do in a dry run. */
export interface FileOutcome {
  readonly files: readonly { readonly status: string }[];
  /** Nothing is written in any case. */
  readonly dry?: boolean;
}

/** `none` where the answer itself ends with the counts; a text is what a command that only checks has to say. */
export type Outcome = FileOutcome | string | "none" | undefined;

/** In this order; the first one that is there names what is counted. */
const STATUSES = ["created", "updated", "removed", "kept", "unchanged"];

/** `31 files created`, `1 file updated, 30 unchanged`. */
export function filesSummary({ files, dry = false }: FileOutcome): string {
  const known = STATUSES.flatMap((status): [string, number][] => {
    const count = files.filter((each) => each.status === status).length;
    return count === 0 ? [] : [[status, count]];
  });
  const wouldWrite = dry && known.some(([status]) => status !== "unchanged" && status !== "kept");
  const parts = known.map(([status, count], index) => {
    const verb = wouldWrite && index === 0 ? `would be ${status}` : status;
    return index === 0 ? `${counted(count, "file")} ${verb}` : `${count} ${status}`;
  });
  return [parts.join(", "), ...(dry ? ["nothing was written"] : [])].filter((part) => part !== "").join("; ");
}

/** What `check` found: `31 files checked; 2 files differ (1 stale, 1 missing)`; `30 of 74 files checked`, where no key is. */
export function checkedFiles({ files, clean }: FileOutcome & { readonly clean: boolean }): string {
  const notable = files.filter(({ status }) => status !== "untouched" && status !== "unverifiable");
  const statuses = [...new Set(notable.map(({ status }) => status))].map(
    (status) => `${notable.filter((each) => each.status === status).length} ${status}`,
  );
  const found = clean ? "no differences" : counted(notable.length, "file differs", "files differ");
  const verified = files.filter(({ status }) => status !== "unverifiable").length;
  const all = counted(files.length, "file");
  const checked = verified === files.length ? all : `${verified} of ${all}`;
  return `${checked} checked; ${found}${statuses.length === 0 ? "" : ` (${statuses.join(", ")})`}`;
}

/** `3 errors, 1 warning`; empty where there are none. */
export function problemCounts(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(isError).length;
  const warnings = diagnostics.filter(({ severity }) => severity === "warning").length;
  return [
    ...(errors === 0 ? [] : [counted(errors, "error")]),
    ...(warnings === 0 ? [] : [counted(warnings, "warning")]),
  ].join(", ");
}

/** The line; empty where there is nothing to say. */
export function closingLine(diagnostics: readonly Diagnostic[], outcome: Outcome, changed: boolean): string {
  if (outcome === "none") return "";
  const first = diagnostics.find(isError);
  const counts = problemCounts(diagnostics);
  const details = first === undefined ? "" : ` (slipway explain ${first.code})`;
  const files =
    typeof outcome === "object" ? filesSummary(outcome) : first === undefined ? (outcome ?? "") : "";
  const failed =
    typeof outcome !== "object" || files !== "" || first === undefined
      ? ""
      : changed
        ? "not every file was written"
        : "nothing was written";
  return [`${counts}${details}`, files === "" ? failed : files].filter((part) => part !== "").join("; ");
}

/** Prints the line, unless the answer is JSON or only errors are wanted. */
export function printClosing(
  args: Arguments,
  cli: CliContext,
  diagnostics: readonly Diagnostic[],
  outcome?: Outcome,
): void {
  if (args.get(output) !== "text") return;
  const line = closingLine(diagnostics, outcome, hasChangedFiles());
  if (line !== "") cli.log.warn(line);
}
