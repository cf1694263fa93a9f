import { createReporter, type Report } from "../../../core/diagnostics.js";
import { checkServed, checkTable } from "../../../storage/check.js";
import { formatMinor, groupResource, type Minor } from "../../../storage/compatibility.js";
import { deriveTable } from "../../../storage/derive.js";
import { type BehaviorTable, type ResourceRows, spansOf, type VersionRow } from "../../../storage/model.js";
import { presetPolicy, type StoragePolicy } from "../../../storage/policy.js";
import type { TableSource } from "../../../storage/read/table.js";
import type { CliContext } from "../../cli-context.js";
import type { Handler } from "../../command.js";
import { EXIT, UsageError } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { print } from "../../print.js";
import { columns } from "../../text-table.js";
import { lifecycle, TABLE_REQUIRED } from "../compat/flags.js";
import { readLifecycle } from "../compat/inputs.js";
import { policy as policyFlag, release, table as tableFlag } from "./flags.js";
import { kubernetesReleaseOf, policyOf, readTable, requireRelease } from "./inputs.js";

export const run: Handler = async (args, cli) => {
  const reporter = createReporter();
  const { report } = reporter;
  const own = policyOf(args, cli, report);
  const source = await readSource(args, cli, report);
  const policy = own ?? (source?.kind === "behaviors" ? source.policy : undefined) ?? presetPolicy("kep");
  const table =
    source && !(args.given(policyFlag) && own === undefined) ? tableOf(source, policy, report) : undefined;
  const only = table && kubernetesReleaseOf(args, release, table.releases, report);
  const shown =
    only !== undefined && table !== undefined && requireRelease(args, release, only, table.releases, report);
  const ok = !reporter.failed && table !== undefined;
  print(args, cli, {
    kind: "StorageBehaviors",
    json: {
      policy: policyJson(policy),
      releases: ok
        ? shown && only !== undefined
          ? [formatMinor(only)]
          : table.releases.map(formatMinor)
        : [],
      resources: ok ? table.resources.flatMap((each) => resourceJson(each, shown ? only : undefined)) : [],
      unstored: ok ? table.unstored : [],
    },
    text: ok ? textOf(table, shown ? only : undefined) : "",
    diagnostics: reporter.diagnostics,
  });
  return ok ? EXIT.done : EXIT.wrong;
};

async function readSource(
  args: Arguments,
  cli: CliContext,
  report: Report,
): Promise<TableSource | undefined> {
  const [lifecyclePath, tablePath] = [args.get(lifecycle), args.get(tableFlag)];
  if (lifecyclePath !== undefined && tablePath !== undefined)
    throw new UsageError("--table and --lifecycle are the same flag; set one of them");
  if (lifecyclePath === undefined && tablePath === undefined) throw new UsageError(TABLE_REQUIRED);
  if (tablePath !== undefined) return readTable(tablePath, cli, report);
  const read = await readLifecycle(args, cli, report);
  return read && { kind: "lifecycle", lifecycle: read };
}

/** The table of a source, checked. */
export function tableOf(source: TableSource, policy: StoragePolicy, report: Report): BehaviorTable {
  const table = source.kind === "lifecycle" ? deriveTable(source.lifecycle, policy) : source.table;
  checkTable(table, policy, report);
  if (source.kind === "lifecycle") checkServed(source.lifecycle, policy, report);
  return table;
}

const policyJson = ({ name, durations, alpha, moratorium, maxUpgrade, maxDowngrade }: StoragePolicy) => ({
  name,
  ...durations,
  alpha,
  moratorium,
  maxUpgrade,
  maxDowngrade,
});

function resourceJson(
  { group, resource, storedWith, versions }: ResourceRows,
  only: Minor | undefined,
): object[] {
  const rows = versions.flatMap(({ version, stability, clock, behaviors }) => {
    const entries = [...behaviors].filter(([name]) => only === undefined || name === formatMinor(only));
    return entries.length === 0
      ? []
      : [
          {
            version,
            stability,
            ...(clock === undefined ? {} : { clock }),
            behaviors: Object.fromEntries(entries),
          },
        ];
  });
  if (rows.length === 0) return [];
  return [{ group, resource, ...(storedWith === undefined ? {} : { storedWith }), versions: rows }];
}

function textOf({ resources, releases }: BehaviorTable, only: Minor | undefined): string {
  const rows = resources.flatMap(({ group, resource, storedWith, versions }) =>
    versions.flatMap((row) => {
      const behavior = only === undefined ? spans(row, releases) : row.behaviors.get(formatMinor(only));
      if (behavior === undefined || behavior === "") return [];
      const shared =
        storedWith === undefined
          ? ""
          : `  (stored with ${groupResource(storedWith.group, storedWith.resource)})`;
      return [[groupResource(group, resource), row.version, behavior + shared, row.clock ?? "-"]];
    }),
  );
  return columns(["RESOURCE", "VERSION", "BEHAVIOUR", "COUNTED FROM"], rows);
}

/** `preferred 1.16-1.20, supported 1.21, actively-migrated 1.22-1.24, ignored 1.25-1.37` */
const spans = (row: VersionRow, releases: readonly Minor[]): string =>
  spansOf({ releases }, row)
    .map(({ behavior, first, last }) => `${behavior} ${first === last ? first : `${first}-${last}`}`)
    .join(", ");
