/** `--fleet`: one command for many clusters, side by side. */

import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { API_VERSION } from "../../core/api-version.js";
import { counted } from "../../core/counted.js";
import {
  createReporter,
  type Diagnostic,
  formatDiagnostic,
  isError,
  type Problem,
  type Report,
} from "../../core/diagnostics.js";
import { placeProblems } from "../../directory/places.js";
import { below, type FleetCluster, readFleet } from "../../fleet/read.js";
import { parseShard, type Shard, shardOf } from "../../fleet/shard.js";
import { FILE_FLAGS, FLAGS, flagsOf } from "../../pipeline/flags.js";
import { closest } from "../../text/closest.js";
import { identitiesOf, openedFile } from "../age.js";
import { excludeNotes } from "../exclude-notes.js";
import { EXIT, type ExitCode, INTERRUPTED, lackSecrets, UsageError } from "../exit.js";
import { type Arguments, type Flag, output, type RawFlag } from "../flags.js";
import { type NamedFile, readNamed, textOf } from "../input-files.js";
import { endBy, interruptible } from "../interrupt.js";
import { refuseSeedAndPool, SEED_OR_POOL, shortage } from "../pooled-keys.js";
import { printDiagnostics } from "../print.js";
import { progressBar } from "../progress.js";
import { STDIN, withoutMark } from "../read-text.js";
import type { PoolUse, World } from "../world.js";
import { FLEET_FLAGS, fleet, jobs, shard } from "./flags.js";
import {
  type FleetAnswer,
  type FleetCommand,
  type FleetJob,
  type FleetResult,
  isWriting,
} from "./message.js";
import { certainAnswer, ownCommand, WorkProcess } from "./processes.js";

/** Jobs that a process has at once: one computes while the others wait for the disk, which answers many at a time. */
const AT_ONCE = 6;
/** Answers that wait until those before them are printed. */
const MOST_WAITING = 256;
const MOST_JOBS = 256;

/** Flags that mean one cluster, or an output that many cannot share. */
const FOR_ONE = [FLAGS.infraID, FLAGS.clusterID, FLAGS.toStdout];

/** Flags that are about a run, and not about a cluster: a table does not hold them. */
const OF_RUN: readonly string[] = [
  ...[FLAGS.dir, FLAGS.keys, FLAGS.dryRun, FLAGS.diff, FLAGS.toStdout, FLAGS.consume],
  ...[FLAGS.splitDocuments, FLAGS.ours, FLAGS.theirs],
].map(({ name }) => name);
const TABLE_FLAGS: readonly Flag<unknown>[] = Object.values(FLAGS).filter(
  ({ name }) => !OF_RUN.includes(name),
);

const PATHS: readonly string[] = [...FILE_FLAGS, FLAGS.seed, FLAGS.ageKeyFile].map(({ name }) => name);

export async function runFleet(command: FleetCommand, args: Arguments, world: World): Promise<ExitCode> {
  const reporter = createReporter();
  const part = partOf(args);
  const clusters = await clustersOf(args, world, part, reporter.report);
  const printer =
    args.get(output) === "json"
      ? jsonPrinter(world, command)
      : textPrinter(world, command, isWriting(command, args));
  const exits: ExitCode[] = [];
  // In the place of the frame's own: the lines end with the summary of what was done.
  const interrupted = (signal: NodeJS.Signals): void => {
    printer.interrupted(exits);
    world.stderr.write(`${INTERRUPTED}\n`);
    endBy(signal);
  };
  await interruptible(interrupted, async () => {
    if (clusters === undefined) return;
    const pool = await work(command, args, clusters, printer, exits);
    if (pool !== undefined && pool.made > 0) reporter.report(shortage(pool));
  });
  return printer.end(exits, reporter.diagnostics);
}

function partOf(args: Arguments): Shard | undefined {
  if (args.given(FLAGS.dir)) throw new UsageError("give --dir or --fleet, not both");
  for (const flag of FOR_ONE)
    if (args.given(flag))
      throw new UsageError(`--${flag.name} is for one cluster; leave it out with --fleet`);
  refuseSeedAndPool(args);
  const text = args.get(shard);
  const part = text === undefined ? undefined : parseShard(text);
  if (text !== undefined && part === undefined)
    throw new UsageError(`--shard ${text}: write I/N with I from 0 to N-1, such as 0/4`);
  return part;
}

/** The clusters of this run; undefined when something is wrong with the fleet, and then nothing was touched. */
async function clustersOf(
  args: Arguments,
  world: World,
  part: Shard | undefined,
  report: Report,
): Promise<readonly FleetCluster[] | undefined> {
  const file = args.get(fleet) ?? "";
  const named =
    file === "-" ? { file: STDIN, data: await world.stdin.bytes() } : readNamed(file, world.cwd, report);
  const text = await plainText(named, args, world, report);
  const base = file === "-" ? "." : dirname(file);
  const all = text === undefined ? undefined : readFleet(text, file === "-" ? STDIN : file, base, report);
  if (all === undefined) return undefined;
  const isOurs = ({ name }: FleetCluster): boolean =>
    part === undefined || shardOf(name, part.count) === part.index;
  const problems: Problem[] = all.flatMap((cluster) => [
    ...flagProblems(cluster),
    ...seedProblems(cluster, args),
  ]);
  const places = all.map((cluster) => ({
    directory: cluster.directory,
    position: cluster.position,
    mustExist: isOurs(cluster) && cluster.installConfig === undefined,
  }));
  problems.push(...(await placeProblems(places)));
  problems.forEach(report);
  if (problems.length > 0) return undefined;
  return all.filter(isOurs).map((cluster) => ({ ...cluster, flags: withPaths(cluster.flags, base) }));
}

/** The text of a fleet's file, which may be encrypted. A key that cannot be read is told where it would have been of use. */
async function plainText(
  named: NamedFile | undefined,
  args: Arguments,
  world: World,
  report: Report,
): Promise<string | undefined> {
  const ofKeys: Problem[] = [];
  const identities = identitiesOf(args, world, (problem) => void ofKeys.push(problem));
  const opened = await openedFile(named, identities, (problem) => {
    ofKeys.splice(0).forEach(report);
    report(problem);
  });
  return opened === undefined ? undefined : withoutMark(textOf({ ...opened, data: opened.plain }, report));
}

/** What no command would take as a value of the flag. */
function flagProblems({ flags, position }: FleetCluster): Problem[] {
  return Object.entries(flags).flatMap(([name, value]): Problem[] => {
    const flag = TABLE_FLAGS.find((each) => each.name === name);
    const refused = (message: string, hint = ""): Problem[] => [
      { code: "FLEET001", kind: "Invalid", ...position, field: `flags.${name}`, message, hint },
    ];
    if (flag === undefined) {
      const near = closest(
        name,
        TABLE_FLAGS.map((each) => each.name),
      );
      return refused(
        OF_RUN.includes(name) ? `a table cannot set --${name}` : `there is no flag --${name}`,
        near === undefined ? "" : `did you mean ${near}?`,
      );
    }
    if ((flag.kind === "switch") !== (typeof value === "boolean"))
      return refused(flag.kind === "switch" ? "write true or false" : "the flag takes a text");
    try {
      flag.read(value);
      return [];
    } catch (error) {
      if (error instanceof UsageError) return refused(error.message);
      throw error;
    }
  });
}

/** A seed of the table beside a pool of the command line. */
const seedProblems = ({ flags, position }: FleetCluster, args: Arguments): Problem[] =>
  args.given(FLAGS.keys) && Object.hasOwn(flags, FLAGS.seed.name)
    ? [
        {
          code: "FLEET001",
          kind: "Forbidden",
          ...position,
          field: `flags.${FLAGS.seed.name}`,
          message: SEED_OR_POOL,
          hint: "leave out --keys, or set seed to null for the cluster",
        },
      ]
    : [];

/** Files that a table names lie where the table does; `none` takes a recorded one back. */
const withPaths = (flags: FleetCluster["flags"], base: string): FleetCluster["flags"] =>
  Object.fromEntries(
    Object.entries(flags).map(([name, value]) => [
      name,
      typeof value === "string" && PATHS.includes(name) && value !== "none" ? below(base, value) : value,
    ]),
  );

/** What becomes of the answers, in the order of the fleet. */
interface Printer {
  /** So many clusters will come. */
  begin(total: number): void;
  answer(cluster: FleetCluster, answer: FleetAnswer): void;
  /** Waits now and then, so that others get their turn. */
  pause(done: number): Promise<void>;
  /** The answers so far are all that there will be. */
  interrupted(exits: readonly ExitCode[]): void;
  /** The exit code of the whole. */
  end(exits: readonly ExitCode[], problems: readonly Diagnostic[]): ExitCode;
}

/**
 * @param exits the exit codes of the clusters, in their order, as they are printed
 * @returns what all clusters together needed of the pool of keys
 */
async function work(
  command: FleetCommand,
  args: Arguments,
  clusters: readonly FleetCluster[],
  printer: Printer,
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
      exits.push(ready.exit);
      printer.answer(cluster, ready);
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

const together = (a: PoolUse | undefined, b: PoolUse | undefined): PoolUse | undefined =>
  a === undefined || b === undefined
    ? (a ?? b)
    : { ...a, needed: a.needed + b.needed, made: a.made + b.made };

function jobsOf(args: Arguments): number {
  const text = args.get(jobs);
  if (text === undefined) return availableParallelism();
  const count = /^[0-9]{1,3}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST_JOBS)
    throw new UsageError(`--jobs ${text}: write a number from 1 to ${MOST_JOBS}`);
  return count;
}

function withoutFleet(raw: Arguments["raw"]): Record<string, RawFlag> {
  const own: readonly string[] = FLEET_FLAGS.map(({ name }) => name);
  return Object.fromEntries(Object.entries(raw).filter(([name]) => !own.includes(name)));
}

/** The worst of the answers: a bug, a wrong input or command line, then "no". */
const worst = (exits: readonly ExitCode[]): ExitCode =>
  [EXIT.bug, EXIT.usage, EXIT.wrong, EXIT.no].find((each) => exits.includes(each)) ?? EXIT.done;

interface Counts {
  readonly clusters: number;
  readonly done: number;
  readonly no: number;
  readonly failed: number;
}

const countsOf = (exits: readonly ExitCode[]): Counts => {
  const done = exits.filter((each) => each === EXIT.done).length;
  const no = exits.filter((each) => each === EXIT.no).length;
  return { clusters: exits.length, done, no, failed: exits.length - done - no };
};

/** Without the key of the table's file a compile ends as that of one cluster does without its keys. */
function exitOf(
  command: FleetCommand,
  exits: readonly ExitCode[],
  problems: readonly Diagnostic[],
): ExitCode {
  if (!problems.some(isError)) return worst(exits);
  return command.startsWith("create") && lackSecrets(problems) ? EXIT.no : EXIT.wrong;
}

function jsonPrinter(world: World, command: FleetCommand): Printer {
  const line = (kind: string, members: object): void =>
    world.stdout.write(`${JSON.stringify({ apiVersion: API_VERSION, kind, ...members })}\n`);
  const summary = (exits: readonly ExitCode[], exit: ExitCode, diagnostics: readonly Diagnostic[]): void =>
    line("FleetSummary", { ok: exit === EXIT.done, ...countsOf(exits), exit, diagnostics });
  return {
    begin: () => undefined,
    answer: ({ name, directory }, { exit, result }) =>
      line("FleetClusterResult", { cluster: name, directory, ok: exit === EXIT.done, exit, result }),
    pause: async () => undefined,
    interrupted: (exits) => summary(exits, EXIT.interrupted, []),
    end(exits, problems) {
      const exit = exitOf(command, exits, problems);
      summary(exits, exit, problems);
      return exit;
    },
  };
}

/** @param writes whether the files that differ were written */
function textPrinter(world: World, command: FleetCommand, writes: boolean): Printer {
  const { stdout, stderr } = world;
  let total = 0;
  let finished = 0;
  const bar = progressBar(stderr, "clusters", () => finished / Math.max(1, total));
  /** What is no error comes once for all clusters that it is about. */
  const repeated = new Map<string, { readonly first: string; readonly each: Diagnostic; count: number }>();
  /** What changed in lists of what Git passes over, by list. */
  const excluded = new Map<string, { readonly added: Set<string>; readonly removed: Set<string> }>();
  return {
    begin: (count) => {
      total = count;
    },
    answer({ name, directory }, { exit, result }) {
      const { diagnostics, diff, gitExclude } = result;
      if (gitExclude !== undefined) {
        const file = join(directory, gitExclude.file);
        const known = excluded.get(file) ?? { added: new Set(), removed: new Set() };
        for (const line of gitExclude.added) known.added.add(line);
        for (const line of gitExclude.removed) known.removed.add(line);
        excluded.set(file, known);
      }
      const errors = diagnostics.filter(({ severity }) => severity === "error");
      for (const each of diagnostics) {
        if (each.severity === "error") continue;
        const known = repeated.get(each.code);
        if (known === undefined) repeated.set(each.code, { first: name, each, count: 1 });
        else known.count++;
      }
      if (stderr.isTerminal && exit === EXIT.done) return;
      bar.done();
      for (const each of errors) printDiagnostics([inCluster(name, each)], stderr);
      if (diff !== undefined) stdout.write(diff);
      stdout.write(`${WORDS[exit].padEnd(7)} ${name}: ${told(result, errors.length, writes)}\n`);
    },
    async pause(done) {
      finished = done;
      await bar.pause();
    },
    interrupted: () => bar.done(),
    end(exits, problems) {
      bar.done();
      for (const { first, each, count } of repeated.values()) {
        const more = count === 1 ? "" : ` (and ${count - 1} more of ${each.code})`;
        stderr.write(`${formatDiagnostic(inCluster(first, each))}${more}\n`);
      }
      printDiagnostics(problems, stderr);
      const exit = exitOf(command, exits, problems);
      if (problems.some(isError)) return exit;
      for (const [file, { added, removed }] of excluded)
        for (const { note } of excludeNotes({ file, added: [...added], removed: [...removed] }, !writes))
          stdout.write(`${note}\n`);
      const { clusters, done, no, failed } = countsOf(exits);
      const parts = [
        `${done} ok`,
        ...(no > 0 ? [`${no} no`] : []),
        ...(failed > 0 ? [`${failed} failed`] : []),
      ];
      stdout.write(`${counted(clusters, "cluster")}: ${parts.join(", ")}\n`);
      return exit;
    },
  };
}

const WORDS: Readonly<Record<ExitCode, string>> = {
  0: "ok",
  1: "failed",
  2: "failed",
  3: "no",
  70: "failed",
  130: "failed",
};

const inCluster = (name: string, each: Diagnostic): Diagnostic => ({
  ...each,
  file: each.file === "" ? name : `${name}: ${each.file}`,
});

const SAME: readonly string[] = ["unchanged", "kept", "untouched", "unverifiable"];

/** What came out for one cluster, in a few words. */
function told({ files }: FleetResult, errors: number, writes: boolean): string {
  if (errors > 0) return counted(errors, "error");
  if (files === undefined) return "no errors";
  if (files.length === 0) return "nothing generated is here";
  const differing = files.filter(({ status }) => !SAME.includes(status)).length;
  const verb = writes ? "changed" : differing === 1 ? "differs" : "differ";
  return `${differing} of ${counted(files.length, "file")} ${verb}`;
}
