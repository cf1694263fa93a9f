/** Kubeconfigs of the user and of the bootstrap node (docs/reference/ignition-configs.md §3b). */
import { base64 } from "../../core/base64.js";
import { type BundleName, bundlePem } from "../../pki/bundles.js";
import type { CertifiedName } from "../../pki/graph.js";
import type { CertifiedKey } from "../../pki/sign.js";
import { writeUpstreamYaml } from "../../text/yaml-upstream.js";

interface Access {
  readonly user: string;
  readonly client: CertifiedName;
  readonly bundle: BundleName;
  /** Host of the API server; the domain follows a host that ends in a dot. */
  readonly host: string;
}

const COMPLETE = "kube-apiserver-complete-server-ca-bundle";
const ADMIN = "admin-kubeconfig-client";

/** What the user gets, and what stands in root/auth on the bootstrap node under its own name. */
export const KUBECONFIGS = {
  external: { user: "admin", client: ADMIN, bundle: COMPLETE, host: "api." },
  kubeconfig: { user: "admin", client: ADMIN, bundle: COMPLETE, host: "api-int." },
  "kubeconfig-kubelet": { user: "kubelet", client: "kubelet-client", bundle: COMPLETE, host: "api-int." },
  "kubeconfig-loopback": {
    user: "loopback",
    client: ADMIN,
    bundle: "kube-apiserver-localhost-ca-bundle",
    host: "localhost",
  },
} as const satisfies { readonly [name: string]: Access };

/**
 * One cluster, one user and one context, which is named like the user. Only the name of the cluster can need quotes;
 * that the rest goes without saves a search through kilobytes of base64.
 */
export function kubeconfig(
  { user, client, bundle, host }: Access,
  cluster: string,
  domain: string,
  { certified }: { readonly certified: { readonly [Name in CertifiedName]?: CertifiedKey } },
): string {
  const { key = "", certificate = "" } = certified[client] ?? {};
  const name = writeUpstreamYaml(cluster).trimEnd();
  return `clusters:
- cluster:
    certificate-authority-data: ${base64(bundlePem(bundle, certified))}
    server: https://${host}${host.endsWith(".") ? domain : ""}:6443
  name: ${name}
contexts:
- context:
    cluster: ${name}
    user: ${user}
  name: ${user}
current-context: ${user}
users:
- name: ${user}
  user:
    client-certificate-data: ${base64(certificate)}
    client-key-data: ${base64(key)}
`;
}
