import { checkDeclarations } from "../../../compatibility/gate-dependencies.js";
import { knownGates } from "../../../compatibility/gate-state.js";
import type { GateTable } from "../../../compatibility/gate-table.js";
import { checkTable } from "../../../compatibility/gate-table-check.js";
import { withDependencies } from "../../../compatibility/import.js";
import { allDependencies, annotate, annotationsOf } from "../../../compatibility/read/dependencies.js";
import { readDocument } from "../../../compatibility/read/document.js";
import { createReporter, type Report } from "../../../core/diagnostics.js";
import { problem } from "../../../core/problem.js";
import type { CliContext } from "../../cli-context.js";
import type { Handler } from "../../command.js";
import type { Arguments } from "../../flags.js";
import { readTextFile } from "../../read-text.js";
import { annotations, rules as rulesFlag } from "../compat/flags.js";
import { apiTable, gateTables, readDependencyFile } from "../compat/inputs.js";
import { codeLanguageOf, emitCode, goCode, inputOf, languageOf, packageOf, type TableCode } from "./code.js";

export const featureGates: Handler = async (args, cli) => {
  const reporter = createReporter();
  const { report } = reporter;
  const path = inputOf(args);
  const [read] = await gateTables(path, cli, report);
  const table = read && complete(read, args, cli, report);
  if (table !== undefined) {
    const rules = { set: args.get(rulesFlag), stage: "beta" } as const;
    checkTable(table, rules, report);
    if (rules.set === "shipped")
      checkDeclarations(allDependencies(table, []), knownGates(table, rules), report);
    if (table.gates.length > 0 && table.gates.every(({ specs }) => specs.length === 0))
      report(
        problem("TAB007", "Invalid", "", "the table contains no versions", {
          file: path,
          hint: "use a list with versioned specs",
        }),
      );
  }
  return emitCode(args, cli, table && (await featureGateCode(table, args, report)), reporter);
};

/** What a foreign list loses, from the files that know it. */
function complete(table: GateTable, args: Arguments, cli: CliContext, report: Report): GateTable {
  const path = args.get(annotations);
  const text = path === undefined ? undefined : readTextFile(cli, path, report);
  const document = path === undefined || text === undefined ? undefined : readDocument(text, path, report);
  const noted = document === undefined ? table : annotate(table, annotationsOf(document), report);
  return withDependencies(noted, readDependencyFile(args, cli, report), report);
}

async function featureGateCode(table: GateTable, args: Arguments, report: Report): Promise<TableCode> {
  const { featureGateDeclarations } = await import("../../../generators/feature-gates.js");
  const rules = args.get(rulesFlag);
  const language = languageOf(args);
  if (language === "md")
    return {
      module: async () =>
        (await import("../../../generators/feature-gates-markdown.js")).featureGatePage(table, rules),
      declarations: undefined,
    };
  if (language === "ts")
    return {
      module: async () =>
        (await import("../../../generators/feature-gates-typescript.js")).featureGateModule(table, rules),
      declarations: featureGateDeclarations(table, rules),
    };
  const { goFeatureGates } = await import("../../../generators/feature-gates-go.js");
  return goCode(goFeatureGates(table, await packageOf(args, "features"), report));
}

export const apiAvailability: Handler = async (args, cli) => {
  const reporter = createReporter();
  const table = await apiTable(inputOf(args), cli, reporter.report);
  if (table === undefined) return emitCode(args, cli, undefined, reporter);
  const { apiAvailabilityDeclarations } = await import("../../../generators/api-availability.js");
  if (codeLanguageOf(args) === "ts")
    return emitCode(
      args,
      cli,
      {
        module: async () =>
          (await import("../../../generators/api-availability-typescript.js")).apiAvailabilityModule(table),
        declarations: apiAvailabilityDeclarations(table),
      },
      reporter,
    );
  const { goApiAvailability } = await import("../../../generators/api-availability-go.js");
  return emitCode(args, cli, goCode(goApiAvailability(table, await packageOf(args, "apis"))), reporter);
};
