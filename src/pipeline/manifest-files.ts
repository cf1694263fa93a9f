import {
  type DiskFile,
  type DiskFiles,
  folderOf,
  isManifestName,
  MANIFEST_FOLDERS,
} from "../directory/index.js";

/** The files of manifests/ and openshift/ that the installer takes. */
export const manifestFiles = (files: DiskFiles): DiskFile[] =>
  [...files.values()].filter(({ path }) => MANIFEST_FOLDERS.includes(folderOf(path)) && isManifestName(path));
