/**
 * The claim in the target namespace, and the one that a rollback makes again, from the source claim. "Copying the
 * spec" of the design is wrong as written: what must stay is written out, what must not come along is left out
 * (docs/reference/pvc-transfer.md §4).
 */
import type { JsonObject } from "../core/json.js";
import { ANNOTATIONS, type Name } from "./api.js";
import { annotationOf, objectAt, textAt, textsAt } from "./object.js";
import type { Scrubbed } from "./scrub.js";

/** The beta annotation that was the storage class before there was a field; it still wins over the field. */
const BETA_CLASS = "volume.beta.kubernetes.io/storage-class";

/** The class of a claim or volume; undefined when it says nothing, which is not the same as the empty class. */
export const storageClassOf = (object: JsonObject): string | undefined => {
  const field = objectAt(object, "spec")["storageClassName"];
  return annotationOf(object, BETA_CLASS) ?? (typeof field === "string" ? field : undefined);
};

export const volumeModeOf = (object: JsonObject): string =>
  textAt(object, "spec", "volumeMode") || "Filesystem";
export const requestOf = (claim: JsonObject): string =>
  textAt(claim, "spec", "resources", "requests", "storage");

/** A view for the template of a claim. */
export interface ClaimView extends Name {
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: JsonObject;
}

/**
 * @param volume the volume that the claim is for; undefined for a fresh claim, which keeps its selector
 * @param id marks the claim as the work of this transfer
 */
export function claimView(
  source: JsonObject,
  volume: JsonObject | undefined,
  { namespace, name }: Name,
  { labels, annotations }: Scrubbed,
  id: string,
): ClaimView {
  // An omitted class would be filled by the default class of the cluster; the volume's is as good as the claim's.
  const storageClass =
    storageClassOf(source) ?? (volume === undefined ? undefined : (storageClassOf(volume) ?? ""));
  const attributesClass = textAt(source, "spec", "volumeAttributesClassName");
  const selector = objectAt(source, "spec", "selector");
  const spec: JsonObject = {
    accessModes: textsAt(source, "spec", "accessModes"),
    volumeMode: volumeModeOf(source),
    resources: { requests: { storage: requestOf(source) } },
    ...(storageClass === undefined ? {} : { storageClassName: storageClass }),
    ...(attributesClass === "" ? {} : { volumeAttributesClassName: attributesClass }),
    ...(volume === undefined ? {} : { volumeName: textAt(volume, "metadata", "name") }),
    ...(volume === undefined && Object.keys(selector).length > 0 ? { selector } : {}),
  };
  return {
    namespace,
    name,
    labels: Object.keys(labels).length === 0 ? undefined : labels,
    annotations: { ...annotations, [ANNOTATIONS.plan]: id },
    spec,
  };
}
