/**
 * manifests/user-ca-bundle-config.yaml: the additional trust bundle, whatever the policy says
 * (docs/reference/install-config-and-manifests.md §3.2).
 */
import { pemBlocks, toPem } from "../../pki/pem.js";
import type { Asset } from "./input.js";

/** A bundle as the cluster gets it: without the text between the blocks; the validation has parsed each block. */
export const canonicalBundle = (given: string): string =>
  pemBlocks(given)
    .map(({ label, der, headers }) => toPem(label, der, headers))
    .join("");

export const trustBundle: Asset = (input) => {
  const given = input.config.additionalTrustBundle ?? "";
  if (given === "") return [];
  const bundle = canonicalBundle(given);
  return [
    {
      template: "manifests/user-ca-bundle-config.yaml",
      path: "manifests/user-ca-bundle-config.yaml",
      view: { bundle },
    },
  ];
};
