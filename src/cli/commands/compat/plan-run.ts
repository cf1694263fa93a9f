import { reportWithoutVersions } from "../../../compatibility/feature-sets.js";
import { newestRelease } from "../../../compatibility/gate-table.js";
import { checkTable } from "../../../compatibility/gate-table-check.js";
import { noteBeyond } from "../../../compatibility/gates-question.js";
import { type PlanQuestion, upgradePlan } from "../../../compatibility/plan.js";
import { PLAN_COMPONENTS } from "../../../compatibility/plan-route.js";
import { type FlagInUse, readFlagsInUse } from "../../../compatibility/read/flags-in-use.js";
import type { InEffect } from "../../../compatibility/read/gates-in-effect.js";
import { API_SERVER } from "../../../compatibility/skew.js";
import { compareMinors, formatMinor, type Minor, maxMinor } from "../../../compatibility/version.js";
import { createReporter, type Diagnostic, type Report } from "../../../core/diagnostics.js";
import { problem, warning } from "../../../core/problem.js";
import type { Handler } from "../../command.js";
import { EXIT, UsageError } from "../../exit.js";
import { type Arguments, output } from "../../flags.js";
import { refuseBeside, refuseWithout } from "../../idle-flags.js";
import { planText } from "../../plan-page.js";
import { print } from "../../print.js";
import { readTextFile } from "../../read-text.js";
import {
  annotations,
  base,
  components as componentsFlag,
  dependencies,
  featureGates as featureGatesFlag,
  flagsFrom,
  from as fromFlag,
  gatesFrom,
  hops as hopsFlag,
  lifecycle as lifecycleFlag,
  pins,
  runtimeConfig,
  tables as tablesFlag,
  to as toFlag,
  verbose as verboseFlag,
} from "./flags.js";
import {
  featureGateTexts,
  flagTexts,
  gateTables,
  readDependencyFile,
  readInEffectFiles,
  readLifecycle,
  readPins,
  readTables,
  releaseFlag,
  versionRules,
} from "./inputs.js";
import { upgradePage } from "./plan-text.js";

export const run: Handler = async (args, cli) => {
  const reporter = createReporter();
  const { report } = reporter;
  const rules = versionRules(args);
  for (const flag of [fromFlag, toFlag])
    if (args.get(flag) === undefined) throw new UsageError(`--${flag.name} RELEASE is required`);
  const components = componentsOf(args);
  const hops = args.get(hopsFlag);
  refuseWithout(args, [tablesFlag, base], [dependencies, annotations, featureGatesFlag, gatesFrom]);
  refuseWithout(args, [lifecycleFlag], [pins, runtimeConfig]);
  if (!components.includes(API_SERVER))
    refuseBeside(args, `--components ${components.join(",")}`, `only ${API_SERVER} serves APIs`, [
      lifecycleFlag,
      pins,
      runtimeConfig,
    ]);
  const inEffect = readInEffectFiles(args, cli, report).map((each) => ofPlan(each, components));
  noteOthers(inEffect, components, report);
  const inUse = args.get(flagsFrom).flatMap((path) => {
    const text = readTextFile(cli, path, report);
    return text === undefined ? [] : readFlagsInUse(text, path, report);
  });
  const tables = args.get(tablesFlag).length > 0 ? await readTables(args, cli, report, "all") : [];
  const basePath = args.get(base);
  if (basePath !== undefined) tables.unshift(...(await gateTables(basePath, cli, report)));
  for (const table of tables) {
    checkTable(table, rules, report);
    reportWithoutVersions(table, report);
  }
  const lifecycle =
    args.get(lifecycleFlag) === undefined ? undefined : await readLifecycle(args, cli, report);
  const pinned =
    args.get(lifecycleFlag) === undefined && args.get(pins) === undefined
      ? undefined
      : await readPins(args, pins, cli, report);
  const gates = newestOf(tables.map(newestRelease));
  const from = releaseFlag(args, fromFlag, [gates, lifecycle?.newest], report);
  const to = releaseFlag(args, toFlag, [gates, lifecycle?.newest], report);
  if (from !== undefined && to !== undefined) checkDirection(from, to, report);
  const asked = newestOf([from, to]);
  // Of two ends of the data the nearer one is told: it holds for both.
  const [end] = [gates, lifecycle?.newest].flatMap((each) => each ?? []).sort(compareMinors);
  if (asked !== undefined && end !== undefined) noteBeyond(asked, end, report);
  const steps =
    from === undefined || to === undefined || reporter.failed
      ? []
      : upgradePlan(
          {
            from,
            to,
            components,
            tables,
            dependencies: readDependencyFile(args, cli, report),
            lifecycle,
            pins: pinned,
            featureGates: featureGateTexts(args),
            inEffect,
            hops,
            refusedFlags: await refusedBy(inUse),
            runtimeConfig: flagTexts("--runtime-config", args.get(runtimeConfig)),
            rules,
          },
          report,
        );
  const notChecked = [
    ...(tables.length === 0 ? ["gates, without --table"] : []),
    ...(lifecycle === undefined && components.includes(API_SERVER)
      ? ["APIs and storage versions, without --lifecycle"]
      : []),
    ...(tables.length > 0 && inEffect.length === 0 && args.get(featureGatesFlag).length === 0
      ? ["gates that you set, without --gates-from or --feature-gates"]
      : []),
  ];
  const isRead = from !== undefined && to !== undefined && !reporter.failed;
  const verbose = args.get(verboseFlag);
  const asJson = args.get(output) === "json";
  const blocked = steps.filter(({ blockers }) => blockers.length > 0).length;
  print(args, cli, {
    kind: "UpgradePlan",
    json: {
      from: from === undefined ? args.get(fromFlag) : formatMinor(from),
      to: to === undefined ? args.get(toFlag) : formatMinor(to),
      hops,
      blocked: blocked > 0,
      steps,
    },
    text: isRead ? planText(upgradePage({ from, to, hops, steps, notChecked, verbose }), cli.stdout) : "",
    textFirst: true,
    diagnostics: asJson || verbose ? reporter.diagnostics : skewOnce(reporter.diagnostics),
  });
  if (reporter.failed) return EXIT.wrong;
  return blocked > 0 ? EXIT.no : EXIT.done;
};

/** The table of flags is loaded only where some are in use. */
async function refusedBy(inUse: readonly FlagInUse[]): Promise<PlanQuestion["refusedFlags"]> {
  if (inUse.length === 0) return undefined;
  const { refusedFlags } = await import("../../../compatibility/component-flags.js");
  return (component, before, after) =>
    refusedFlags(inUse, component, before, after).map((each) => ({
      ...each,
      hint: `${each.hint ?? ""} (${each.file}:${each.line})`,
    }));
}

/** One warning for all pairs of versions outside the skew policy; the rest is below `--verbose`. */
function skewOnce(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const [first, ...others] = diagnostics.filter(({ code }) => code === "SKEW005");
  if (first === undefined || others.length === 0) return diagnostics;
  const message = `${first.message}; ${others.length} more (--verbose)`;
  return diagnostics.flatMap((each) =>
    each === first ? [{ ...each, message }] : others.includes(each) ? [] : [each],
  );
}

const newestOf = (releases: readonly (Minor | undefined)[]): Minor | undefined =>
  releases.reduce((a, b) => (a !== undefined && b !== undefined ? maxMinor(a, b) : (a ?? b)), undefined);

function componentsOf(args: Arguments): readonly string[] {
  const given = args.get(componentsFlag);
  if (given === undefined) return PLAN_COMPONENTS;
  const names = given.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !PLAN_COMPONENTS.includes(name));
  if (unknown !== undefined)
    throw new UsageError(
      `--components: unsupported value ${JSON.stringify(unknown)}: supported values: ${PLAN_COMPONENTS.join(", ")}`,
    );
  return PLAN_COMPONENTS.filter((name) => names.includes(name));
}

/** Settings of what takes no part in the plan have no effect on it. */
function noteOthers(inEffect: readonly InEffect[], components: readonly string[], report: Report): void {
  const names = [...new Set(inEffect.map(({ component }) => component))];
  if (names.length === 0 || names.some((name) => components.includes(name))) return;
  report(
    warning(
      "TAB005",
      "NotSupported",
      "",
      `--gates-from has no effect: it contains ${names.join(", ")}, and the plan covers ${components.join(", ")}`,
    ),
  );
}

/** A dump of metrics does not say whose it is. */
function ofPlan(each: InEffect, components: readonly string[]): InEffect {
  const [only = "", ...others] = components;
  if (each.component !== "") return each;
  if (others.length > 0)
    throw new UsageError(
      "--gates-from: a metrics dump does not name its component; select one component with --components",
    );
  return { ...each, component: only };
}

function checkDirection(from: Minor, to: Minor, report: Report): void {
  if (from.major === to.major && compareMinors(from, to) !== 0) return;
  report(
    problem(
      "PLAN002",
      "Invalid",
      "--to",
      `invalid value ${formatMinor(to)}: must be another minor release with the same major version as ${formatMinor(from)}`,
      {
        file: "--to",
        line: 1,
        column: 1,
        hint: "use a newer release to upgrade, or an older release to roll back",
      },
    ),
  );
}
