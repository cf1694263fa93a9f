import { diffTables } from "../../../compatibility/gate-diff.js";
import { createReporter } from "../../../core/diagnostics.js";
import type { Handler } from "../../command.js";
import { EXIT } from "../../exit.js";
import { print } from "../../print.js";
import { columns } from "../../text-table.js";
import { newTable, oldTable } from "./flags.js";
import { gateTables } from "./inputs.js";

export const run: Handler = async (args, world) => {
  const reporter = createReporter();
  const [[before], [after]] = await Promise.all([
    gateTables(args.get(oldTable), world, reporter.report),
    gateTables(args.get(newTable), world, reporter.report),
  ]);
  const gates =
    before === undefined || after === undefined || reporter.failed ? [] : diffTables(before, after);
  const rows = gates.map(({ name, change, details }) => [name, change, details]);
  print(args, world, {
    kind: "GateDiff",
    json: { gates },
    text: reporter.failed
      ? ""
      : gates.length === 0
        ? "no difference"
        : columns(["GATE", "CHANGE", "DETAILS"], rows),
    diagnostics: reporter.diagnostics,
  });
  return reporter.failed ? EXIT.wrong : EXIT.done;
};
