/** `slipway etcd …`: what the commands are; what they do is in the *-run.ts files. */
import type { Command, Group } from "../../command.js";
import * as flags from "./flags.js";

const COPIES = `Reads copies of etcd: snapshots, db files from data directories, JSON dumps; several at once
if a cluster has several etcd stores. Never contacts a cluster or a key management service.`;

const inventory: Command = {
  path: "etcd inventory",
  summary: "Count the objects in a copy of etcd",
  details: `${COPIES} Shows for each resource the number of keys, their storage versions and encryption keys, and
how many are stale; which encryption keys are safe to remove; custom resources without a CRD;
CRDs whose status.storedVersions differs from what is stored; and who is already allowed to
delete unreadable objects.`,
  flags: [...flags.COPY_FLAGS, flags.kmsRequestsOut],
  examples: [
    {
      line: "slipway etcd inventory --snapshot etcd.db --encryption-config encryption.yaml",
      does: "what is stored, and which keys are required",
    },
  ],
  load: async () => (await import("./inventory-run.js")).runInventory,
};

const audit: Command = {
  path: "etcd audit",
  summary: "Check that every object in a copy of etcd decrypts, decodes and survives an upgrade",
  details: `${COPIES} Prints a verdict for every object, by the behavior of existing API servers and by the table
of KEP-3166, and the Status that a LIST returns in the target release for each resource with
unreadable objects. Exit code 0 if everything is readable, 3 if not.`,
  flags: [...flags.COPY_FLAGS, flags.from, flags.namespace, flags.problemsOnly, flags.objectsOut],
  examples: [
    {
      line: "slipway etcd audit --snapshot etcd.db --encryption-config encryption.yaml --release 1.36",
      does: "problems in an upgrade to 1.36",
    },
    {
      line: "slipway etcd audit --dump all.json --release 1.37 --objects-out objects.jsonl",
      does: "one line per object",
    },
  ],
  load: async () => (await import("./audit-run.js")).runAudit,
};

const plan: Command = {
  path: "etcd plan",
  summary: "Generate a repair plan for unreadable objects in a copy of etcd",
  details: `${COPIES} Writes to --out, numbered in order of use: the keys to look for, API server settings, RBAC
for exactly the planned deletions, the delete requests and a Job that sends them, migrations,
CRD patches, and the removal of the RBAC. plan.json and RUNBOOK.md describe them. The Job is
suspended until you generate the plan again with --confirm and its digest. Nothing is sent
anywhere.`,
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
      does: "only what blocks the deletion of a namespace",
    },
  ],
  writes: true,
  load: async () => (await import("./plan-run.js")).runPlan,
};

const extract: Command = {
  path: "etcd extract",
  summary: "Write objects from a copy as files: raw bytes, or YAML that can be applied",
  details: `${COPIES} Decrypts values and writes them with mode 0600; the output may contain secrets. --as yaml and
--as json write objects without uid, managed fields, owner references and status, in a version
that the target serves, so that kubectl create -f DIR recreates them: one key, or a folder
with what --resource, --namespace, --all or a plan selects. Exit code 3 if something cannot be
decrypted or decoded.`,
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
