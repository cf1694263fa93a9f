import type { Command } from "../../command.js";
import { annotations, current, lifecycle, rules } from "../compat/flags.js";
import { db, dump, encryptionConfig, from, kmsAnswers, snapshot, target } from "../etcd/flags.js";
import { migration, scenario } from "../storage/flags.js";
import { dir, fleet, html, plans, policy, tables, verify } from "./flags.js";

export const report: Command = {
  path: "report",
  summary: "Write an HTML report with tables, timelines and graphs",
  details: `Writes a section for each input, with the results of check, compat lifecycle,
storage behaviors, storage verify-policy, storage simulate, etcd inventory and etcd audit.
--plan adds saved plans as steps and gates, --fleet a matrix of clusters.
The page requires no network and no scripts, supports light and dark themes, and is printable.
The same inputs produce the same bytes. It never contains secrets. Findings do not change the
exit code: 0 if the page is written, 1 if an input is invalid (then nothing is written).`,
  flags: [
    html,
    dir,
    fleet,
    plans,
    tables,
    annotations,
    current,
    rules,
    lifecycle,
    policy,
    verify,
    migration,
    scenario,
    snapshot,
    db,
    dump,
    encryptionConfig,
    kmsAnswers,
    target,
    from,
  ],
  examples: [
    { line: "slipway report --html cluster.html --dir cluster", does: "an asset directory" },
    {
      line: "slipway report --html policy.html --lifecycle apis.yaml --policy kep",
      does: "API versions, how they are stored, and whether the policy is safe",
    },
    { line: "slipway report --html gates.html --table gates.yaml", does: "the lifecycle of feature gates" },
    { line: "slipway report --html plan.html --plan plan/plan.json", does: "a saved plan, step by step" },
    { line: "slipway report --html fleet.html --fleet fleet.txt", does: "the clusters of a fleet" },
  ],
  load: async () => (await import("./report-run.js")).run,
};
