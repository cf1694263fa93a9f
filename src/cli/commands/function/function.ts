import { FLAGS } from "../../../pipeline/flags.js";
import type { Command } from "../../command.js";

export const krmFunction: Command = {
  path: "function",
  summary: "Run as a KRM function for kustomize, kpt and Argo CD",
  details: `Reads a ResourceList from standard input and prints it with the objects of a phase (functionConfig of kind ClusterFunction; see slipway explain cluster-function). The state is an input and nothing is written to disk, so the same list produces the same bytes. Problems are reported in the results of the list and on standard error; the exit code is then 1. See docs/function.md for kustomizations, a kpt package and an Argo CD plugin.`,
  flags: [FLAGS.ageKeyFile],
  examples: [{ line: "slipway function < list.yaml", does: "how kustomize runs slipway as a generator" }],
  load: async () => (await import("./function-run.js")).run,
};
