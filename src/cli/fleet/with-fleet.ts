import type { Handler } from "../command.js";
import { UsageError } from "../exit.js";
import type { Operand } from "../flags.js";
import { refuseWithout } from "../idle-flags.js";
import { FLEET_FLAGS, fleet } from "./flags.js";
import type { FleetCommand } from "./message.js";

/** The handler of a command that works on one cluster (named by `operand` or `--dir`), or with `--fleet` on many. */
export const withFleet =
  (command: FleetCommand, one: Handler, operand?: Operand<string | undefined>): Handler =>
  async (args, cli) => {
    if (args.given(fleet) && operand !== undefined && args.get(operand) !== undefined)
      throw new UsageError(`${operand.name.toUpperCase()} and --fleet are mutually exclusive`);
    if (args.given(fleet)) return (await import("./fleet-run.js")).runFleet(command, args, cli);
    refuseWithout(args, [fleet], FLEET_FLAGS);
    return one(args, cli);
  };
