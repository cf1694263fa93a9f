/** StorageVersionMigration objects from templates. */

import type { JsonObject } from "../core/json.js";
import { lookup } from "../core/lookup.js";
import type { Renderer, TemplateName } from "../text/render.js";
import type { MigrationApi, MigrationView } from "./migration-api.js";

/** Folder of the templates that the renderer must have loaded. */
export const STORAGE_TEMPLATES = "storage";

const TEMPLATES: Readonly<Record<string, TemplateName>> = {
  "migration.k8s.io/v1alpha1": "storage/svm-standalone.yaml",
  "storagemigration.k8s.io/v1alpha1": "storage/svm-v1alpha1.yaml",
  "storagemigration.k8s.io/v1beta1": "storage/svm-v1beta1.yaml",
  "storagemigration.k8s.io/v1": "storage/svm-v1.yaml",
};

export function migrationObject(renderer: Renderer, api: MigrationApi, view: MigrationView): JsonObject {
  const template = lookup(TEMPLATES, api.apiVersion);
  if (template === undefined) throw new Error(`no template for ${api.apiVersion}`);
  return renderer.object(template, { ...view });
}
