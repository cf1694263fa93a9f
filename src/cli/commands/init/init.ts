import { FLAGS } from "../../../pipeline/flags.js";
import type { Command } from "../../command.js";
import { ci, preCommit, secrets } from "./flags.js";

export const init: Command = {
  path: "init",
  summary: "Prepare a folder in a Git repository for a cluster",
  details: `Writes .gitignore (nothing that create writes in the open is committed; the pull secret and logins in install-config.yaml are yours to encrypt or to leave out), .gitattributes, JSON Schemas for editors with the settings of VS Code, and on request a CI workflow and a hook of pre-commit. Lines that are missing in your own .gitignore and .gitattributes are added at the end; no other file that exists is changed.`,
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
