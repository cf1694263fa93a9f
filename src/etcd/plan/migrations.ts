/**
 * StorageVersionMigration objects for what is readable and not stored as it should be: in another version, or with an
 * older key (docs/reference/storage-and-encryption.md §4.1). They come after every repair of unreadable objects, since
 * a migration of a resource that cannot be listed never ends.
 */
import { type OutputFile, textFile } from "../../core/files.js";
import { isDnsLabel, isDnsSubdomain } from "../../kubernetes/names.js";
import {
  isShortLived,
  type MigrationApi,
  migrationApi,
  migrationFile,
} from "../../kubernetes/storage-migration.js";
import { migrationRef, migrationScript } from "../../kubernetes/storage-migration-script.js";
import type { Renderer } from "../../text/render.js";
import type { Resource } from "../key-layout.js";
import type { Minor } from "../releases.js";
import { servedAs } from "../requests.js";
import type { Survey } from "../scan.js";
import type { Judge } from "../verdict.js";
import { LABELS } from "./access.js";

export type Migrator = "in-tree" | "standalone" | "none";

export interface Migration {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Objects in an older version, and objects written with an older key or form. */
  readonly older: number;
  readonly stale: number;
  readonly file: string | undefined;
  /** Makes the migration and waits for its end. */
  readonly script: string | undefined;
}

export interface Migrations {
  readonly migrator: Migrator;
  readonly list: readonly Migration[];
  /** Resources that would need one, and of which objects stay unreadable. */
  readonly blocked: readonly {
    readonly group: string;
    readonly resource: string;
    readonly unreadable: number;
  }[];
  /** Custom resources whose objects would lose fields. */
  readonly lossy: readonly { readonly group: string; readonly resource: string; readonly reason: string }[];
  readonly files: readonly OutputFile[];
}

/** What no API serves, and servers rewrite by themselves. */
const POINTLESS = new Set(["/masterleases", "/peerserverleases"]);
const STANDALONE = "storageversionmigrations.migration.k8s.io";

/** The migrator of a cluster: the standalone one where its definition is stored, else the one of the release. */
export function chooseMigrator({ cluster }: Survey, target: Minor): Migrator {
  if (cluster.definitions.some(({ name }) => name === STANDALONE)) return "standalone";
  return migrationApi(target, false).standalone ? "none" : "in-tree";
}

interface Need {
  readonly resource: Resource;
  older: number;
  stale: number;
}

/** Starts of file names. */
const AFTER = { object: "50_storageversionmigration", script: "51_migrate" };
const BEFORE: typeof AFTER = { object: "05_before-upgrade", script: "06_migrate-before-upgrade" };

type Remaining = (resource: Resource) => number;
/** What the migration of a custom resource would lose; undefined for nothing. */
export type Loss = (resource: Resource, api: MigrationApi) => string | undefined;

/**
 * `remaining` answers how many objects of a resource stay unreadable after the plan; `restored` names definitions of
 * which a version is made known again, so that objects in it are migrated too.
 */
export function compileMigrations(
  survey: Survey,
  judge: Judge,
  migrator: Migrator,
  remaining: Remaining,
  restored: ReadonlySet<string>,
  loss: Loss,
  render: Renderer,
): Migrations {
  const needs = collect(survey, (row, resource) => {
    const { server } = judge.of(survey.table, row);
    const name = `${resource.resource}.${resource.group}`;
    return server === "rewritten" || (server === "fails-list" && restored.has(name));
  });
  return emit(survey, needs, judge.target, migrator, { remaining, loss }, AFTER, render);
}

/** What the target cannot decode and the release that the cluster still runs can: migrated there, nothing is lost. */
export function compileBeforeUpgrade(
  survey: Survey,
  judge: Judge,
  migrator: Migrator,
  remaining: Remaining,
  render: Renderer,
): Migrations {
  const { from } = judge;
  if (from === undefined) return { migrator, list: [], blocked: [], lossy: [], files: [] };
  const needs = collect(survey, (row) => judge.survivesOnlyBefore(survey.table, row), false);
  // Built-in resources alone.
  return emit(survey, needs, from, migrator, { remaining, loss: () => undefined }, BEFORE, render);
}

function collect(
  survey: Survey,
  isOlder: (row: number, resource: Resource) => boolean,
  staleToo = true,
): Need[] {
  const { table } = survey;
  const needs = new Map<number, Need>();
  for (const row of survey.rows()) {
    if (table.result(row) !== "ok") continue;
    const resource = table.resourceOf(row);
    const older = isOlder(row, resource);
    const stale = staleToo && table.outcome(row).stale === true;
    if (
      (!older && !stale) ||
      isShortLived(resource) ||
      POINTLESS.has(`${resource.group}/${resource.resource}`)
    )
      continue;
    const number = table.resourceNumber(row);
    const need = needs.get(number) ?? { resource, older: 0, stale: 0 };
    if (older) need.older++;
    if (stale) need.stale++;
    needs.set(number, need);
  }
  return [...needs.values()].sort((a, b) => (idOf(a.resource) < idOf(b.resource) ? -1 : 1));
}

function emit(
  survey: Survey,
  needs: readonly Need[],
  release: Minor,
  migrator: Migrator,
  { remaining, loss }: { readonly remaining: Remaining; readonly loss: Loss },
  names: typeof AFTER,
  render: Renderer,
): Migrations {
  const api: MigrationApi | undefined =
    migrator === "none" ? undefined : migrationApi(release, migrator === "standalone");
  const list: Migration[] = [];
  const blocked: { group: string; resource: string; unreadable: number }[] = [];
  const lossy: { group: string; resource: string; reason: string }[] = [];
  const files: OutputFile[] = [];
  for (const { resource, older, stale } of needs) {
    const served = servedAs(resource, survey.cluster, release);
    if (served === undefined || (resource.family === "foreign" && migrator !== "standalone")) continue;
    const { group } = served;
    const version =
      api?.versioned === true ? versionToName(survey, resource, served.version) : served.version;
    if (!isDnsLabel(served.resource) || !isDnsLabel(version) || (group !== "" && !isDnsSubdomain(group)))
      continue;
    const unreadable = remaining(resource);
    if (unreadable > 0) {
      blocked.push({ group, resource: served.resource, unreadable });
      continue;
    }
    // Without a migrator a write of every object goes the same way.
    const reason = loss(resource, api ?? migrationApi(release, false));
    if (reason !== undefined) {
      lossy.push({ group, resource: served.resource, reason });
      continue;
    }
    const qualified = `${served.resource}${group === "" ? "" : `.${group}`}`;
    const file = api === undefined ? undefined : `${names.object}-${qualified}.yaml`;
    const script = api === undefined ? undefined : `${names.script}-${qualified}.sh`;
    if (api !== undefined && file !== undefined && script !== undefined) {
      const view = {
        name: `slipway-${qualified}`,
        labels: LABELS,
        group,
        version: api.versioned ? version : undefined,
        resource: served.resource,
      };
      files.push(
        migrationFile(render, api, view, file),
        textFile(script, migrationScript(file, migrationRef(api.apiVersion, view.name))),
      );
    }
    list.push({ group, version, resource: served.resource, older, stale, file, script });
  }
  return { migrator, list, blocked, lossy, files };
}

/** What a migration that names a version goes through: of a custom resource its storage version, where that is served. */
function versionToName({ cluster }: Survey, { family, group, resource }: Resource, served: string): string {
  if (family !== "custom") return served;
  const versions = cluster.definition(group, resource)?.versions ?? [];
  return versions.find((each) => each.storage && each.served)?.name ?? served;
}

const idOf = ({ group, resource, prefix }: Resource): string => `${group}/${resource} ${prefix}`;
