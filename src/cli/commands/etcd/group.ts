/** `slipway etcd …`: what the commands are; what they do is in the *-run.ts files. */
import type { Command, Group } from "../../command.js";
import * as flags from "./flags.js";

const COPIES = `Reads copies of etcd: snapshots, db files from data directories, or JSON dumps. If a cluster has
several etcd stores, specify a copy of each. Never contacts a cluster or a key management service.`;

const inventory: Command = {
  path: "etcd inventory",
  summary: "Count the objects in a copy of etcd",
  details: `${COPIES} For each resource, shows the number of keys, their storage versions and
encryption keys, and the number of stale values. Also lists the encryption keys that are safe to
remove, custom resources without a CRD, CRDs whose status.storedVersions differs from the stored
versions, and subjects that can already delete unreadable objects.`,
  flags: [...flags.COPY_FLAGS, flags.kmsRequestsOut],
  examples: [
    {
      line: "slipway etcd inventory --snapshot etcd.db --encryption-config encryption.yaml",
      does: "stored objects, and the keys that they require",
    },
  ],
  load: async () => (await import("./inventory-run.js")).runInventory,
};

const audit: Command = {
  path: "etcd audit",
  summary: "Check that an API server can read every object in a copy of etcd",
  details: `${COPIES} Prints a verdict for every object, both by the behavior of existing API servers and by
the table in KEP-3166. For each resource with unreadable objects, prints the Status that a LIST
returns in the target release. Exit 0 if everything is readable, 3 otherwise.`,
  flags: [...flags.COPY_FLAGS, flags.from, flags.namespace, flags.problemsOnly, flags.objectsOut],
  examples: [
    {
      line: "slipway etcd audit --snapshot etcd.db --encryption-config encryption.yaml --release 1.36",
      does: "objects that an upgrade to 1.36 would break",
    },
    {
      line: "slipway etcd audit --dump all.json --release 1.37 --objects-out objects.jsonl",
      does: "one line per object",
    },
  ],
  findings: true,
  load: async () => (await import("./audit-run.js")).runAudit,
};

const plan: Command = {
  path: "etcd plan",
  summary: "Generate a repair plan for unreadable objects in a copy of etcd",
  details: `${COPIES} Writes files to --out, numbered in the order of use: the keys to look for, API server
settings, RBAC for exactly the planned deletions, the delete requests and a Job that sends them,
migrations, CRD patches, and the removal of the RBAC. plan.json and RUNBOOK.md describe them. The
Job is suspended until you generate the plan again with --confirm and its digest. slipway itself
sends nothing.`,
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
      does: "a repair plan with a suspended Job",
    },
    {
      line: "slipway etcd plan --snapshot etcd.db --encryption-config encryption.yaml --release 1.36 --out repair --namespace old",
      does: "only the objects that block the deletion of a namespace",
    },
  ],
  writes: true,
  load: async () => (await import("./plan-run.js")).runPlan,
};

const extract: Command = {
  path: "etcd extract",
  summary: "Write objects from a copy as files: raw bytes, or YAML that can be applied",
  details: `${COPIES} Decrypts values and writes them with mode 0600; the output may contain secrets. --as yaml and
--as json omit uid, managed fields, owner references and status, and use a version that the target
serves, so that kubectl create -f DIR recreates the objects. Select one object with --key, or many
with --resource, --namespace, --all or --plan. Exit 3 if a value cannot be decrypted or decoded.`,
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
  writes: true,
  load: async () => (await import("./extract-run.js")).runExtract,
};

export const etcdGroup: Group = {
  word: "etcd",
  summary: "Read copies of etcd, and plan the repair of unreadable objects",
  commands: [inventory, audit, plan, extract],
};
