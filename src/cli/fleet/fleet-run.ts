/** `--fleet`: one command for many clusters, side by side. */

import { availableParallelism } from "node:os";
import { createReporter } from "../../core/diagnostics.js";
import type { FleetCluster } from "../../fleet/read.js";
import { flagsOf } from "../../pipeline/flags.js";
import type { CliContext, PoolUse } from "../cli-context.js";
import { strict } from "../commands/check/flags.js";
import { EXIT, type ExitCode, INTERRUPTED_FLEET, UsageError } from "../exit.js";
import { findingOf } from "../findings/finding.js";
import { checkFindings } from "../findings/of-check.js";
import type { Review } from "../findings/review.js";
import { type Arguments, output, type RawFlag } from "../flags.js";
import { endBy, interruptible } from "../interrupt.js";
import { shortage } from "../pooled-keys.js";
import { acceptedJson } from "../print.js";
import { FLEET_FLAGS, jobs } from "./flags.js";
import { type FleetAnswer, type FleetCommand, type FleetJob, isWriting } from "./message.js";
import { jsonPrinter, type Printer, reportPrinter, textPrinter } from "./printer.js";
import { certainAnswer, ownCommand, WorkProcess } from "./processes.js";
import { clustersOf } from "./table.js";

/** Jobs that a process has at once: one computes while the others wait for the disk, which answers many at a time. */
const AT_ONCE = 6;
/** Answers that wait until those before them are printed. */
const MOST_WAITING = 256;
const MOST_JOBS = 256;

export async function runFleet(command: FleetCommand, args: Arguments, cli: CliContext): Promise<ExitCode> {
  const reporter = createReporter();
  const clusters = await clustersOf(args, cli, reporter.report);
  const form = args.get(output);
  const printer =
    form === "json"
      ? jsonPrinter(cli, command)
      : form === "text"
        ? textPrinter(cli, command, isWriting(command, args))
        : reportPrinter(command);
  const exits: ExitCode[] = [];
  // In the place of the frame's own: the lines end with the summary of what was done.
  const interrupted = (signal: NodeJS.Signals): void => {
    printer.interrupted(exits);
    cli.stderr.write(`${INTERRUPTED_FLEET}\n`);
    endBy(signal);
  };
  await interruptible(interrupted, async () => {
    if (clusters === undefined) return;
    const pool = await workOn(command, args, cli, clusters, printer, exits);
    if (pool !== undefined && pool.made > 0) reporter.report(shortage(pool));
  });
  if (cli.review === undefined) return printer.end(exits, reporter.diagnostics);
  cli.review.isSettled = true;
  cli.review.add(reporter.diagnostics.map(findingOf), "error", "");
  return printer.end(exits, [...reporter.diagnostics, ...cli.review.notes()]);
}

/**
 * Runs a command for each cluster of a fleet.
 * @param exits the exit codes of the clusters, in their order, as they are printed
 * @returns what all clusters together needed of the pool of keys
 */
export async function workOn(
  command: FleetCommand,
  args: Arguments,
  { review }: CliContext,
  clusters: readonly FleetCluster[],
  printer: Pick<Printer, "begin" | "answer" | "pause">,
  exits: ExitCode[],
): Promise<PoolUse | undefined> {
  const own = await ownCommand();
  const given = withoutFleet(args.raw);
  // A table serves several commands, and has flags for each of them.
  const taken = new Set(flagsOf(command).map(({ name }) => name));
  const waiting = new Map<number, FleetAnswer>();
  let next = 0;
  let printed = 0;
  let done = 0;
  let wake: (() => void)[] = [];
  let pool: PoolUse | undefined;
  const deliver = (answer: FleetAnswer): void => {
    done++;
    pool = together(pool, answer.pool);
    waiting.set(answer.index, answer);
    for (;;) {
      const cluster = clusters[printed];
      const ready = waiting.get(printed);
      if (ready === undefined || cluster === undefined) break;
      waiting.delete(printed++);
      const judged = review === undefined ? ready : reviewed(review, command, args, cluster, ready);
      exits.push(judged.exit);
      printer.answer(cluster, judged);
    }
    for (const each of wake.splice(0)) each();
  };
  const lane = async (process: WorkProcess): Promise<void> => {
    while (next < clusters.length) {
      if (next - printed >= MOST_WAITING) {
        await new Promise<void>((resolve) => wake.push(resolve));
        continue;
      }
      const index = next++;
      const cluster = clusters[index];
      if (cluster === undefined) return;
      const job: FleetJob = {
        index,
        command,
        flags: {
          ...Object.fromEntries(Object.entries(cluster.flags).filter(([name]) => taken.has(name))),
          ...given,
        },
        directory: cluster.directory,
        installConfig: cluster.installConfig,
        called: cluster.called,
      };
      deliver(await certainAnswer(process, job, own));
      await printer.pause(done);
    }
  };
  printer.begin(clusters.length);
  const count = Math.min(jobsOf(args), clusters.length);
  const processes = Array.from({ length: count }, () => new WorkProcess(own));
  await Promise.all(processes.flatMap((process) => Array.from({ length: AT_ONCE }, () => lane(process))));
  for (const process of processes) process.stop();
  wake = [];
  return pool;
}

/** An answer as the baseline leaves it. */
function reviewed(
  review: Review,
  command: FleetCommand,
  args: Arguments,
  { directory }: FleetCluster,
  answer: FleetAnswer,
): FleetAnswer {
  const { result } = answer;
  const isNo = command === "check" && answer.exit === EXIT.no;
  const files = isNo ? checkFindings({ clean: false, files: result.files ?? [] }, args.get(strict)) : [];
  const found = review.add([...result.diagnostics.map(findingOf), ...files], "error", directory);
  const left = found.kept.flatMap(({ diagnostic }) => (diagnostic === undefined ? [] : [diagnostic]));
  return {
    ...answer,
    exit: found.settle(answer.exit),
    result: { ...result, diagnostics: left, ...acceptedJson({ review }, found.accepted) },
  };
}

const together = (a: PoolUse | undefined, b: PoolUse | undefined): PoolUse | undefined =>
  a === undefined || b === undefined
    ? (a ?? b)
    : { ...a, needed: a.needed + b.needed, made: a.made + b.made };

function jobsOf(args: Arguments): number {
  const text = args.get(jobs);
  if (text === undefined) return availableParallelism();
  const count = /^[0-9]{1,3}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST_JOBS)
    throw new UsageError(`--jobs: invalid value ${JSON.stringify(text)}: must be from 1 to ${MOST_JOBS}`);
  return count;
}

function withoutFleet(raw: Arguments["raw"]): Record<string, RawFlag> {
  const own: readonly string[] = FLEET_FLAGS.map(({ name }) => name);
  return Object.fromEntries(Object.entries(raw).filter(([name]) => !own.includes(name)));
}
