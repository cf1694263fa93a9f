/**
 * The public key infrastructure of a cluster that is being installed, as data
 * (docs/reference/ignition-configs.md §1a, §1b, §1c): 11 signers, 13 leaves and 2 keys without a certificate.
 */
import type { ExtendedKeyUsage, Subject } from "./certificate.js";

/** `day` certificates are of use only while the cluster is installed; the cluster renews them. */
export type Validity = "day" | "year" | "ten years";

/** What a server's certificate names; see `subjectAltNames`. */
export type NameSource =
  | "machine-config-server"
  | "internal-release-image"
  | "localhost"
  | "service-network"
  | "api"
  | "api-int";

interface Entry {
  /** Base name of the files in tls/, and the name of the key everywhere. */
  readonly name: string;
  /** Type name of upstream's asset, which is its key in the state. */
  readonly upstream: string;
}

export interface SignerEntry extends Entry {
  readonly kind: "signer";
  readonly subject: Subject;
  readonly validity: Validity;
}

export interface LeafEntry extends Entry {
  readonly kind: "leaf";
  readonly signer: string;
  readonly subject: Subject;
  readonly validity: Validity;
  readonly extendedKeyUsage: readonly ExtendedKeyUsage[];
  /** False: the certificate has no keyUsage extension. */
  readonly keyUsage: boolean;
  readonly names?: NameSource;
  /** True: the signer's certificate follows in the file. */
  readonly chain: boolean;
}

export interface PlainEntry extends Entry {
  readonly kind: "plain";
}

export type PkiEntry = SignerEntry | LeafEntry | PlainEntry;

const signer = <N extends string>(
  name: N,
  upstream: string,
  validity: Validity,
  subject: Subject = { organizationalUnit: "openshift", commonName: name },
) => ({ kind: "signer", name, upstream: `*tls.${upstream}`, subject, validity }) as const;

const leaf = <N extends string>(
  name: N,
  upstream: string,
  signerName: string,
  subject: Subject,
  extendedKeyUsage: readonly ExtendedKeyUsage[],
  validity: Validity,
  options: { names?: NameSource; chain?: boolean; keyUsage?: boolean } = {},
) =>
  ({
    kind: "leaf",
    name,
    upstream: `*tls.${upstream}`,
    signer: signerName,
    subject,
    extendedKeyUsage,
    validity,
    keyUsage: true,
    chain: false,
    ...options,
  }) as const;

const plain = <N extends string>(name: N, upstream: string) =>
  ({ kind: "plain", name, upstream: `*tls.${upstream}` }) as const;

const ADMIN: Subject = { organizations: ["system:masters"], commonName: "system:admin" };
const API_SERVER: Subject = { organizations: ["kube-master"], commonName: "system:kube-apiserver" };
const API_PROXY: Subject = { organizations: ["kube-master"], commonName: "system:kube-apiserver-proxy" };
const BOTH = ["server", "client"] as const;
const CLIENT = ["client"] as const;
const SERVER = ["server"] as const;

export const PKI = [
  signer("root-ca", "RootCA", "ten years"),
  signer("admin-kubeconfig-signer", "AdminKubeConfigSignerCertKey", "ten years"),
  signer("aggregator-ca", "AggregatorCA", "day", {
    organizationalUnit: "bootkube",
    commonName: "aggregator",
  }),
  signer("aggregator-signer", "AggregatorSignerCertKey", "day"),
  signer("kube-apiserver-to-kubelet-signer", "KubeAPIServerToKubeletSignerCertKey", "year"),
  signer("kube-apiserver-localhost-signer", "KubeAPIServerLocalhostSignerCertKey", "ten years"),
  signer("kube-apiserver-service-network-signer", "KubeAPIServerServiceNetworkSignerCertKey", "ten years"),
  signer("kube-apiserver-lb-signer", "KubeAPIServerLBSignerCertKey", "ten years"),
  signer("kube-control-plane-signer", "KubeControlPlaneSignerCertKey", "year"),
  signer("kubelet-signer", "KubeletCSRSignerCertKey", "day"),
  signer("kubelet-bootstrap-kubeconfig-signer", "KubeletBootstrapCertSigner", "ten years"),
  leaf(
    "machine-config-server",
    "MCSCertKey",
    "root-ca",
    { commonName: "system:machine-config-server" },
    SERVER,
    "ten years",
    { names: "machine-config-server", keyUsage: false },
  ),
  leaf(
    "journal-gatewayd",
    "JournalCertKey",
    "root-ca",
    { organizations: ["OpenShift Bootstrap"], commonName: "journal-gatewayd" },
    BOTH,
    "ten years",
  ),
  leaf(
    "admin-kubeconfig-client",
    "AdminKubeConfigClientCertKey",
    "admin-kubeconfig-signer",
    ADMIN,
    BOTH,
    "ten years",
  ),
  leaf("apiserver-proxy", "APIServerProxyCertKey", "aggregator-ca", API_PROXY, CLIENT, "day"),
  leaf("aggregator-client", "AggregatorClientCertKey", "aggregator-signer", API_PROXY, CLIENT, "day"),
  leaf(
    "kube-apiserver-to-kubelet-client",
    "KubeAPIServerToKubeletClientCertKey",
    "kube-apiserver-to-kubelet-signer",
    API_SERVER,
    CLIENT,
    "year",
  ),
  leaf(
    "kube-apiserver-localhost-server",
    "KubeAPIServerLocalhostServerCertKey",
    "kube-apiserver-localhost-signer",
    API_SERVER,
    SERVER,
    "day",
    { names: "localhost", chain: true },
  ),
  leaf(
    "kube-apiserver-service-network-server",
    "KubeAPIServerServiceNetworkServerCertKey",
    "kube-apiserver-service-network-signer",
    API_SERVER,
    SERVER,
    "day",
    { names: "service-network", chain: true },
  ),
  leaf(
    "kube-apiserver-lb-server",
    "KubeAPIServerExternalLBServerCertKey",
    "kube-apiserver-lb-signer",
    API_SERVER,
    SERVER,
    "day",
    { names: "api", chain: true },
  ),
  leaf(
    "kube-apiserver-internal-lb-server",
    "KubeAPIServerInternalLBServerCertKey",
    "kube-apiserver-lb-signer",
    API_SERVER,
    SERVER,
    "day",
    { names: "api-int", chain: true },
  ),
  leaf(
    "kube-control-plane-kube-controller-manager-client",
    "KubeControlPlaneKubeControllerManagerClientCertKey",
    "kube-control-plane-signer",
    ADMIN,
    CLIENT,
    "year",
  ),
  leaf(
    "kube-control-plane-kube-scheduler-client",
    "KubeControlPlaneKubeSchedulerClientCertKey",
    "kube-control-plane-signer",
    ADMIN,
    CLIENT,
    "year",
  ),
  leaf(
    "kubelet-client",
    "KubeletClientCertKey",
    "kubelet-bootstrap-kubeconfig-signer",
    {
      organizations: ["system:serviceaccounts", "system:serviceaccounts:openshift-machine-config-operator"],
      commonName: "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper",
    },
    CLIENT,
    "ten years",
  ),
  plain("service-account", "ServiceAccountKeyPair"),
  plain("bootstrap-ssh", "BootstrapSSHKeyPair"),
] as const satisfies readonly PkiEntry[];

/** The leaf of row 26, which only an installation without a registry has; not one of the 26 keys. */
export const INTERNAL_RELEASE_IMAGE: LeafEntry = leaf(
  "internal-release-image",
  "IRICertKey",
  "root-ca",
  { commonName: "system:internal-release-image" },
  SERVER,
  "ten years",
  { names: "internal-release-image", keyUsage: false },
);

/**
 * The pair of row 25, with which the bootstrap node of a baremetal cluster serves media to its hosts: self-signed and
 * yet no CA. The installer asks for an extended usage and for names, and its self-signing drops both.
 */
export const MEDIA_SERVER = {
  name: "ironic/tls",
  upstream: "*tls.IronicTLSCert",
  subject: { organizationalUnit: "openshift", commonName: "ironic" },
  validity: "day",
} as const satisfies Entry & { readonly subject: Subject; readonly validity: Validity };

export type KeyName = (typeof PKI)[number]["name"];

/** Names of the 24 entries that have a certificate. */
export type CertifiedName = Exclude<(typeof PKI)[number], { readonly kind: "plain" }>["name"];

/** Names of all 26 keys, in the order of the table. */
export const KEY_NAMES: readonly KeyName[] = PKI.map(({ name }) => name);

const BY_NAME: ReadonlyMap<string, PkiEntry> = new Map(PKI.map((entry) => [entry.name, entry]));

export function pkiEntry(name: KeyName): PkiEntry {
  const entry = BY_NAME.get(name);
  if (entry === undefined) throw new Error(`no key is named ${name}`);
  return entry;
}
