import { FLAGS } from "../../../pipeline/flags.js";
import type { Command } from "../../command.js";
import { ci, preCommit, secrets } from "./flags.js";

export const init: Command = {
  path: "init",
  summary: "Prepare a folder in a Git repository for a cluster",
  details: `Writes .gitignore, .gitattributes, JSON Schemas and VS Code settings, and optionally a CI workflow and a pre-commit hook. .gitignore excludes the unencrypted secrets that create writes; encrypt or remove the pull secret and credentials in install-config.yaml yourself. Appends missing lines to an existing .gitignore and .gitattributes; does not change other existing files.`,
  flags: [FLAGS.dir, secrets, ci, preCommit],
  examples: [
    {
      line: "slipway init --dir clusters/heron --secrets sops --ci github",
      does: "encrypted secrets, checked in CI",
    },
  ],
  writes: true,
  load: async () => (await import("./init-run.js")).runInit,
};
