import { FLAGS } from "../../../pipeline/flags.js";
import type { Command } from "../../command.js";

export const krmFunction: Command = {
  path: "function",
  summary: "Run as a KRM function for kustomize, kpt and Argo CD",
  details: `Reads a ResourceList from standard input and writes it with the objects of a phase (functionConfig of kind ClusterFunction; slipway explain cluster-function). The state is an input, and nothing is written to disk: the same list gives the same bytes. What is wrong is in the results of the list and on standard error; exit 1 then. docs/function.md has kustomizations, a kpt package and a plugin of Argo CD.`,
  flags: [FLAGS.ageKeyFile],
  examples: [
    { line: "slipway function < list.yaml", does: "what kustomize does when it runs slipway as a generator" },
  ],
  load: async () => (await import("./function-run.js")).run,
};
