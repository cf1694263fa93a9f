/**
 * The whole public key infrastructure of a cluster: from private keys, and the certificates that are there already, to
 * every certificate of the graph (docs/reference/ignition-configs.md §1). Keys are never changed, and a certificate
 * only where it does not fit any more or is about to expire.
 */
import { fitsLeaf, fitsMediaServer, fitsSigner, rememberingReader } from "./fit.js";
import {
  type CertifiedName,
  INTERNAL_RELEASE_IMAGE,
  type KeyName,
  type LeafEntry,
  MEDIA_SERVER,
  PKI,
  type SignerEntry,
} from "./graph.js";
import { publicKeyPem, sshPublicKey } from "./public-key.js";
import {
  type CertifiedKey,
  certifyLeaf,
  certifyMediaServer,
  certifySigner,
  type NameInput,
  type Period,
} from "./sign.js";

/** Key and certificate of every signer and leaf, by name. */
export type Certified = { readonly [Name in CertifiedName]: CertifiedKey };

/** Two halves of a key that has no certificate. */
export interface KeyHalves {
  /** PEM. */
  readonly privateKey: string;
  readonly publicKey: string;
}

export interface ClusterPki {
  /** Rows 1 to 24. */
  readonly certified: Certified;
  /** Signs the tokens of service accounts; the public half is PEM. */
  readonly serviceAccount: KeyHalves;
  /** Opens the bootstrap node; the public half is a line of `authorized_keys` with its newline. */
  readonly bootstrapSsh: KeyHalves;
  /** Row 26, where the cluster is installed without a registry. */
  readonly internalReleaseImage?: CertifiedKey;
  /** Row 25, where the bootstrap node serves media, with its login. */
  readonly mediaServer?: CertifiedKey & Login;
}

export interface Login {
  readonly user: string;
  readonly password: string;
}

/** Names of everything that has a certificate here: rows 1 to 26 but the keys without one. */
export type ClusterCertificateName = CertifiedName | "internal-release-image" | typeof MEDIA_SERVER.name;

export interface CertifyRequest {
  /** Every private key of the graph, PEM. */
  readonly keys: ReadonlyMap<KeyName, string>;
  /** Certificates of an earlier run, PEM, kept byte for byte as long as they fit. */
  readonly known: ReadonlyMap<ClusterCertificateName, string>;
  readonly names: NameInput;
  readonly period: Period;
  /** What ends before this moment is signed again; a signer that is, takes the leaves below it along. */
  readonly renewBefore?: Date;
  /** Private key of row 26, where the cluster has one. */
  readonly internalReleaseImageKey?: string;
  /** Private key and login of row 25, where the cluster has one. */
  readonly mediaServer?: Login & { readonly key: string };
}

/** When a certificate ends. */
export interface Expiry {
  readonly name: ClusterCertificateName;
  readonly notAfter: Date;
}

export interface Certification {
  readonly pki: ClusterPki;
  /** What was signed in this run although a certificate was known. */
  readonly renewed: readonly ClusterCertificateName[];
  /** The end of every certificate, the soonest first. */
  readonly expiries: readonly Expiry[];
}

/** Certifies all keys. The same request gives the same bytes. Throws when a key is missing: a bug of the caller. */
export function certifyCluster(request: CertifyRequest): Certification {
  const { keys, known, names, period, renewBefore, internalReleaseImageKey, mediaServer } = request;
  const done = new Map<string, CertifiedKey>();
  const fresh = new Set<string>();
  const renewed: ClusterCertificateName[] = [];
  const expiries: Expiry[] = [];
  const read = rememberingReader();
  const endOf = (certificate: string): Date => read(certificate)?.notAfter ?? new Date(0);
  const endsSoon = (certificate: string): boolean =>
    renewBefore !== undefined && endOf(certificate).getTime() < renewBefore.getTime();

  const keep = (
    name: ClusterCertificateName,
    key: string,
    fits: (kept: CertifiedKey) => boolean,
    make: () => CertifiedKey,
  ): CertifiedKey => {
    const certificate = known.get(name);
    const kept = certificate === undefined ? undefined : { key, certificate };
    const stays = kept !== undefined && fits(kept) && !endsSoon(kept.certificate);
    const pair = stays ? kept : make();
    if (!stays) fresh.add(name);
    if (!stays && kept !== undefined) renewed.push(name);
    expiries.push({ name, notAfter: endOf(pair.certificate) });
    return pair;
  };
  const signer = (entry: SignerEntry & { readonly name: CertifiedName }): CertifiedKey => {
    const key = keyOf(keys, entry.name);
    return keep(
      entry.name,
      key,
      (kept) => fitsSigner(entry, kept, read),
      () => certifySigner(entry, key, period),
    );
  };
  const leaf = (entry: LeafEntry, name: ClusterCertificateName, key: string): CertifiedKey => {
    const above = done.get(entry.signer);
    if (above === undefined) throw new Error(`${entry.name} has no signer`);
    return keep(
      name,
      key,
      (kept) => !fresh.has(entry.signer) && fitsLeaf(entry, kept, above, names, read),
      () => certifyLeaf(entry, key, above, names, period),
    );
  };

  for (const entry of PKI) if (entry.kind === "signer") done.set(entry.name, signer(entry));
  for (const entry of PKI)
    if (entry.kind === "leaf") done.set(entry.name, leaf(entry, entry.name, keyOf(keys, entry.name)));
  const releaseImage =
    internalReleaseImageKey === undefined
      ? undefined
      : leaf(INTERNAL_RELEASE_IMAGE, "internal-release-image", internalReleaseImageKey);

  const media =
    mediaServer === undefined
      ? undefined
      : keep(
          MEDIA_SERVER.name,
          mediaServer.key,
          (kept) => fitsMediaServer(kept, read),
          () => certifyMediaServer(mediaServer.key, period),
        );

  const certified = Object.fromEntries(done);
  if (!isCertified(certified)) throw new Error("a certificate of the graph was not made");
  const serviceAccount = keyOf(keys, "service-account");
  const bootstrapSsh = keyOf(keys, "bootstrap-ssh");
  return {
    pki: {
      certified,
      serviceAccount: { privateKey: serviceAccount, publicKey: publicKeyPem(serviceAccount) },
      bootstrapSsh: { privateKey: bootstrapSsh, publicKey: sshPublicKey(bootstrapSsh) },
      ...(releaseImage === undefined ? {} : { internalReleaseImage: releaseImage }),
      ...(media === undefined || mediaServer === undefined
        ? {}
        : { mediaServer: { ...media, user: mediaServer.user, password: mediaServer.password } }),
    },
    renewed,
    expiries: expiries.sort((a, b) => a.notAfter.getTime() - b.notAfter.getTime()),
  };
}

function keyOf(keys: ReadonlyMap<KeyName, string>, name: KeyName): string {
  const key = keys.get(name);
  if (key === undefined) throw new Error(`the key ${name} is missing`);
  return key;
}

const isCertified = (pairs: { readonly [name: string]: CertifiedKey }): pairs is Certified =>
  PKI.every(({ kind, name }) => kind === "plain" || Object.hasOwn(pairs, name));
