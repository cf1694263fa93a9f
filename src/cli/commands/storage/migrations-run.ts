import { createReporter, type Report } from "../../../core/diagnostics.js";
import { info, problem } from "../../../core/problem.js";
import { NEWEST_TARGET } from "../../../kubernetes/releases.js";
import {
  MIGRATION_TEMPLATES,
  type MigrationApi,
  migrationApi,
  migrationObject,
  needsOf,
} from "../../../kubernetes/storage-migration.js";
import { compareMinors, formatMinor, groupResource } from "../../../storage/compatibility.js";
import { hasLegalNames, readStorageCrds } from "../../../storage/crd.js";
import {
  migrationViews,
  type NeededMigration,
  neededBetween,
  neededForCrd,
} from "../../../storage/migrations.js";
import { createRenderer } from "../../../text/render.js";
import { writeYaml } from "../../../text/yaml-write.js";
import type { CliContext } from "../../cli-context.js";
import type { Handler } from "../../command.js";
import { EXIT, UsageError } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { noteIdle, refuseBeside } from "../../idle-flags.js";
import { print } from "../../print.js";
import { readTextFile } from "../../read-text.js";
import { lifecycle } from "../compat/flags.js";
import { readLifecycle, readPins } from "../compat/inputs.js";
import { crd, from, pins, standalone, to } from "./flags.js";
import { flagInWords, kubernetesReleaseOf, targetOf } from "./inputs.js";

export const run: Handler = async (args, cli) => {
  const reporter = createReporter();
  const { report } = reporter;
  if (!args.given(crd) && !args.given(to)) throw new UsageError("--to RELEASE is required");
  const target = targetOf(args, to, report);
  const api = migrationApi(target ?? NEWEST_TARGET, args.get(standalone));
  const needed = target === undefined ? undefined : await neededOf(args, cli, { target, api }, report);
  const ok = target !== undefined && needed !== undefined && !reporter.failed;
  if (ok && needed.length > 0) noteNeeds(api, target, report);
  const renderer = await createRenderer([MIGRATION_TEMPLATES], report);
  const objects = ok ? migrationViews(needed, api).map((view) => migrationObject(renderer, api, view)) : [];
  const reasons = (needed ?? []).map(
    ({ group, resource, version, stored }) =>
      `# ${groupResource(group, resource)}: ${stored.join(", ")} -> ${version}\n`,
  );
  print(args, cli, {
    kind: "StorageMigrations",
    json: { target: formatMinor(target ?? NEWEST_TARGET), needed: ok ? needed : [], objects },
    text: objects
      .map((object, i) => `${i === 0 ? "" : "---\n"}${reasons[i] ?? ""}${writeYaml(object)}`)
      .join(""),
    diagnostics: reporter.diagnostics,
  });
  if (ok && objects.length === 0) cli.log.info("nothing to migrate");
  return ok ? EXIT.done : EXIT.wrong;
};

interface Wanted {
  readonly target: NonNullable<ReturnType<typeof targetOf>>;
  readonly api: MigrationApi;
}

async function neededOf(
  args: Arguments,
  cli: CliContext,
  { target, api }: Wanted,
  report: Report,
): Promise<NeededMigration[] | undefined> {
  const [definition, table] = [args.get(crd), args.get(lifecycle)];
  if ((definition === undefined) === (table === undefined))
    throw new UsageError(
      "--table FILE (with --from) or --crd FILE is required; use --table kubernetes for the built-in Kubernetes tables",
    );
  const why = "the CRD already lists its stored versions";
  refuseBeside(args, crd, why, [pins]);
  if (definition !== undefined) {
    noteIdle(args, why, [from], report);
    const text = readTextFile(cli, definition, report);
    const read = text === undefined ? undefined : readStorageCrds(text, definition, report);
    if (read === undefined || !read.map((each) => hasLegalNames(each, report)).every(Boolean))
      return undefined;
    return read.flatMap((each) => {
      const one = neededForCrd(each, api, report);
      return one === undefined ? [] : [one];
    });
  }
  if (!args.given(from)) throw new UsageError("--from RELEASE is required");
  const start = kubernetesReleaseOf(args, from, [], report);
  if (start === undefined) return undefined;
  if (compareMinors(start, target) > 0)
    throw new UsageError(
      `--from ${flagInWords(args, from, start)} is newer than --to ${flagInWords(args, to, target)}`,
    );
  if (table === undefined) return undefined;
  const read = await readLifecycle(args, cli, report);
  if (read === undefined) return undefined;
  if (read.newest !== undefined && compareMinors(target, read.newest) > 0) {
    report(
      problem(
        "TAB007",
        "NotFound",
        "--to",
        `the API lifecycles do not cover ${flagInWords(args, to, target)}`,
        { file: table, hint: `use a release up to ${formatMinor(read.newest)}` },
      ),
    );
    return undefined;
  }
  return neededBetween(
    { table: read, from: start, to: target, pins: await readPins(args, pins, cli, report) },
    report,
  );
}

function noteNeeds(api: MigrationApi, target: Wanted["target"], report: Report): void {
  for (const each of needsOf(api, target))
    report(info("STO041", "Required", api.apiVersion, `the migrations require ${each}`, ""));
}
