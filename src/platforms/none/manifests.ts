/** Platform none: only the type appears (facts/install-config-and-manifests.md §3.3). */
import type { PlatformManifests } from "../platform.js";
import { SILENT_MANIFESTS } from "../user-supplied.js";

export const manifests: PlatformManifests = {
  ...SILENT_MANIFESTS,
  infrastructure: () => ({ type: "None", spec: {}, status: {} }),
};
