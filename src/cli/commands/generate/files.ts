/** Writes generated files below a folder, or says how they differ from what is there. For every `generate` command. */

import { join, resolve } from "node:path";
import { counted } from "../../../core/counted.js";
import { createReporter, type Diagnostic } from "../../../core/diagnostics.js";
import { equalBytes, type OutputFile } from "../../../core/files.js";
import { problem } from "../../../core/problem.js";
import { readRegular, systemCode, type WriteResult, writeFiles } from "../../../directory/index.js";
import { unifiedDiff } from "../../../text/diff.js";
import type { CliContext } from "../../cli-context.js";
import { EXIT, type ExitCode } from "../../exit.js";
import { ownFinding } from "../../findings/finding.js";
import type { Arguments } from "../../flags.js";
import { output } from "../../flags.js";
import { print } from "../../print.js";

export interface GeneratedFiles {
  /** As the user named it. */
  readonly folder: string;
  /** Paths are relative to the folder. */
  readonly files: readonly OutputFile[];
  /** Compare only: exit 3 and a diff on stdout when a file is missing or differs. */
  readonly check: boolean;
  /** The files are the user's, to be changed. */
  readonly replace?: boolean;
  /** The files are program text. */
  readonly code?: boolean;
  /** What was found on the way; no errors. */
  readonly diagnostics?: readonly Diagnostic[];
}

export async function generated(
  args: Arguments,
  cli: CliContext,
  { folder, files, check, replace = false, code = false, diagnostics = [] }: GeneratedFiles,
): Promise<ExitCode> {
  const reporter = createReporter();
  for (const each of diagnostics) reporter.report(each);
  const root = resolve(cli.cwd, folder);
  let results: readonly WriteResult[] = [];
  let diff = "";
  if (check) {
    const compared = files.map((file) => compare(root, folder, file, reporter.report));
    results = compared.map(({ result }) => result);
    const diffs = await Promise.all(
      compared.map(({ old, file }) =>
        unifiedDiff(
          old === undefined ? undefined : { data: old, label: "on disk" },
          { data: file.data, label: "generated" },
          { path: join(folder, file.path), secret: file.secret, code },
        ),
      ),
    );
    diff = diffs.join("");
  } else {
    const written = await writeFiles(root, files, { replace });
    if (written.ok) results = written.value;
    else reporter.report(written.problem);
  }
  const changed = results.filter(({ status }) => status !== "unchanged");
  const ok = !reporter.failed;
  const clean = ok && changed.length === 0;
  if (args.get(output) === "text" && diff !== "") cli.stdout.write(diff);
  print(args, cli, {
    kind: "GenerateResult",
    json: {
      ...(check ? { clean } : {}),
      files: results.map(({ path, status }) => ({ path, status })),
      ...(diff === "" ? {} : { diff }),
    },
    text: ok && !check ? summary(folder, changed) : "",
    diagnostics: reporter.diagnostics,
    findings: check
      ? changed.map(({ path, status }) =>
          ownFinding(
            "generate-differs",
            join(folder, path),
            status === "created"
              ? "the generated file is missing"
              : "the file differs from what would be generated",
            { hint: "run the same command without --check" },
          ),
        )
      : [],
    outcome: check ? checkedFiles(results) : { files: results },
  });
  if (!ok) return EXIT.wrong;
  return check && !clean ? EXIT.no : EXIT.done;
}

/** What `--check` found. */
function checkedFiles(results: readonly WriteResult[]): string {
  const differing = results.filter(({ status }) => status !== "unchanged").length;
  return `${counted(results.length, "file")} checked; ${differing === 0 ? "no differences" : counted(differing, "file differs", "files differ")}`;
}

interface Compared {
  readonly file: OutputFile;
  readonly old: Uint8Array | undefined;
  readonly result: WriteResult;
}

function compare(
  root: string,
  folder: string,
  file: OutputFile,
  report: ReturnType<typeof createReporter>["report"],
): Compared {
  let old: Uint8Array | undefined;
  try {
    old = readRegular(join(root, file.path)).data;
  } catch (error) {
    const code = systemCode(error);
    if (code === "") throw error;
    if (code !== "ENOENT" && code !== "ENOTDIR")
      report(
        problem("DIR001", "InternalError", "", `the file cannot be read (${code})`, {
          file: join(folder, file.path),
          hint: "",
        }),
      );
  }
  const status = old === undefined ? "created" : equalBytes(old, file.data) ? "unchanged" : "updated";
  return { file, old, result: { path: file.path, status } };
}

function summary(folder: string, changed: readonly WriteResult[]): string {
  const width = Math.max(0, ...changed.map(({ status }) => status.length));
  return changed.map(({ path, status }) => `${status.padEnd(width)}  ${join(folder, path)}`).join("\n");
}
