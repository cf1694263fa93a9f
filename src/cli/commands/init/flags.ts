import { GIT_LAYOUTS } from "../../../directory/git-files.js";
import { choice, choiceWithDefault, text, toggle } from "../../flags.js";

export const secrets = choice(
  "secrets",
  "layout of secrets for create (default: as recorded, otherwise separate)",
  GIT_LAYOUTS,
);
/** The flag of the commands that compile has the same name, and reads the same file. */
export const fleet = text(
  "fleet",
  "prepare the repository for all clusters in a fleet file; one that does not exist is created with the asset directories found below",
  { value: "FILE" },
);
export const ci = choice("ci", "write a CI workflow that runs slipway check", ["github", "gitlab"]);
export const distribution = choiceWithDefault(
  "slipway",
  "with --ci: how the workflow gets slipway: an executable by checksum, or a container image by digest",
  ["executable", "image"],
  "executable",
);
/** Writes what the controller needs; the flag of `create` annotates the objects for it. */
export const gitops = choice(
  "gitops",
  "write what a controller needs to apply the clusters from this repository",
  ["argocd", "flux"],
);
export const preCommit = toggle("pre-commit", "write a pre-commit hook that runs slipway check");
