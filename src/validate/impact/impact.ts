/**
 * What applying a folder does to a management cluster, object by object: pure, over the files as they would be, the files
 * as they are and the objects of a dump.
 */
import { isList, isObject, type Json, type JsonObject, textAt } from "../../core/json.js";
import { CONTROL_PLANE_GROUP, CONTROL_PLANE_KIND, STATE_KEY } from "../../crd/openshift-control-plane.js";
import { identityKey, identityOf, type ObjectIdentity } from "../../kubernetes/identity.js";
import { annotationsOf, labelsOf, MANIFEST_FOLDER_LABEL } from "../../kubernetes/labels.js";
import { isImmutableKind } from "../../phases/infrastructure-manifests/immutable.js";
import { type ObjectRole, ROLES, updatesOf } from "../../platforms/update-rules.js";
import { applied, type FieldChange, LAST_APPLIED, lastApplied } from "./applied.js";
import { type Refusal, refusalsOf } from "./refusals.js";

export const OUTCOMES = [
  "refused",
  "pruned",
  "updated",
  "created",
  "no-effect",
  "left",
  "unverified",
  "unchanged",
] as const;
export type ImpactOutcome = (typeof OUTCOMES)[number];

/** An object of the folder, with its file. */
export interface FiledObject {
  readonly file: string;
  readonly object: JsonObject;
  /** Its values are encrypted, and no available key opens them. */
  readonly isSealed?: boolean;
}

export interface ImpactQuestion {
  /** What would be applied. */
  readonly files: readonly FiledObject[];
  /** The folder as it is on disk: what was applied, or will be. */
  readonly onDisk: readonly FiledObject[];
  /** The objects of the dump. */
  readonly live: readonly JsonObject[];
  /** What rules of a definition refuse of an update; undefined without a definition of the kind. */
  transitions(before: JsonObject, after: JsonObject): readonly Refusal[] | undefined;
}

export interface ObjectImpact extends ObjectIdentity {
  /** Absent for an object that the folder no longer has. */
  readonly file?: string;
  readonly outcome: ImpactOutcome;
  /** What it does to the cluster. */
  readonly effect: string;
  /** Of an object that the folder no longer has: what its deletion costs. */
  readonly cost?: string;
  readonly refusals: readonly Refusal[];
  readonly changes: readonly FieldChange[];
  /** False where the rules for updates of the kind are not known. */
  readonly isChecked: boolean;
}

export interface Impact {
  /** Whether the cluster's API server has answered once; undefined where the dump has no control plane. */
  readonly installed: boolean | undefined;
  readonly objects: readonly ObjectImpact[];
}

export function impactOf({ files, onDisk, live, transitions }: ImpactQuestion): Impact {
  const found = new Map(live.map((object) => [identityKey(identityOf(object)), object]));
  const former = new Map(onDisk.map(({ object }) => [identityKey(identityOf(object)), object]));
  // A dump may hold other clusters as well: theirs is what lies in another namespace.
  const own = new Set(files.flatMap(({ object }) => (isPlane(object) ? [identityOf(object).namespace] : [])));
  const isOwn = (object: JsonObject): boolean => own.has(identityOf(object).namespace);
  const installed = isInstalled(live.filter(isOwn));
  const kinds = new Set(live.map((object) => kindOf(object)));
  const filed = files.map((each): ObjectImpact => {
    const key = identityKey(identityOf(each.object));
    const [object, before] = [found.get(key), former.get(key)];
    if (object !== undefined) return impactOnExisting(each, object, before, { installed, transitions });
    // A dump need not hold Secrets, for instance.
    const isLeftOut = installed !== undefined && before !== undefined && !kinds.has(kindOf(each.object));
    return isLeftOut
      ? {
          ...base(each),
          outcome: "unverified",
          effect: `the dump contains no ${textAt(each.object, "kind")}`,
        }
      : impactOfNew(each, installed);
  });
  const named = new Set(files.map(({ object }) => identityKey(identityOf(object))));
  const gone = [...found].flatMap(([key, object]) => {
    const wasApplied = former.has(key) || (isOwn(object) && markerOf(object) !== undefined);
    return named.has(key) || !wasApplied ? [] : [goneImpact(object)];
  });
  return { installed, objects: unusedTemplates([...filed, ...gone], files) };
}

const kindOf = (object: JsonObject): string => {
  const { group, kind } = identityOf(object);
  return `${kind}.${group}`;
};

const base = ({ file, object }: FiledObject): Omit<ObjectImpact, "outcome" | "effect"> => ({
  ...identityOf(object),
  file,
  refusals: [],
  changes: [],
  isChecked: true,
});

function impactOfNew(each: FiledObject, installed: boolean | undefined): ObjectImpact {
  const isRead = installed === true && isReadOnce(roleOf(each.object));
  return isRead
    ? { ...base(each), outcome: "no-effect", effect: effectOf(each.object) }
    : { ...base(each), outcome: "created", effect: "" };
}

function impactOnExisting(
  each: FiledObject,
  object: JsonObject,
  onDisk: JsonObject | undefined,
  { installed, transitions }: Pick<Impact, "installed"> & Pick<ImpactQuestion, "transitions">,
): ObjectImpact {
  const { group, kind, version } = identityOf(each.object);
  const last = lastApplied(object);
  const isSameVersion = (other: JsonObject | undefined): boolean =>
    other !== undefined && identityOf(other).version === version;
  // Another version of a kind has other fields: what was applied says what is there, where it is known.
  const current = isSameVersion(object) ? object : isSameVersion(last) ? last : undefined;
  if (each.isSealed === true)
    return { ...base(each), outcome: "unverified", effect: "encrypted; no available key opens it" };
  if (current === undefined)
    return {
      ...base(each),
      outcome: "unverified",
      effect: `the dump has it as ${textAt(object, "apiVersion")}, the file as ${textAt(each.object, "apiVersion")}`,
    };
  const { next, changes } = applied(current, each.object, [last, onDisk].find(isSameVersion));
  if (changes.length === 0) return { ...base(each), outcome: "unchanged", effect: "" };
  const known = updatesOf(group, kind);
  const status = object["status"] ?? {};
  const byDefinition = transitions(current, { ...current, ...next });
  const refusals = [
    ...(byDefinition ?? []),
    ...refusalsOf(known?.rules ?? [], { ...current, status }, { ...next, status }),
  ];
  const isChecked = known !== undefined || byDefinition !== undefined;
  const more = { ...base(each), changes, refusals, isChecked };
  if (refusals.length > 0) return { ...more, outcome: "refused", effect: "" };
  const isIdle = installed === true && isReadOnce(roleOf(each.object));
  return {
    ...more,
    outcome: isIdle || changes.every(isOfMetadata) ? "no-effect" : "updated",
    effect: changes.every(isOfMetadata) ? "labels and annotations only" : effectOf(each.object),
  };
}

const isOfMetadata = ({ field }: FieldChange): boolean => field.startsWith("metadata.");

function goneImpact(object: JsonObject): ObjectImpact {
  const { group, kind } = identityOf(object);
  const cost = updatesOf(group, kind)?.delete ?? ROLES[roleOf(object)].delete;
  const prunes = markerOf(object) === "pruned";
  return {
    ...identityOf(object),
    outcome: prunes ? "pruned" : "left",
    effect: prunes ? "the controller deletes it" : "it stays in the cluster",
    cost,
    refusals: [],
    changes: [],
    isChecked: true,
  };
}

/** What applied the object, and whether it deletes what is no longer in Git. */
function markerOf(object: JsonObject): "pruned" | "kept" | undefined {
  const [labels, annotations] = [labelsOf(object), annotationsOf(object)];
  const options = (annotations.get("argocd.argoproj.io/sync-options") ?? "").split(",");
  if (labels.has("kustomize.toolkit.fluxcd.io/name"))
    return annotations.get("kustomize.toolkit.fluxcd.io/prune") === "disabled" ? "kept" : "pruned";
  if (annotations.has("argocd.argoproj.io/tracking-id") || labels.has("argocd.argoproj.io/instance"))
    return options.some((each) => each.trim() === "Prune=false") ? "kept" : "pruned";
  return annotations.has(LAST_APPLIED) ? "kept" : undefined;
}

/** By the names that Cluster API asks of providers. */
export const isControlPlaneKind = (kind: string): boolean => kind.endsWith("ControlPlane");

const isPlane = (object: JsonObject): boolean => isControlPlaneKind(textAt(object, "kind"));

/** True once the API server of the cluster has answered; Cluster API says so in one of two places. */
function isInstalled(live: readonly JsonObject[]): boolean | undefined {
  const planes = live.filter(isPlane);
  if (planes.length === 0) return undefined;
  return planes.every(({ status }) => {
    if (!isObject(status)) return false;
    const { initialized, ready, initialization } = status;
    const later = isObject(initialization) ? initialization["controlPlaneInitialized"] : undefined;
    return [initialized, ready, later].includes(true);
  });
}

/** Read while a cluster is installed, and never again. */
const isReadOnce = (role: ObjectRole): boolean => ["state", "manifest", "control plane"].includes(role);

function effectOf(object: JsonObject): string {
  const role = roleOf(object);
  const { group, kind } = identityOf(object);
  return isReadOnce(role) ? ROLES[role].update : (updatesOf(group, kind)?.update ?? ROLES[role].update);
}

function roleOf(object: JsonObject): ObjectRole {
  const { group, kind } = identityOf(object);
  const { data } = object;
  if (kind === "Secret" && labelsOf(object).has(MANIFEST_FOLDER_LABEL)) return "manifest";
  if (kind === "Secret" && isObject(data) && Object.hasOwn(data, STATE_KEY)) return "state";
  if (isImmutableKind(kind)) return "machine template";
  if (group === CONTROL_PLANE_GROUP && kind === CONTROL_PLANE_KIND) return "control plane";
  if (/Identity$/.test(kind)) return "identity";
  return /^infrastructure\./.test(group) && /Cluster$/.test(kind) ? "infrastructure cluster" : "other";
}

/** A new template has no effect where all that refers to it is refused. */
function unusedTemplates(objects: readonly ObjectImpact[], files: readonly FiledObject[]): ObjectImpact[] {
  const refused = new Set(objects.filter(({ outcome }) => outcome === "refused").map(identityKey));
  const used = new Set(
    files.flatMap(({ object }) => (refused.has(identityKey(identityOf(object))) ? [] : referencesIn(object))),
  );
  const idle = new Set(
    files.flatMap(({ object }) => (refused.has(identityKey(identityOf(object))) ? referencesIn(object) : [])),
  );
  return objects.map((each) => {
    const name = `${each.kind}/${each.name}`;
    if (each.outcome !== "created" || !isImmutableKind(each.kind) || used.has(name) || !idle.has(name))
      return each;
    return { ...each, outcome: "no-effect", effect: "only a refused change refers to it" };
  });
}

/** What an object refers to, by kind and name; not itself. */
const referencesIn = ({ spec }: JsonObject): string[] => references(spec ?? null);

function references(value: Json): string[] {
  if (isList(value)) return value.flatMap(references);
  if (!isObject(value)) return [];
  const { kind, name } = value;
  const own = typeof kind === "string" && typeof name === "string" ? [`${kind}/${name}`] : [];
  return [...own, ...Object.values(value).flatMap(references)];
}
