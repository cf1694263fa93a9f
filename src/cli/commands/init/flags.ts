import { GIT_LAYOUTS } from "../../../directory/git-files.js";
import { choice, toggle } from "../../flags.js";

export const secrets = choice(
  "secrets",
  "how create is going to lay out secrets (default: as recorded, else separate)",
  GIT_LAYOUTS,
);
export const ci = choice("ci", "write a workflow that runs slipway check", ["github", "gitlab"]);
export const preCommit = toggle("pre-commit", "write a hook for pre-commit that runs slipway check");
