/** What the checks of infrastructure-manifests share. */
import type { Problem } from "../core/diagnostics.js";
import type { JsonObject } from "../core/json.js";
import { isObject, type Json } from "../core/json.js";
import { CONTROL_PLANE_GROUP, CONTROL_PLANE_KIND } from "../crd/openshift-control-plane.js";
import type { CelChecker, Crd } from "../crd/schema.js";
import type { EmittedValidator } from "../generated/validators/emitted/index.js";
import { identityOf, type ObjectIdentity } from "../kubernetes/identity.js";
import {
  annotationsOf,
  IGNITION_LABEL,
  INCLUDE_ANNOTATION,
  labelsOf,
  MANIFEST_FOLDER_LABEL,
  MANIFEST_PATH_ANNOTATION,
} from "../kubernetes/labels.js";
import {
  ASSISTED_CONTROL_PLANE_GROUP,
  ASSISTED_CONTROL_PLANE_KIND,
} from "../kubernetes/openshift-assisted.js";
import { isEncrypted } from "../kubernetes/secrets.js";
import { pathWord } from "../text/shell.js";
import { type DiskText, type FolderText, type ObjectDocument, problemAt } from "./documents.js";

/** How a file came to be what it is, as the record tells. */
export type History = "untouched" | "edited" | "removed" | "added" | "unknown";

export interface InfrastructureDirectory {
  /** Every file of the asset directory that was read, by path. */
  readonly files: ReadonlyMap<string, DiskText>;
  /** Files that are encrypted and that no available key opens. */
  readonly closed?: ReadonlySet<string>;
  /** What the record says of a path; `unknown` everywhere where there is no record. */
  readonly history?: (path: string) => History;
  /** What the phase would write now, where it can be compiled. */
  readonly compiled?: readonly DiskText[];
  /** Recorded option; the provider's credentials may lie in this namespace. */
  readonly controllerNamespace?: string;
}

/** Validators of emitted kinds by `apiVersion kind`. */
export type EmittedValidators = { readonly [apiVersionAndKind: string]: EmittedValidator };

export interface ValidationOptions {
  /** Our own schemas of what is emitted (`emittedValidators` in objects.ts); without them no object is held against one. */
  readonly emitted?: EmittedValidators;
  /** Definitions of kinds (`--crds DIR`); a kind that is here is held against its definition alone. */
  readonly crds?: readonly Crd[];
  readonly cel?: CelChecker;
}

/** An object with its identity. */
export interface Known extends ObjectDocument {
  readonly identity: ObjectIdentity;
}

export interface Context {
  readonly directory: InfrastructureDirectory;
  readonly options: ValidationOptions;
  readonly objects: readonly Known[];
  readonly secrets: readonly Known[];
  /** Secrets that are encrypted: present, with a content that nobody can judge here. */
  readonly sealed: readonly Known[];
  /** Secrets that wrap a file of manifests/ or openshift/, by any of the marks that say so. */
  readonly wraps: readonly Known[];
  readonly cluster: Known | undefined;
  readonly controlPlane: Known | undefined;
  /** The control plane of a cluster that assisted-service installs. */
  readonly assisted: Known | undefined;
  /** Files that could not be read whole: what is missing may be in them. */
  readonly unreadable: ReadonlySet<string>;
  /** The one namespace of the cluster; empty when nothing tells it. */
  readonly namespace: string;
  history(path: string): History;
}

export type Check = (context: Context) => readonly Problem[];

export const isKind = ({ identity }: Known, group: string, kind: string): boolean =>
  identity.group === group && identity.kind === kind;

export const isSecret = (known: Known): boolean => isKind(known, "", "Secret");

export const isWrap = ({ object }: Known): boolean => {
  const [labels, annotations] = [labelsOf(object), annotationsOf(object)];
  return (
    labels.has(IGNITION_LABEL) ||
    labels.has(MANIFEST_FOLDER_LABEL) ||
    annotations.has(MANIFEST_PATH_ANNOTATION) ||
    annotations.has(INCLUDE_ANNOTATION)
  );
};

export function contextOf(
  directory: InfrastructureDirectory,
  options: ValidationOptions,
  { documents, problems }: FolderText,
): Context {
  const objects = documents.map((each): Known => ({ ...each, identity: identityOf(each.object) }));
  // Of what is encrypted nothing is known but that it is there.
  const encrypted = objects.filter(({ object }) => isEncrypted(object));
  const secrets = objects.filter((each) => isSecret(each) && !encrypted.includes(each));
  const cluster = objects.find((each) => isKind(each, "cluster.x-k8s.io", "Cluster"));
  const controlPlane = objects.find((each) => isKind(each, CONTROL_PLANE_GROUP, CONTROL_PLANE_KIND));
  const assisted = objects.find((each) =>
    isKind(each, ASSISTED_CONTROL_PLANE_GROUP, ASSISTED_CONTROL_PLANE_KIND),
  );
  const own = objects.find((each) => isKind(each, "", "Namespace"));
  return {
    directory,
    options,
    objects,
    secrets,
    sealed: encrypted.filter(isSecret),
    wraps: secrets.filter(isWrap),
    cluster,
    controlPlane,
    assisted,
    unreadable: new Set([...problems, ...encrypted].map(({ file = "" }) => file)),
    namespace:
      [cluster, controlPlane, assisted]
        .map((each) => each?.identity.namespace)
        .concat(own?.identity.name)
        .find((name) => name !== undefined && name !== "") ?? "",
    history: directory.history ?? (() => "unknown"),
  };
}

export const at = problemAt;

/** The value under a path of keys. */
export const dig = (object: JsonObject, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((value, key) => (isObject(value) ? value[key] : undefined), object);

/** What a run leaves as it is until it is told otherwise: a file that somebody edited or removed. */
export const isLeftAlone = (path: string, { history }: Pick<Context, "history">): boolean =>
  ["edited", "removed"].includes(history(path));

/** The command that makes a generated file what it is compiled to, whatever somebody did to it. */
export const compileAgain = (path: string, context: Pick<Context, "history">): string =>
  `slipway create infrastructure-manifests${isLeftAlone(path, context) ? ` --theirs ${pathWord(path)}` : ""}`;
