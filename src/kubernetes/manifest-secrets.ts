/**
 * One Secret for each file of manifests/ and openshift/: how its name and its key follow from the path, and how the
 * path is read back (docs/reference/cluster-api.md §1 D1, §2.5; docs/reference/source-designs.md §1.2).
 *
 * Name: `<infraID>-<folder>-<short name>`. A base name of lower-case words joined by single `-`, `_` or `.` stands
 * for itself (`_` becomes `--`, the ending `.yaml` is dropped); for any other base name the short name is what is
 * legal of it, `---` and twelve digits of the SHA-256 of the path. The first form never has three dashes in a row, so the
 * two cannot meet, and a name depends on its own path only: a neighbour that appears or goes changes nothing.
 *
 * Key: the base name where it is a legal Secret key. Otherwise `_x_` and the base name with each byte of its UTF-8
 * form that is not a letter, a digit, `-` or `.` written as `_` and two upper-case hexadecimal digits. A legal base
 * name that itself starts with `_x_` is encoded too, so that reading back has one answer. Where even that is longer
 * than 253 characters, the key is `_h_` and the SHA-256 of the path, and only the annotation tells the path.
 */
import { createHash } from "node:crypto";
import { decode, encode } from "../core/files.js";
import type { JsonObject } from "../core/json.js";
import {
  annotationsOf,
  CLUSTER_NAME_LABEL,
  IGNITION_INCLUDE,
  IGNITION_LABEL,
  INCLUDE_ANNOTATION,
  labelsOf,
  MANIFEST_FOLDER_LABEL,
  MANIFEST_PATH_ANNOTATION,
  MOVE_LABEL,
} from "./labels.js";
import { isSecretKey, secretData } from "./secrets.js";

export const MANIFEST_FOLDERS = ["manifests", "openshift"] as const;
export type ManifestFolder = (typeof MANIFEST_FOLDERS)[number];

export interface ManifestPath {
  readonly folder: ManifestFolder;
  readonly file: string;
}

/**
 * Splits `manifests/x.yaml`. Undefined for what the ignition phase would not load: other folders, sub-folders and
 * endings other than .yaml, .yml and .json in lower case (docs/reference/ignition-configs.md §7a).
 */
export function parseManifestPath(path: string): ManifestPath | undefined {
  const slash = path.indexOf("/");
  const folder = MANIFEST_FOLDERS.find((each) => each === path.slice(0, slash));
  const file = path.slice(slash + 1);
  if (folder === undefined || /[/\0]/.test(file) || !/\.(?:yaml|yml|json)$/.test(file)) return undefined;
  return { folder, file };
}

const digest = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex");

const PLAIN = /^([a-z0-9]+(?:[-_.][a-z0-9]+)*)(\.yaml|\.yml|\.json)$/;
/** Room that `<infraID>-openshift-` leaves of the 253 characters of a name, for the longest legal infraID (63). */
const SHORT_NAME_LIMIT = 253 - 63 - "-openshift-".length;
const SLUG_LIMIT = 60;

/** The part of names that stands for a file: of the Secret, and of the file that holds it. */
export function shortName({ folder, file }: ManifestPath): string {
  const [, stem, ending] = PLAIN.exec(file) ?? [];
  if (stem !== undefined && !/\.(?:yml|json)$/.test(stem)) {
    const plain = `${stem.replaceAll("_", "--")}${ending === ".yaml" ? "" : ending}`;
    if (plain.length <= SHORT_NAME_LIMIT) return `${folder}-${plain}`;
  }
  const slug = file
    .replace(/\.(?:yaml|yml|json)$/, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, SLUG_LIMIT)
    .replace(/^-|-$/g, "");
  return `${folder}-${slug === "" ? "file" : slug}---${digest(`${folder}/${file}`).slice(0, 12)}`;
}

const ENCODED = "_x_";
const HASHED = "_h_";

/** The key under which a file of this base name is stored. */
export function secretKeyOf({ folder, file }: ManifestPath): string {
  if (isSecretKey(file) && !file.startsWith(ENCODED) && !file.startsWith(HASHED)) return file;
  const bytes = [...encode(file)];
  const encoded = bytes.map((byte) => {
    const char = String.fromCharCode(byte);
    return /[-.a-zA-Z0-9]/.test(char) ? char : `_${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  });
  const key = `${ENCODED}${encoded.join("")}`;
  return key.length <= 253 ? key : `${HASHED}${digest(`${folder}/${file}`)}`;
}

/** The base name that a key stands for; undefined where the key alone does not tell it. */
export function fileOfSecretKey(key: string): string | undefined {
  if (!isSecretKey(key) || key.startsWith(HASHED)) return undefined;
  if (!key.startsWith(ENCODED)) return key;
  const rest = key.slice(ENCODED.length);
  if (!/^(?:[-.a-zA-Z0-9]|_[0-9A-F]{2})*$/.test(rest)) return undefined;
  const bytes = rest.replace(/_(..)|([^_])/g, (_, hex?: string, char?: string) =>
    hex === undefined ? (char ?? "") : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return decode(Buffer.from(bytes, "latin1"));
}

export interface ManifestSecretMetadata {
  readonly name: string;
  readonly key: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Name, key, labels and annotations of the Secret that wraps a file. */
export function manifestSecret(path: ManifestPath, infraID: string): ManifestSecretMetadata {
  return {
    name: `${infraID}-${shortName(path)}`,
    key: secretKeyOf(path),
    labels: {
      [CLUSTER_NAME_LABEL]: infraID,
      [IGNITION_LABEL]: IGNITION_INCLUDE,
      [MANIFEST_FOLDER_LABEL]: path.folder,
      [MOVE_LABEL]: "",
    },
    annotations: {
      [MANIFEST_PATH_ANNOTATION]: `${path.folder}/${path.file}`,
      [INCLUDE_ANNOTATION]: "true",
    },
  };
}

/** A file that a manifest Secret holds; what contradicts itself is said in `faults`, each with the field it is about. */
export interface UnwrappedManifest {
  readonly path: ManifestPath | undefined;
  readonly data: Uint8Array | undefined;
  readonly faults: readonly { readonly field: string; readonly message: string }[];
}

/**
 * Reads a manifest Secret back: the path from its annotation, or, where that is missing, from the folder label and
 * the key. Keys that are paths (`manifests/x.yaml`, the design's form before it met the API server) are read too.
 */
export function unwrapManifest(secret: JsonObject): UnwrappedManifest {
  const faults: { field: string; message: string }[] = [];
  const refuse = (field: string, message: string): void => void faults.push({ field, message });
  const values = [...secretData(secret)];
  const [entry] = values;
  if (entry === undefined || values.length > 1)
    refuse("data", `must contain exactly one file, has ${values.length} keys`);
  const key = entry?.[0] ?? "";
  const annotated = annotationsOf(secret).get(MANIFEST_PATH_ANNOTATION);
  const folder = labelsOf(secret).get(MANIFEST_FOLDER_LABEL);
  const fromKey = parseManifestPath(
    parseManifestPath(key) === undefined ? `${folder ?? ""}/${fileOfSecretKey(key) ?? ""}` : key,
  );
  const path = annotated === undefined ? fromKey : parseManifestPath(annotated);
  const annotation = `metadata.annotations[${MANIFEST_PATH_ANNOTATION}]`;
  if (path === undefined)
    refuse(
      annotation,
      annotated === undefined
        ? "is missing, and the folder label and the key do not specify the path"
        : `${JSON.stringify(annotated)} is not the path of a .yaml, .yml or .json file in manifests/ or openshift/`,
    );
  else {
    if (folder !== path.folder)
      refuse(
        `metadata.labels[${MANIFEST_FOLDER_LABEL}]`,
        `is ${folder === undefined ? "missing" : JSON.stringify(folder)}, but the file is ${JSON.stringify(`${path.folder}/${path.file}`)}`,
      );
    const expected = secretKeyOf(path);
    if (entry !== undefined && key !== expected && key !== `${path.folder}/${path.file}`)
      refuse(
        "data",
        `the key is ${JSON.stringify(key)}, but the key of ${JSON.stringify(path.file)} must be ${JSON.stringify(expected)}`,
      );
  }
  return { path, data: entry?.[1], faults };
}
