/**
 * openshift/99_openshift-cluster-api_ROLE-user-data-secret.yaml: what a fresh machine of a role is started with
 * (docs/reference/install-config-and-manifests.md §3.6).
 */
import { base64 } from "../../core/base64.js";
import type { Rendering } from "../../platforms/platform.js";
import { inForce } from "../../platforms/release-changes.js";
import { pointerConfig } from "../pointer-config.js";
import type { Asset, ManifestInput } from "./input.js";
import { hasArbiter } from "./topology.js";

/** All platforms have them for masters and workers, none and external too. */
export const userData: Asset = (input) =>
  (inForce(input.release, "arbiterPool") && hasArbiter(input.config)
    ? (["master", "worker", "arbiter"] as const)
    : (["master", "worker"] as const)
  ).map((role) => userDataSecret(input, role));

function userDataSecret(input: ManifestInput, role: "master" | "worker" | "arbiter"): Rendering {
  const { manifests } = input.platform;
  const config = pointerConfig(role, {
    domain: input.domain,
    apiVips: manifests.apiVips?.(input) ?? [],
    rootCA: input.pki.rootCA.certificate,
    additions: manifests.pointerAdditions?.(input, role) ?? {},
  });
  const managed = role === "arbiter" || (manifests.managedUserData?.(input, role) ?? false);
  return {
    template: "openshift/99_openshift-cluster-api_user-data-secret.yaml",
    path: `openshift/99_openshift-cluster-api_${role}-user-data-secret.yaml`,
    secret: true,
    view: { name: `${role}-user-data${managed ? "-managed" : ""}`, userData: base64(config) },
  };
}
