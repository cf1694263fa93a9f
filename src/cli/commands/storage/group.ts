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
} from "./flags.js";

export const behaviors: Command = {
  path: "storage behaviors",
  summary: "How every version of every resource is stored in every release",
  details: `Derives the behaviours preferred, supported, actively-migrated and ignored from API lifecycles
and a policy, or reads them from --table. Invariants B1 to B8 are checked; one that is broken
is an error at its place (exit 1).`,
  flags: [table, { ...lifecycle, hidden: true }, policy, release],
  examples: [
    { line: "slipway storage behaviors --table apis.yaml", does: "by the numbers of KEP-3166" },
    {
      line: "slipway storage behaviors --table apis.yaml --policy moratorium --release 1.36",
      does: "what a server of 1.36 reads and writes under today's rule",
    },
    { line: "slipway storage behaviors --table behaviors.yaml --policy policy.yaml", does: "check a table" },
  ],
  load: async () => (await import("./behaviors-run.js")).run,
};

export const verifyPolicy: Command = {
  path: "storage verify-policy",
  summary: "Can a policy lose data under its own assumptions? Decided by exhaustive search",
  details: `Visits every state that a stored object can be in: written by any release, left alone or
rewritten by clients, after every sequence of allowed upgrades and downgrades. Releases are
relative: version X is preferred up to release 0, its successor Y is known from 0 and
preferred from 1. Prints "safe" with the size of the space, or the shortest way to a loss and
the least change of the numbers that prevents it. With --table, every resource is searched; a
cluster then never runs a release further below its newest one than --max-downgrade. Exit 0
when safe, 3 when not.`,
  flags: [supported, migrated, maxUpgrade, maxDowngrade, migration, policy, table],
  examples: [
    { line: "slipway storage verify-policy", does: "the numbers of KEP-3166" },
    { line: "slipway storage verify-policy --migrated 4", does: "with one more release of migration" },
    {
      line: "slipway storage verify-policy --table apis.yaml --max-upgrade 3",
      does: "every resource of a real table",
    },
  ],
  load: async () => (await import("./verify-run.js")).run,
};

export const simulate: Command = {
  path: "storage simulate",
  summary: "Play upgrades, writes and startup migrations on a store in memory",
  details: `Shows after each step what LIST and GET return, what was rewritten and what failed, the
counters of KEP-3166, objects still to migrate, and fights between servers of different
releases. Exit 3 when an object is lost to the API.`,
  flags: [scenario, table],
  examples: [{ line: "slipway storage simulate --scenario upgrade.yaml", does: "play it" }],
  load: async () => (await import("./simulate-run.js")).run,
};

export const crdGuard: Command = {
  path: "storage crd-guard",
  summary: "Would the API server accept this change of a CustomResourceDefinition? And what instead?",
  details: `Holds the new state of a CustomResourceDefinition against the rules of the API server of the
target release, and its schemas against those that stored objects were written by. Prints the
server's refusal, fields that would be lost, and the plan that leads to the new definition
without losing an object: migrate, patch the status, drop. Both files may hold several
definitions. Exit 0 when the change can be applied as it is, 3 when not.`,
  operands: [oldCrd, newCrd],
  flags: [target, storageCounts, outDir],
  examples: [
    { line: "kubectl get crd widgets.example.com -o yaml > old.yaml", does: "with its status" },
    {
      line: "slipway storage crd-guard old.yaml new.yaml --release 1.36",
      does: "allowed or refused, and the plan",
    },
  ],
  load: async () => (await import("./crd-run.js")).run,
};

export const migrations: Command = {
  path: "storage migrations",
  summary: "The StorageVersionMigration objects that an upgrade, or a change of a CRD, needs",
  details: `Prints the objects in the order in which to create them, in the API that the target release
serves. What a release between the two must migrate, since the target can no longer read it,
is said on stderr.`,
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
  summary: "Check and simulate storage versions, CRD updates, migrations",
  commands: [behaviors, verifyPolicy, simulate, crdGuard, migrations],
};
