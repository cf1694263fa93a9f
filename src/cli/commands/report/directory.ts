/** The asset directory of a report: the same comparison as `slipway check`, and what the record and the state say. */
import type { Problem } from "../../../core/diagnostics.js";
import { isObject } from "../../../core/json.js";
import {
  type AssetDirectory,
  type DirectoryRecord,
  type InstallerState,
  type ObjectChange,
  objectChanges,
  openDirectory,
  ownChanges,
  PHASES,
  type PhasePlan,
} from "../../../directory/index.js";
import { phaseGraph, toDot } from "../../../phases/graph.js";
import { answerCheck, compareWithFreshCompile } from "../../../pipeline/check.js";
import { knownExpiries } from "../../../pipeline/expiry.js";
import { FLAGS } from "../../../pipeline/flags.js";
import { commandOf } from "../../../pipeline/ignition-forms.js";
import { closedProblems } from "../../../pipeline/sealed-inputs.js";
import type { DirectoryReport, PhaseReport } from "../../../report/sections/directory.js";
import { pathWord } from "../../../text/shell.js";
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
  const answer = answerCheck(directory, plans, { strict: false, hasKey: false, report });
  return {
    ...answer,
    ...(await stored(path, directory)),
    changes: changesOf(path, plans, new Map(answer.files.map((file) => [file.path, file.status]))),
  };
}

/** How many fields of a file are named. */
const MOST_FIELDS = 8;

/** What differs from a new compile, file by file, with the command that takes it in or shows it. */
function changesOf(
  folder: string,
  plans: readonly PhasePlan[],
  statuses: ReadonlyMap<string, string>,
): DirectoryReport["changes"] {
  const dir = pathWord(folder);
  const all = new Map([...objectChanges(plans), ...ownChanges(plans)].map((each) => [each.path, each]));
  return plans.flatMap(({ phase, paths }) =>
    paths.flatMap(({ path, why }) => {
      const status = statuses.get(path) ?? "untouched";
      if (status === "untouched" || status === "unverifiable") return [];
      const isOwn = ["edited", "added", "removed"].includes(status);
      const fields = all.get(path)?.fields ?? [];
      const left = fields.length - MOST_FIELDS;
      return [
        {
          path,
          status,
          object: all.get(path)?.object ?? "",
          changed: [
            ...(why === "" ? [] : [why]),
            ...fields.slice(0, MOST_FIELDS).map(fieldText),
            ...(left > 0 ? [`and ${left} more`] : []),
          ],
          command: isOwn
            ? `slipway check --dir ${dir} --diff`
            : `slipway ${commandOf(phase, plans)} --dir ${dir}${status === "conflict" ? " --diff" : ""}`,
        },
      ];
    }),
  );
}

const fieldText = ({ sign, field, before, after }: ObjectChange["fields"][number]): string =>
  sign === "+"
    ? `+ ${field}: ${after ?? ""}`
    : sign === "-"
      ? `- ${field}: ${before ?? ""}`
      : before === after
        ? `~ ${field}: (sensitive value)`
        : `~ ${field}: ${before ?? ""} -> ${after ?? ""}`;

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
