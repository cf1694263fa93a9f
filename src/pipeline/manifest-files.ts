import { byCodeUnit, type OutputFile } from "../core/files.js";
import {
  type DiskFile,
  type DiskFiles,
  folderOf,
  isManifestName,
  MANIFEST_FOLDERS,
  type PhasePlan,
} from "../directory/index.js";

/** The files of manifests/ and openshift/ that the installer takes. */
export const manifestFiles = (files: DiskFiles): DiskFile[] =>
  [...files.values()].filter(({ path }) => MANIFEST_FOLDERS.includes(folderOf(path)) && isManifestName(path));

/** What later phases take in: both folders as they will be on disk. */
export const manifestsAfter = (plan: PhasePlan | undefined): readonly OutputFile[] =>
  (plan?.after ?? [])
    .filter(({ path }) => MANIFEST_FOLDERS.includes(folderOf(path)))
    .sort((a, b) => byCodeUnit(a.path, b.path));
