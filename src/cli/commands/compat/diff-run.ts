import { diffTables } from "../../../compatibility/gate-diff.js";
import type { GateTable } from "../../../compatibility/gate-table.js";
import { readGateTable } from "../../../compatibility/read/gate-table.js";
import { createReporter } from "../../../core/diagnostics.js";
import type { Handler } from "../../command.js";
import { EXIT } from "../../exit.js";
import { print } from "../../print.js";
import { readTextFile } from "../../read-text.js";
import { columns } from "../../text-table.js";
import { newTable, oldTable } from "./flags.js";

export const run: Handler = async (args, world) => {
  const reporter = createReporter();
  const read = (path: string): GateTable | undefined => {
    const text = readTextFile(world, path, reporter.report);
    return text === undefined ? undefined : readGateTable(text, path, reporter.report);
  };
  const [before, after] = [read(args.get(oldTable)), read(args.get(newTable))];
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
