/**
 * What a migration of a custom resource would take from its objects: a migrator reads and writes each through a version that
 * is served, which need not be the one that it is stored in. The comparison is that of crd-guard.
 */
import { isList, isObject, type Json, type JsonObject } from "../../core/json.js";
import type { MigrationApi } from "../../kubernetes/storage-migration.js";
import { readStorageCrds } from "../../storage/crd.js";
import { type Rewrite, rewritesOf } from "../../storage/crd-plan.js";
import { JsonForm } from "../decode/json-form.js";
import type { DefinitionRow } from "../inventory.js";
import { recover, selectRows } from "../recover/recover.js";
import type { ScanOptions, Survey } from "../scan.js";
import type { Judge } from "../verdict.js";

/** Name → the whole definition in v1. */
export type FullDefinitions = ReadonlyMap<string, JsonObject>;

/** Reads the definitions whose objects may have to be rewritten, in a pass of its own: a cluster has megabytes of schemas. */
export async function readDefinitions(
  survey: Survey,
  judge: Judge,
  scan: ScanOptions,
): Promise<FullDefinitions> {
  const { table, cluster } = survey;
  const needed = new Set<string>();
  for (const row of survey.rows()) {
    const { family, group, resource } = table.resourceOf(row);
    if (family !== "custom" || table.result(row) !== "ok") continue;
    const { server } = judge.of(table, row);
    if (server !== "ok" || table.outcome(row).stale === true) {
      const definition = cluster.definition(group, resource);
      if (definition !== undefined) needed.add(definition.name);
    }
  }
  const found = new Map<string, JsonObject>();
  if (needed.size === 0) return found;
  const resources = ["customresourcedefinitions.apiextensions.k8s.io"];
  const rows = selectRows(survey, { keys: undefined, resources, namespace: undefined }).filter((row) =>
    needed.has(table.restOf(row).at(-1) ?? ""),
  );
  const { default: messages } = await import("../../../tables/kubernetes-messages.json", {
    with: { type: "json" },
  });
  const options = { target: judge.target, form: new JsonForm(messages), status: true };
  for await (const each of recover(survey, rows, scan, options)) {
    if (!("object" in each)) continue;
    const name = each.key.slice(each.key.lastIndexOf("/") + 1);
    found.set(name, each.object);
  }
  return found;
}

/** Why the migration would lose something; undefined where it loses nothing that is known. */
export function lossOf(
  definition: JsonObject,
  row: DefinitionRow,
  restored: readonly string[],
  api: MigrationApi,
): string | undefined {
  const text = JSON.stringify(withVersions(definition, restored, row.storageVersion));
  const [crd] = readStorageCrds(text, row.name, () => {}) ?? [];
  if (crd === undefined) return undefined;
  const storedVersions = [...new Set([...row.storedVersions, ...row.found.keys()])];
  const rewrites = rewritesOf({
    old: { ...crd, storedVersions },
    next: crd,
    answer: {
      storedVersions,
      dropped: [],
      storageVersion: { old: row.storageVersion, new: row.storageVersion },
    },
    api,
    counts: row.isWhole ? { file: row.name, versions: row.found, complete: true, unreadable: 0 } : undefined,
    isMigrated: true,
  });
  const direct = rewrites.filter((each) => each.through === undefined && takes(each).length > 0);
  const [one] = direct;
  if (one !== undefined)
    return `objects lose fields when written in ${one.to} instead of ${[...new Set(direct.map(({ from }) => from))].join(" and ")}: ${lost(direct)}. Add these fields to the schema of ${one.to}, or a conversion webhook to the definition`;
  const passing = rewrites.filter((each) => each.through !== undefined && takes(each).length > 0);
  const [first] = passing;
  if (first?.through === undefined) return undefined;
  return `objects lose fields because the migrator writes every object in ${first.through} on the way to ${first.to}: ${lost(passing)}. Add these fields to the schema of ${first.through}, or set served: false for it until the migration is complete`;
}

const takes = ({ changes }: Rewrite): string[] =>
  changes.flatMap(({ effect, message }) => (effect === "pruned" ? [message] : []));
const lost = (rewrites: readonly Rewrite[]): string => [...new Set(rewrites.flatMap(takes))].join("; ");

/**
 * The definition with versions that are made known again. Nobody knows their schemas: they count as that of the storage
 * version, so that what it keeps is kept on the way.
 */
function withVersions(definition: JsonObject, restored: readonly string[], storage: string): JsonObject {
  const { spec } = definition;
  if (!isObject(spec) || !isList(spec["versions"])) return definition;
  const { versions } = spec;
  const stored = versions.find((each) => isObject(each) && each["name"] === storage);
  const more = restored.map(
    (name): Json => ({ ...(isObject(stored) ? stored : {}), name, served: false, storage: false }),
  );
  return { ...definition, spec: { ...spec, versions: [...versions, ...more] } };
}
