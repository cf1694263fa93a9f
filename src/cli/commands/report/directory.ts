/** The asset directory of a report: the same comparison as `slipway check`, and what the record and the state say. */
import type { Problem } from "../../../core/diagnostics.js";
import { isObject } from "../../../core/json.js";
import {
  type AssetDirectory,
  type DirectoryRecord,
  type InstallerState,
  openDirectory,
  PHASES,
} from "../../../directory/index.js";
import { phaseGraph, toDot } from "../../../phases/graph.js";
import { answerCheck, compareWithFreshCompile } from "../../../pipeline/check.js";
import { knownExpiries } from "../../../pipeline/expiry.js";
import { FLAGS } from "../../../pipeline/flags.js";
import { closedProblems } from "../../../pipeline/sealed-inputs.js";
import type { DirectoryReport, PhaseReport } from "../../../report/sections/directory.js";
import { identitiesOf } from "../../age.js";
import type { CliContext } from "../../cli-context.js";
import type { Arguments } from "../../flags.js";
import { compileRequest } from "../create/compile-request.js";
import { toSvg } from "../graph/graph-run.js";

/** Undefined when an error was reported. */
export async function directoryPart(
  path: string,
  args: Arguments,
  cli: CliContext,
  report: (problem: Problem) => void,
): Promise<DirectoryReport | undefined> {
  const identities = identitiesOf(args, cli, report);
  const opened = await openDirectory(path, { write: false, identities });
  if (!opened.ok) {
    report(opened.problem);
    return undefined;
  }
  const directory = opened.value;
  const problems = [...directory.problems, ...closedProblems(directory, identities, "unknown")];
  problems.forEach(report);
  if (problems.some(({ severity = "error" }) => severity === "error")) return undefined;
  const target = "infrastructure-manifests";
  const request = await compileRequest(directory, target, withoutRelease(args), cli, report, "unknown");
  const plans = await compareWithFreshCompile({ ...request, directory });
  if (plans === undefined) return undefined;
  return {
    ...answerCheck(directory, plans, { strict: false, hasKey: false, report }),
    ...(await stored(path, directory)),
  };
}

/** The directory knows its release; that of the command line is Kubernetes', of a copy of etcd. */
const withoutRelease = (args: Arguments): Arguments => ({
  ...args,
  get: (of) => (of.name === FLAGS.release.name ? of.read(undefined) : args.get(of)),
  given: (flag) => flag.name !== FLAGS.release.name && args.given(flag),
});

const stored = async (path: string, directory: AssetDirectory) => {
  const { record, state } = directory;
  const phases = phasesOf(record);
  return {
    path,
    identity: record?.cluster ?? identityOf(state),
    phases,
    options: Object.entries(directory.options).map(([name, value]) => [name, String(value)] as const),
    certificates: state === undefined ? undefined : knownExpiries(state),
    graph: await drawn(phases),
  };
};

/** Of a directory without a record, such as one that openshift-install made. */
function identityOf(state: InstallerState | undefined): DirectoryReport["identity"] {
  const known = state?.clusterID;
  if (known === undefined) return undefined;
  const { metadata } = state?.installConfig?.config ?? {};
  const name = isObject(metadata) && typeof metadata["name"] === "string" ? metadata["name"] : "";
  return { name, infraID: known.infraID, clusterID: known.uuid };
}

const phasesOf = (record: DirectoryRecord | undefined): PhaseReport[] =>
  PHASES.flatMap((name): PhaseReport[] => {
    const phase = record?.phases[name];
    if (phase === undefined) return [];
    const { tool, consumed = false, files } = phase;
    return [
      {
        name,
        tool,
        consumed,
        files: Object.keys(files).filter((path) => (record?.removed[path] ?? 0) % 2 === 0).length,
      },
    ];
  });

/** The graph of all phases; the frames of those that were run are thick. */
async function drawn(phases: readonly PhaseReport[]): Promise<string> {
  const graph = phaseGraph();
  const done = phases
    .map(({ name }) => `phase ${name}`)
    .filter((name) => graph.nodes.some((node) => node.name === name));
  const marks = done.map((name) => `  ${JSON.stringify(name)} [penwidth=3];\n`).join("");
  return toSvg(toDot(graph).replace(/\}\n$/, `  bgcolor="transparent";\n${marks}}\n`));
}
