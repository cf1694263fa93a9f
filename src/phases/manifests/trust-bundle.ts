/**
 * manifests/user-ca-bundle-config.yaml: the additional trust bundle, whatever the policy says
 * (docs/reference/install-config-and-manifests.md §3.2).
 */
import { pemBlocks, toPem } from "../../pki/pem.js";
import type { Asset } from "./input.js";

export const trustBundle: Asset = (input) => {
  const given = input.config.additionalTrustBundle ?? "";
  if (given === "") return [];
  // Text between the blocks and their headers do not reach the cluster; the validation has parsed each block.
  const bundle = pemBlocks(given)
    .map(({ label, der, headers }) => toPem(label, der, headers))
    .join("");
  return [
    {
      template: "manifests/user-ca-bundle-config.yaml",
      path: "manifests/user-ca-bundle-config.yaml",
      view: { bundle },
    },
  ];
};
