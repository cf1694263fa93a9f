/**
 * The repair of a copy, in the order in which it is safe: keys first, deletions before migrations, rights away at the
 * end (docs/reference/storage-and-encryption.md §7).
 */
import { API_VERSION } from "../../core/api-version.js";
import { byCodeUnit, type OutputFile, textFile } from "../../core/files.js";
import type { JsonObject } from "../../core/json.js";
import type { Renderer } from "../../text/render.js";
import { shellWord } from "../../text/shell.js";
import { type DefinitionRow, takeInventory } from "../inventory.js";
import type { Resource } from "../key-layout.js";
import { releaseName } from "../releases.js";
import type { Survey } from "../scan.js";
import { getStatus, watchEvent } from "../status.js";
import type { Judge } from "../verdict.js";
import { type Access, type AccessObject, compileAccess } from "./access.js";
import type { Candidate, Candidates } from "./candidates.js";
import { compileDefinitions, type DefinitionRepairs } from "./definitions.js";
import { compileKeys, type Keys } from "./keys.js";
import {
  chooseMigrator,
  compileBeforeUpgrade,
  compileMigrations,
  type Loss,
  type Migrations,
  type Migrator,
} from "./migrations.js";
import type { Relations } from "./relations.js";
import { compileRemovals } from "./removal-script.js";
import { compileRequests, FILES } from "./requests.js";
import { type FullDefinitions, lossOf } from "./rewrites.js";
import { compileSettings, type Settings } from "./settings.js";
import { type RepairSubject, subjectText } from "./subject.js";
import { type DeletionWarning, warningOf } from "./warnings.js";

export interface PlanInput {
  readonly survey: Survey;
  readonly judge: Judge;
  readonly candidates: Candidates;
  /** One for each deletion, in their order. */
  readonly relations: readonly Relations[];
  /** Definitions whose objects may have to be rewritten. */
  readonly fullDefinitions: FullDefinitions;
  readonly namespace: string | undefined;
  readonly subject: RepairSubject;
  readonly image: string | undefined;
  /** Undefined leaves the choice to the copy. */
  readonly migrator: Migrator | undefined;
  /** The digest that the user confirmed, if any. */
  readonly confirm: string | undefined;
  /** Names of the copies, for the record. */
  readonly copies: readonly { readonly file: string; readonly revision: string }[];
  /** Flags that name copies, configurations and answers, as they are found from the folder of the plan. */
  readonly copyFlags: readonly string[];
  readonly readFlags: readonly string[];
  /** Flags that say what is planned, and for whom. */
  readonly planFlags: readonly string[];
  /** SHA-256 of a text, as hexadecimal digits. */
  readonly sha256: (text: string) => string;
}

export interface Deletion {
  readonly candidate: Candidate;
  readonly warning: DeletionWarning;
  /** True when no role can be made, since its namespace is being deleted, or is not there. */
  readonly byAdministrator: boolean;
}

export interface RepairPlan {
  readonly input: PlanInput;
  readonly digest: string;
  readonly armed: boolean;
  readonly deletions: readonly Deletion[];
  readonly keys: Keys;
  readonly settings: Settings;
  readonly access: Access;
  readonly removal: readonly AccessObject[];
  readonly requests: readonly OutputFile[];
  readonly definitions: DefinitionRepairs;
  readonly migrations: Migrations;
  /** Migrations that the release before the upgrade still can do. */
  readonly beforeUpgrade: Migrations;
}

function takesNoRole({ cluster, table }: Survey, { namespace, row }: Candidate): boolean {
  if (namespace === undefined) return false;
  const state = cluster.namespaces.get(namespace);
  return state?.terminating ?? cluster.isNamespaceGone(table.resourceOf(row).prefix, namespace);
}

/** Everything but the two documents that describe the plan. */
export function compilePlan(input: PlanInput, render: Renderer): RepairPlan {
  const { survey, judge, candidates, relations, subject, namespace } = input;
  const deletions = candidates.deletions.map(
    (candidate, i): Deletion => ({
      candidate,
      warning: warningOf(candidate, relations[i] ?? UNKNOWN),
      byAdministrator: takesNoRole(survey, candidate),
    }),
  );
  const digest = digestOf(input);
  const armed = input.confirm === digest && input.image !== undefined;
  const migrator =
    namespace === undefined ? (input.migrator ?? chooseMigrator(survey, judge.target)) : "none";
  const rows = namespace === undefined ? takeInventory(survey).definitions : [];
  const restored = new Set(rows.filter(({ gone }) => gone.length > 0).map(({ name }) => name));
  const remaining = remainingOf(input, restored);
  const none: Migrations = { migrator, list: [], blocked: [], lossy: [], files: [] };
  const migrations =
    namespace === undefined
      ? compileMigrations(survey, judge, migrator, remaining, restored, lossIn(input, rows), render)
      : none;
  const definitions = compileDefinitions(
    survey.cluster.definitions,
    rows,
    judge.target,
    migrator,
    ({ group, plural }) => migrations.list.some((each) => each.group === group && each.resource === plural),
    ({ group, plural }) =>
      survey.table.resources
        .filter((each) => each.family === "custom" && each.group === group && each.resource === plural)
        .reduce((sum, each) => sum + remaining(each), 0),
  );
  const beforeUpgrade =
    namespace === undefined ? compileBeforeUpgrade(survey, judge, migrator, remaining, render) : none;
  const sent = deletions.filter(({ byAdministrator }) => !byAdministrator).map(({ candidate }) => candidate);
  const administrator = deletions
    .filter(({ byAdministrator }) => byAdministrator)
    .map(({ candidate }) => candidate);
  const access = compileAccess(sent, subject, digest, render);
  const requests = compileRequests(
    sent,
    administrator,
    { target: judge.target, subject, digest, image: input.image, armed, misplaced: candidates.misplaced },
    render,
  );
  return {
    input,
    digest,
    armed,
    deletions,
    keys: compileKeys(survey, judge, namespace, render),
    settings: compileSettings(judge, deletions.length, migrations, beforeUpgrade, render),
    access,
    removal: [...requests.removal, ...access.removal],
    requests: requests.files,
    definitions,
    migrations,
    beforeUpgrade,
  };
}

const UNKNOWN: Relations = {
  knownFrom: undefined,
  finalizers: undefined,
  owners: undefined,
  dependents: [],
  moreDependents: 0,
};

/** What is deleted, by whom and in which release; the image that sends it may still be named when it is confirmed. */
function digestOf({ candidates, judge, subject, namespace, sha256 }: PlanInput): string {
  const content = {
    target: releaseName(judge.target),
    namespace: namespace ?? null,
    subject: subjectText(subject),
    deletions: candidates.deletions.map(({ path, failure }) => [path, failure.modRevision.toString()]),
    ...(candidates.misplaced.length === 0
      ? {}
      : { misplaced: candidates.misplaced.map(({ path, modRevision }) => [path, modRevision.toString()]) }),
    ...(candidates.fatal.length === 0
      ? {}
      : { removals: candidates.fatal.map(({ key, modRevision }) => [key, modRevision.toString()]) }),
  };
  return `sha256:${sha256(JSON.stringify(content))}`;
}

/** What the migration of a custom resource would take from its objects. */
const lossIn =
  ({ survey, fullDefinitions }: PlanInput, rows: readonly DefinitionRow[]): Loss =>
  ({ family, group, resource }, api) => {
    const name = family === "custom" ? survey.cluster.definition(group, resource)?.name : undefined;
    const row = rows.find((each) => each.name === name);
    const definition = fullDefinitions.get(name ?? "");
    return row === undefined || definition === undefined ? undefined : lossOf(definition, row, row.gone, api);
  };

/** Unreadable objects of a resource that no step of the plan deletes or repairs. */
function remainingOf(
  { survey, candidates }: PlanInput,
  restored: ReadonlySet<string>,
): (resource: Resource) => number {
  const counts = new Map<Resource, number>();
  for (const { row, why } of candidates.leftAlone) {
    const resource = survey.table.resourceOf(row);
    if (why === "version" && restored.has(`${resource.resource}.${resource.group}`)) continue;
    if (why === "before-upgrade") continue;
    counts.set(resource, (counts.get(resource) ?? 0) + 1);
  }
  return (resource) => counts.get(resource) ?? 0;
}

/** Every file of a plan, in the order of their names. */
export function planFiles(plan: RepairPlan, render: Renderer, runbook: string): OutputFile[] {
  const files = [
    ...plan.beforeUpgrade.files,
    ...plan.keys.files,
    ...compileRemovals(plan.input.candidates.fatal),
    ...plan.settings.files,
    ...plan.definitions.before,
    ...plan.access.files,
    ...plan.requests,
    ...plan.migrations.files,
    ...plan.definitions.after,
  ];
  if (plan.removal.length > 0) {
    const objects = plan.removal.map(({ apiVersion, kind, name, namespace }) => ({
      apiVersion,
      kind,
      name,
      ...(namespace === undefined ? {} : { namespace }),
    }));
    files.push(render.file("etcd/access-removal.yaml", { objects }, "90_remove-access.yaml"));
  }
  const names = [...files.map(({ path }) => path), "RUNBOOK.md", "plan.json"].sort(byCodeUnit);
  files.push(textFile("RUNBOOK.md", runbook));
  files.push({ path: "plan.json", data: planData(plan, names), secret: false });
  return files.sort((a, b) => byCodeUnit(a.path, b.path));
}

/**
 * The text of plan.json, byte for byte what `JSON.stringify` makes of the whole: a plan of 100,000 deletions is hundreds
 * of megabytes, so it is put together in one buffer, one deletion after the other.
 */
function planData(plan: RepairPlan, files: readonly string[]): Uint8Array {
  const { head, tail } = planParts(plan, files);
  const member = JSON.stringify({ ...head, deletions: [], ...tail }, null, 2);
  const marker = '\n  "deletions": [';
  const at = member.indexOf(marker) + marker.length;
  const count = plan.deletions.length;
  const texts = function* (): Generator<string> {
    yield member.slice(0, at);
    for (const [i, each] of plan.deletions.entries()) {
      const text = JSON.stringify(deletionJson(each, plan), null, 2).replaceAll("\n", "\n    ");
      yield `${i === 0 ? "" : ","}\n    ${text}`;
    }
    yield `${count === 0 ? "" : "\n  "}${member.slice(at)}\n`;
  };
  let size = 0;
  for (const text of texts()) size += Buffer.byteLength(text);
  const data = Buffer.allocUnsafe(size);
  let written = 0;
  for (const text of texts()) written += data.write(text, written);
  return data;
}

/** What stands before and behind the deletions. */
function planParts(plan: RepairPlan, files: readonly string[]): { head: JsonObject; tail: JsonObject } {
  const { input, keys, settings, migrations, definitions } = plan;
  const head = {
    apiVersion: API_VERSION,
    kind: "EtcdRepairPlan",
    target: releaseName(input.judge.target),
    ...(input.namespace === undefined ? {} : { namespace: input.namespace }),
    copies: input.copies.map((each) => ({ ...each })),
    digest: plan.digest,
    armed: plan.armed,
    subject: subjectJson(input.subject),
    keysToRestore: keys.missing.map(({ provider, keyName, objects, error, cause }) => ({
      provider,
      keyName,
      objects,
      error,
      cause,
    })),
    ...(keys.changes.length === 0 ? {} : { configuration: keys.changes.map((each) => ({ ...each })) }),
    settings: { before: settings.before, after: settings.after },
  };
  const tail = {
    ...(input.candidates.misplaced.length === 0
      ? {}
      : {
          misplaced: input.candidates.misplaced.map(({ key, path, modRevision, reason }) => ({
            key,
            request: `DELETE ${path}`,
            modRevision: modRevision.toString(),
            reason,
          })),
        }),
    ...(input.candidates.fatal.length === 0
      ? {}
      : {
          removals: input.candidates.fatal.map(({ key, modRevision, exits, reason, recoverable }) => ({
            key,
            modRevision: modRevision.toString(),
            exits,
            reason,
            recoverable,
          })),
        }),
    leftAlone: input.candidates.leftAlone.map(({ key, why, reason }) => ({ key, why, reason })),
    definitions: definitions.list.map(({ storageVersion: _, ...each }) => ({
      ...each,
      restore: [...each.restore],
      unlist: [...each.unlist],
      files: [...each.files],
    })),
    ...(plan.beforeUpgrade.list.length === 0 ? {} : { beforeUpgrade: migrationsJson(plan.beforeUpgrade) }),
    migrations: migrationsJson(migrations),
    removal: plan.removal.map(({ namespace, ...rest }) => ({
      ...rest,
      ...(namespace === undefined ? {} : { namespace }),
    })),
    files: [...files],
  };
  return { head, tail };
}

const migrationsJson = ({ migrator, list, blocked, lossy }: Migrations): JsonObject => ({
  migrator,
  list: list.map(({ file, script, ...rest }) => ({
    ...rest,
    ...(file === undefined ? {} : { file }),
    ...(script === undefined ? {} : { script }),
  })),
  blocked: blocked.map((each) => ({ ...each })),
  ...(lossy.length === 0 ? {} : { lossy: lossy.map((each) => ({ ...each })) }),
});

const subjectJson = (subject: RepairSubject): JsonObject =>
  subject.kind === "ServiceAccount"
    ? { kind: subject.kind, namespace: subject.namespace, name: subject.name }
    : { kind: subject.kind, name: subject.name };

function deletionJson({ candidate, warning, byAdministrator }: Deletion, { input }: RepairPlan): JsonObject {
  const { path, failure, served, namespace, name, createRevision, recoverable, row } = candidate;
  const { prefix } = input.survey.table.resourceOf(row);
  const { target } = input.judge;
  return {
    key: failure.key,
    group: served.group,
    resource: served.resource,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    request: `DELETE ${path}`,
    body: FILES.body,
    by: byAdministrator ? "administrator" : "subject",
    createRevision: createRevision.toString(),
    modRevision: failure.modRevision.toString(),
    result: failure.kind,
    error: failure.error,
    recoverable,
    warning: {
      knownFrom: warning.knownFrom,
      finalizers: warning.finalizers === "unknown" ? "unknown" : [...warning.finalizers],
      owners: warning.owners === "unknown" ? "unknown" : warning.owners.map((each) => ({ ...each })),
      dependents: [...warning.dependents],
      moreDependents: warning.moreDependents,
      text: [...warning.text],
    },
    recheck: {
      request: `GET ${path}`,
      expect: getStatus(target, failure, prefix, true),
      revision: `etcdctl get ${shellWord(failure.key)} -w json must still report mod_revision ${failure.modRevision}`,
    },
    watchEvent: watchEvent(failure, true),
  };
}
