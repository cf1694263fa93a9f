import { reportWithoutVersions } from "../../../compatibility/feature-sets.js";
import { knownGates } from "../../../compatibility/gate-state.js";
import { checkTable } from "../../../compatibility/gate-table-check.js";
import { componentOf } from "../../../compatibility/gates-question.js";
import { testMatrix } from "../../../compatibility/test-matrix.js";
import { minorOf } from "../../../compatibility/version.js";
import { createReporter } from "../../../core/diagnostics.js";
import type { Handler } from "../../command.js";
import { EXIT, UsageError } from "../../exit.js";
import { print } from "../../print.js";
import { columns } from "../../text-table.js";
import { binaryVersion, perGate } from "./flags.js";
import { readTables, versionOf, versionRules } from "./inputs.js";

export const run: Handler = async (args, cli) => {
  const reporter = createReporter();
  const { report } = reporter;
  const rules = versionRules(args);
  const binary = versionOf("--binary-version", args.get(binaryVersion), report);
  const [table, ...more] = await readTables(args, cli, report, binary && minorOf(binary));
  if (more.length > 0) throw new UsageError("matrix accepts one --table");
  if (table !== undefined) {
    checkTable(table, rules, report);
    reportWithoutVersions(table, report);
  }
  const cells =
    table === undefined || reporter.failed
      ? []
      : testMatrix(knownGates(table, rules), componentOf(table, binary, report).binary, rules, {
          perGate: args.get(perGate),
        });
  const rows = cells.map((cell) => [
    cell.name,
    cell.emulatedVersion,
    cell.minCompatibilityVersion,
    cell.featureGates || "-",
    cell.tests,
  ]);
  print(args, cli, {
    kind: "TestMatrix",
    json: { cells },
    text: reporter.failed ? "" : columns(["CELL", "EMULATED", "MINIMUM", "FEATURE GATES", "TESTS OF"], rows),
    diagnostics: reporter.diagnostics,
  });
  return reporter.failed ? EXIT.wrong : EXIT.done;
};
