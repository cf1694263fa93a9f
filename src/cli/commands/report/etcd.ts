/** Copies of etcd in a report: inventory and verdicts as `slipway etcd inventory` and `etcd audit` give them. */
import type { Reporter } from "../../../core/diagnostics.js";
import { type Inventory, takeInventory } from "../../../etcd/inventory.js";
import { inventoryFindings } from "../../../etcd/inventory-report.js";
import { releaseName } from "../../../etcd/releases.js";
import { Judge } from "../../../etcd/verdict.js";
import type { EtcdReport } from "../../../report/sections/etcd.js";
import type { CliContext } from "../../cli-context.js";
import type { Arguments } from "../../flags.js";
import { MEANING, rowsOf, summarise } from "../etcd/audit-run.js";
import { counts, size } from "../etcd/inventory-text.js";
import { minorOfFlag, openSession } from "../etcd/session.js";
import * as flags from "./flags.js";

/** Undefined when an error was reported. */
export async function etcdPart(
  args: Arguments,
  cli: CliContext,
  reporter: Reporter,
): Promise<EtcdReport | undefined> {
  const from = minorOfFlag(flags.from, args, reporter.report);
  const session = await openSession(args, cli, reporter, { hash: false });
  try {
    const survey = await session?.survey();
    if (session === undefined || survey === undefined || !survey.complete) return undefined;
    const inventory = takeInventory(survey);
    inventoryFindings(inventory, reporter.report);
    const judge = new Judge(survey.cluster, session.target, from);
    const sums = summarise(survey, judge, rowsOf(survey, undefined), {
      namespace: undefined,
      configured: args.given(flags.encryptionConfig),
    });
    return {
      files: session.names,
      target: releaseName(session.target),
      ...stored(inventory),
      verdicts: [...sums.verdicts].map(([name, objects]) => ({ name, meaning: MEANING[name], objects })),
      causes: sums.causes.map(({ verdict, error, count, resources, keys, remedy }) => ({
        verdict,
        error,
        count,
        resources: resources.map(([name, held]) => `${name} ${held}`).join(", "),
        keys,
        remedy: remedy.text,
      })),
      stale: sums.stale,
      unreadable: sums.unreadable,
      failingLists: sums.answers.map(({ request, unreadable, status }) => ({
        request,
        unreadable,
        message: `${String(status["reason"] ?? "")} ${String(status["message"])}`.trim(),
      })),
    };
  } finally {
    await session?.close();
  }
}

const nameOf = (group: string, resource: string): string =>
  group === "" ? resource : `${resource}.${group}`;

const stored = ({ keys, bytes, resources, encryptionKeys, definitions, orphans }: Inventory) => ({
  keys,
  size: size(bytes),
  resources: resources.map((row) => ({
    name: row.family === "none" ? "(no object)" : nameOf(row.group, row.resource),
    prefix: row.prefix,
    keys: row.keys,
    size: size(row.bytes),
    storedVersions: counts(row.storedVersions),
    providers: counts(new Map([...row.providers].filter(([name]) => name !== "identity"))),
    stale: row.stale,
    unreadable: row.unreadable,
  })),
  encryptionKeys: encryptionKeys.map(
    ({ provider, keyName, values, unreadable, configured, safeToDrop, why }) => ({
      provider: keyName === "" ? provider : `${provider} ${keyName}`,
      values,
      unreadable,
      configured,
      safeToDrop,
      why,
    }),
  ),
  definitions: definitions.map(({ name, storageVersion, storedVersions, found, gone }) => ({
    name,
    storageVersion,
    storedVersions: storedVersions.join(", "),
    found: counts(found),
    gone: gone.join(", "),
  })),
  orphans: orphans.map(({ group, resource, keys: held, example }) => ({
    resource: nameOf(group, resource),
    keys: held,
    example,
  })),
});
