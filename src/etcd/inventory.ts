/**
 * What a copy holds, counted: resources with their stored versions and sizes, encryption keys in use, definitions
 * whose storedVersions disagree with what is stored, orphans, and who may already delete unreadable objects.
 */

import { counted } from "../core/counted.js";
import { differs, rowKey } from "./audit.js";
import { type Cluster, type Definition, type Subject, UNSAFE_VERB } from "./cluster.js";
import type { Provider } from "./encryption/providers.js";
import type { WrappedKeyUse } from "./encryption/wrapped-keys.js";
import type { Resource } from "./key-layout.js";
import { MISPLACED, ODDITY } from "./object-table.js";
import type { Survey } from "./scan.js";

export interface ResourceRow {
  readonly prefix: string;
  readonly group: string;
  readonly resource: string;
  /** `builtin`, `custom`, `foreign`, `unknown` or `none`. */
  readonly family: string;
  keys: number;
  /** Bytes of the stored values. */
  bytes: number;
  largest: { readonly key: string; readonly bytes: number } | undefined;
  readonly storedVersions: Map<string, number>;
  readonly media: Map<string, number>;
  readonly providers: Map<string, number>;
  stale: number;
  unreadable: number;
}

export interface KeyRow {
  /** Such as `aescbc/v1`; `identity` for values that are not encrypted. */
  readonly provider: string;
  readonly keyName: string;
  values: number;
  stale: number;
  unreadable: number;
  readonly resources: Map<string, number>;
  /** True when a configuration names the key. */
  readonly configured: boolean;
  /** True when a configuration writes with it. */
  readonly writes: boolean;
  readonly safeToDrop: boolean;
  readonly why: string;
}

export interface DefinitionRow {
  readonly name: string;
  readonly storageVersion: string;
  readonly storedVersions: readonly string[];
  /** Version → objects that are really stored in it. */
  readonly found: ReadonlyMap<string, number>;
  /** True where the copies hold every object of it. */
  readonly isWhole: boolean;
  /** Listed in storedVersions, and no object is in it. */
  readonly onlyListed: readonly string[];
  /** Objects are in it, and it is not listed. */
  readonly onlyFound: readonly string[];
  /** Objects are in it, and spec.versions does not have it. */
  readonly gone: readonly string[];
}

export interface OrphanRow {
  readonly group: string;
  readonly resource: string;
  readonly keys: number;
  readonly bytes: number;
  readonly example: string;
}

export interface UnsafeGrant {
  readonly role: string;
  readonly namespace: string | undefined;
  readonly verb: string;
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly binding: string | undefined;
  readonly bindingNamespace: string | undefined;
  readonly subjects: readonly Subject[];
}

export interface Inventory {
  readonly keys: number;
  readonly bytes: number;
  readonly resources: readonly ResourceRow[];
  readonly encryptionKeys: readonly KeyRow[];
  readonly wrappedKeys: readonly WrappedKeyUse[];
  readonly unlistedWrappedKeys: number;
  readonly definitions: readonly DefinitionRow[];
  readonly orphans: readonly OrphanRow[];
  readonly unsafeGrants: readonly UnsafeGrant[];
  /** Values about which the servers disagree. */
  readonly splitValues: number;
  readonly oddities: {
    readonly otherName: number;
    readonly noKind: number;
    readonly probablyWrongKey: number;
    /** Objects whose own namespace or name is missing, or is not the one of the key. */
    readonly misplaced: number;
  };
}

export function takeInventory(survey: Survey): Inventory {
  const { table, cluster, wrapped } = survey;
  const tally = count(survey);
  const resources = new Map<number, ResourceRow>();
  const usage = keyUsage(survey);
  const keys = new Map<string, Omit<KeyRow, "safeToDrop" | "why">>();
  for (const { row, rows, bytes } of tally.groups) {
    const number = table.resourceNumber(row);
    const resource = table.resourceOf(row);
    const entry = resources.get(number) ?? emptyRow(resource);
    resources.set(number, entry);
    entry.keys += rows;
    entry.bytes += bytes;
    const { result, stale } = table.outcome(row, table.worstServer(row));
    if (stale === true) entry.stale += rows;
    if (result === "not-an-object") continue;
    const encrypted = result === "untransformable";
    add(entry.storedVersions, encrypted ? "(encrypted)" : (table.apiVersion(row) ?? "(none)"), rows);
    add(entry.media, encrypted ? "(encrypted)" : (table.mediaOf(row) ?? "(none)"), rows);
    const provider = table.provider(row) ?? "identity";
    add(entry.providers, provider, rows);
    const key = keyRow(keys, usage, provider, table.keyName(row) ?? "");
    key.values += rows;
    add(key.resources, qualified(resource), rows);
    if (stale === true) key.stale += rows;
    if (result === "ok") continue;
    entry.unreadable += rows;
    key.unreadable += rows;
  }
  for (const [number, row] of tally.largest) {
    const entry = resources.get(number);
    if (entry !== undefined) entry.largest = { key: rowKey(table, row), bytes: table.size(row) };
  }
  for (const id of usage.keys()) keyRow(keys, usage, ...splitId(id));
  const rows = [...resources.values()].sort(
    (a, b) => order(a.prefix, b.prefix) || order(a.group, b.group) || order(a.resource, b.resource),
  );
  return {
    keys: rows.reduce((sum, each) => sum + each.keys, 0),
    bytes: rows.reduce((sum, each) => sum + each.bytes, 0),
    resources: rows,
    encryptionKeys: [...keys.values()]
      .map((row) => judgeKey(row, survey))
      .sort((a, b) => order(a.provider, b.provider) || order(a.keyName, b.keyName)),
    wrappedKeys: wrapped.list,
    unlistedWrappedKeys: wrapped.unlisted,
    definitions: cluster.definitions.map((each) => definitionRow(each, rows, cluster)),
    orphans: orphanRows(rows, cluster),
    unsafeGrants: unsafeGrants(survey),
    splitValues: tally.split,
    oddities: tally.oddities,
  };
}

interface Tally {
  /** Rows that are alike, with one of them. */
  readonly groups: readonly { readonly row: number; rows: number; bytes: number }[];
  /** Number of a resource → the row with its largest value. */
  readonly largest: ReadonlyMap<number, number>;
  readonly split: number;
  readonly oddities: Inventory["oddities"];
}

/** The one loop over all rows. */
function count(survey: Survey): Tally {
  const { table } = survey;
  const byResource: Map<number, { readonly row: number; rows: number; bytes: number }>[] = [];
  const largest = new Map<number, number>();
  const oddities = { otherName: 0, noKind: 0, probablyWrongKey: 0, misplaced: 0 };
  let split = 0;
  for (const row of survey.rows()) {
    const number = table.resourceNumber(row);
    const groups = byResource[number] ?? new Map();
    byResource[number] = groups;
    const size = table.size(row);
    const likeness = table.likeness(row);
    const group = groups.get(likeness);
    if (group === undefined) groups.set(likeness, { row, rows: 1, bytes: size });
    else {
      group.rows++;
      group.bytes += size;
    }
    const before = largest.get(number);
    if (before === undefined || size > table.size(before)) largest.set(number, row);
    if (table.servers > 1 && differs(table, row)) split++;
    const oddity = table.oddity(row);
    if (oddity === ODDITY.none) continue;
    if ((oddity & ODDITY.otherName) !== 0) oddities.otherName++;
    if ((oddity & ODDITY.noKind) !== 0) oddities.noKind++;
    if ((oddity & ODDITY.probablyWrongKey) !== 0) oddities.probablyWrongKey++;
    if ((oddity & MISPLACED) !== 0) oddities.misplaced++;
  }
  return { groups: byResource.flatMap((groups) => [...groups.values()]), largest, split, oddities };
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const add = (counts: Map<string, number>, name: string, rows: number): void =>
  void counts.set(name, (counts.get(name) ?? 0) + rows);
const qualified = ({ group, resource }: Pick<Resource, "group" | "resource">): string =>
  group === "" ? resource : `${resource}.${group}`;

const emptyRow = ({ prefix, group, resource, family }: Resource): ResourceRow => ({
  prefix,
  group,
  resource,
  family,
  keys: 0,
  bytes: 0,
  largest: undefined,
  storedVersions: new Map(),
  media: new Map(),
  providers: new Map(),
  stale: 0,
  unreadable: 0,
});

/** Provider and name of every key that some configuration has, and whether something is written with it. */
function keyUsage({ configs }: Survey): Map<string, { writes: boolean }> {
  const usage = new Map<string, { writes: boolean }>();
  for (const { providers } of configs)
    for (const list of providers.values())
      list.forEach((provider, first) => {
        for (const [index, id] of keysOf(provider).entries())
          usage.set(id, { writes: (usage.get(id)?.writes ?? false) || (first === 0 && index === 0) });
      });
  return usage;
}

const keyId = (provider: string, keyName: string): string => `${provider} ${keyName}`;
const splitId = (id: string): [string, string] => [
  id.slice(0, id.indexOf(" ")),
  id.slice(id.indexOf(" ") + 1),
];

function keysOf(provider: Provider): string[] {
  switch (provider.kind) {
    case "identity":
      return [keyId("identity", "")];
    case "kms":
      return [keyId(`kms/${provider.version}`, provider.name)];
    default:
      return provider.keys.map(({ name }) => keyId(`${provider.kind}/v1`, name));
  }
}

function keyRow(
  keys: Map<string, Omit<KeyRow, "safeToDrop" | "why">>,
  usage: ReadonlyMap<string, { writes: boolean }>,
  provider: string,
  keyName: string,
): Omit<KeyRow, "safeToDrop" | "why"> {
  const id = keyId(provider, keyName);
  const known = keys.get(id);
  if (known !== undefined) return known;
  const made = {
    provider,
    keyName,
    values: 0,
    stale: 0,
    unreadable: 0,
    resources: new Map<string, number>(),
    configured: usage.has(id),
    writes: usage.get(id)?.writes ?? false,
  };
  keys.set(id, made);
  return made;
}

/** Whether a key may leave the configuration without a value becoming unreadable. */
function judgeKey(
  row: Omit<KeyRow, "safeToDrop" | "why">,
  { whole, isNow, prefixes }: Pick<Survey, "whole" | "isNow" | "prefixes">,
): KeyRow {
  const answer = (safeToDrop: boolean, why: string): KeyRow => ({ ...row, safeToDrop, why });
  if (row.values === 0 && !row.writes && !(whole && isNow))
    return answer(
      false,
      whole
        ? "the copy was read at an earlier revision: values written later may need it"
        : prefixes.length === 0
          ? "the copy contains no objects, so it does not show which values need it"
          : "the dump contains only part of the store: other values may need it",
    );
  if (row.provider === "identity")
    return row.values > 0
      ? answer(false, `${counted(row.values, "value is", "values are")} not encrypted`)
      : answer(
          !row.writes,
          row.writes
            ? "it is the first provider: new values are written without encryption"
            : "no value needs it",
        );
  if (row.values > 0)
    return answer(
      false,
      row.configured
        ? `${counted(row.values, "value needs", "values need")} it`
        : `${counted(row.values, "value needs", "values need")} it, but no configuration contains it`,
    );
  return row.writes
    ? answer(false, "new values are written with it")
    : answer(true, "no live value needs it; revisions before the last compaction and other copies may");
}

function definitionRow(
  definition: Definition,
  rows: readonly ResourceRow[],
  cluster: Cluster,
): DefinitionRow {
  const { name, prefix, group, plural, versions, storedVersions } = definition;
  const found = new Map<string, number>();
  for (const row of rows)
    if (row.family === "custom" && row.group === group && row.resource === plural)
      for (const [apiVersion, count] of row.storedVersions) {
        if (!apiVersion.startsWith(`${group}/`)) continue;
        const version = apiVersion.slice(group.length + 1);
        found.set(version, (found.get(version) ?? 0) + count);
      }
  const storageVersion = versions.find(({ storage }) => storage)?.name ?? "";
  const names = new Set(versions.map((each) => each.name));
  const foundVersions = [...found.keys()].sort();
  return {
    name,
    storageVersion,
    storedVersions,
    found,
    isWhole: cluster.holdsAllOf(prefix, group, plural),
    // The storage version is listed even when nothing is stored yet.
    onlyListed: cluster.holdsAllOf(prefix, group, plural)
      ? storedVersions.filter((each) => !found.has(each) && each !== storageVersion)
      : [],
    onlyFound: foundVersions.filter((each) => !storedVersions.includes(each)),
    gone: foundVersions.filter((each) => !names.has(each)),
  };
}

function orphanRows(rows: readonly ResourceRow[], cluster: Cluster): OrphanRow[] {
  const defined = new Set(cluster.definitions.map(({ group, plural }) => `${group}/${plural}`));
  return rows
    .filter(
      (row) =>
        row.family === "custom" &&
        !defined.has(`${row.group}/${row.resource}`) &&
        cluster.withoutDefinition(row) === "gone",
    )
    .map(({ group, resource, keys, bytes, largest }) => ({
      group,
      resource,
      keys,
      bytes,
      example: largest?.key ?? "",
    }));
}

/** Who may delete objects that cannot be read: through `*` or by the verb's name. */
export function unsafeGrants({ cluster }: Pick<Survey, "cluster">): UnsafeGrant[] {
  return cluster.roles.flatMap((role) => {
    const bindings = cluster.bindings.filter(
      ({ namespace, roleKind, roleName }) =>
        roleName === role.name &&
        roleKind === (role.namespace === undefined ? "ClusterRole" : "Role") &&
        (role.namespace === undefined || namespace === role.namespace),
    );
    const grants = role.rules.map((rule) => ({
      role: role.name,
      namespace: role.namespace,
      verb: rule.verbs.includes(UNSAFE_VERB) ? UNSAFE_VERB : "*",
      apiGroups: rule.apiGroups,
      resources: rule.resources,
    }));
    return grants.flatMap((grant): UnsafeGrant[] =>
      bindings.length === 0
        ? [{ ...grant, binding: undefined, bindingNamespace: undefined, subjects: [] }]
        : bindings.map(({ name, namespace, subjects }) => ({
            ...grant,
            binding: name,
            bindingNamespace: namespace,
            subjects,
          })),
    );
  });
}
