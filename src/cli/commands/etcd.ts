/** `slipway etcd …`: what the commands are; what they do is in etcd-*-run.ts. */
import type { Command, Group } from "../command.js";
import * as flags from "./etcd-flags.js";

const COPIES = `Reads copies of etcd: snapshots, db files of data directories, JSON dumps; several at once where a cluster
has several stores. Nothing is asked of a cluster or of a key management service.`;

const inventory: Command = {
  path: "etcd inventory",
  summary: "Count what a copy of etcd holds",
  details: `${COPIES}
Says for each resource how many keys there are, in which versions and with which keys they are stored and how much is
stale; whether an encryption key is safe to drop; which custom resources have lost their definition; where
status.storedVersions is not what is stored; and who may already delete objects that cannot be read.`,
  flags: [...flags.COPY_FLAGS, flags.kmsRequestsOut],
  examples: [
    {
      line: "slipway etcd inventory --snapshot etcd.db --encryption-config encryption.yaml",
      does: "what is stored, and which keys it needs",
    },
  ],
  load: async () => (await import("./etcd-inventory-run.js")).runInventory,
};

const audit: Command = {
  path: "etcd audit",
  summary: "Judge every object of a copy of etcd: does it decrypt, decode, survive the target release",
  details: `${COPIES}
Gives a verdict for every object, by the servers that exist and by the table of KEP-3166, and the Status that a LIST of
each resource with unreadable objects answers in the target release. Exit code 0 when everything reads, 3 when
something does not.`,
  flags: [...flags.COPY_FLAGS, flags.from, flags.namespace, flags.problemsOnly, flags.objectsOut],
  examples: [
    {
      line: "slipway etcd audit --snapshot etcd.db --encryption-config encryption.yaml --target 1.36",
      does: "what an upgrade to 1.36 would meet",
    },
    {
      line: "slipway etcd audit --dump all.json --target 1.37 --objects-out objects.jsonl",
      does: "a line for each object",
    },
  ],
  load: async () => (await import("./etcd-audit-run.js")).runAudit,
};

export const etcdGroup: Group = {
  word: "etcd",
  summary: "Read copies of etcd, and compile the repair of what cannot be read",
  commands: [inventory, audit],
};
