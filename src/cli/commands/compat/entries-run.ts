import { answerCel, environmentVersion } from "../../../compatibility/cel.js";
import { answerFields } from "../../../compatibility/fields.js";
import { builtInCel, readCelTable, readFieldTable } from "../../../compatibility/read/entries.js";
import { formatMinor } from "../../../compatibility/version.js";
import { createReporter, type Diagnostic } from "../../../core/diagnostics.js";
import type { CliContext } from "../../cli-context.js";
import type { Handler } from "../../command.js";
import { EXIT, type ExitCode, UsageError } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { print } from "../../print.js";
import { readTextFile } from "../../read-text.js";
import { columns } from "../../text-table.js";
import { entryTable } from "./flags.js";
import { kubeVersions, versionJson } from "./inputs.js";

export const runFields: Handler = async (args, cli) => {
  const reporter = createReporter();
  const path = args.get(entryTable);
  if (path === undefined) throw new UsageError("--table FILE is required: a FieldCompatibility document");
  const text = readTextFile(cli, path, reporter.report);
  const { entries, newest } =
    text === undefined ? { entries: [], newest: undefined } : readFieldTable(text, path, reporter.report);
  const { versions } = kubeVersions(args, newest, reporter.report);
  const answers = reporter.failed ? [] : answerFields(entries, versions);
  return answer(args, cli, "FieldAnswers", versionJson(versions), answers, reporter.diagnostics);
};

export const runCel: Handler = async (args, cli) => {
  const reporter = createReporter();
  const path = args.get(entryTable);
  const text = path === undefined ? undefined : readTextFile(cli, path, reporter.report);
  const { entries, newest } =
    path === undefined
      ? builtInCel()
      : text === undefined
        ? { entries: [], newest: undefined }
        : readCelTable(text, path, reporter.report);
  const { versions, rules } = kubeVersions(args, newest, reporter.report);
  const answers = reporter.failed ? [] : answerCel(entries, versions, rules);
  const head = {
    ...versionJson(versions),
    environmentVersion: formatMinor(environmentVersion(versions, rules)),
  };
  return answer(args, cli, "CELAnswers", head, answers, reporter.diagnostics);
};

interface EntryAnswer {
  readonly name: string;
  readonly mayWrite: boolean;
  readonly mayRead: boolean;
  readonly reason: string;
}

function answer(
  args: Arguments,
  cli: CliContext,
  kind: string,
  head: object,
  entries: readonly EntryAnswer[],
  diagnostics: readonly Diagnostic[],
): ExitCode {
  const failed = diagnostics.some(({ severity }) => severity === "error");
  const rows = entries.map(({ name, mayWrite, mayRead, reason }) => [
    name,
    mayWrite ? "yes" : "no",
    mayRead ? "yes" : "no",
    reason,
  ]);
  print(args, cli, {
    kind,
    json: { ...head, entries },
    text: failed ? "" : columns(["NAME", "WRITE", "READ", "WHY"], rows),
    diagnostics,
  });
  return failed ? EXIT.wrong : EXIT.done;
}
