import type { Command } from "../../command.js";
import { count, dryRun, out } from "./flags.js";

export const keys: Command = {
  path: "keys",
  summary: "Generate private keys in advance, for create --keys",
  details: `Adds 2,048-bit RSA keys to a new or existing pool file until it contains the given number. create --keys FILE removes keys from it, in any number of parallel runs; manifests require 2 keys per cluster, the later phases 24 more. The file is secret (mode 0600); in a Git work tree it is added to .git/info/exclude. Move the file where you need it, but never copy it: two copies would give two clusters the same keys. An interrupted run keeps the keys that it has generated.`,
  flags: [count, out, dryRun],
  examples: [
    { line: "slipway keys --count 260 --out keys.pool", does: "keys for ten clusters" },
    {
      line: "slipway create manifests --dir cluster --keys keys.pool",
      does: "create a cluster without waiting for keys",
    },
  ],
  writes: true,
  load: async () => (await import("./keys-run.js")).run,
};
