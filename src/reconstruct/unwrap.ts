/**
 * The files that a selected Secret holds. The source design has one key for each file, a path; the API server refuses
 * such keys, so that three forms are read (docs/reference/source-designs.md §1.2, docs/infrastructure-manifests.md):
 *
 * - one file: annotation `cluster.openshift.io/manifest-path`, key as `secretKeyOf` makes it;
 * - any number of files: folder label, keys that are base names, encoded where they are not legal keys;
 * - the design's own: keys that are paths.
 */

import { isObject, type JsonObject } from "../core/json.js";
import { type Found, problem } from "../core/problem.js";
import {
  annotationsOf,
  IGNITION_LABEL,
  INCLUDE_ANNOTATION,
  labelsOf,
  MANIFEST_FOLDER_LABEL,
  MANIFEST_PATH_ANNOTATION,
} from "../kubernetes/labels.js";
import {
  fileOfSecretKey,
  MANIFEST_FOLDERS,
  parseManifestPath,
  secretKeyOf,
} from "../kubernetes/manifest-secrets.js";
import { secretData } from "../kubernetes/secrets.js";

export interface UnwrappedFile {
  /** `manifests/…` or `openshift/…`, flat. */
  readonly path: string;
  readonly data: Uint8Array;
  /** Field of the value in the Secret. */
  readonly field: string;
}

export interface Unwrapped {
  readonly files: readonly UnwrappedFile[];
  readonly faults: readonly Found[];
}

const FOLDER = `metadata.labels[${MANIFEST_FOLDER_LABEL}]`;
const PATH = `metadata.annotations[${MANIFEST_PATH_ANNOTATION}]`;
const AGREE = "the folder label, the annotation and the key must specify the same path";
const LOADED = "use *.yaml, *.yml or *.json in manifests/ or openshift/, without subfolders";

/** No file that we read or write has such a name; elsewhere it would be a folder. */
const isWritable = (path: string): boolean => !path.includes("\\");

/** Files and faults; neither where nothing says that the Secret has to do with manifests. */
export function unwrapSecret(secret: JsonObject): Unwrapped {
  const [labels, annotations] = [labelsOf(secret), annotationsOf(secret)];
  const folder = labels.get(MANIFEST_FOLDER_LABEL);
  const annotated = annotations.get(MANIFEST_PATH_ANNOTATION);
  const include = annotations.get(INCLUDE_ANNOTATION);
  const marked = labels.has(IGNITION_LABEL) || folder !== undefined || annotated !== undefined;
  const entries = [...secretData(secret)];
  const files: UnwrappedFile[] = [];
  const faults: Found[] = [];
  const contradiction = (field: string, message: string, hint = AGREE): void =>
    void faults.push(problem("REC009", "Invalid", field, message, hint));
  const outside = (field: string, path: string): void =>
    void faults.push(
      problem(
        "REC010",
        "Forbidden",
        field,
        `${JSON.stringify(path.slice(0, 300))} is not a file in manifests/ or openshift/`,
        LOADED,
      ),
    );
  const fieldOf = (key: string): string => `${inStringData(secret, key) ? "stringData" : "data"}[${key}]`;

  if (include !== undefined && include !== "true")
    contradiction(
      `metadata.annotations[${INCLUDE_ANNOTATION}]`,
      "the Secret is selected, but its annotation excludes it",
      'set the annotation to "true", or remove the labels by which the Secret is selected',
    );
  if (folder !== undefined && !MANIFEST_FOLDERS.some((each) => each === folder)) {
    outside(FOLDER, `${folder}/`);
    return { files, faults };
  }
  if (isEmpty(secret) && (marked || include !== undefined))
    contradiction(
      "data",
      "the Secret is selected but contains no file",
      "add the file, or remove the Secret",
    );

  if (annotated !== undefined) {
    const path = parseManifestPath(annotated);
    const [entry] = entries;
    if (path === undefined || !isWritable(annotated)) outside(PATH, annotated);
    else if (entry !== undefined && entries.length > 1)
      contradiction(PATH, `the annotation specifies one file, but the Secret has ${entries.length} keys`);
    else if (entry !== undefined) {
      const [key, data] = entry;
      if (folder !== undefined && folder !== path.folder)
        contradiction(
          FOLDER,
          `is ${JSON.stringify(folder)}, but the annotation says ${JSON.stringify(annotated)}`,
        );
      if (key !== secretKeyOf(path) && ![annotated, path.file].includes(nameOfKey(key) ?? ""))
        contradiction(fieldOf(key), `must be the key of ${JSON.stringify(annotated)}`);
      files.push({ path: annotated, data, field: fieldOf(key) });
    }
    return { files, faults };
  }
  for (const [key, data] of entries) {
    const name = nameOfKey(key);
    const field = fieldOf(key);
    if (name === undefined) {
      if (marked)
        contradiction(
          field,
          "the key does not specify a file name",
          `specify the file in the annotation ${MANIFEST_PATH_ANNOTATION}`,
        );
      continue;
    }
    if (name.includes("/")) {
      const path = parseManifestPath(name);
      if (path === undefined || !isWritable(name)) outside(field, name);
      else if (folder !== undefined && folder !== path.folder)
        contradiction(FOLDER, `is ${JSON.stringify(folder)}, but the key is ${JSON.stringify(name)}`);
      else files.push({ path: name, data, field });
    } else if (folder !== undefined) {
      const path = `${folder}/${name}`;
      if (parseManifestPath(path) === undefined || !isWritable(path)) outside(field, path);
      else files.push({ path, data, field });
    } else if (marked || parseManifestPath(`manifests/${name}`) !== undefined)
      contradiction(
        field,
        `cannot determine whether ${JSON.stringify(name.slice(0, 300))} belongs in manifests/ or openshift/`,
        `add the label ${MANIFEST_FOLDER_LABEL} to the Secret, or do not select it`,
      );
  }
  return { files, faults };
}

/** The base name or path that a key stands for; a path is not a legal key, and stands for itself. */
const nameOfKey = (key: string): string | undefined => (key.includes("/") ? key : fileOfSecretKey(key));

/** A value that cannot be read is another fault than none. */
const isEmpty = (secret: JsonObject): boolean =>
  [secret["data"], secret["stringData"]].every((each) => !isObject(each) || Object.keys(each).length === 0);

const inStringData = (secret: JsonObject, key: string): boolean => {
  const { stringData } = secret;
  return isObject(stringData) && Object.hasOwn(stringData, key);
};
