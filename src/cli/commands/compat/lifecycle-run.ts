import { reportWithoutVersions } from "../../../compatibility/feature-sets.js";
import { gateLifecycles, type LifecycleStage } from "../../../compatibility/gate-lifecycle.js";
import { newestRelease } from "../../../compatibility/gate-table.js";
import { checkTable } from "../../../compatibility/gate-table-check.js";
import { formatMinor } from "../../../compatibility/version.js";
import { createReporter } from "../../../core/diagnostics.js";
import type { Handler } from "../../command.js";
import { EXIT } from "../../exit.js";
import { print } from "../../print.js";
import { columns } from "../../text-table.js";
import { current } from "./flags.js";
import { readPolicy, readTables, releaseFlag, versionRules } from "./inputs.js";

export const run: Handler = async (args, cli) => {
  const reporter = createReporter();
  const { report } = reporter;
  const rules = versionRules(args);
  const tables = await readTables(
    args,
    cli,
    report,
    releaseFlag(args, current, [], () => {}),
  );
  const policy = readPolicy(args, cli, rules.set, report);
  for (const table of tables) {
    checkTable(table, rules, report);
    reportWithoutVersions(table, report);
  }
  const gates = tables.flatMap((table) => {
    const newest = newestRelease(table);
    const at = releaseFlag(args, current, [newest], report) ?? newest;
    return at === undefined || reporter.failed ? [] : gateLifecycles(table, at, policy, rules);
  });
  const count = (state: string): number => gates.filter((gate) => gate.state === state).length;
  const newest = tables.map(newestRelease);
  const at = releaseFlag(args, current, newest, () => {}) ?? newest.find((each) => each !== undefined);
  const summary = {
    gates: gates.length,
    removable: count("removable") + count("overdue"),
    overdue: count("overdue"),
  };
  const rows = gates.map(({ name, stages, removableFrom, state }) => [
    name,
    state === "active" ? "" : state,
    removableFrom ?? "-",
    stages.map(stageText).join(" > "),
  ]);
  print(args, cli, {
    kind: "GateLifecycles",
    json: { current: at === undefined ? null : formatMinor(at), summary, gates },
    text: reporter.failed
      ? ""
      : `${columns(["GATE", "STATE", "REMOVABLE FROM", "STAGES"], rows)}\n${summary.gates} gates: ${summary.removable} can be removed now, ${summary.overdue} of them are overdue\n`,
    diagnostics: reporter.diagnostics,
  });
  return reporter.failed ? EXIT.wrong : EXIT.done;
};

const stageText = ({ version, stage, default: initial, locked }: LifecycleStage): string =>
  `${version} ${stage} ${initial ? "on" : "off"}${locked ? " locked" : ""}`;
