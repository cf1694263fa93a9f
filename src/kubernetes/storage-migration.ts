/**
 * StorageVersionMigrations: in which API a release takes them (docs/reference/storage-and-encryption.md §4.1), how they
 * are named, and the one place where they are written.
 */
import { createHash } from "node:crypto";
import data from "../../tables/storage-migration-apis.json" with { type: "json" };
import { rowAt, type Span } from "../core/by-release.js";
import type { OutputFile } from "../core/files.js";
import type { JsonObject } from "../core/json.js";
import { lookup } from "../core/lookup.js";
import { formatMinor, type Minor } from "../core/minor.js";
import { withoutEnd } from "../core/trim.js";
import type { Renderer, TemplateName } from "../text/render.js";

interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export interface MigrationApi {
  readonly apiVersion: string;
  /** True where spec.resource names a version too. */
  readonly versioned: boolean;
  readonly standalone: boolean;
  /** Stage of the gate that the API needs; undefined where it needs none. */
  readonly gate: "alpha" | "beta" | undefined;
  /** True where a finished migration of custom resources trims status.storedVersions by itself. */
  readonly trims: boolean;
  /** Another gate that the migrator needs of kube-apiserver. */
  readonly alsoNeeds?: string | undefined;
}

interface InTreeRow extends Span {
  readonly apiVersion: string;
  readonly versioned: boolean;
  readonly gate: string;
  readonly alsoNeeds?: string | undefined;
  readonly trimsStoredVersions: boolean;
}

export const GATE = data.gate;

const STANDALONE: MigrationApi = {
  ...data.standalone,
  standalone: true,
  gate: undefined,
  trims: false,
};

/** The API of the release; before the first in-tree one, and when asked for, the standalone migrator's. */
export function migrationApi(target: Minor, standalone: boolean): MigrationApi {
  const found = rowAt<InTreeRow>(data.inTree, target);
  if (standalone || found === undefined) return STANDALONE;
  const gate = found.gate === "alpha" || found.gate === "beta" ? found.gate : undefined;
  return {
    apiVersion: found.apiVersion,
    versioned: found.versioned,
    standalone: false,
    gate,
    trims: found.trimsStoredVersions,
    alsoNeeds: found.alsoNeeds,
  };
}

/** The first release whose migrator trims status.storedVersions of what it has migrated. */
export const TRIMS_SINCE = data.inTree.find((row) => row.trimsStoredVersions)?.since ?? "";

/** What a user must switch on for the API; empty for none. */
export function needsOf({ apiVersion, gate, standalone }: MigrationApi, target: Minor): string[] {
  if (standalone) return [`the migrator that serves ${apiVersion}`];
  if (gate === undefined) return [];
  return [
    `feature gate ${GATE} (${gate}, off by default in ${formatMinor(target)}) on kube-apiserver and kube-controller-manager`,
    `--runtime-config=${apiVersion}=true on kube-apiserver`,
  ];
}

/**
 * The platform's triggers name a migration after the group-resource and let the server add a random suffix; for the
 * same bytes every time, the storage version that is reached stands there instead.
 */
export function migrationName({ group, resource }: GroupResource, version: string): string {
  const name = `${resource}${group === "" ? "" : `.${group}`}-${version}`;
  if (name.length <= LONGEST_NAME) return name;
  const digest = createHash("sha256").update(name, "utf8").digest("hex").slice(0, 12);
  return `${withoutEnd(name.slice(0, LONGEST_NAME - digest.length - 1), "-.")}-${digest}`;
}

const LONGEST_NAME = 253;

export const isShortLived = ({ group, resource }: GroupResource): boolean =>
  data.shortLived.some((each) => each.group === group && each.resource === resource);

/** Definitions before what they define. */
export const orderOf = ({ group, resource }: GroupResource): number =>
  data.first.some((each) => each.group === group && each.resource === resource) ? 0 : 1;

export interface MigrationView {
  readonly name: string;
  readonly group: string;
  readonly resource: string;
  /** Absent where the API takes none. */
  readonly version: string | undefined;
  readonly labels?: Readonly<Record<string, string>>;
}

export const migrationView = (api: MigrationApi, target: GroupResource, version: string): MigrationView => ({
  name: migrationName(target, version),
  group: target.group,
  resource: target.resource,
  version: api.versioned ? version : undefined,
});

/** Folder of the templates that the renderer must have loaded. */
export const MIGRATION_TEMPLATES = "storage";

const TEMPLATES: Readonly<Record<string, TemplateName>> = {
  "migration.k8s.io/v1alpha1": "storage/svm-standalone.yaml",
  "storagemigration.k8s.io/v1alpha1": "storage/svm-v1alpha1.yaml",
  "storagemigration.k8s.io/v1beta1": "storage/svm-v1beta1.yaml",
  "storagemigration.k8s.io/v1": "storage/svm-v1.yaml",
};

function templateOf({ apiVersion }: MigrationApi): TemplateName {
  const template = lookup(TEMPLATES, apiVersion);
  if (template === undefined) throw new Error(`no template for ${apiVersion}`);
  return template;
}

export const migrationObject = (renderer: Renderer, api: MigrationApi, view: MigrationView): JsonObject =>
  renderer.object(templateOf(api), { ...view });

/** The object as the file `path`. */
export const migrationFile = (
  renderer: Renderer,
  api: MigrationApi,
  view: MigrationView,
  path: string,
): OutputFile => renderer.file(templateOf(api), { ...view }, path);
