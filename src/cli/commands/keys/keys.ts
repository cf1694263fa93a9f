import type { Command } from "../../command.js";
import { count, dryRun, out } from "./flags.js";

export const keys: Command = {
  path: "keys",
  summary: "Generate private keys in advance, for create --keys",
  details: `Fills a file with RSA keys of 2,048 bits until it holds so many: a new file, or a pool that is there. create --keys FILE takes keys out of it, in any number of runs at once; manifests take 2 for a cluster, the later phases 24 more. The file is secret (mode 0600), and in a Git work tree it is added to .git/info/exclude. Move it where it is needed, and never copy it: two copies would give two clusters the same keys. A run that is interrupted keeps what it made.`,
  flags: [count, out, dryRun],
  examples: [
    { line: "slipway keys --count 260 --out keys.pool", does: "keys for ten clusters" },
    { line: "slipway create manifests --dir cluster --keys keys.pool", does: "a cluster without the wait" },
  ],
  writes: true,
  load: async () => (await import("./keys-run.js")).run,
};
