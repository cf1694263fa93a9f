/** `slipway storage …`: storage versions of API objects over releases. */
import type { Command, Group } from "../../command.js";
import { lifecycle, lifecycleTable } from "../compat/flags.js";
import {
  crd,
  from,
  maxDowngrade,
  maxUpgrade,
  migrated,
  migration,
  newCrd,
  oldCrd,
  outDir,
  pins,
  policy,
  release,
  scenario,
  standalone,
  storageCounts,
  supported,
  table,
  target,
  to,
  verbose,
} from "./flags.js";

export const behaviors: Command = {
  path: "storage behaviors",
  summary: "Show how each version of each resource is stored, by release",
  details: `Derives the behaviors preferred, supported, actively-migrated and ignored from API lifecycles
and a policy, or reads them from --table. Checks invariants B1 to B8; a violation is an error
(exit 1).`,
  flags: [table, { ...lifecycle, hidden: true }, policy, release],
  examples: [
    { line: "slipway storage behaviors --table apis.yaml", does: "with the numbers in KEP-3166" },
    {
      line: "slipway storage behaviors --table apis.yaml --policy moratorium --release 1.36",
      does: "what a 1.36 server reads and writes under the current rules",
    },
    { line: "slipway storage behaviors --table behaviors.yaml --policy policy.yaml", does: "check a table" },
  ],
  load: async () => (await import("./behaviors-run.js")).run,
};

export const verifyPolicy: Command = {
  path: "storage verify-policy",
  summary: "Verify by exhaustive search that a storage policy never loses data",
  details: `Visits every state of a stored object: written by any release, unchanged or rewritten by
clients, after every sequence of allowed upgrades and downgrades. Releases are relative:
version X is preferred up to release 0; its successor Y is known from 0 and preferred from 1.
Prints "safe" with the number of states, or the shortest path to data loss and the smallest
change to the policy that prevents it. With --table, searches every resource; a cluster then
never runs a release further below its newest one than --max-downgrade. Exit 0 if safe, 3 if
not.`,
  flags: [supported, migrated, maxUpgrade, maxDowngrade, migration, policy, table],
  examples: [
    { line: "slipway storage verify-policy", does: "the numbers in KEP-3166" },
    { line: "slipway storage verify-policy --migrated 4", does: "with one additional release of migration" },
    {
      line: "slipway storage verify-policy --table apis.yaml --max-upgrade 3",
      does: "every resource in a table",
    },
  ],
  load: async () => (await import("./verify-run.js")).run,
};

export const simulate: Command = {
  path: "storage simulate",
  summary: "Simulate upgrades, writes and startup migrations in memory",
  details: `Shows after each step what LIST and GET return, what was rewritten, what failed, the
counters of KEP-3166, objects left to migrate, and conflicts between servers of different
releases. Exit 3 if an object is no longer available through the API.`,
  flags: [scenario, table],
  examples: [{ line: "slipway storage simulate --scenario upgrade.yaml", does: "run the scenario" }],
  load: async () => (await import("./simulate-run.js")).run,
};

export const crdGuard: Command = {
  path: "storage crd-guard",
  summary: "Check whether the API server accepts a CRD change, and plan a safe way",
  details: `Checks the new CustomResourceDefinition against the validation of the target release's API
server, and its schemas against those of stored objects. Prints the server's error, fields
that would be lost, and a plan that leads to the new definition without losing an object:
migrate, patch the status, drop. Both files may contain several definitions. Exit 0 if the
change can be applied as is, 3 if not.`,
  operands: [oldCrd, newCrd],
  flags: [target, storageCounts, outDir, verbose],
  examples: [
    { line: "kubectl get crd widgets.example.com -o yaml > old.yaml", does: "with its status" },
    {
      line: "slipway storage crd-guard old.yaml new.yaml --release 1.36",
      does: "allowed or rejected, with the plan",
    },
  ],
  findings: true,
  load: async () => (await import("./crd-run.js")).run,
};

export const migrations: Command = {
  path: "storage migrations",
  summary: "Generate StorageVersionMigrations for an upgrade or a CRD change",
  details: `Prints the objects in the order of creation, in the API version that the target release
serves. Reports on stderr what an intermediate release must migrate because the target can no
longer read it.`,
  flags: [from, to, lifecycleTable, crd, pins, standalone],
  examples: [
    {
      line: "slipway storage migrations --from 1.33 --to 1.36 --table apis.yaml",
      does: "built-in resources",
    },
    { line: "slipway storage migrations --to 1.36 --crd widgets.yaml", does: "one custom resource" },
  ],
  load: async () => (await import("./migrations-run.js")).run,
};

export const storageGroup: Group = {
  word: "storage",
  summary: "Check and simulate storage versions, CRD updates and migrations",
  commands: [behaviors, verifyPolicy, simulate, crdGuard, migrations],
};
