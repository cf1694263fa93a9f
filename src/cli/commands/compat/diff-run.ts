import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { stateDifference } from "../../../compatibility/component-answer.js";
import { type EffectiveVersion, effectiveKube, validateEffective } from "../../../compatibility/effective.js";
import { hasFeatureSetsOnly, reportWithoutVersions } from "../../../compatibility/feature-sets.js";
import { diffTables } from "../../../compatibility/gate-diff.js";
import { noteBeyond } from "../../../compatibility/gates-question.js";
import { isKubernetes, KUBERNETES } from "../../../compatibility/kubernetes-name.js";
import type { ComponentState } from "../../../compatibility/plan-route.js";
import { SHIPPED } from "../../../compatibility/rules.js";
import { type Minor, minorOf, ofMinor, release } from "../../../compatibility/version.js";
import { createReporter } from "../../../core/diagnostics.js";
import { releaseOfVersion } from "../../../core/named-release.js";
import { NEWEST_TARGET } from "../../../kubernetes/releases.js";
import type { CliContext } from "../../cli-context.js";
import type { Handler } from "../../command.js";
import { EXIT, type ExitCode, UsageError } from "../../exit.js";
import type { Arguments, Operand } from "../../flags.js";
import { print } from "../../print.js";
import { columns } from "../../text-table.js";
import { newTable, oldTable } from "./flags.js";
import { gateTables, releaseMeant, versionJson } from "./inputs.js";
import { changeLines } from "./plan-text.js";

type State = EffectiveVersion;

export const run: Handler = async (args, cli) => {
  const reporter = createReporter();
  const [old, next] = [oldTable, newTable].map((operand) => releasesIn(args.get(operand)));
  if (old !== undefined && next !== undefined) return diffVersions(args, cli, old, next);
  if (old === undefined) refuseWrongVersion(args.get(oldTable), next !== undefined, cli);
  if (next === undefined) refuseWrongVersion(args.get(newTable), old !== undefined, cli);
  if (old !== undefined || next !== undefined)
    throw new UsageError("OLD and NEW must both be versions, or both be gate tables");
  const [[before], [after]] = await Promise.all([
    gateTables(args.get(oldTable), cli, reporter.report),
    gateTables(args.get(newTable), cli, reporter.report),
  ]);
  // Between sets and versions there is nothing to compare; two tables of sets differ in their sets.
  const mixed =
    before !== undefined && after !== undefined && hasFeatureSetsOnly(before) !== hasFeatureSetsOnly(after);
  if (mixed) for (const each of [before, after]) reportWithoutVersions(each, reporter.report);
  const gates =
    before === undefined || after === undefined || reporter.failed ? [] : diffTables(before, after);
  const rows = gates.map(({ name, change, details }) => [name, change, details]);
  print(args, cli, {
    kind: "GateDiff",
    json: { gates },
    text: reporter.failed
      ? ""
      : gates.length === 0
        ? "no differences"
        : columns(["GATE", "CHANGE", "DETAILS"], rows),
    diagnostics: reporter.diagnostics,
  });
  return reporter.failed ? EXIT.wrong : EXIT.done;
};

/** Reads `1.37`, `1.37:1.36` or `1.37:1.36:1.35`: binary, emulated and minimum compatibility version. */
function releasesIn(text: string): readonly Minor[] | undefined {
  const parts = text.split(":");
  const releases = parts.flatMap((each) => releaseOfVersion(each) ?? []);
  return releases.length === parts.length && releases.length <= 3 ? releases : undefined;
}

/** Numbers with dots, or beside a version anything: meant as a version, unless it is a file. */
function refuseWrongVersion(text: string, isBesideVersion: boolean, cli: CliContext): void {
  if (isKubernetes(text) || text === "-" || existsSync(resolve(cli.cwd, text))) return;
  if (isBesideVersion || /^\s*v?[0-9]+(?:\.[0-9A-Za-z]*)*(?::|\s*$)/.test(text))
    throw new UsageError(
      `invalid version ${JSON.stringify(text)}: must be a file, a release such as 1.37, or BINARY:EMULATED[:MINIMUM] such as 1.37:1.36`,
    );
}

/** What a kube-apiserver does otherwise at the second versions, by Kubernetes' own tables. */
async function diffVersions(
  args: Arguments,
  cli: CliContext,
  old: readonly Minor[],
  next: readonly Minor[],
): Promise<ExitCode> {
  const { kubernetesApis, kubernetesPins } = await import("../../../compatibility/kubernetes.js");
  const reporter = createReporter();
  const { report } = reporter;
  const stateOf = ({ name }: Operand<string>, named: readonly Minor[]): State => {
    const [binary = release("0.0"), emulation, minCompatibility] = named.map(
      (each) => releaseMeant(each, [], name, report) ?? each,
    );
    return effectiveKube(ofMinor(binary), SHIPPED, { emulation, minCompatibility });
  };
  const [was, now] = [stateOf(oldTable, old), stateOf(newTable, next)];
  const named = !reporter.failed;
  for (const each of [was, now]) {
    if (named) validateEffective(each, report);
    noteBeyond(minorOf(each.binary), NEWEST_TARGET, report);
  }
  const tables = await gateTables(KUBERNETES, cli, reporter.report, "all");
  const difference = stateDifference(
    {
      tables,
      dependencies: [],
      lifecycle: kubernetesApis(),
      pins: kubernetesPins(),
      featureGates: [],
      runtimeConfig: [],
      rules: SHIPPED,
    },
    componentState(was),
    componentState(now),
  );
  const { problems, ...changes } = difference;
  for (const problem of problems) reporter.report(problem);
  const lines = changeLines(changes);
  print(args, cli, {
    kind: "VersionDiff",
    json: { from: versionJson(was), to: versionJson(now), ...changes },
    text: reporter.failed ? "" : `${lines.length === 0 ? "no differences" : lines.join("\n")}\n`,
    diagnostics: reporter.diagnostics,
  });
  return reporter.failed ? EXIT.wrong : EXIT.done;
}

const componentState = ({ binary, emulation, minCompatibility }: State): ComponentState => ({
  binary: minorOf(binary),
  emulation,
  minCompatibility,
});
