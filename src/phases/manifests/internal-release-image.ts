/**
 * Secrets of the registry that serves the release's images from inside the cluster
 * (docs/reference/install-config-and-manifests.md §3.2).
 */

import { base64 } from "../../core/base64.js";
import { inForce } from "../../platforms/release-changes.js";
import type { Asset } from "./input.js";

export const internalReleaseImage: Asset = ({ pki: { internalReleaseImage }, release }) => {
  if (internalReleaseImage === undefined || !inForce(release, "internalReleaseImage")) return [];
  const { pair, password, htpasswd } = internalReleaseImage;
  const tls = {
    template: "manifests/internal-release-image-tls-secret.yaml",
    path: "manifests/internal-release-image-tls-secret.yaml",
    secret: true,
    view: { certificate: base64(pair.certificate), key: base64(pair.key) },
  } as const;
  if (!inForce(release, "internalReleaseImageAuth")) return [tls];
  return [
    tls,
    {
      template: "manifests/internal-release-image-registry-auth-secret.yaml",
      path: "manifests/internal-release-image-registry-auth-secret.yaml",
      secret: true,
      view: { htpasswd: base64(htpasswd), password: base64(password) },
    },
  ];
};
