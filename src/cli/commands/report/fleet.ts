/** The fleet of a report: each cluster as `slipway check --fleet` judges it, and what its directory says of itself. */
import { join } from "node:path";
import { isError, type Report } from "../../../core/diagnostics.js";
import { isObject, type Json } from "../../../core/json.js";
import { INSTALL_CONFIG, PHASES } from "../../../directory/index.js";
import { RECORD_FILE } from "../../../directory/layout.js";
import { parseRecord } from "../../../directory/record.js";
import type { FleetCluster } from "../../../fleet/read.js";
import { FLAGS } from "../../../pipeline/flags.js";
import { PLATFORM_NAMES } from "../../../platforms/registry.js";
import type { ClusterReport, ClusterState, FleetReport } from "../../../report/sections/fleet.js";
import { readYaml, toJson } from "../../../text/yaml-read.js";
import type { CliContext } from "../../cli-context.js";
import type { ExitCode } from "../../exit.js";
import { EXIT } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { workOn } from "../../fleet/fleet-run.js";
import type { FleetAnswer } from "../../fleet/message.js";
import { clustersOf } from "../../fleet/table.js";
import { readNamed } from "../../input-files.js";
import { STDIN } from "../../read-text.js";
import * as flags from "./flags.js";

/** Undefined when an error was reported. */
export async function fleetPart(
  args: Arguments,
  cli: CliContext,
  report: Report,
): Promise<FleetReport | undefined> {
  const clusters = await clustersOf(args, cli, report);
  if (clusters === undefined) return undefined;
  const answers: FleetAnswer[] = [];
  const exits: ExitCode[] = [];
  const collect = {
    begin: () => undefined,
    answer: (_: FleetCluster, answer: FleetAnswer) => void answers.push(answer),
    pause: async () => undefined,
  };
  // What else the command line says is of the page, and no flag of `check`.
  const own = { ...args, raw: ofFlag(args, FLAGS.ageKeyFile.name) };
  await workOn("check", own, cli, clusters, collect, exits);
  const rows: ClusterReport[] = [];
  for (const [i, cluster] of clusters.entries()) {
    const answer = answers[i];
    if (answer !== undefined) rows.push(await rowOf(cluster, answer, cli));
  }
  const file = args.get(flags.fleet) ?? "";
  return { file: file === "-" ? STDIN : file, clusters: rows };
}

const ofFlag = ({ raw }: Arguments, name: string): Arguments["raw"] => {
  const value = raw[name];
  return value === undefined ? {} : { [name]: value };
};

async function rowOf(cluster: FleetCluster, answer: FleetAnswer, cli: CliContext): Promise<ClusterReport> {
  const { name, directory } = cluster;
  const file = readNamed(join(directory, RECORD_FILE), cli.cwd, () => undefined);
  const record = file === undefined ? undefined : (await parseRecord(file.data, RECORD_FILE)).record;
  const phases = PHASES.filter((phase) => record?.phases[phase] !== undefined);
  const counts = new Map<string, number>();
  for (const { status } of answer.result.files ?? [])
    if (status !== "untouched") counts.set(status, (counts.get(status) ?? 0) + 1);
  const first =
    answer.result.diagnostics.find(isError) ??
    answer.result.diagnostics.find(({ severity }) => severity === "warning");
  const release = cluster.flags["release"] ?? record?.options["release"];
  return {
    name,
    directory,
    platform: platformIn(configOf(cluster, cli)),
    release: typeof release === "string" ? release : "",
    phases,
    state: stateOf(answer, phases.length > 0, counts),
    files: [...counts].sort(([a], [b]) => (a < b ? -1 : 1)),
    problem: first === undefined ? "" : `${first.code}: ${first.message}`,
  };
}

function stateOf(
  { exit, result }: FleetAnswer,
  generated: boolean,
  counts: ReadonlyMap<string, number>,
): ClusterState {
  if (result.diagnostics.some(isError) || (exit !== EXIT.done && exit !== EXIT.no)) return "invalid";
  if (!generated) return "not generated";
  if (exit === EXIT.no) return "out of date";
  return ["edited", "added", "removed"].some((status) => counts.has(status)) ? "edited" : "up to date";
}

/** What the table says of the cluster, or else its own file as far as it can be read; values may be encrypted. */
function configOf({ directory, installConfig }: FleetCluster, cli: CliContext): Json | undefined {
  const file = readNamed(join(directory, INSTALL_CONFIG), cli.cwd, () => undefined);
  const text = installConfig ?? (file === undefined ? undefined : Buffer.from(file.data).toString());
  const [document] = text === undefined ? [] : readYaml(text, INSTALL_CONFIG).documents;
  return document?.root === undefined ? undefined : toJson(document.root);
}

const platformIn = (config: Json | undefined): string => {
  const platform = isObject(config) ? config["platform"] : undefined;
  return isObject(platform) ? (PLATFORM_NAMES.find((name) => Object.hasOwn(platform, name)) ?? "") : "";
};
