/** `slipway etcd …`: what the commands are; what they do is in the *-run.ts files. */
import type { Command, Group } from "../../command.js";
import * as flags from "./flags.js";

const COPIES = `Reads copies of etcd: snapshots, db files of data directories, JSON dumps; several at once
where a cluster has several stores. Nothing is asked of a cluster or of a key management
service.`;

const inventory: Command = {
  path: "etcd inventory",
  summary: "Count what a copy of etcd holds",
  details: `${COPIES} Says for each resource how many keys there are, in which versions and with which keys
they are stored and how much is stale; whether an encryption key is safe to drop; which custom
resources have lost their definition; where status.storedVersions is not what is stored; and
who may already delete objects that cannot be read.`,
  flags: [...flags.COPY_FLAGS, flags.kmsRequestsOut],
  examples: [
    {
      line: "slipway etcd inventory --snapshot etcd.db --encryption-config encryption.yaml",
      does: "what is stored, and which keys it needs",
    },
  ],
  load: async () => (await import("./inventory-run.js")).runInventory,
};

const audit: Command = {
  path: "etcd audit",
  summary: "Judge every object of a copy of etcd: does it decrypt, decode, survive the target release",
  details: `${COPIES} Gives a verdict for every object, by the servers that exist and by the table of
KEP-3166, and the Status that a LIST of each resource with unreadable objects answers in the
target release. Exit code 0 when everything reads, 3 when something does not.`,
  flags: [...flags.COPY_FLAGS, flags.from, flags.namespace, flags.problemsOnly, flags.objectsOut],
  examples: [
    {
      line: "slipway etcd audit --snapshot etcd.db --encryption-config encryption.yaml --release 1.36",
      does: "what an upgrade to 1.36 would meet",
    },
    {
      line: "slipway etcd audit --dump all.json --release 1.37 --objects-out objects.jsonl",
      does: "a line for each object",
    },
  ],
  load: async () => (await import("./audit-run.js")).runAudit,
};

const plan: Command = {
  path: "etcd plan",
  summary: "Compile the repair of what a copy of etcd shows to be unreadable",
  details: `${COPIES} Writes into --out, numbered in the order in which they are used: the keys to look
for, settings of the servers, rights for exactly the planned deletions, their requests and a
Job that sends them, migrations, patches of definitions, and the removal of the rights;
plan.json and RUNBOOK.md describe them. The Job is suspended until the plan is compiled again
with --confirm and its digest. Nothing is sent anywhere.`,
  flags: [
    ...flags.COPY_FLAGS,
    flags.from,
    flags.out,
    flags.namespace,
    flags.subject,
    flags.jobImage,
    flags.confirm,
    flags.migrator,
    flags.unansweredIsLost,
  ],
  examples: [
    {
      line: "slipway etcd plan --snapshot etcd.db --encryption-config encryption.yaml --release 1.36 --out repair",
      does: "the repair, with a suspended Job",
    },
    {
      line: "slipway etcd plan --snapshot etcd.db --encryption-config encryption.yaml --release 1.36 --out repair --namespace old",
      does: "only what keeps a namespace from going",
    },
  ],
  load: async () => (await import("./plan-run.js")).runPlan,
};

const extract: Command = {
  path: "etcd extract",
  summary: "Write objects of a copy as files: plain bytes, or YAML that can be applied",
  details: `${COPIES} Decrypts values and writes them with mode 0600: the only output of slipway that may
hold what was secret. --as yaml and --as json write objects as somebody would have written
them, without uid, managed fields, owners and status and in a version that the target serves,
so that kubectl create -f DIR creates them again: one key, or a folder of what --resource,
--namespace, --all or a plan selects. Exit code 3 when something cannot be decrypted or
decoded.`,
  flags: [
    flags.snapshot,
    flags.db,
    flags.dump,
    flags.encryptionConfig,
    flags.kmsAnswers,
    flags.revision,
    flags.target,
    flags.prefix,
    flags.hash,
    flags.as,
    flags.key,
    flags.resource,
    flags.namespace,
    flags.all,
    flags.planFile,
    flags.withStatus,
    flags.outFile,
  ],
  examples: [
    {
      line: "slipway etcd extract --snapshot etcd.db --encryption-config encryption.yaml --key /registry/secrets/default/db --out db.bin",
      does: "recover one object",
    },
    {
      line: "slipway etcd extract --snapshot etcd.db --as yaml --namespace shop --release 1.37 --out shop",
      does: "a namespace as files for kubectl create -f shop",
    },
  ],
  load: async () => (await import("./extract-run.js")).runExtract,
};

export const etcdGroup: Group = {
  word: "etcd",
  summary: "Read copies of etcd, and plan the repair of unreadable objects",
  commands: [inventory, audit, plan, extract],
};
