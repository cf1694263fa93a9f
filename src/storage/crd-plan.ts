/** The way from one state of a CustomResourceDefinition to another without losing an object. */
import { isList, isObject, type Json, type JsonObject } from "../core/json.js";
import { toJson } from "../text/yaml-read.js";
import type { StorageCounts } from "./counts.js";
import { type StorageCrd, storageVersionOf } from "./crd.js";
import type { GuardAnswer } from "./crd-guard.js";
import { type MigrationApi, type MigrationView, migrationName, migrationView } from "./migration-api.js";

export type PlanAction = "edit" | "apply" | "migrate" | "patch-status";

export interface PlanStep {
  readonly action: PlanAction;
  readonly summary: string;
  /** Object to apply; a migration is given by its view instead. */
  readonly object: JsonObject | undefined;
  readonly migration: MigrationView | undefined;
  /** JSON patch of the status subresource; RESOURCE_VERSION stands for the value that is read just before. */
  readonly patch: readonly JsonObject[] | undefined;
}

export interface PlanInput {
  readonly old: StorageCrd;
  readonly next: StorageCrd;
  readonly answer: GuardAnswer;
  readonly api: MigrationApi;
  readonly counts: StorageCounts | undefined;
}

export const RESOURCE_VERSION = "RESOURCE_VERSION";

/** Versions that the new definition lacks and that hold objects by an etcd copy, whatever the status says. */
export function heldAndDropped(next: StorageCrd, counts: StorageCounts | undefined): string[] {
  const names = new Set(next.versions.map(({ name }) => name));
  return [...(counts?.versions ?? [])].flatMap(([version, count]) =>
    count > 0 && !names.has(version) ? [version] : [],
  );
}

export function planOf(input: PlanInput): PlanStep[] {
  const { next, answer, counts } = input;
  const faults = answer.errors.filter(({ field }) => field.startsWith("spec."));
  if (faults.length > 0)
    return faults.map(({ field, message }) =>
      step(
        "edit",
        field === "spec.versions"
          ? `Correct spec.versions of the new definition: it ${message.replace(/^.*: /, "")}.`
          : `Put ${field} back: it cannot change once the definition is established; a definition with another one needs another name.`,
      ),
    );
  const storage = storageVersionOf(next);
  if (storage === undefined) return [];
  const kept = [...new Set([...answer.dropped, ...heldAndDropped(next, counts)])];
  const others = answer.storedVersions.filter((version) => version !== storage);
  if (kept.length === 0 && others.length === 0) return [];
  // An etcd copy that holds nothing but the storage version needs no rewriting, unless values could not be read, or the
  // server went on writing another version after the copy was made.
  const clean =
    counts !== undefined &&
    counts.unreadable === 0 &&
    answer.storageVersion.old === storage &&
    [...counts.versions].every(([version, count]) => count === 0 || version === storage);
  return [
    ...(kept.length === 0 ? [apply(next, "Apply the new definition.")] : interim(input, kept)),
    ...(clean ? [] : [migrate(input, storage)]),
    patch(answer.storedVersions, storage),
    ...(kept.length === 0
      ? []
      : [
          apply(
            next,
            `Apply the new definition, without ${kept.join(" and ")}: nothing is stored in it any more.`,
          ),
        ]),
  ];
}

const step = (action: PlanAction, summary: string, rest: Partial<PlanStep> = {}): PlanStep => ({
  action,
  summary,
  object: undefined,
  migration: undefined,
  patch: undefined,
  ...rest,
});

const apply = (crd: StorageCrd, summary: string): PlanStep =>
  step("apply", summary, { object: withoutStatus(objectOf(crd)) });

function objectOf({ root }: StorageCrd): JsonObject {
  const value = toJson(root);
  return isObject(value) ? value : {};
}

/** The object as a manifest: no status, and nothing in metadata that the server fills in. */
function withoutStatus({ status: _, metadata, ...rest }: JsonObject): JsonObject {
  if (!isObject(metadata)) return rest;
  const {
    resourceVersion: _r,
    uid: _u,
    generation: _g,
    creationTimestamp: _c,
    managedFields: _m,
    ...kept
  } = metadata;
  return { ...rest, metadata: kept };
}

/** The new definition with the versions that hold objects added again, readable but no longer written. */
function interim({ old, next }: PlanInput, kept: readonly string[]): PlanStep[] {
  const before = objectOf(old);
  const after = withoutStatus(objectOf(next));
  const specs = [before["spec"], after["spec"]];
  const [oldSpec, newSpec] = specs;
  if (!isObject(oldSpec) || !isObject(newSpec)) return [];
  const versions = (spec: JsonObject): readonly Json[] => (isList(spec["versions"]) ? spec["versions"] : []);
  const again = versions(oldSpec).flatMap((each): JsonObject[] =>
    isObject(each) && kept.includes(String(each["name"])) ? [{ ...each, storage: false }] : [],
  );
  const missing = kept.filter((name) => !again.some((each) => each["name"] === name));
  const conversion = newSpec["conversion"] ?? oldSpec["conversion"];
  const object: JsonObject = {
    ...after,
    spec: {
      ...newSpec,
      ...(conversion === undefined ? {} : { conversion }),
      versions: [...versions(newSpec), ...again],
    },
  };
  const edit = step(
    "edit",
    `Add ${missing.join(" and ")} with its schema to the definition of the next step: objects are stored in it, and neither definition has it.`,
  );
  return [
    ...(missing.length === 0 ? [] : [edit]),
    step(
      "apply",
      `Apply the new definition with ${kept.join(" and ")} still in it: stored objects stay readable, new ones are written in ${storageVersionOf(next)}.`,
      { object },
    ),
  ];
}

function migrate({ next, api }: PlanInput, storage: string): PlanStep {
  const target = { group: next.group, resource: next.plural };
  const readable = next.versions.find(({ name, served }) => name === storage && served);
  const version = readable?.name ?? next.versions.find(({ served }) => served)?.name ?? storage;
  const view = { ...migrationView(api, target, version), name: migrationName(target, storage) };
  const trims = api.trims
    ? ` Since it also sets status.storedVersions when it ends, even after a failure, look into etcd or at its conditions before the next step.`
    : "";
  return step(
    "migrate",
    `Rewrite every object in ${storage}, and wait until the migration has succeeded.${trims}`,
    {
      migration: view,
    },
  );
}

function patch(stored: readonly string[], storage: string): PlanStep {
  return step(
    "patch-status",
    `Set status.storedVersions to ${storage} alone, provided that the definition is still in the state that was just read.`,
    {
      patch: [
        { op: "test", path: "/metadata/resourceVersion", value: RESOURCE_VERSION },
        { op: "test", path: "/status/storedVersions", value: [...stored] },
        { op: "replace", path: "/status/storedVersions", value: [storage] },
      ],
    },
  );
}
