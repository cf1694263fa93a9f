import type { Handler } from "../command.js";
import { completionScript } from "../completion.js";
import { EXIT } from "../exit.js";
import { shell } from "./completion.js";
import { GROUPS, SINGLE_COMMANDS } from "./index.js";

export const completion: Handler = async (args, world) => {
  const commands = [...SINGLE_COMMANDS, ...GROUPS.flatMap((group) => group.commands)];
  world.stdout.write(completionScript(args.get(shell), commands, GROUPS));
  return EXIT.done;
};
