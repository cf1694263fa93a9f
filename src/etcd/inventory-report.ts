/** The inventory as json, and what in it deserves a warning. */

import { counted } from "../core/counted.js";
import type { Problem } from "../core/diagnostics.js";
import type { JsonObject } from "../core/json.js";
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
  const warn = (problem: Omit<Problem, "severity">): void => report({ severity: "warning", ...problem });
  for (const { group, resource, prefix, unreadable, keys } of inventory.resources)
    if (unreadable > 0)
      warn({
        code: "ETC030",
        kind: "Invalid",
        field: `${prefix} ${group === "" ? resource : `${resource}.${group}`}`,
        message: `${unreadable} of ${counted(keys, "object", "objects")} cannot be read`,
        hint: "slipway etcd audit names them, slipway etcd plan --out NEW-FOLDER compiles the repair",
      });
  for (const { group, resource, keys, example } of inventory.orphans)
    warn({
      code: "ETC034",
      kind: "NotFound",
      field: `${resource}.${group}`,
      message: `${counted(keys, "object is", "objects are")} left without a definition, such as ${example}`,
      hint: "no API shows them; create the definition again to delete them, or remove the keys from etcd",
    });
  for (const row of inventory.definitions) definitionFindings(row, warn);
  const holders = new Set(
    inventory.unsafeGrants.flatMap(({ subjects }) => subjects.map(({ kind, name }) => `${kind} ${name}`)),
  );
  if (holders.size > 0)
    report({
      severity: "info",
      code: "ETC036",
      kind: "Forbidden",
      message: `${[...holders].sort().join(", ")} may delete objects that cannot be read, once the gate is on`,
      hint: "a role with the verb * grants it",
    });
}

function definitionFindings(row: DefinitionRow, warn: (problem: Omit<Problem, "severity">) => void): void {
  const field = `${row.name} status.storedVersions`;
  if (row.gone.length > 0)
    warn({
      code: "ETC035",
      kind: "Invalid",
      field,
      message: `objects are stored in ${row.gone.join(", ")}, which spec.versions does not have: every LIST of the resource fails`,
      hint: "add the version again (served: false), migrate, then remove it",
    });
  const unlisted = row.onlyFound.filter((each) => !row.gone.includes(each));
  if (unlisted.length > 0)
    warn({
      code: "ETC035",
      kind: "Invalid",
      field,
      message: `objects are stored in ${unlisted.join(", ")}, which is not listed: the server would let the version be removed`,
      hint: "migrate the objects before the version is removed",
    });
  if (row.onlyListed.length > 0)
    warn({
      code: "ETC035",
      kind: "Invalid",
      field,
      message: `${row.onlyListed.join(", ")} is listed, and no object is stored in it`,
      hint: "it can be taken out of status.storedVersions",
    });
}
