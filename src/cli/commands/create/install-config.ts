import { flagsOf } from "../../../pipeline/flags.js";
import type { Command } from "../../command.js";
import {
  baseDomain,
  fromStdin,
  machineNetwork,
  name,
  PLATFORM_FLAGS,
  platform,
} from "./install-config-flags.js";

export const createInstallConfig: Command = {
  path: "create install-config",
  summary: "Write an initial install-config.yaml",
  details: `Writes DIR/install-config.yaml with comments, from flags. On a terminal it asks for all other values that a first cluster needs, checks each answer and shows all of them before it writes; after Ctrl-C the next run continues with the answers (secrets are not kept). --from-stdin checks that the input can be parsed and stores it unchanged. Never overwrites an existing file (exit 1).`,
  flags: [
    platform,
    name,
    baseDomain,
    machineNetwork,
    ...PLATFORM_FLAGS.values(),
    fromStdin,
    ...flagsOf("create install-config"),
  ],
  examples: [
    {
      line: "slipway create install-config --dir cluster --platform aws --name demo --base-domain example.com --region eu-west-1",
      does: "a commented starter",
    },
    {
      line: "slipway create install-config --dir cluster --from-stdin < config.yaml",
      does: "check and store an existing config",
    },
  ],
  writes: true,
  load: async () => (await import("./install-config-run.js")).runCreateInstallConfig,
};
