import { HANDLED_STARTERS } from "../../platforms/starters.js";
import type { Command } from "../command.js";
import { choice, type Flag, text, toggle } from "../flags.js";
import * as common from "./pipeline-flags.js";

export const platform = choice("platform", "where the cluster runs", HANDLED_STARTERS);
export const name = text("name", "name of the cluster", { value: "NAME" });
export const baseDomain = text("base-domain", "domain below which the cluster gets its own", {
  value: "DOMAIN",
});
export const region = text("region", "region of the cluster (aws)", { value: "REGION" });
export const platformName = text("platform-name", "name of the platform (external)", { value: "NAME" });
export const fromStdin = toggle("from-stdin", "take the install-config from standard input, unchanged");

/** The flags that answer a platform's questions, by name. */
export const PLATFORM_FLAGS: Readonly<Record<string, Flag<string | undefined>>> = {
  region,
  "platform-name": platformName,
};

export const createInstallConfig: Command = {
  path: "create install-config",
  summary: "Write an install-config.yaml to start from",
  details: `Writes DIR/install-config.yaml with comments, from flags; on a terminal it asks for what is missing. With --from-stdin
it checks that the input can be read, and stores it as it is. A file that exists is never rewritten (exit 1).`,
  flags: [
    common.dir,
    platform,
    name,
    baseDomain,
    region,
    platformName,
    common.pullSecret,
    common.sshKey,
    fromStdin,
    common.release,
    common.lenient,
  ],
  examples: [
    {
      line: "slipway create install-config --dir cluster --platform aws --name demo --base-domain example.com --region eu-west-1",
      does: "a commented starter",
    },
    {
      line: "slipway create install-config --dir cluster --from-stdin < config.yaml",
      does: "check and store a file",
    },
  ],
  load: async () => (await import("./create-install-config-run.js")).runCreateInstallConfig,
};
