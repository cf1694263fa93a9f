import type { Command } from "../../command.js";
import { annotations, current, lifecycle, rules } from "../compat/flags.js";
import { db, dump, encryptionConfig, from, kmsAnswers, snapshot, target } from "../etcd/flags.js";
import { migration, scenario } from "../storage/flags.js";
import { dir, html, policy, tables, verify } from "./flags.js";

export const report: Command = {
  path: "report",
  summary: "Write one HTML page with tables, timelines and graphs",
  details: `Writes a section for each input that is given, with the answers of check, compat lifecycle,
storage behaviors, storage verify-policy, storage simulate, etcd inventory and etcd audit.
The page needs no network and no script, follows the reader's light or dark theme, and prints.
The same inputs give the same bytes; secrets never get into it. What is unsafe or out of date
does not change the exit code: 0 when the page is written, 1 when an input is wrong (then
nothing is written).`,
  flags: [
    html,
    dir,
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
      does: "API versions, how they are stored, and whether that is safe",
    },
    { line: "slipway report --html gates.html --table gates.yaml", does: "the life of feature gates" },
  ],
  load: async () => (await import("./report-run.js")).run,
};
