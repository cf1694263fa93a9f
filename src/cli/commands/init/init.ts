import { FLAGS } from "../../../pipeline/flags.js";
import type { Command } from "../../command.js";
import { ci, preCommit, secrets } from "./flags.js";

export const init: Command = {
  path: "init",
  summary: "Prepare a folder in a Git repository for a cluster",
  details: `Writes .gitignore (unencrypted secrets that create writes are not committed; encrypt or remove the pull secret and credentials in install-config.yaml yourself), .gitattributes, JSON Schemas and VS Code settings, and optionally a CI workflow and a pre-commit hook. Missing lines are appended to an existing .gitignore and .gitattributes; no other existing file is changed.`,
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
