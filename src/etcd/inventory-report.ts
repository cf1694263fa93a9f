/** The inventory as json, and what in it deserves a warning. */

import { counted } from "../core/counted.js";
import type { Problem } from "../core/diagnostics.js";
import type { JsonObject } from "../core/json.js";
import { type ProblemList, problemList } from "../core/problem.js";
import type { DefinitionRow, Inventory, UnsafeGrant } from "./inventory.js";

const counts = (map: ReadonlyMap<string, number>): JsonObject =>
  Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));

/** Members of the json document, in their order. */
export function inventoryJson(inventory: Inventory): JsonObject {
  const { keys, bytes, splitValues, oddities } = inventory;
  return {
    keys,
    bytes,
    resources: inventory.resources.map((row) => ({
      prefix: row.prefix,
      group: row.group,
      resource: row.resource,
      family: row.family,
      keys: row.keys,
      bytes: row.bytes,
      ...(row.largest === undefined ? {} : { largest: { key: row.largest.key, bytes: row.largest.bytes } }),
      storedVersions: counts(row.storedVersions),
      media: counts(row.media),
      providers: counts(row.providers),
      stale: row.stale,
      unreadable: row.unreadable,
    })),
    encryptionKeys: inventory.encryptionKeys.map((row) => ({
      provider: row.provider,
      ...(row.keyName === "" ? {} : { keyName: row.keyName }),
      values: row.values,
      stale: row.stale,
      unreadable: row.unreadable,
      resources: counts(row.resources),
      configured: row.configured,
      writes: row.writes,
      safeToDrop: row.safeToDrop,
      why: row.why,
    })),
    wrappedKeys: inventory.wrappedKeys.map((use) => ({
      provider: use.provider,
      api: use.version,
      ...(use.keyID === "" ? {} : { keyID: use.keyID }),
      encryptedDEKSource: use.encryptedDEKSource,
      values: use.values,
      answered: use.answered,
    })),
    ...(inventory.unlistedWrappedKeys === 0 ? {} : { unlistedWrappedKeys: inventory.unlistedWrappedKeys }),
    definitions: inventory.definitions.map(definitionJson),
    orphans: inventory.orphans.map((row) => ({ ...row })),
    unsafeGrants: inventory.unsafeGrants.map(grantJson),
    splitValues,
    oddities: { ...oddities },
  };
}

const definitionJson = (row: DefinitionRow): JsonObject => ({
  name: row.name,
  storageVersion: row.storageVersion,
  storedVersions: row.storedVersions,
  found: counts(row.found),
  onlyListed: row.onlyListed,
  onlyFound: row.onlyFound,
  gone: row.gone,
});

const grantJson = (grant: UnsafeGrant): JsonObject => ({
  role: grant.role,
  roleKind: grant.namespace === undefined ? "ClusterRole" : "Role",
  ...(grant.namespace === undefined ? {} : { namespace: grant.namespace }),
  verb: grant.verb,
  apiGroups: grant.apiGroups,
  resources: grant.resources,
  ...(grant.binding === undefined ? {} : { binding: grant.binding }),
  ...(grant.bindingNamespace === undefined ? {} : { bindingNamespace: grant.bindingNamespace }),
  subjects: grant.subjects.map(({ kind, name, namespace }) => ({
    kind,
    name,
    ...(namespace === "" ? {} : { namespace }),
  })),
});

/** Findings of an inventory as diagnostics; none of them is an error. */
export function inventoryFindings(inventory: Inventory, report: (problem: Problem) => void): void {
  const { warnings } = problemList(report);
  for (const { group, resource, prefix, unreadable, keys } of inventory.resources)
    if (unreadable > 0)
      warnings
        .at(`${prefix} ${group === "" ? resource : `${resource}.${group}`}`)
        .report(
          "ETC030",
          "Invalid",
          `${unreadable} of ${counted(keys, "object", "objects")} cannot be read`,
          "list them with slipway etcd audit, or compile a repair plan with slipway etcd plan --out NEW-FOLDER",
        );
  for (const { group, resource, keys, example } of inventory.orphans)
    warnings
      .at(`${resource}.${group}`)
      .report(
        "ETC034",
        "NotFound",
        `${counted(keys, "object has", "objects have")} no CustomResourceDefinition, such as ${example}`,
        "create the definition again to access or delete them, or remove the keys from etcd",
      );
  for (const row of inventory.definitions) definitionFindings(row, warnings);
  const holders = new Set(
    inventory.unsafeGrants.flatMap(({ subjects }) => subjects.map(({ kind, name }) => `${kind} ${name}`)),
  );
  if (holders.size > 0)
    problemList(report).infos.report(
      "ETC036",
      "Forbidden",
      `${[...holders].sort().join(", ")} can delete objects that cannot be read once the feature gate is enabled`,
      "check the roles with the verb *, which includes this permission",
    );
}

function definitionFindings(row: DefinitionRow, warnings: ProblemList): void {
  const field = `${row.name} status.storedVersions`;
  if (row.gone.length > 0)
    warnings
      .at(field)
      .report(
        "ETC035",
        "Invalid",
        `objects are stored in ${row.gone.join(", ")}, which spec.versions does not contain: every LIST of the resource fails`,
        "add the version with served: false, migrate the objects, then remove it",
      );
  const unlisted = row.onlyFound.filter((each) => !row.gone.includes(each));
  if (unlisted.length > 0)
    warnings
      .at(field)
      .report(
        "ETC035",
        "Invalid",
        `objects are stored in ${unlisted.join(", ")}, which is not listed: the API server would allow the removal of the version`,
        "migrate the objects before removing the version",
      );
  if (row.onlyListed.length > 0)
    warnings
      .at(field)
      .report(
        "ETC035",
        "Invalid",
        `${row.onlyListed.join(", ")} is listed but no object is stored in it`,
        "remove it from status.storedVersions",
      );
}
