/** The gate tables of a report. */
import { type GateLifecycle, gateLifecycles } from "../../../compatibility/gate-lifecycle.js";
import { type GateTable, newestRelease } from "../../../compatibility/gate-table.js";
import { checkTable } from "../../../compatibility/gate-table-check.js";
import { defaultPolicy } from "../../../compatibility/removal-policy.js";
import {
  addMinors,
  compareMinors,
  formatMinor,
  type Minor,
  maxMinor,
  minMinor,
  minorsBetween,
} from "../../../compatibility/version.js";
import type { Report } from "../../../core/diagnostics.js";
import { releaseOfVersion } from "../../../core/named-release.js";
import type { GateReport, GatesReport } from "../../../report/sections/gates.js";
import type { CliContext } from "../../cli-context.js";
import type { Arguments } from "../../flags.js";
import { readTables, releaseFlag } from "../compat/inputs.js";
import * as flags from "./flags.js";

/** More releases than this do not fit on a page; what is older stands at the edge. */
const MOST_COLUMNS = 16;

export async function gatesPart(args: Arguments, cli: CliContext, report: Report): Promise<GatesReport[]> {
  const set = args.get(flags.rules);
  const rules = { set, stage: "beta" } as const;
  const policy = defaultPolicy(set);
  const tables = await readTables(args, cli, report);
  for (const table of tables) checkTable(table, rules, report);
  return tables.map((table) => {
    const newest = newestRelease(table);
    const current = releaseFlag(args, flags.current, [newest], report) ?? newest;
    return current === undefined
      ? { file: table.file, component: table.component, current: undefined, columns: [], gates: [] }
      : tableReport(table, gateLifecycles(table, current, policy, rules), current);
  });
}

function tableReport(table: GateTable, gates: readonly GateLifecycle[], current: Minor): GatesReport {
  const starts = gates.flatMap(({ stages }) =>
    stages.flatMap(({ version }) => releaseOfVersion(version) ?? []),
  );
  const newest = starts.reduce(maxMinor, current);
  const known = starts.filter(({ minor }) => minor > 0);
  const oldest = known.reduce(minMinor, current);
  // Lists say 1.0 where nobody remembers: such a gate begins at the edge, one release before what is known.
  const first = known.length < starts.length && oldest.minor > 0 ? addMinors(oldest, -1) : oldest;
  // Of two majors nobody knows what lies between; then the releases that are named stand side by side.
  const columns = (
    first.major === newest.major ? minorsBetween(first, newest) : distinct([...starts, current])
  ).slice(-MOST_COLUMNS);
  return {
    file: table.file,
    component: table.component,
    current: formatMinor(current),
    columns: columns.map(formatMinor),
    gates: gates.map((gate) => gateReport(gate, columns)),
  };
}

const distinct = (releases: readonly Minor[]): Minor[] =>
  [...releases]
    .sort(compareMinors)
    .filter((each, i, all) => i === 0 || compareMinors(each, all[i - 1] ?? each) !== 0);

const gateReport = ({ stages, ...rest }: GateLifecycle, columns: readonly Minor[]): GateReport => ({
  ...rest,
  stages: stages.map((stage) => {
    const minor = releaseOfVersion(stage.version);
    return {
      ...stage,
      column: minor === undefined ? -1 : columns.findIndex((each) => compareMinors(each, minor) === 0),
    };
  }),
});
