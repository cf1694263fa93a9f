/** root/tls and root/auth of the bootstrap node (docs/reference/ignition-configs.md §1, §3b). */
import { BUNDLES, bundlePem } from "../../pki/bundles.js";
import { type CertifiedName, PKI } from "../../pki/graph.js";
import { publicKeyPem } from "../../pki/public-key.js";
import type { IgnitionFile } from "../../platforms/ignition.js";
import { type IgnitionInput, ROOT } from "./input.js";
import { KUBECONFIGS, kubeconfig } from "./kubeconfigs.js";

const PRIVATE = 0o600;

/** Pairs that the bootstrap node does without: it trusts their signers through bundles, or has them in kubeconfigs. */
const ABSENT: ReadonlySet<CertifiedName> = new Set<CertifiedName>([
  "admin-kubeconfig-signer",
  "kubelet-bootstrap-kubeconfig-signer",
  "admin-kubeconfig-client",
]);

export function tlsFiles({ pki, options }: IgnitionInput): IgnitionFile[] {
  const { certified, serviceAccount, internalReleaseImage } = pki;
  const file = (name: string, data: string, mode = PRIVATE): IgnitionFile => ({
    path: `${ROOT}/tls/${name}`,
    mode,
    data,
  });
  const pair = (name: string, { key, certificate }: { key: string; certificate: string }): IgnitionFile[] => [
    file(`${name}.key`, key),
    file(`${name}.crt`, certificate),
  ];
  const signingKey = options.boundServiceAccountKey;
  return [
    ...BUNDLES.map(({ name }) => file(`${name}.crt`, bundlePem(name, certified))),
    ...PKI.flatMap(({ kind, name }) =>
      kind === "plain" || name === "root-ca" || ABSENT.has(name) ? [] : pair(name, certified[name]),
    ),
    ...(internalReleaseImage === undefined ? [] : pair("internal-release-image", internalReleaseImage)),
    file("service-account.key", serviceAccount.privateKey),
    file("service-account.pub", serviceAccount.publicKey),
    ...(signingKey === undefined
      ? []
      : [
          file("bound-service-account-signing-key.key", signingKey),
          file("bound-service-account-signing-key.pub", publicKeyPem(signingKey)),
        ]),
    // Its key signs the machine config server and never leaves the state.
    file("root-ca.crt", certified["root-ca"].certificate, 0o644),
  ];
}

export const authFiles = ({ config, domain, pki }: IgnitionInput): IgnitionFile[] =>
  (["kubeconfig", "kubeconfig-kubelet", "kubeconfig-loopback"] as const).map((name) => ({
    path: `${ROOT}/auth/${name}`,
    mode: PRIVATE,
    data: kubeconfig(KUBECONFIGS[name], config.metadata.name, domain, pki),
  }));
