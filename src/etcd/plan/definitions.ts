/**
 * Repairs of CustomResourceDefinitions as JSON patches: a version that objects are still stored in is made known
 * again, and what storedVersions lists is brought in line once everything is migrated
 * (docs/reference/storage-and-encryption.md §4.3).
 */
import { type OutputFile, textFile } from "../../core/files.js";
import type { Json } from "../../core/json.js";
import { isDnsSubdomain } from "../../kubernetes/names.js";
import { migrationApi } from "../../kubernetes/storage-migration.js";
import type { Definition } from "../cluster.js";
import type { DefinitionRow } from "../inventory.js";
import type { Minor } from "../releases.js";
import type { Migrator } from "./migrations.js";

export interface DefinitionRepair {
  readonly name: string;
  readonly storageVersion: string;
  /** Versions that objects are stored in and the definition does not have. */
  readonly restore: readonly string[];
  /** Versions that storedVersions should no longer list after the migration. */
  readonly unlist: readonly string[];
  readonly needsMigration: boolean;
  /** True where the server prunes storedVersions itself after a migration. */
  readonly prunedByServer: boolean;
  readonly files: readonly string[];
}

export interface DefinitionRepairs {
  readonly list: readonly DefinitionRepair[];
  /** Sent before anything else: the resource cannot be listed until then. */
  readonly before: readonly OutputFile[];
  /** Sent after the migrations. */
  readonly after: readonly OutputFile[];
}

/**
 * `isMigrated`: whether the plan rewrites the objects of a definition. What is not rewritten stays in the versions that it
 * is in, so they stay listed and known. `unreadable`: how many objects stay that nobody knows the version of.
 */
export function compileDefinitions(
  definitions: readonly Definition[],
  rows: readonly DefinitionRow[],
  target: Minor,
  migrator: Migrator,
  isMigrated: (definition: Definition) => boolean,
  unreadable: (definition: Definition) => number,
): DefinitionRepairs {
  const list: DefinitionRepair[] = [];
  const before: OutputFile[] = [];
  const after: OutputFile[] = [];
  for (const row of rows) {
    const definition = definitions.find(({ name }) => name === row.name);
    if (definition === undefined || row.storageVersion === "" || !isDnsSubdomain(row.name)) continue;
    const restore = row.gone;
    const others = [...row.found.keys()].some((each) => each !== row.storageVersion);
    const migrated = isMigrated(definition);
    const isClean = row.isWhole && !others && unreadable(definition) === 0;
    const unlist =
      migrated || isClean ? row.storedVersions.filter((each) => each !== row.storageVersion) : [];
    if (restore.length === 0 && unlist.length === 0) continue;
    const prunedByServer = migrator === "in-tree" && migrationApi(target, false).trims && migrated;
    const files: string[] = [];
    const emit = (to: OutputFile[], path: string, patch: readonly Json[]): void => {
      to.push(textFile(path, `${JSON.stringify(patch, null, 2)}\n`));
      files.push(path);
    };
    if (restore.length > 0)
      emit(before, `21_restore-versions-${row.name}.json`, restorePatch(definition, restore));
    if (!prunedByServer && (unlist.length > 0 || (restore.length > 0 && migrated)))
      emit(after, `60_stored-versions-${row.name}.json`, storedVersionsPatch(row));
    if (restore.length > 0 && migrated)
      emit(after, `61_drop-versions-${row.name}.json`, dropPatch(definition, restore));
    list.push({
      name: row.name,
      storageVersion: row.storageVersion,
      restore,
      unlist,
      needsMigration: others,
      prunedByServer,
      files,
    });
  }
  return { list, before, after };
}

/**
 * Adds the versions again, served to nobody; refused when the definition has other versions than in the copy. Whatever
 * else was written to it since, such as a status, is no matter.
 */
const restorePatch = ({ versions }: Definition, restore: readonly string[]): Json[] => [
  ...versions.map(({ name }, i) => ({ op: "test", path: `/spec/versions/${i}/name`, value: name })),
  ...restore.map((name, i) => ({
    op: "add",
    path: `/spec/versions/${versions.length + i}`,
    value: {
      name,
      served: false,
      storage: false,
      schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    },
  })),
];

/** For the status subresource; refused when the list is no longer what the copy had. */
const storedVersionsPatch = ({ storedVersions, storageVersion }: DefinitionRow): Json[] => [
  { op: "test", path: "/status/storedVersions", value: storedVersions },
  { op: "replace", path: "/status/storedVersions", value: [storageVersion] },
];

/** The last of the restored versions goes first, so that the others keep their places. */
const dropPatch = ({ versions }: Definition, restore: readonly string[]): Json[] =>
  restore
    .map((name, i): Json[] => {
      const path = `/spec/versions/${versions.length + i}`;
      return [
        { op: "test", path: `${path}/name`, value: name },
        { op: "remove", path },
      ];
    })
    .reverse()
    .flat();
