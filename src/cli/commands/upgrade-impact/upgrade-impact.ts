import type { Command } from "../../command.js";
import { clusterState, compileFlags, verbose } from "./flags.js";

export const upgradeImpact: Command = {
  path: "upgrade-impact",
  summary: "Show what applying a directory would do to a running cluster",
  details: `Compiles infrastructure-manifests in memory, with another --release or changed inputs if you like, and compares each object with a dump of the management cluster; writes nothing. Outcomes: created, updated (with the effect), refused (by a validation rule or by the provider's webhook), pruned (the controller deletes it, with what that costs), left (no longer in the directory, stays in the cluster), no effect (read during installation only), unverified. Without --cluster-state, prints the command that takes the dump. Exit 3 if an object is refused or pruned, otherwise 0.`,
  flags: [clusterState, ...compileFlags, verbose],
  examples: [
    {
      line: "slipway upgrade-impact --dir cluster --cluster-state cluster.yaml --release 4.22",
      does: "before you merge a new release",
    },
  ],
  load: async () => (await import("./upgrade-impact-run.js")).upgradeImpact,
};
