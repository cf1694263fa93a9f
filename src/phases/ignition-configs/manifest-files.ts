/** root/manifests and root/openshift of the bootstrap node (docs/reference/ignition-configs.md §2a, §7a). */
import type { IgnitionFile } from "../../platforms/ignition.js";
import { clusterVersionFiles } from "./cluster-version.js";
import { type IgnitionInput, ROOT } from "./input.js";
import { isFencingSecret, isMachineManifest } from "./machine-manifests.js";
import { manifestObjects } from "./manifest-objects.js";

/** The files that count: no sub-folders, nothing but YAML and JSON. */
const COUNTED = /^(manifests|openshift)\/[^/]+\.(ya?ml|json)$/;

/** As they are on disk, the machines' last; cvo-overrides.yaml in the form for the bootstrap. */
export function manifestFiles(input: IgnitionInput): IgnitionFile[] {
  const { release, report } = input;
  const counted = input.manifestFiles.filter(({ path }) => COUNTED.test(path));
  const objects = manifestObjects({ manifestFiles: counted, release, report });
  const ordered = [
    ...counted.filter(({ path }) => !isMachineManifest(path, release)),
    ...counted.filter(({ path }) => isMachineManifest(path, release)),
  ];
  return [
    ...ordered.map(({ path, data }) => ({
      path: `${ROOT}/${path}`,
      mode: isFencingSecret(path, release) ? 0o600 : 0o644,
      data,
    })),
    ...clusterVersionFiles(objects, report),
  ];
}
