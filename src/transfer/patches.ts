/**
 * The JSON patches of a transfer. Each begins with `test` operations for what must still be so, so that the API server
 * refuses a patch whose moment has passed; a full manifest of a volume could not say that
 * (docs/reference/pvc-transfer.md §4, §6, §7 G1).
 */
import type { Json, JsonObject } from "../core/json.js";
import { CLAIM_KIND } from "../crd/storage-transfer.js";
import { ANNOTATIONS, type Name } from "./api.js";
import { annotationOf, at, objectAt, textAt } from "./object.js";

export type Operation =
  | { readonly op: "test" | "add" | "replace"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string };
export type JsonPatch = readonly Operation[];

const BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";

export const pointer = (...steps: readonly string[]): string =>
  steps.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
const annotationPath = (key: string): string => pointer("metadata", "annotations", key);

const test = (path: string, value: Json): Operation => ({ op: "test", path, value });
const add = (path: string, value: Json): Operation => ({ op: "add", path, value });
const replace = (path: string, value: Json): Operation => ({ op: "replace", path, value });
const remove = (path: string): Operation => ({ op: "remove", path });

const POLICY = "/spec/persistentVolumeReclaimPolicy";
export const policyOf = (volume: JsonObject): string =>
  // The default of a volume that was made by hand; a dump always says it.
  textAt(volume, "spec", "persistentVolumeReclaimPolicy") || "Retain";

const sameVolume = (volume: JsonObject): Operation =>
  test("/metadata/uid", textAt(volume, "metadata", "uid"));
/** The API server takes a `test` for null as one for a member that is missing. */
const missing = (path: string): Operation => test(path, null);

/** Who a claimRef may name for a patch to apply. */
export type ClaimTest =
  | { readonly uid: string }
  /** A reservation: this name, and no uid yet. */
  | { readonly reservedFor: Name }
  /** No claim at all. */
  | "unclaimed";

export const claimReference = ({ namespace, name }: Name): JsonObject => ({
  apiVersion: "v1",
  kind: CLAIM_KIND,
  namespace,
  name,
});

function claimTests(volume: JsonObject, who: ClaimTest): Operation[] {
  if (who === "unclaimed") return [missing("/spec/claimRef")];
  if ("uid" in who) return [test("/spec/claimRef/uid", who.uid)];
  // The whole reference: one with a uid beside the name is another one.
  return [test("/spec/claimRef", objectAt(volume, "spec", "claimRef"))];
}

export interface RetainOptions {
  readonly id: string;
  readonly sourceUid: string;
  /** The policy that is restored at the end. */
  readonly original: string;
  readonly claim: ClaimTest;
}

/**
 * Step 1: Retain, and what is needed to undo it, in one patch. A saved policy that is there already is the only truth
 * and stays (C1, C8).
 */
export function retainPatch(
  volume: JsonObject,
  { id, sourceUid, original, claim }: RetainOptions,
): JsonPatch {
  const policy = textAt(volume, "spec", "persistentVolumeReclaimPolicy");
  const marks: readonly (readonly [string, string])[] = [
    [ANNOTATIONS.originalPolicy, original],
    [ANNOTATIONS.plan, id],
    [ANNOTATIONS.sourceUid, sourceUid],
  ];
  const fresh = marks.filter(([key]) => annotationOf(volume, key) === undefined);
  const present = marks.filter(([key]) => annotationOf(volume, key) !== undefined);
  const hasAnnotations = at(volume, "metadata", "annotations") !== undefined;
  return [
    sameVolume(volume),
    ...claimTests(volume, claim),
    ...(policy === "" ? [] : [test(POLICY, policy)]),
    ...present.map(([key]) => test(annotationPath(key), annotationOf(volume, key) ?? "")),
    ...(hasAnnotations
      ? fresh.map(([key, value]) => add(annotationPath(key), value))
      : // Adding the mapping would replace one that somebody made in between.
        [missing("/metadata/annotations"), add("/metadata/annotations", Object.fromEntries(fresh))]),
    policy === "" ? add(POLICY, "Retain") : replace(POLICY, "Retain"),
  ];
}

/**
 * Steps 6: the volume is reserved for a claim by name alone, without uid and resourceVersion, so that only this name
 * may take it (B6). Without `bound-by-controller` the reservation outlives an unbinding (B9).
 */
export const repointPatch = (
  volume: JsonObject,
  id: string,
  claim: Exclude<ClaimTest, "unclaimed">,
  to: Name,
): JsonPatch => [
  sameVolume(volume),
  ...claimTests(volume, claim),
  test(POLICY, "Retain"),
  test(annotationPath(ANNOTATIONS.plan), id),
  replace("/spec/claimRef", claimReference(to)),
  ...withoutBinding(volume),
];

const withoutBinding = (volume: JsonObject): Operation[] =>
  annotationOf(volume, BOUND_BY_CONTROLLER) === undefined
    ? []
    : [remove(annotationPath(BOUND_BY_CONTROLLER))];

/** Of a volume that nobody holds: Retain and the reservation at once, if still nobody holds it. */
export const reservePatch = (
  volume: JsonObject,
  options: Omit<RetainOptions, "claim">,
  to: Name,
): JsonPatch => [
  ...retainPatch(volume, { ...options, claim: "unclaimed" }),
  add("/spec/claimRef", claimReference(to)),
  ...withoutBinding(volume),
];

export interface RestoreOptions {
  readonly id: string;
  readonly original: string;
  /** The claim that the volume must be bound to. */
  readonly claim: Name;
  /** Its uid, once it is known. */
  readonly uid: string | undefined;
  /** The policy that the volume has then; anything but Retain only where the source was bound all the time. */
  readonly current?: string;
  /** The marks that are on it then; all of them unless it is known otherwise. */
  readonly marks?: readonly string[];
}

export const MARKS: readonly string[] = [ANNOTATIONS.originalPolicy, ANNOTATIONS.plan, ANNOTATIONS.sourceUid];

/**
 * Step 8: the saved policy comes back and the marks go, when the volume is bound to this claim and to no other. A plan
 * that is made before the claim exists cannot know its uid; then name and phase are tested, and the gate before compares
 * the uids.
 */
export const restorePatch = (
  volume: JsonObject,
  { id, original, claim, uid, current = "Retain", marks = MARKS }: RestoreOptions,
): JsonPatch => [
  sameVolume(volume),
  test("/spec/claimRef/namespace", claim.namespace),
  test("/spec/claimRef/name", claim.name),
  ...(uid === undefined ? [] : [test("/spec/claimRef/uid", uid)]),
  test("/status/phase", "Bound"),
  test(POLICY, current),
  test(annotationPath(ANNOTATIONS.plan), id),
  ...(marks.includes(ANNOTATIONS.originalPolicy)
    ? [test(annotationPath(ANNOTATIONS.originalPolicy), original)]
    : []),
  ...(original === current ? [] : [replace(POLICY, original)]),
  ...marks.map((key) => remove(annotationPath(key))),
];

/**
 * The way back of a volume whose claim was gone before: it names again whom it named, the policy comes back and the marks
 * go. Released volumes had the policy Retain, and get no other one.
 */
export const vacatePatch = (
  volume: JsonObject,
  id: string,
  original: string,
  claim: Exclude<ClaimTest, "unclaimed">,
  claimRef: JsonObject | null,
): JsonPatch => [
  sameVolume(volume),
  ...claimTests(volume, claim),
  test(annotationPath(ANNOTATIONS.plan), id),
  claimRef === null ? remove("/spec/claimRef") : replace("/spec/claimRef", claimRef),
  ...(policyOf(volume) === original ? [] : [replace(POLICY, original)]),
  ...MARKS.filter((key) => annotationOf(volume, key) !== undefined).map((key) => remove(annotationPath(key))),
];

/** The last step of a way back: the claim that was made again is as any other from then on. */
export const unmarkPatch = (id: string): JsonPatch => [
  test(annotationPath(ANNOTATIONS.plan), id),
  remove(annotationPath(ANNOTATIONS.plan)),
];

/** Steps 9: the status of a request or approval, for the same object that the plan was made from. */
export const statusPatch = (
  object: { readonly uid: string; readonly spec: JsonObject },
  status: JsonObject,
): JsonPatch => [test("/metadata/uid", object.uid), test("/spec", object.spec), add("/status", status)];
