/**
 * Platform external: the name of the infrastructure, and whether a cloud controller manager of the user will run
 * (facts/install-config-and-manifests.md §3.3, §3.12).
 */
import type { PlatformManifests } from "../platform.js";
import { SILENT_MANIFESTS } from "../user-supplied.js";

export const manifests: PlatformManifests = {
  ...SILENT_MANIFESTS,
  infrastructure({ config }) {
    const { platformName = "", cloudControllerManager = "" } = config.platform.external ?? {};
    const state = cloudControllerManager === "External" ? "External" : "None";
    return {
      type: "External",
      spec: { external: platformName === "" ? {} : { platformName } },
      status: { external: { cloudControllerManager: { state } } },
    };
  },
};
