import { FLAGS } from "../../../pipeline/flags.js";
import type { Command } from "../../command.js";
import { ci, distribution, fleet, gitops, preCommit, secrets } from "./flags.js";

export const init: Command = {
  path: "init",
  summary: "Prepare a Git repository, or a folder in it, for clusters",
  details: `Writes .gitignore, .gitattributes, JSON Schemas and VS Code settings, and optionally a CI workflow and a pre-commit hook. .gitignore excludes the unencrypted secrets that create writes; encrypt or remove the pull secret and credentials in install-config.yaml yourself. With --fleet, run it in the top folder of the repository: every cluster gets its ignore rules, and the workflow checks only the clusters that changed. With --gitops, the folder gitops gets an ApplicationSet and a plug-in for Argo CD, or a Kustomization for each cluster for Flux. Values that only you know are marked REPLACE-ME; the workflow fails until you replace them. Appends missing lines to an existing .gitignore and .gitattributes; does not change other existing files.`,
  flags: [FLAGS.dir, fleet, secrets, ci, distribution, preCommit, gitops, FLAGS.ageKeyFile],
  examples: [
    {
      line: "slipway init --dir clusters/heron --secrets sops --ci github",
      does: "encrypted secrets, checked in CI",
    },
    {
      line: "slipway init --fleet fleet.txt --ci gitlab",
      does: "all clusters of a repository",
    },
    {
      line: "slipway init --fleet fleet.txt --secrets sops --gitops flux",
      does: "clusters that Flux decrypts and applies",
    },
  ],
  writes: true,
  load: async () => (await import("./init-run.js")).runInit,
};
