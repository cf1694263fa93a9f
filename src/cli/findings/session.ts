/** A run of a command that has findings: the baseline that it reads, and the report that it writes. */
import { createReporter, diagnostic, type Problem } from "../../core/diagnostics.js";
import type { CliContext } from "../cli-context.js";
import type { Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit.js";
import { findCommand } from "../find-command.js";
import { type Arguments, baseline, output, type ReportForm, reportForm } from "../flags.js";
import { print } from "../print.js";
import { readTextFile } from "../read-text.js";
import type { Streams } from "../streams.js";
import { Baseline, readBaseline } from "./baseline.js";
import { findingOf } from "./finding.js";
import { reportText } from "./report.js";
import { Review } from "./review.js";

export interface FindingsSession {
  readonly review: Review;
  /** The baseline is invalid, which was printed. */
  readonly refused: boolean;
  /** Writes the report, where the command line asks for one. */
  report(exit: ExitCode): Promise<void>;
}

/** Reads the baseline. */
export async function openSession(
  command: Command,
  args: Arguments,
  cli: CliContext,
): Promise<FindingsSession> {
  const reporter = createReporter();
  const path = args.get(baseline);
  const content = path === undefined ? undefined : readTextFile(cli, path, reporter.report);
  const entries =
    path === undefined || content === undefined ? undefined : readBaseline(content, path, reporter.report);
  const now = cli.clock.now();
  const judge =
    entries === undefined ? undefined : new Baseline(entries, now.toISOString().slice(0, 10), command.path);
  const review = new Review(cli.cwd, folderOf(command, args), judge);
  const form = reportForm(args.get(output));
  const report = async (exit: ExitCode): Promise<void> => {
    if (form === undefined) return;
    const fallback = namedFirst(command, args);
    cli.stdout.pass(await reportText(form, { ...review.found, command: command.path, exit, now, fallback }));
  };
  if (reporter.failed) {
    print(
      args,
      { ...cli, review },
      { kind: "Failure", json: {}, text: "", diagnostics: reporter.diagnostics },
    );
    await report(EXIT.wrong);
  }
  return { review, refused: reporter.failed, report };
}

/** A run that ended by an exception as a report, where the command gives reports. */
export async function reportFailure(
  form: ReportForm,
  words: readonly string[],
  problem: Problem,
  exit: ExitCode,
  stdout: Streams["stdout"],
): Promise<void> {
  const command = commandIn(words);
  if (command?.findings !== true) return;
  const kept = [findingOf(diagnostic(problem))];
  const run = { kept, accepted: [], fails: "error", command: command.path, exit, fallback: "." } as const;
  stdout.write(await reportText(form, { ...run, now: new Date() }));
}

function commandIn(words: readonly string[]): Command | undefined {
  try {
    const found = findCommand(words);
    return found.kind === "command" ? found.command : undefined;
  } catch {
    // No command at all, which is what the run ended by.
    return undefined;
  }
}

/** The asset directory, from which diagnostics name its files; an operand stands in its place. */
function folderOf({ operands = [], flags }: Command, { get, raw }: Arguments): string | undefined {
  const folder = raw["dir"] ?? flags.find(({ name }) => name === "dir")?.initial;
  const isNamed = operands.some((each) => get(each) !== undefined);
  return typeof folder === "string" && !isNamed ? folder : undefined;
}

/** Flags whose value is a file or a folder that is read. */
const INPUTS = ["FILE", "DUMP", "PATH", "DIR"];

/** The first file or folder that the command line names: what has no file of its own is shown there. */
function namedFirst({ operands = [], flags }: Command, { get, raw }: Arguments): string {
  const words = [
    ...operands.flatMap((each) => [get(each)].flat()),
    ...flags.filter(({ value = "" }) => INPUTS.includes(value)).flatMap(({ name }) => [raw[name]].flat()),
  ];
  return words.find((each): each is string => typeof each === "string" && each !== "-") ?? ".";
}
