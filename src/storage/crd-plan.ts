/** The way from one state of a CustomResourceDefinition to another without losing an object. */
import { isList, isObject, type Json, type JsonObject, textAt } from "../core/json.js";
import {
  type MigrationApi,
  type MigrationView,
  migrationName,
  migrationView,
} from "../kubernetes/storage-migration.js";
import { compareKubeVersions } from "../kubernetes/versions.js";
import { shellWord } from "../text/shell.js";
import { countOf, type StorageCounts } from "./counts.js";
import { type StorageCrd, storageVersionOf } from "./crd.js";
import { type GuardAnswer, objectOf } from "./crd-guard.js";
import { type SchemaChange, schemaChanges, type VersionSchema, versionSchema } from "./crd-schema-changes.js";

export type PlanAction = "edit" | "export" | "apply" | "gate" | "migrate" | "patch-status";

export interface PlanStep {
  readonly action: PlanAction;
  readonly summary: string;
  /** Object to apply; a migration is given by its view instead. */
  readonly object: JsonObject | undefined;
  readonly migration: MigrationView | undefined;
  /** JSON patch of the status subresource; RESOURCE_VERSION stands for the value that is read just before. */
  readonly patch: readonly JsonObject[] | undefined;
  /** Versions to list every object in, which asks the webhook for each; or to export. */
  readonly versions: readonly string[] | undefined;
  /** True where the conversion webhook is taken back before the object is applied: an apply leaves it to its owners. */
  readonly withoutWebhook: boolean;
}

export interface PlanInput {
  readonly old: StorageCrd;
  readonly next: StorageCrd;
  readonly answer: GuardAnswer;
  readonly api: MigrationApi;
  readonly counts: StorageCounts | undefined;
  /** True where the server accepts an update that leaves an object as it was, whatever its schema says of it. */
  readonly ratchets: boolean;
  /** Of {@link rewritesOf}. */
  readonly rewrites: readonly Rewrite[];
}

/** What {@link rewritesOf} looks at. */
interface RewriteInput extends Omit<PlanInput, "rewrites" | "answer" | "ratchets"> {
  readonly answer: Pick<GuardAnswer, "storedVersions" | "dropped" | "storageVersion">;
  /** True where objects are migrated whatever version they are in; left out, the versions tell. */
  readonly isMigrated?: boolean;
  /** True for what happens to objects where strategy None takes the place of a webhook. */
  readonly ignoresWebhook?: boolean;
}

export const RESOURCE_VERSION = "RESOURCE_VERSION";

/** Versions that the new definition lacks and that hold objects by an etcd copy, whatever the status says. */
export function heldAndDropped(next: StorageCrd, counts: StorageCounts | undefined): string[] {
  const names = new Set(next.versions.map(({ name }) => name));
  return [...(counts?.versions ?? [])].flatMap(([version, count]) =>
    count > 0 && !names.has(version) ? [version] : [],
  );
}

/** Objects of one version that are written in the storage version, and what their schemas make of it. */
export interface Rewrite {
  readonly from: string;
  readonly to: string;
  /** A third version, in which the migrator reads and writes them on the way; left out where there is none. */
  readonly through?: string;
  readonly changes: readonly SchemaChange[];
}

/**
 * True for a change that keeps objects from being written in the storage version with nothing but another apiVersion. A
 * value that the other schema rejects is none where the server ratchets (apiextensions-apiserver
 * pkg/apiserver/validation/ratcheting.go): only changes of such objects are rejected.
 */
export const isUnsafe = ({ from, to, changes }: Rewrite, ratchets: boolean): boolean =>
  changes.some(({ effect }) => effect === "pruned" || (from !== to && !ratchets));

/**
 * The versions in which objects are or may be stored, each with what the next write does to them. Schemas say nothing
 * where a webhook converts, but of the storage version itself, which is converted by nobody.
 */
export function rewritesOf(input: RewriteInput): Rewrite[] {
  const { old, next, answer, counts } = input;
  const to = storageVersionOf(next);
  if (to === undefined) return [];
  const [before, after] = [objectOf(old), objectOf(next)];
  const target = versionSchema(after, to);
  const converts = input.ignoresWebhook !== true && webhookOf(conversionOf(before, after)) !== undefined;
  const through = converts || !(input.isMigrated ?? isMigrated(input)) ? undefined : migratedThrough(input);
  const stored = new Set([
    ...(old.storedVersions ?? []),
    ...(answer.storageVersion.old === undefined ? [] : [answer.storageVersion.old]),
    ...heldAndDropped(next, counts),
  ]);
  return [...stored].flatMap((from): Rewrite[] => {
    const source = versionSchema(before, from) ?? versionSchema(after, from);
    if (source === undefined || target === undefined || (converts && from !== to)) return [];
    if (counts !== undefined && from !== answer.storageVersion.old && countOf(counts, from) === 0) return [];
    const changes = schemaChanges(source, target);
    const middle = through === undefined || through === to ? undefined : schemaIn(input, through);
    const onTheWay = (middle === undefined ? [] : schemaChanges(source, middle)).filter(
      ({ effect, field }) =>
        effect === "pruned" && !changes.some((each) => each.effect === "pruned" && each.field === field),
    );
    return [
      ...(changes.length === 0 ? [] : [{ from, to, changes }]),
      ...(onTheWay.length === 0 || through === undefined ? [] : [{ from, to, through, changes: onTheWay }]),
    ];
  });
}

/** Versions that the definition has while objects are rewritten, beside those of the new one. */
const keptVersions = ({ next, answer, counts }: RewriteInput): string[] => [
  ...new Set([...answer.dropped, ...heldAndDropped(next, counts)]),
];

/**
 * An etcd copy that holds nothing but the storage version needs no rewriting, unless values could not be read, or the
 * server went on writing another version after the copy was made.
 */
function isClean({ next, answer, counts }: RewriteInput): boolean {
  const storage = storageVersionOf(next);
  return (
    counts !== undefined &&
    counts.unreadable === 0 &&
    answer.storageVersion.old === storage &&
    [...new Set([...answer.storedVersions, ...counts.versions.keys()])].every(
      (version) => version === storage || countOf(counts, version) === 0,
    )
  );
}

/** True where the way to the new definition has objects to rewrite. */
function isMigrated(input: RewriteInput): boolean {
  const storage = storageVersionOf(input.next);
  const others = input.answer.storedVersions.some((version) => version !== storage);
  return (others || keptVersions(input).length > 0) && !isClean(input);
}

/**
 * The version in which a migrator reads and writes objects: the one that its API is told, else the most preferred one
 * that is served while it runs (kube-controller-manager asks discovery). What that schema does not have is pruned on the
 * way, whatever the storage version keeps.
 */
function migratedThrough(input: RewriteInput): string | undefined {
  const { old, next, api } = input;
  const storage = storageVersionOf(next);
  const kept = keptVersions(input);
  const served = [
    ...next.versions.filter((each) => each.served),
    ...old.versions.filter((each) => each.served && kept.includes(each.name)),
  ].map(({ name }) => name);
  if (api.versioned) return served.find((name) => name === storage) ?? served[0];
  return served.sort((a, b) => compareKubeVersions(b, a))[0];
}

/** The schema of a version while objects are rewritten. */
const schemaIn = ({ old, next }: RewriteInput, version: string): VersionSchema | undefined =>
  versionSchema(objectOf(next), version) ?? versionSchema(objectOf(old), version);

export function planOf(input: PlanInput): PlanStep[] {
  const { old, next, answer, rewrites } = input;
  const faults = answer.errors.filter(({ field }) => !field.startsWith("status."));
  if (faults.length > 0)
    return faults.map(({ field, message }) =>
      step(
        "edit",
        message.endsWith("field is immutable")
          ? `Restore ${field}: it is immutable. Use another name for a definition with another value.`
          : `Correct ${field} of the new definition: ${message}.`,
      ),
    );
  const storage = storageVersionOf(next);
  if (storage === undefined) return [];
  const kept = keptVersions(input);
  const others = answer.storedVersions.filter((version) => version !== storage);
  if (kept.length === 0 && others.length === 0) return [];
  const crossing = rewrites.filter((each) => each.from !== each.to && isUnsafe(each, input.ratchets));
  if (crossing.some(({ through }) => through === undefined))
    return crossing.flatMap((each) => (each.through === undefined ? withoutRewrite(input, each) : []));
  const passing = rewrites.filter(({ through }) => through !== undefined);
  if (passing.length > 0) return withoutDetour(passing);
  const clean = isClean(input);
  const [before, after] = [objectOf(old), objectOf(next)];
  const converting = webhookOf(conversionOf(before, after)) !== undefined;
  // The webhook of the old definition is needed until nothing is stored in another version.
  const interimToo = kept.length > 0 || (converting && webhookOf(conversionIn(after)) === undefined);
  const why =
    kept.length > 0
      ? `, without ${kept.join(" and ")}, in which no objects are stored anymore`
      : ", whose conversion is not required by any stored object anymore";
  return [
    ...(interimToo ? interim(input, kept) : [apply(next, "Apply the new definition.")]),
    ...(clean || !converting ? [] : [webhookGate(input, kept)]),
    ...(clean ? [] : [migrate(input, storage)]),
    patch(answer.storedVersions, storage),
    ...(interimToo
      ? [
          apply(
            next,
            `Apply the new definition${why}.`,
            converting && webhookOf(conversionIn(after)) === undefined,
          ),
        ]
      : []),
  ];
}

const step = (action: PlanAction, summary: string, rest: Partial<PlanStep> = {}): PlanStep => ({
  action,
  summary,
  object: undefined,
  migration: undefined,
  patch: undefined,
  versions: undefined,
  withoutWebhook: false,
  ...rest,
});

/** What is to be done where a rewrite with another apiVersion alone would lose something. */
function withoutRewrite({ old, ratchets }: PlanInput, { from, to, changes }: Rewrite): PlanStep[] {
  const lost = changes
    .filter(({ effect }) => effect === "pruned" || !ratchets)
    .map(({ message }) => message)
    .join("; ");
  const served = old.versions.some(({ name, served: is }) => name === from && is);
  return [
    step(
      "edit",
      `Do not rewrite objects from ${from} to ${to} with conversion strategy None, which changes only their apiVersion: ${lost}. Add a conversion webhook that supports ${from} and ${to} to the new definition, or extend the schema of ${to} by these fields, and run this command again. Alternatively, export the objects.`,
    ),
    step(
      "export",
      `To export the objects: save every object in ${from} and create a manifest in ${to} for each. Delete the objects, which removes them from the cluster until they are re-created. Then change the definition and create the objects again.${served ? "" : ` ${from} is not served: serve it first.`}`,
      { versions: [from] },
    ),
  ];
}

/** What is to be done where the migrator would write objects through a version that does not have all of their fields. */
function withoutDetour(rewrites: readonly Rewrite[]): PlanStep[] {
  const [first] = rewrites;
  if (first?.through === undefined) return [];
  const { through, to } = first;
  const lost = [...new Set(rewrites.flatMap(({ changes }) => changes.map(({ message }) => message)))];
  return [
    step(
      "edit",
      `Do not migrate while ${through} is served. The migrator writes every object in it on the way to ${to}, and ${lost.join("; ")}. Extend the schema of ${through} by these fields, or set served: false for ${through} in the new definition, run this command again, follow that plan, and serve ${through} afterwards.`,
    ),
  ];
}

const apply = (crd: StorageCrd, summary: string, withoutWebhook = false): PlanStep =>
  step("apply", summary, { object: manifestOf(objectOf(crd)), withoutWebhook });

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** The object as a manifest: no status, and nothing in metadata that the server or kubectl fills in. */
function manifestOf({ status: _, metadata, ...rest }: JsonObject): JsonObject {
  if (!isObject(metadata)) return rest;
  const {
    resourceVersion: _r,
    uid: _u,
    generation: _g,
    creationTimestamp: _c,
    managedFields: _m,
    annotations,
    ...kept
  } = metadata;
  const own = isObject(annotations)
    ? Object.entries(annotations).filter(([key]) => key !== LAST_APPLIED)
    : [];
  return {
    ...rest,
    metadata: { ...kept, ...(own.length === 0 ? {} : { annotations: Object.fromEntries(own) }) },
  };
}

const specOf = (definition: JsonObject): JsonObject => {
  const spec = definition["spec"];
  return isObject(spec) ? spec : {};
};
const conversionIn = (definition: JsonObject): Json | undefined => specOf(definition)["conversion"];

/** The conversion while objects are in both versions: the webhook of either, of the new definition first. */
const conversionOf = (before: JsonObject, after: JsonObject): Json | undefined =>
  [conversionIn(after), conversionIn(before)].find((each) => webhookOf(each) !== undefined) ??
  conversionIn(after) ??
  conversionIn(before);

/** The webhook of a conversion; undefined where none converts. */
export function webhookOf(conversion: Json | undefined): JsonObject | undefined {
  if (!isObject(conversion) || conversion["strategy"] !== "Webhook") return undefined;
  return isObject(conversion["webhook"]) ? conversion["webhook"] : {};
}

/** The new definition with the versions that hold objects added again, readable but no longer written. */
function interim({ old, next }: PlanInput, kept: readonly string[]): PlanStep[] {
  const [before, after] = [objectOf(old), manifestOf(objectOf(next))];
  const versions = (definition: JsonObject): readonly Json[] => {
    const list = specOf(definition)["versions"];
    return isList(list) ? list : [];
  };
  const again = versions(before).flatMap((each): JsonObject[] =>
    isObject(each) && kept.includes(textAt(each, "name")) ? [{ ...each, storage: false }] : [],
  );
  const missing = kept.filter((name) => !again.some((each) => each["name"] === name));
  const conversion = conversionOf(before, after);
  const object: JsonObject = {
    ...after,
    spec: {
      ...specOf(after),
      ...(conversion === undefined ? {} : { conversion }),
      versions: [...versions(after), ...again],
    },
  };
  const edit = step(
    "edit",
    `Add ${missing.join(" and ")} with its schema to the definition of the next step: objects are stored in it, but neither definition contains it.`,
  );
  const what = kept.length === 0 ? "the old conversion" : `${kept.join(" and ")}`;
  return [
    ...(missing.length === 0 ? [] : [edit]),
    step(
      "apply",
      `Apply the new definition with ${what} still in it. Stored objects remain readable, and new objects are written in ${storageVersionOf(next)}.`,
      { object },
    ),
  ];
}

/** A webhook that does not answer, or does not know a version, fails the migration and every LIST. */
function webhookGate(input: PlanInput, kept: readonly string[]): PlanStep {
  const { old, next } = input;
  const served = [
    ...next.versions.filter((each) => each.served),
    ...old.versions.filter((each) => each.served && kept.includes(each.name)),
  ].map(({ name }) => name);
  return step(
    "gate",
    `Continue only when every object can be read in ${served.join(" and in ")}. The conversion webhook must be available, and support ${served.length === 1 ? "this version and the stored ones" : "all of these versions"}, until the plan is complete. ${withoutTheWebhook(input)}`,
    { versions: served },
  );
}

/** The way on where the webhook is gone for good, such as after its operator was uninstalled. */
function withoutTheWebhook(input: PlanInput): string {
  const lost = rewritesOf({ ...input, ignoresWebhook: true, isMigrated: true })
    .filter((each) => isUnsafe(each, input.ratchets))
    .flatMap(({ changes }) => changes.map(({ message }) => message));
  if (lost.length > 0)
    return `If the webhook cannot be restored, save the objects from a copy of etcd with slipway etcd extract: without the webhook they would lose fields (${[...new Set(lost)].join("; ")}).`;
  const patch = '{"spec":{"conversion":{"strategy":"None","webhook":null}}}';
  return `If the webhook cannot be restored, run: kubectl patch customresourcedefinition ${shellWord(input.next.name)} --type=merge --patch '${patch}'. Then only the apiVersion of the objects changes, and by the schemas they keep all fields; repeat this step and continue.`;
}

function migrate({ next, api }: PlanInput, storage: string): PlanStep {
  const target = { group: next.group, resource: next.plural };
  const readable = next.versions.find(({ name, served }) => name === storage && served);
  const version = readable?.name ?? next.versions.find(({ served }) => served)?.name ?? storage;
  const view = { ...migrationView(api, target, version), name: migrationName(target, storage) };
  const trims = api.trims
    ? ` As it also sets status.storedVersions when it ends, even after a failure, check its conditions or the objects in etcd before the next step.`
    : "";
  return step(
    "migrate",
    `Rewrite every object in ${storage}, and wait until the migration has succeeded or failed.${trims}`,
    {
      migration: view,
    },
  );
}

function patch(stored: readonly string[], storage: string): PlanStep {
  return step(
    "patch-status",
    `Set status.storedVersions to ${storage} only, provided that the definition has not been changed since it was read.`,
    {
      patch: [
        { op: "test", path: "/metadata/resourceVersion", value: RESOURCE_VERSION },
        { op: "test", path: "/status/storedVersions", value: [...stored] },
        { op: "replace", path: "/status/storedVersions", value: [storage] },
      ],
    },
  );
}
