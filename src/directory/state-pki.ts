/**
 * What the ignition-configs phase adds to the state: every certificate, and the key pairs without one, under
 * upstream's names and in upstream's form, so that a later run — ours, or the installer's own — goes on from the same
 * ones (docs/reference/ignition-configs.md §1, §7c; members as in a state that release 4.22 wrote).
 */
import { base64 } from "../core/base64.js";
import { isObject, type Json, type JsonObject } from "../core/json.js";
import type { ClusterPki } from "../pki/cluster.js";
import { type CertifiedName, MEDIA_SERVER, PKI, pkiEntry } from "../pki/graph.js";
import { publicKeyPem } from "../pki/public-key.js";
import type { StateMember } from "./state-json.js";

/** A private key with its certificate, PEM. */
export interface StateCertificate {
  readonly key: string;
  readonly certificate: string;
}

export type StatePki = Pick<ClusterPki, "certified" | "serviceAccount" | "bootstrapSsh" | "mediaServer"> & {
  /** The member that the login of the media server is kept under. */
  readonly mediaServerLogin?: string | undefined;
};

/** Options that were first named to the ignition-configs phase, when the state may be wrapped already. */
export const IGNITION_OPTIONS = "slipway.dev/ignition-options";

export function certificateJson({ key, certificate }: StateCertificate, name: string): JsonObject {
  const [CertRaw, KeyRaw] = [base64(certificate), base64(key)];
  return {
    CertRaw,
    KeyRaw,
    FileList: [
      { Filename: `tls/${name}.key`, Data: KeyRaw },
      { Filename: `tls/${name}.crt`, Data: CertRaw },
    ],
  };
}

/** Pairs that the manifests phase makes and writes. */
const OF_MANIFESTS: ReadonlySet<string> = new Set<CertifiedName>(["root-ca", "machine-config-server"]);

/** Where machines fetch their configs from: known when these are made, long after the state was wrapped. */
export const SHIM_SOURCES = "slipway.dev/shim-sources";

/** The user's own key for bound tokens, as upstream keeps what it read from tls/. */
export const boundKeyJson = (key: string): JsonObject => ({
  FileList: [
    { Filename: "tls/bound-service-account-signing-key.key", Data: base64(key) },
    { Filename: "tls/bound-service-account-signing-key.pub", Data: base64(publicKeyPem(key)) },
  ],
});

/** Members of the state by key. */
export function pkiMembers({
  certified,
  serviceAccount,
  bootstrapSsh,
  mediaServer,
  mediaServerLogin,
}: StatePki): [string, JsonObject][] {
  const pairs = PKI.flatMap((entry): [string, JsonObject][] =>
    entry.kind === "plain" || OF_MANIFESTS.has(entry.name)
      ? []
      : [[entry.upstream, certificateJson(certified[entry.name], entry.name)]],
  );
  const [Pvt, Pub] = [base64(serviceAccount.privateKey), base64(serviceAccount.publicKey)];
  return [
    ...pairs,
    [
      pkiEntry("service-account").upstream,
      {
        Pvt,
        Pub,
        FileList: [
          { Filename: "tls/service-account.key", Data: Pvt },
          { Filename: "tls/service-account.pub", Data: Pub },
        ],
      },
    ],
    [
      pkiEntry("bootstrap-ssh").upstream,
      { Priv: base64(bootstrapSsh.privateKey), Pub: base64(bootstrapSsh.publicKey) },
    ],
    ...(mediaServer === undefined || mediaServerLogin === undefined
      ? []
      : [
          [MEDIA_SERVER.upstream, certificateJson(mediaServer, MEDIA_SERVER.name)] satisfies [
            string,
            JsonObject,
          ],
          [mediaServerLogin, { Username: mediaServer.user, Password: mediaServer.password }] satisfies [
            string,
            JsonObject,
          ],
        ]),
  ];
}

/** Members of the state for some of the certificates. */
export const pairMembers = (pairs: ReadonlyMap<CertifiedName, StateCertificate>): [string, JsonObject][] =>
  [...pairs].map(([name, pair]) => [pkiEntry(name).upstream, certificateJson(pair, name)]);

/** The certificate of a member such as `*tls.AggregatorCA`, PEM with what is appended; undefined where there is none. */
export function memberCertificate(value: Json | undefined): string | undefined {
  const raw = isObject(value) ? value["CertRaw"] : undefined;
  const text = typeof raw === "string" ? Buffer.from(raw, "base64").toString("utf8") : "";
  return text.startsWith("-----BEGIN CERTIFICATE-----") ? text : undefined;
}

/** What of `*tls.…` the manifests phase makes or reads. */
const EARLY_TLS: ReadonlySet<string> = new Set([
  pkiEntry("root-ca").upstream,
  pkiEntry("machine-config-server").upstream,
  "*tls.IRICertKey",
  "*tls.IRIRegistryCredentials",
  "*tls.BoundSASigningKey",
  "*tls.CloudProviderCABundle",
]);

/** Made from the certificates: bundles, kubeconfigs, pointer configs, the bootstrap node's config, metadata.json. */
const isDerived = (key: string): boolean =>
  /^\*tls\..*CABundle$/.test(key)
    ? !EARLY_TLS.has(key)
    : /^\*(?:kubeconfig|machine|bootstrap)\./.test(key) || key === "*cluster.Metadata";

/** True for a member that only the ignition-configs phase writes, ours or upstream's; the login is that of a media server. */
const isOfIgnition = (key: string): boolean =>
  key === SHIM_SOURCES ||
  key.endsWith(".IronicCreds") ||
  isDerived(key) ||
  (key.startsWith("*tls.") && !EARLY_TLS.has(key));

/** Members that list what the installer keeps in cluster-api/ (pkg/asset/manifests/clusterapi, pkg/asset/machines/clusterapi.go). */
export const CLUSTER_API_MEMBERS = ["*clusterapi.Cluster", "*machines.ClusterAPI"] as const;

const isOfClusterApi = (key: string): boolean => CLUSTER_API_MEMBERS.some((each) => each === key);

/**
 * The members as the manifests phase leaves them: what `20_install-state.yaml` holds, whatever ran since. The objects
 * around it stand in for cluster-api/.
 */
export const membersOfManifests = (
  members: ReadonlyMap<string, StateMember>,
): ReadonlyMap<string, StateMember> =>
  new Map(
    [...members].filter(([key]) => key !== IGNITION_OPTIONS && !isOfIgnition(key) && !isOfClusterApi(key)),
  );

/** Without what upstream made from certificates that are others by now; it makes that anew. */
export const withoutDerived = (members: ReadonlyMap<string, StateMember>): Map<string, StateMember> =>
  new Map([...members].filter(([key]) => !isDerived(key)));
