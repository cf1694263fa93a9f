import type { JsonObject } from "../../core/json.js";
import type { NormalConfig } from "../config.js";

/**
 * The member `vsphere` of the installer's InstallConfig asset: the login of each vCenter; what is in a vCenter comes
 * later, when the installer asks it (openshift/installer pkg/asset/installconfig/vsphere/metadata.go).
 */
export function installerMetadata({ platform }: NormalConfig): JsonObject {
  const logins = new Map<string, JsonObject>();
  // Of two with one name the first one counts.
  for (const { server = "", user = "", password = "" } of platform.vsphere?.vcenters ?? [])
    if (!logins.has(server)) logins.set(server, { Username: user, Password: password });
  return { VCenterContexts: {}, VCenterCredentials: Object.fromEntries(logins) };
}
