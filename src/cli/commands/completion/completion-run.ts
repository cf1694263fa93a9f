import type { Group, Handler } from "../../command.js";
import { completionScript } from "../../completion.js";
import { EXIT } from "../../exit.js";
import { shell } from "./flags.js";

/** Knows all other commands from its caller, since the table holds this one, too. */
export const completion =
  (commands: Parameters<typeof completionScript>[1], groups: readonly Group[]): Handler =>
  async (args, world) => {
    world.stdout.pass(completionScript(args.get(shell), commands, groups));
    return EXIT.done;
  };
