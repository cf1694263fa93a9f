/**
 * Secrets that hold one value of the config or the state: pull secret, kubeadmin, cloud credentials
 * (docs/reference/install-config-and-manifests.md §3.2, §3.6).
 */
import { base64 } from "../../core/base64.js";
import type { Asset } from "./input.js";

export const pullSecret: Asset = ({ config }) => [
  {
    template: "manifests/openshift-config-secret-pull-secret.yaml",
    path: "manifests/openshift-config-secret-pull-secret.yaml",
    secret: true,
    view: { dockerConfig: base64(config.pullSecret) },
  },
];

export const kubeadmin: Asset = ({ kubeadmin }) => [
  {
    template: "openshift/99_kubeadmin-password-secret.yaml",
    path: "openshift/99_kubeadmin-password-secret.yaml",
    secret: true,
    view: { hash: base64(kubeadmin.hash) },
  },
];

/** The Secret is left out in manual mode; the Role that lets operators read it is not. */
export const cloudCredentials: Asset = (input) => {
  const found = input.platform.manifests.credentialsSecret(input);
  if (found === undefined) return [];
  const role = {
    template: "openshift/99_role-cloud-creds-secret-reader.yaml",
    path: "openshift/99_role-cloud-creds-secret-reader.yaml",
    view: {
      name: `${found.name.replace(/-(creds|credentials)$/, "")}-creds-secret-reader`,
      secrets: [found.name],
    },
  } as const;
  if (input.config.credentialsMode === "Manual" || found.data === undefined) return [role];
  const data = Object.fromEntries(Object.entries(found.data).map(([key, value]) => [key, base64(value)]));
  return [
    {
      template: "openshift/99_cloud-creds-secret.yaml",
      path: "openshift/99_cloud-creds-secret.yaml",
      secret: true,
      view: { name: found.name, data },
    },
    role,
  ];
};
