/** What a server or a controller filled in is taken out of an object, so that it can be created again. */
import { isList, isObject, type Json, type JsonObject } from "../../core/json.js";

export interface CleanOptions {
  /** True keeps the status, which a server ignores in an apply. */
  readonly status: boolean;
}

const METADATA = new Set([
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "selfLink",
  "managedFields",
  // Owners get a new uid when they are created again, and an object with the old one is collected as garbage.
  "ownerReferences",
]);

/** Labels with which a Job finds its pods: made with its uid, and refused when they are given. */
const JOB_LABELS = new Set([
  "controller-uid",
  "job-name",
  "batch.kubernetes.io/controller-uid",
  "batch.kubernetes.io/job-name",
]);

/** Annotations of the volume controller, which make a claim count as lost when its volume has another uid. */
const CLAIM_ANNOTATIONS = new Set([
  "pv.kubernetes.io/bind-completed",
  "pv.kubernetes.io/bound-by-controller",
]);

/** Of the token of a service account: the controller deletes it where the account has another uid, and fills it in else. */
const TOKEN_ANNOTATIONS = new Set(["kubernetes.io/service-account.uid"]);

/** The object as somebody would have written it. */
export function cleaned(object: JsonObject, { status }: CleanOptions): JsonObject {
  const { apiVersion, kind, metadata, ...rest } = object;
  const kept = Object.entries(rest).filter(([name]) => name !== "status" || status);
  const clean = {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    metadata: without(part(metadata), METADATA),
    ...Object.fromEntries(kept),
  };
  const make = BY_KIND.get(`${groupOf(apiVersion)}/${String(kind)}`);
  return make === undefined ? clean : make(clean);
}

const groupOf = (apiVersion: Json | undefined): string => {
  const text = String(apiVersion ?? "");
  return text.includes("/") ? text.slice(0, text.indexOf("/")) : "";
};
const part = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
const without = (object: JsonObject, names: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.has(name)));
/** Applies a change to a member that is an object, and leaves it out when nothing remains. */
function change(object: JsonObject, name: string, how: (value: JsonObject) => JsonObject): JsonObject {
  const value = object[name];
  if (!isObject(value)) return object;
  const changed = how(value);
  const { [name]: _, ...others } = object;
  return Object.keys(changed).length === 0 ? others : { ...object, [name]: changed };
}

const withoutAnnotations = (object: JsonObject, names: ReadonlySet<string>): JsonObject =>
  change(object, "metadata", (metadata) => change(metadata, "annotations", (each) => without(each, names)));

const BY_KIND: ReadonlyMap<string, (object: JsonObject) => JsonObject> = new Map([
  [
    "batch/Job",
    (job: JsonObject) => {
      const spec = part(job["spec"]);
      if (spec["manualSelector"] === true) return job;
      const labels = (object: JsonObject): JsonObject =>
        change(object, "metadata", (metadata) =>
          change(metadata, "labels", (each) => without(each, JOB_LABELS)),
        );
      return change(labels(job), "spec", ({ selector: _, ...others }) => change(others, "template", labels));
    },
  ],
  [
    "/PersistentVolume",
    // Reserved for the same claim, whatever its uid will be.
    (volume: JsonObject) =>
      change(volume, "spec", (spec) =>
        change(spec, "claimRef", (claim) => without(claim, new Set(["uid", "resourceVersion"]))),
      ),
  ],
  ["/PersistentVolumeClaim", (claim: JsonObject) => withoutAnnotations(claim, CLAIM_ANNOTATIONS)],
  ["/Secret", (secret: JsonObject) => withoutAnnotations(secret, TOKEN_ANNOTATIONS)],
  ["/Pod", (pod: JsonObject) => change(pod, "spec", withoutTokenVolumes)],
]);

/** A pod's own token is mounted anew at its creation. */
function withoutTokenVolumes(spec: JsonObject): JsonObject {
  const isToken = (name: Json | undefined): boolean =>
    typeof name === "string" && /^kube-api-access-[a-z0-9]{5}$/.test(name);
  const filtered = (list: Json | undefined, keep: (item: JsonObject) => boolean): Json[] | undefined =>
    isList(list) ? list.filter((item) => !isObject(item) || keep(item)) : undefined;
  const out: { [name: string]: Json } = { ...spec };
  const put = (object: { [name: string]: Json }, name: string, list: Json[] | undefined): void => {
    if (list === undefined) return;
    if (list.length === 0) delete object[name];
    else object[name] = list;
  };
  put(
    out,
    "volumes",
    filtered(spec["volumes"], ({ name }) => !isToken(name)),
  );
  for (const containers of ["containers", "initContainers", "ephemeralContainers"]) {
    const list = spec[containers];
    if (!isList(list)) continue;
    out[containers] = list.map((container) => {
      if (!isObject(container)) return container;
      const copy: { [name: string]: Json } = { ...container };
      put(
        copy,
        "volumeMounts",
        filtered(container["volumeMounts"], ({ name }) => !isToken(name)),
      );
      return copy;
    });
  }
  return out;
}
