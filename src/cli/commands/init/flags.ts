import { GIT_LAYOUTS } from "../../../directory/git-files.js";
import { choice, toggle } from "../../flags.js";

export const secrets = choice(
  "secrets",
  "layout of secrets for create (default: as recorded, otherwise separate)",
  GIT_LAYOUTS,
);
export const ci = choice("ci", "write a CI workflow that runs slipway check", ["github", "gitlab"]);
export const preCommit = toggle("pre-commit", "write a pre-commit hook that runs slipway check");
