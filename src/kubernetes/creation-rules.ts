/**
 * What the API server says of an object that is created from a file, and of none that it holds already: it refuses what
 * was taken out of a cluster with its version, and drops members that it does not know without a word.
 */

import { isObject, type JsonObject } from "../core/json.js";
import { lookup } from "../core/lookup.js";
import { type Found, problem } from "../core/problem.js";
import { closest } from "../text/closest.js";
import { quote } from "../text/quote.js";
import { identityOf } from "./identity.js";

/** apimachinery, pkg/apis/meta/v1: `ObjectMeta`. */
const METADATA: readonly string[] = [
  ...["name", "generateName", "namespace", "labels", "annotations", "finalizers", "ownerReferences"],
  ...["uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp"],
  ...["deletionGracePeriodSeconds", "managedFields", "selfLink"],
];

/** Members of kinds of the core group that people write by hand, beside those of every object (core/v1). */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  ConfigMap: ["data", "binaryData", "immutable"],
  Namespace: ["spec", "status"],
  Secret: ["data", "stringData", "type", "immutable"],
};

export function creationFindings(object: JsonObject): Found[] {
  const { metadata } = object;
  const { group, kind } = identityOf(object);
  const members = group === "" ? lookup(MEMBERS, kind) : undefined;
  return [
    ...(isObject(metadata)
      ? [...versionFindings(metadata), ...unknown(metadata, METADATA, "metadata.")]
      : []),
    ...(members === undefined ? [] : unknown(object, ["apiVersion", "kind", "metadata", ...members], "")),
  ];
}

/** Storage takes no object that has a version already (apiserver, `storage.Interface`). */
function versionFindings({ resourceVersion }: JsonObject): Found[] {
  if (typeof resourceVersion !== "string" || resourceVersion === "" || resourceVersion === "0") return [];
  return [
    problem(
      "KUB001",
      "Forbidden",
      "metadata.resourceVersion",
      "must not be set on an object to be created",
      "remove it, together with uid, creationTimestamp, generation, managedFields and status, which belong to the object in the cluster",
    ),
  ];
}

const unknown = (of: JsonObject, known: readonly string[], base: string): Found[] =>
  Object.keys(of)
    .filter((key) => !known.includes(key))
    .map((key): Found => {
      const near = closest(key, known);
      return problem(
        "KUB004",
        "Invalid",
        `${base}${key}`,
        `unknown field ${quote(key)}; the API server would drop it`,
        near === undefined ? "remove it" : `did you mean ${near}?`,
      );
    });
