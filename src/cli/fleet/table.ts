/** Which clusters a run of `--fleet` is about: the table, checked against the flags and the disk. */
import { dirname, join, resolve, sep } from "node:path";
import { counted } from "../../core/counted.js";
import type { Problem, Report } from "../../core/diagnostics.js";
import { problem } from "../../core/problem.js";
import { RECORD_FILE } from "../../directory/layout.js";
import { placeProblems } from "../../directory/places.js";
import { parseRecord } from "../../directory/record.js";
import { affectedBy, type ClusterInputs, changedPaths } from "../../fleet/changed.js";
import { below, type FleetCluster, readFleet } from "../../fleet/read.js";
import { parseShard, type Shard, shardOf } from "../../fleet/shard.js";
import { FILE_FLAGS, FLAGS } from "../../pipeline/flags.js";
import { closest } from "../../text/closest.js";
import { identitiesOf, openedFile } from "../age.js";
import type { CliContext } from "../cli-context.js";
import { UsageError } from "../exit.js";
import type { Arguments, Flag } from "../flags.js";
import { fromRecord, type NamedFile, readNamed, textOf } from "../input-files.js";
import { refuseSeedAndPool, SEED_OR_POOL } from "../pooled-keys.js";
import { readTextInput, STDIN, withoutMark } from "../read-text.js";
import { changed, fleet, shard } from "./flags.js";

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

function refuseFlagsForOne(args: Arguments): void {
  if (args.given(FLAGS.dir)) throw new UsageError("--dir and --fleet are mutually exclusive");
  for (const flag of FOR_ONE)
    if (args.given(flag))
      throw new UsageError(`--${flag.name} applies to a single cluster; remove it or --fleet`);
}

function partOf(args: Arguments): Shard | undefined {
  const text = args.get(shard);
  const part = text === undefined ? undefined : parseShard(text);
  if (text !== undefined && part === undefined)
    throw new UsageError(
      `--shard: invalid value ${JSON.stringify(text)}: must be I/N with I from 0 to N-1, such as 0/4`,
    );
  return part;
}

/** The clusters of this run; undefined when something is wrong with the fleet, and then nothing was touched. */
export async function clustersOf(
  args: Arguments,
  cli: CliContext,
  report: Report,
): Promise<readonly FleetCluster[] | undefined> {
  refuseFlagsForOne(args);
  refuseSeedAndPool(args);
  if (args.get(fleet) === "-" && args.get(changed) === "-")
    throw new UsageError("--fleet and --changed: only one of them can read standard input");
  const part = partOf(args);
  const file = args.get(fleet) ?? "";
  const named =
    file === "-" ? { file: STDIN, data: await cli.stdin.bytes() } : readNamed(file, cli.cwd, report);
  const text = await plainText(named, args, cli, report);
  const base = file === "-" ? "." : dirname(file);
  const all = text === undefined ? undefined : readFleet(text, file === "-" ? STDIN : file, base, report);
  if (all === undefined) return undefined;
  const isOurs = ({ name }: FleetCluster): boolean =>
    part === undefined || shardOf(name, part.count) === part.index;
  const problems: Problem[] = all.flatMap((cluster) => [
    ...flagProblems(cluster),
    ...seedProblems(cluster, args),
  ]);
  problems.push(...namespaceProblems(all, args));
  const places = all.map((cluster) => ({
    directory: cluster.directory,
    position: cluster.position,
    mustExist: isOurs(cluster) && cluster.installConfig === undefined,
  }));
  problems.push(...(await placeProblems(places)));
  problems.forEach(report);
  if (problems.length > 0) return undefined;
  const ours = all.filter(isOurs).map((cluster) => ({ ...cluster, flags: withPaths(cluster.flags, base) }));
  return args.given(changed) ? changedOnly(ours, args, cli, report) : ours;
}

/** The clusters whose inputs changed; undefined where the list of paths cannot be used, which is reported. */
async function changedOnly(
  clusters: readonly FleetCluster[],
  args: Arguments,
  cli: CliContext,
  report: Report,
): Promise<readonly FleetCluster[] | undefined> {
  const [list = "", file = ""] = [args.get(changed), args.get(fleet)];
  const text = await readTextInput(cli, list, report);
  const paths = text === undefined ? undefined : changedPaths(text, list === "-" ? STDIN : list);
  if (paths === undefined) return undefined;
  if ("code" in paths) return void report(paths);
  const absolute = (path: string): string => resolve(cli.cwd, path).split(sep).join("/");
  const isAffected = affectedBy(paths.map(absolute), absolute(file));
  const affected: FleetCluster[] = [];
  for (const cluster of clusters) {
    const inputs = await inputsOf(cluster, cli);
    const read: ClusterInputs = {
      directory: absolute(cluster.directory),
      inputs: (inputs ?? []).map(absolute),
    };
    // What a record that cannot be read would name is not known.
    if (inputs === undefined || isAffected(read)) affected.push(cluster);
  }
  cli.log.info(`${affected.length} of ${counted(clusters.length, "cluster")} changed`);
  return affected;
}

/** Files and folders that flags name, in the table or by an earlier run; undefined for a damaged record. */
export async function inputsOf(
  { directory, flags }: Pick<FleetCluster, "directory" | "flags">,
  cli: CliContext,
): Promise<readonly string[] | undefined> {
  const named = Object.entries(flags).flatMap(([name, value]) =>
    typeof value === "string" && PATHS.includes(name) && value !== "none" ? [value] : [],
  );
  const file = readNamed(join(directory, RECORD_FILE), cli.cwd, () => undefined);
  if (file === undefined) return named;
  const { record } = await parseRecord(file.data, RECORD_FILE);
  if (record === undefined) return undefined;
  const recorded = Object.entries(record.options).flatMap(([name, value]) =>
    typeof value === "string" && PATHS.includes(name) ? [fromRecord(value, directory)] : [],
  );
  return [...named, ...recorded];
}

/** The text of a fleet's file, which may be encrypted. A key that cannot be read is told where it would have been of use. */
async function plainText(
  named: NamedFile | undefined,
  args: Arguments,
  cli: CliContext,
  report: Report,
): Promise<string | undefined> {
  const ofKeys: Problem[] = [];
  const identities = identitiesOf(args, cli, (problem) => void ofKeys.push(problem));
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
      problem("FLEET001", "Invalid", `flags.${name}`, message, { ...position, hint }),
    ];
    if (flag === undefined) {
      const near = closest(
        name,
        TABLE_FLAGS.map((each) => each.name),
      );
      return refused(
        OF_RUN.includes(name)
          ? `forbidden in a table: --${name} applies to the whole run`
          : `unknown flag --${name}`,
        near === undefined ? "" : `did you mean ${near}?`,
      );
    }
    if ((flag.kind === "switch") !== (typeof value === "boolean"))
      return refused(flag.kind === "switch" ? "must be true or false" : "must be a string");
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
        problem("FLEET001", "Forbidden", `flags.${FLAGS.seed.name}`, SEED_OR_POOL, {
          ...position,
          hint: "remove --keys, or set seed to null for the cluster",
        }),
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

/** Objects of two clusters in one namespace: their manifests cannot be applied together, and one deletes the other's. */
function namespaceProblems(all: readonly FleetCluster[], { raw }: Arguments): Problem[] {
  const seen = new Map<string, FleetCluster>();
  return all.flatMap((cluster): Problem[] => {
    const name = raw["namespace"] ?? cluster.flags["namespace"];
    if (typeof name !== "string") return [];
    const other = seen.get(name);
    if (other === undefined) {
      seen.set(name, cluster);
      return [];
    }
    return [
      problem(
        "FLEET002",
        "Duplicate",
        "namespace",
        `${cluster.directory} and ${other.directory} would both use the namespace ${JSON.stringify(name)}`,
        { ...cluster.position, hint: "set another namespace for each cluster, or remove --namespace" },
      ),
    ];
  });
}
