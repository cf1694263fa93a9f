import { createReporter, isError, placeOf, type Reporter } from "../../../core/diagnostics.js";
import { textFile } from "../../../core/files.js";
import { problem } from "../../../core/problem.js";
import { type ReportData, reportPage, sectionsOf } from "../../../report/report.js";
import type { CliContext } from "../../cli-context.js";
import type { Handler } from "../../command.js";
import { EXIT, UsageError } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { refuseWithout } from "../../idle-flags.js";
import { readNamed } from "../../input-files.js";
import { print } from "../../print.js";
import { printStream, refuseTwoOutputs, STDOUT } from "../../stdout-file.js";
import { writeNamed } from "../../write-named.js";
import { TOOL } from "../create/compile-request.js";
import { attentionOf } from "./attention.js";
import * as flags from "./flags.js";

export const run: Handler = async (args, cli) => {
  const path = args.get(flags.html);
  if (path === undefined) throw new UsageError("--html FILE is required");
  if (path === STDOUT) refuseTwoOutputs(args, "--html");
  checkGiven(args);
  const reporter = createReporter();
  if (path !== STDOUT) refuseOther(path, cli, reporter);
  const parts = await reportOf(args, cli, reporter);
  const attention = attentionOf(parts, reporter.diagnostics, cli.clock.now(), copyWords(args), args.complete);
  const report = {
    ...parts,
    attention,
    diagnostics: reporter.diagnostics.map((each) => ({
      ...each,
      place: placeOf(each),
      hint: args.complete(each.hint),
    })),
  };
  const page = reporter.failed ? undefined : reportPage(report);
  if (page !== undefined && path === STDOUT) {
    printStream(args, cli, "--html", page, reporter.diagnostics);
    return EXIT.done;
  }
  const file = page === undefined ? undefined : textFile(path, page);
  const status = file === undefined ? undefined : await writeNamed(cli, file, reporter.report);
  const sections = status === undefined ? [] : sectionsOf(report).map(({ id }) => id);
  print(args, cli, {
    kind: "ReportResult",
    json: {
      file: path,
      status: status ?? null,
      bytes: status === undefined || file === undefined ? 0 : file.data.length,
      sections,
    },
    text: status === undefined ? "" : `${status} ${path}: ${sections.join(", ")}\n`,
    diagnostics: reporter.diagnostics,
    outcome: { files: status === undefined ? [] : [{ status }] },
  });
  return reporter.diagnostics.some(isError) ? EXIT.wrong : EXIT.done;
};

const PAGE = /^(?:\ufeff?\s*<!doctype html|\s*$)/i;

/** A slip such as `--html gates.yaml --table gates.yaml` must not cost an input: only a page is written over. */
function refuseOther(path: string, cli: CliContext, { report }: Reporter): void {
  // What is not there, or cannot be read, is the writer's business.
  const there = readNamed(path, cli.cwd, () => undefined);
  if (there === undefined || PAGE.test(Buffer.from(there.data.subarray(0, 64)).toString("utf8"))) return;
  report(
    problem("REP001", "Forbidden", "", "--html would overwrite a file that is not an HTML page", {
      file: path,
      hint: "specify another file, or move this one away",
    }),
  );
}

const COPIES = [flags.snapshot, flags.db, flags.dump] as const;

/** The flags that name the copies and how they are read, as they were given. */
const copyWords = (args: Arguments): readonly string[] =>
  [...COPIES, flags.encryptionConfig, flags.kmsAnswers].flatMap((flag) => {
    const value = args.raw[flag.name];
    const all = Array.isArray(value) ? value.map(String) : typeof value === "string" ? [value] : [];
    return all.flatMap((each) => [`--${flag.name}`, each]);
  });

/** Refuses a command line that asks for nothing, or whose flags have no effect. */
function checkGiven(args: Arguments): void {
  const inputs = [
    flags.dir,
    flags.fleet,
    flags.plans,
    flags.tables,
    flags.lifecycle,
    flags.policy,
    flags.scenario,
    ...COPIES,
  ];
  if (!inputs.some((flag) => args.given(flag)) && !args.get(flags.verify))
    throw new UsageError(
      "specify at least one input: --dir, --fleet, --plan, --table, --lifecycle, --policy, --verify, --scenario, --snapshot, --db or --dump",
    );
  refuseWithout(args, [flags.tables], [flags.current, flags.annotations, flags.rules]);
  refuseWithout(args, COPIES, [flags.encryptionConfig, flags.kmsAnswers, flags.target, flags.from]);
  refuseWithout(args, [flags.policy, flags.verify], [flags.migration]);
}

/** Each part is computed by what loads with it alone. */
async function reportOf(args: Arguments, cli: CliContext, reporter: Reporter): Promise<ReportData> {
  const note = reporter.report;
  const folder = args.get(flags.dir);
  const storage =
    args.given(flags.lifecycle) || args.given(flags.policy) || args.get(flags.verify)
      ? await (await import("./storage.js")).storageParts(args, cli, note)
      : {};
  return {
    tool: TOOL,
    fleet: args.given(flags.fleet)
      ? await (await import("./fleet.js")).fleetPart(args, cli, note)
      : undefined,
    plans: args.given(flags.plans)
      ? await (await import("./plans.js")).planParts(args, cli, note)
      : undefined,
    directory:
      folder === undefined
        ? undefined
        : await (await import("./directory.js")).directoryPart(folder, args, cli, note),
    gates: args.given(flags.tables)
      ? await (await import("./gates.js")).gatesPart(args, cli, note)
      : undefined,
    ...storage,
    simulation: args.given(flags.scenario)
      ? await (await import("./simulation.js")).simulationPart(args, cli, note)
      : undefined,
    etcd: COPIES.some((flag) => args.given(flag))
      ? await (await import("./etcd.js")).etcdPart(args, cli, reporter)
      : undefined,
  };
}
