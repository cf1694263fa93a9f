import { stateDifference } from "../../../compatibility/component-answer.js";
import { type EffectiveVersion, effectiveKube, validateEffective } from "../../../compatibility/effective.js";
import { hasFeatureSetsOnly, reportWithoutVersions } from "../../../compatibility/feature-sets.js";
import { diffTables } from "../../../compatibility/gate-diff.js";
import { noteBeyond } from "../../../compatibility/gates-question.js";
import { KUBERNETES } from "../../../compatibility/kubernetes-name.js";
import type { ComponentState } from "../../../compatibility/plan-route.js";
import { SHIPPED } from "../../../compatibility/rules.js";
import { type Minor, minorOf, ofMinor, parseMinor, release } from "../../../compatibility/version.js";
import { createReporter } from "../../../core/diagnostics.js";
import { NEWEST_TARGET } from "../../../kubernetes/releases.js";
import type { Handler } from "../../command.js";
import { EXIT, type ExitCode } from "../../exit.js";
import type { Arguments, Operand } from "../../flags.js";
import { print } from "../../print.js";
import { columns } from "../../text-table.js";
import type { World } from "../../world.js";
import { newTable, oldTable } from "./flags.js";
import { gateTables, releaseMeant, versionJson } from "./inputs.js";
import { changeLines } from "./plan-run.js";

type State = EffectiveVersion;

export const run: Handler = async (args, world) => {
  const reporter = createReporter();
  const [old, next] = [oldTable, newTable].map((operand) => releasesIn(args.get(operand)));
  if (old !== undefined && next !== undefined) return diffVersions(args, world, old, next);
  const [[before], [after]] = await Promise.all([
    gateTables(args.get(oldTable), world, reporter.report),
    gateTables(args.get(newTable), world, reporter.report),
  ]);
  // Between sets and versions there is nothing to compare; two tables of sets differ in their sets.
  const mixed =
    before !== undefined && after !== undefined && hasFeatureSetsOnly(before) !== hasFeatureSetsOnly(after);
  if (mixed) for (const each of [before, after]) reportWithoutVersions(each, reporter.report);
  const gates =
    before === undefined || after === undefined || reporter.failed ? [] : diffTables(before, after);
  const rows = gates.map(({ name, change, details }) => [name, change, details]);
  print(args, world, {
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
  const releases = text.split(":").flatMap((each) => parseMinor(each) ?? []);
  return releases.length === text.split(":").length && releases.length <= 3 ? releases : undefined;
}

/** What a kube-apiserver does otherwise at the second versions, by Kubernetes' own tables. */
async function diffVersions(
  args: Arguments,
  world: World,
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
  const tables = await gateTables(KUBERNETES, world, reporter.report, "all");
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
  const lines = changeLines(changes).map((line) => line.trim());
  print(args, world, {
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
