/** Bundles of CA certificates in root/tls (docs/reference/ignition-configs.md §1d): which signers, in which order. */
import type { CertifiedName } from "./graph.js";
import type { CertifiedKey } from "./sign.js";

const bundle = <N extends string>(name: N, ...signers: readonly CertifiedName[]) =>
  ({ name, signers }) as const;

export const BUNDLES = [
  bundle("admin-kubeconfig-ca-bundle", "admin-kubeconfig-signer"),
  bundle("aggregator-ca-bundle", "aggregator-signer"),
  bundle("kube-apiserver-to-kubelet-ca-bundle", "kube-apiserver-to-kubelet-signer"),
  bundle("kube-apiserver-localhost-ca-bundle", "kube-apiserver-localhost-signer"),
  bundle("kube-apiserver-service-network-ca-bundle", "kube-apiserver-service-network-signer"),
  bundle("kube-apiserver-lb-ca-bundle", "kube-apiserver-lb-signer"),
  bundle(
    "kube-apiserver-complete-server-ca-bundle",
    "kube-apiserver-localhost-signer",
    "kube-apiserver-service-network-signer",
    "kube-apiserver-lb-signer",
  ),
  bundle(
    "kube-control-plane-ca-bundle",
    "kube-control-plane-signer",
    "kube-apiserver-lb-signer",
    "kube-apiserver-localhost-signer",
    "kube-apiserver-service-network-signer",
  ),
  bundle("kubelet-client-ca-bundle", "kubelet-signer"),
  bundle("kubelet-serving-ca-bundle", "kubelet-signer"),
  bundle("kubelet-bootstrap-kubeconfig-ca-bundle", "kubelet-bootstrap-kubeconfig-signer"),
  bundle(
    "kube-apiserver-complete-client-ca-bundle",
    "admin-kubeconfig-signer",
    "kubelet-signer",
    "kube-control-plane-signer",
    "kube-apiserver-to-kubelet-signer",
    "kubelet-bootstrap-kubeconfig-signer",
  ),
] as const;

export type BundleName = (typeof BUNDLES)[number]["name"];

/** The certificates of a bundle one behind the other, PEM. */
export function bundlePem(
  name: BundleName,
  certified: { readonly [Name in CertifiedName]?: CertifiedKey },
): string {
  const found = BUNDLES.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no bundle is named ${name}`);
  return found.signers.map((signer) => certified[signer]?.certificate ?? "").join("");
}
