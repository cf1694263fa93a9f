import { createReporter, type Report } from "../../../core/diagnostics.js";
import type { OutputFile } from "../../../core/files.js";
import { isObject, type JsonObject } from "../../../core/json.js";
import { problem, warning } from "../../../core/problem.js";
import { formatRelease } from "../../../core/release.js";
import { transitionFaults } from "../../../crd/cel.js";
import { loadCel } from "../../../crd/schema.js";
import {
  type AssetDirectory,
  conflictProblems,
  type DiskFile,
  isClosed,
  openDirectory,
  type PhasePlan,
} from "../../../directory/index.js";
import { identityOf } from "../../../kubernetes/identity.js";
import { compareWithFreshCompile } from "../../../pipeline/check.js";
import { FLAGS } from "../../../pipeline/flags.js";
import { objectFiles } from "../../../pipeline/objects.js";
import type { NamedText } from "../../../pipeline/request.js";
import { closedProblems } from "../../../pipeline/sealed-inputs.js";
import { redactJson } from "../../../text/redact.js";
import { commandLine } from "../../../text/shell.js";
import { readDump } from "../../../transfer/dump.js";
import { definitionOf, readDefinitions } from "../../../validate/crd-files.js";
import { readObjects } from "../../../validate/documents.js";
import {
  type FiledObject,
  type ImpactQuestion,
  impactOf,
  type ObjectImpact,
} from "../../../validate/impact/impact.js";
import { identitiesOf } from "../../age.js";
import type { CliContext } from "../../cli-context.js";
import type { Handler } from "../../command.js";
import { EXIT, UsageError } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { planText } from "../../plan-page.js";
import { print } from "../../print.js";
import { readTextInput, STDIN } from "../../read-text.js";
import { compileRequest } from "../create/compile-request.js";
import { clusterState, verbose } from "./flags.js";
import { type ImpactText, impactPage } from "./impact-text.js";

const PHASE = "infrastructure-manifests";

export const upgradeImpact: Handler = async (args, cli) => {
  const reporter = createReporter();
  const { report } = reporter;
  const identities = identitiesOf(args, cli, report);
  const opened = await openDirectory(args.get(FLAGS.dir), { write: false, identities, given: cli.given });
  let answer: ImpactText | undefined;
  if (!opened.ok) report(opened.problem);
  else {
    const directory = opened.value;
    directory.problems.forEach(report);
    closedProblems(directory, identities, "unknown").forEach(report);
    if (args.get(clusterState).length === 0 && !reporter.failed)
      throw new UsageError(`--cluster-state DUMP is required: ${dumpCommand(directory)}`);
    if (!reporter.failed) answer = await answerOf(directory, args, cli, report, () => reporter.failed);
  }
  const impact = reporter.failed ? undefined : answer?.impact;
  print(args, cli, {
    kind: "UpgradeImpact",
    json: {
      ...(answer?.from === undefined ? {} : { from: answer.from }),
      ...(answer === undefined ? {} : { to: answer.to }),
      ...(impact?.installed === undefined ? {} : { installed: impact.installed }),
      objects: (impact?.objects ?? []).map(objectJson),
    },
    text: impact === undefined || answer === undefined ? "" : planText(impactPage(answer), cli.stdout),
    textFirst: true,
    diagnostics: reporter.diagnostics,
  });
  if (impact === undefined) return EXIT.wrong;
  const isHarmful = ({ outcome }: ObjectImpact): boolean => outcome === "refused" || outcome === "pruned";
  return impact.objects.some(isHarmful) ? EXIT.no : EXIT.done;
};

async function answerOf(
  directory: AssetDirectory,
  args: Arguments,
  cli: CliContext,
  report: Report,
  failed: () => boolean,
): Promise<ImpactText | undefined> {
  const base = await compileRequest(directory, PHASE, args, cli, report, "unknown");
  const live = await readDumps(args, cli, report);
  if (failed()) return undefined;
  const plans = await compareWithFreshCompile({ ...base, directory });
  if (plans === undefined) return undefined;
  const plan = plans.find(({ phase }) => phase === PHASE);
  if (plan === undefined) return void report(nothingApplied(args.get(FLAGS.dir)));
  conflictProblems([plan]).forEach(report);
  const files = filedObjects(desiredFiles(plan), report);
  const transitions = await transitionsOf(base.crds ?? [], report);
  if (failed()) return undefined;
  const onDisk = filedObjects(sealedFiles([...directory.files.values()]), () => undefined);
  const impact = impactOf({ files, onDisk, live, transitions });
  if (impact.installed === undefined) report(noControlPlane(args.get(clusterState), directory));
  const former = directory.record?.options["release"];
  return {
    name: directory.record?.cluster.name ?? "",
    from: typeof former === "string" ? former : undefined,
    to: formatRelease(base.release),
    impact,
    verbose: args.get(verbose),
  };
}

interface MaybeSealed extends OutputFile {
  readonly isSealed: boolean;
}

/** The files as they would be, with those that only secrets decide and that are not here. */
function desiredFiles({ after, paths }: PhasePlan): readonly MaybeSealed[] {
  const unverified = new Map(
    paths.flatMap((each) => (each.status === "unverifiable" ? [[each.path, each]] : [])),
  );
  const there = new Set(after.map(({ path }) => path));
  const absent = [...unverified.values()].flatMap(({ path, desired }) =>
    desired === undefined || there.has(path) ? [] : [desired],
  );
  return [...after, ...absent].map((each) => ({ ...each, isSealed: unverified.has(each.path) }));
}

const sealedFiles = (files: readonly DiskFile[]): readonly MaybeSealed[] =>
  files.map((file) => ({ path: file.path, data: file.data, secret: false, isSealed: isClosed(file) }));

function filedObjects(files: readonly MaybeSealed[], report: Report): readonly FiledObject[] {
  const sealed = new Set(files.flatMap(({ path, isSealed }) => (isSealed ? [path] : [])));
  const { documents, problems } = readObjects(objectFiles(files, PHASE));
  problems.forEach(report);
  return documents.map(({ file, object }) => ({ file, object, isSealed: sealed.has(file) }));
}

async function readDumps(args: Arguments, cli: CliContext, report: Report): Promise<readonly JsonObject[]> {
  const objects: JsonObject[] = [];
  for (const path of args.get(clusterState)) {
    const text = await readTextInput(cli, path, report);
    if (text === undefined) continue;
    const found = readDump(text, path === "-" ? STDIN : path, () => true, report);
    objects.push(...found.map(({ object }) => object));
  }
  return objects;
}

/** What the rules of a definition about former values say of an update; slipway knows that of its own kind. */
async function transitionsOf(
  texts: readonly NamedText[],
  report: Report,
): Promise<ImpactQuestion["transitions"]> {
  const crds = await readDefinitions(texts, report);
  const cel = await loadCel();
  return (before, after) => {
    const identity = identityOf(after);
    const version = definitionOf({ identity }, { crds })?.versions.find(
      ({ name }) => name === identity.version,
    );
    if (version?.schema === undefined) return undefined;
    return transitionFaults(before, after, version.schema, "", cel).map(({ field, message }) => ({
      field,
      why: message,
    }));
  };
}

/** The command that takes the dump: every kind in the version that the files have. */
export function dumpCommand({ files }: Pick<AssetDirectory, "files">): string {
  const identities = filedObjects(sealedFiles([...files.values()]), () => undefined).map(({ object }) =>
    identityOf(object),
  );
  const kinds = identities.map(({ group, version, kind }) =>
    group === "" ? kind.toLowerCase() : `${kind.toLowerCase()}.${version}.${group}`,
  );
  const namespaces = [
    ...new Set(identities.flatMap(({ namespace }) => (namespace === "" ? [] : [namespace]))),
  ];
  const [namespace = ""] = namespaces;
  const where = namespaces.length === 1 ? ["--namespace", namespace] : ["--all-namespaces"];
  const words = ["kubectl", "get", [...new Set(kinds)].join(","), ...where, "--output", "yaml"];
  return kinds.length === 0
    ? "kubectl get KINDS --namespace NAMESPACE --output yaml > cluster.yaml"
    : `${commandLine(words)} > cluster.yaml`;
}

const nothingApplied = (file: string) =>
  problem(
    "CAPI051",
    "NotFound",
    "",
    "the directory has no infrastructure-manifests, so nothing is applied to a management cluster",
    { file, hint: "run: slipway create infrastructure-manifests" },
  );

const noControlPlane = ([file = ""]: readonly string[], directory: AssetDirectory) =>
  warning(
    "CAPI052",
    "NotFound",
    "",
    "the dump contains no control plane, so the cluster counts as not installed",
    { file: file === "-" ? STDIN : file, hint: `take the dump of all kinds: ${dumpCommand(directory)}` },
  );

const objectJson = ({ refusals, changes, isChecked, group, version, ...each }: ObjectImpact): object => ({
  apiVersion: group === "" ? version : `${group}/${version}`,
  kind: each.kind,
  ...(each.namespace === "" ? {} : { namespace: each.namespace }),
  name: each.name,
  ...(each.file === undefined ? {} : { file: each.file }),
  outcome: each.outcome,
  ...(each.effect === "" ? {} : { effect: each.effect }),
  ...(each.cost === undefined ? {} : { cost: each.cost }),
  refusals,
  changes: changes.map(({ field, from, to }) => ({ field, ...valuesOf(each.kind, field, from, to) })),
  ...(isChecked ? {} : { isChecked }),
});

/** Both sides of a change, without secrets. */
function valuesOf(kind: string, field: string, from: Shown, to: Shown): { from?: Shown; to?: Shown } {
  if (kind === "Secret" && !field.startsWith("metadata.")) return {};
  const member = /[^.[\]]*\]?$/.exec(field)?.[0].replace("]", "") ?? "";
  const shown = (value: Shown): Shown => {
    const hidden = value === undefined ? {} : redactJson({ [member]: value });
    return isObject(hidden) ? hidden[member] : undefined;
  };
  return {
    ...(from === undefined ? {} : { from: shown(from) }),
    ...(to === undefined ? {} : { to: shown(to) }),
  };
}
type Shown = ObjectImpact["changes"][number]["from"];
