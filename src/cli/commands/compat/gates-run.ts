import { featureSetGates, hasFeatureSetsOnly } from "../../../compatibility/feature-sets.js";
import type { GateTable } from "../../../compatibility/gate-table.js";
import type { FileReader } from "../../../compatibility/gates-batch.js";
import { askComponentGates } from "../../../compatibility/gates-in-effect.js";
import type { ComponentGates, GatesAnswer } from "../../../compatibility/gates-question.js";
import { isKubernetes } from "../../../compatibility/kubernetes-name.js";
import { type InEffect, mergeInEffect } from "../../../compatibility/read/gates-in-effect.js";
import { formatMinor, formatVersion, minorOf } from "../../../compatibility/version.js";
import { counted } from "../../../core/counted.js";
import { createReporter, documented, isError, type Reporter } from "../../../core/diagnostics.js";
import { terminalJson } from "../../../text/terminal.js";
import type { CliContext } from "../../cli-context.js";
import type { Handler } from "../../command.js";
import { EXIT, type ExitCode, UsageError } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { noteIdle, refuseBeside, reportIdle } from "../../idle-flags.js";
import { API_VERSION, print } from "../../print.js";
import { readTextFile, readTextInput } from "../../read-text.js";
import { columns } from "../../text-table.js";
import {
  annotations,
  batch,
  binaryVersion,
  clusterProfile,
  component,
  dependencies,
  emulatedVersion,
  featureGates,
  featureSet,
  gatesFrom,
  minCompatibilityVersion,
  rules as rulesFlag,
  tables,
} from "./flags.js";
import {
  featureGateTexts,
  readDependencyFile,
  readInEffectFiles,
  readTables,
  versionInputs,
  versionRules,
} from "./inputs.js";

export const run: Handler = async (args, cli) => {
  refuseBeside(args, batch, "each line specifies its own table", [
    tables,
    dependencies,
    annotations,
    featureGates,
    gatesFrom,
    component,
    featureSet,
    clusterProfile,
    binaryVersion,
    emulatedVersion,
    minCompatibilityVersion,
  ]);
  const batchFile = args.get(batch);
  if (batchFile !== undefined) return runBatch(args, cli, batchFile);
  const reporter = createReporter();
  const { rules, binary, emulated, minCompatibility } = versionInputs(args, reporter.report);
  const set = args.get(gatesFrom).length === 0 ? undefined : readInEffect(args, cli, reporter);
  const release = set?.reported?.binary ?? binary;
  const read = await readTables(args, cli, reporter.report, release && minorOf(release));
  const [first, ...others] = read;
  if (first !== undefined && others.length === 0 && hasFeatureSetsOnly(first))
    return answerFeatureSet(args, cli, first, reporter);
  if (first !== undefined)
    reportIdle(
      args,
      `${counted(read.length, "table has", "tables have")} versions, not feature sets`,
      [featureSet, clusterProfile],
      reporter.report,
    );
  const declared = readDependencyFile(args, cli, reporter.report);
  const question = {
    tables: read,
    dependencies: declared,
    binary,
    emulated,
    minCompatibility,
    featureGates: featureGateTexts(args),
    rules,
  };
  const asked = askComponentGates(question, args.get(component), set, reporter);
  const name = set?.component || args.get(component);
  const answer = read.some(({ file }) => isKubernetes(file))
    ? (await import("../../../compatibility/gate-apis.js")).withApiWarnings(asked, read, rules, name)
    : asked;
  print(args, cli, {
    kind: "GatesAnswer",
    json: jsonOf(answer),
    text: answer.accepted ? answer.components.map(textOf).join("\n") : "",
    diagnostics: answer.diagnostics,
  });
  return answer.accepted ? EXIT.done : EXIT.wrong;
};

/** What `--gates-from` says of one component: the one of `--component` where the files tell of several. */
function readInEffect(args: Arguments, cli: CliContext, { report }: Reporter): InEffect | undefined {
  const found = readInEffectFiles(args, cli, report);
  const wanted = args.get(component);
  const fitting = found.filter(
    (each) => wanted === undefined || each.component === "" || each.component === wanted,
  );
  const [first, ...others] = fitting;
  if (found.length > 0 && (first === undefined || others.some((each) => each.component !== first.component)))
    throw new UsageError(
      `--gates-from contains ${[...new Set(found.map((each) => each.component || "a metrics dump"))].join(", ")}; select one with --component`,
    );
  const merged = mergeInEffect(fitting);
  if (merged !== undefined && "flag" in merged)
    throw new UsageError(
      `--gates-from contains more than one ${merged.component}, and they differ in ${merged.flag}; use one at a time`,
    );
  return merged;
}

/** A table of feature sets knows no versions of gates: what is on is a question of the set. */
function answerFeatureSet(args: Arguments, cli: CliContext, table: GateTable, reporter: Reporter): ExitCode {
  const why = `${table.file} has feature sets, not versions`;
  reportIdle(args, why, [dependencies, featureGates, gatesFrom, component], reporter.report);
  noteIdle(args, why, [emulatedVersion, minCompatibilityVersion, rulesFlag], reporter.report);
  if (table.gates.every(({ featureSets }) => featureSets.every(({ versions }) => versions.length === 0)))
    noteIdle(args, `${table.file} contains no releases`, [binaryVersion], reporter.report);
  const gates = featureSetGates(
    table,
    args.get(featureSet),
    args.get(clusterProfile),
    reporter.report,
    args.get(binaryVersion),
  );
  const on = gates.filter(({ enabled }) => enabled).length;
  const rows = gates.map(({ name, enabled, reason }) => [name, enabled ? "on" : "off", reason]);
  print(args, cli, {
    kind: "GatesAnswer",
    json: { accepted: !reporter.failed, gates },
    text: reporter.failed
      ? ""
      : `${on} of ${gates.length} gates on\n\n${columns(["GATE", "STATE", "WHY"], rows)}`,
    diagnostics: reporter.diagnostics,
  });
  return reporter.failed ? EXIT.wrong : EXIT.done;
}

function jsonOf({ accepted, components }: GatesAnswer): object {
  const [first] = components;
  const several = components.length > 1;
  return {
    ...(first === undefined ? {} : versionsOf(first)),
    accepted,
    ...(several
      ? { components: components.map((each) => ({ component: each.component, ...versionsOf(each) })) }
      : {}),
    gates: components.flatMap(({ component: name, gates }) =>
      gates.map((gate) => (several ? { component: name, ...gate } : gate)),
    ),
  };
}

const versionsOf = ({ versions }: ComponentGates): object => ({
  binaryVersion: formatVersion(versions.binary),
  emulatedVersion: formatMinor(versions.emulation),
  minCompatibilityVersion: formatMinor(versions.minCompatibility),
});

function textOf({ component: name, versions, gates }: ComponentGates): string {
  const known = gates.filter(({ stage }) => stage !== "PreAlpha" && stage !== "Removed");
  const on = gates.filter(({ enabled }) => enabled).length;
  const head = `${name}: binary ${formatVersion(versions.binary)}, emulated ${formatMinor(versions.emulation)}, minimum compatibility ${formatMinor(versions.minCompatibility)}; ${known.length} of ${gates.length} gates known, ${on} on`;
  const rows = gates.map((gate) => [
    gate.name,
    gate.stage,
    gate.enabled ? "on" : "off",
    gate.locked ? "locked" : gate.settable ? "" : "fixed",
    gate.reason,
  ]);
  return `${head}\n\n${columns(["GATE", "STAGE", "STATE", "LOCK", "WHY"], rows)}`;
}

/** Answers go to stdout as JSON lines, whatever `--output` says. */
async function runBatch(args: Arguments, cli: CliContext, path: string): Promise<ExitCode> {
  const { answerBatch } = await import("../../../compatibility/gates-batch.js");
  const reporter = createReporter();
  const text = await readTextInput(cli, path, reporter.report);
  if (text === undefined) {
    print(args, cli, { kind: "GatesAnswer", json: {}, text: "", diagnostics: reporter.diagnostics });
    return EXIT.wrong;
  }
  const readFile: FileReader = (file, report) => readTextFile(cli, file, report);
  const rules = versionRules(args);
  const answers = answerBatch(text, path, readFile, rules);
  for (const { id, gates, diagnostics } of answers) {
    const ok = !diagnostics.some(isError);
    cli.stdout.pass(
      `${terminalJson({ id, apiVersion: API_VERSION, kind: "GatesAnswer", ok, gates, diagnostics: diagnostics.map(documented) })}\n`,
    );
  }
  return answers.every(({ answered }) => answered) ? EXIT.done : EXIT.wrong;
}
