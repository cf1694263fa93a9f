/**
 * Keys, certificates and passwords of a cluster: taken from the state byte for byte, the rest made fresh. The manifests
 * hold two keys; the others are made when a later phase wraps or certifies them, so that nothing that is wrapped ever
 * changes afterwards.
 */
import { hkdfSync } from "node:crypto";
import { decode } from "../core/files.js";
import type { Inputs, KeyAlgorithm } from "../core/inputs.js";
import { type Problem, problem } from "../core/problem.js";
import { sample } from "../core/sample.js";
import {
  type DiskFiles,
  type InstallerState,
  STATE_FILE,
  upstreamCertificate,
  upstreamKey,
  upstreamLogin,
} from "../directory/index.js";
import type { KeyPair, KubeadminPassword, Pki } from "../phases/assets.js";
import { createInternalReleaseImage } from "../phases/internal-release-image.js";
import { createKubeadmin, readKubeadmin } from "../phases/kubeadmin.js";
import { isCertificate, readCertificate } from "../pki/certificate.js";
import type { Certification, ClusterCertificateName, Login } from "../pki/cluster.js";
import { fitsLeaf } from "../pki/fit.js";
import {
  type CertifiedName,
  INTERNAL_RELEASE_IMAGE,
  KEY_NAMES,
  type KeyName,
  MEDIA_SERVER,
  PKI,
  pkiEntry,
} from "../pki/graph.js";
import { inKeyForm, type KeyForm } from "../pki/key-form.js";
import { startKeys } from "../pki/keys.js";
import { certifyPart } from "../pki/part.js";
import { isPrivateKey, isRsaKey } from "../pki/public-key.js";
import {
  type CertifiedKey,
  certifyLeaf,
  certifyManifestsPki,
  type NameInput,
  type Period,
} from "../pki/sign.js";

export interface Secrets {
  readonly pki: Pki;
  readonly kubeadmin: KubeadminPassword;
  /** What the user wants bound tokens of service accounts signed with, PEM: the file in tls/, else what the state keeps of it. */
  readonly boundServiceAccountKey: string | undefined;
  /**
   * The other private keys, PEM, by name: all of the graph, or those that this run and earlier ones had a use for. Keys
   * that are missing are made at once, so that they come up in parallel.
   */
  keys(which: "all" | "known"): Promise<ReadonlyMap<string, string>>;
  /**
   * Every certificate of the cluster: those of the state as long as they fit, the rest signed now. Undefined when a key of the state cannot be used, which is reported.
   */
  certify(options: CertifyOptions): Promise<Certification | undefined>;
  /** A part of the certificates, signers before their leaves, none of which ends with the day. Undefined as above. */
  certifyPart(names: readonly CertifiedName[]): Promise<ReadonlyMap<CertifiedName, CertifiedKey> | undefined>;
}

export interface CertifyOptions {
  /** What the gate ShortCertRotation makes of it. */
  readonly short: NonNullable<Period["short"]>;
}

export interface SecretsRequest {
  readonly state: InstallerState | undefined;
  /** The way back to the state where it is damaged, as the beginning of a hint. */
  readonly back: string;
  /** Files in tls/ that a user brings. */
  readonly files: DiskFiles;
  readonly names: NameInput;
  /** How the release's installer writes private keys; those of the state are brought into that form. */
  readonly keyForm: KeyForm;
  readonly inputs: Inputs;
  /** Undefined: that of the state's root CA, else RSA. */
  readonly algorithm: KeyAlgorithm | undefined;
  /** What ends before it is signed again, here and by `certify`. */
  readonly renewBefore?: Date | undefined;
  /** True when the user asks for a registry inside the cluster (`internal-release-image.ts`). */
  readonly internalReleaseImage: boolean;
  /** Where the bootstrap node serves media: the member of the state with its login (`Traits.mediaServer`). */
  readonly mediaServer?: { readonly login: string } | undefined;
  report(problem: Problem): void;
}

/** The keys that the manifests hold. */
const CERTIFIED: readonly KeyName[] = ["root-ca", "machine-config-server"];
/** Those that a later phase makes, all at once. */
const OTHERS = KEY_NAMES.filter((name) => !CERTIFIED.includes(name));

/** True when nothing has to be made for a phase after the manifests. */
export async function hasEveryKey({ keys }: Secrets): Promise<boolean> {
  const known = await keys("known");
  return OTHERS.every((name) => known.has(name));
}

/** Undefined when something that the user brought cannot be used, which is reported. */
export async function gatherSecrets(given: SecretsRequest): Promise<Secrets | undefined> {
  const request = inFormOfRelease(given);
  const { state, inputs, renewBefore } = request;
  const known = knownKeys(request);
  if (reportDamage(request, known, CERTIFIED)) return undefined;
  const made = new Map<KeyName, Promise<string>>();
  const keysOf = async (names: readonly KeyName[]): Promise<Map<KeyName, string>> => {
    const missing = names.filter((name) => !known.has(name) && !made.has(name));
    // Reading a key for its algorithm is a third of a millisecond, which a cluster with all its keys can save.
    const started = missing.length === 0 ? [] : startKeys(inputs.keys, algorithmOf(request), missing);
    for (const [name, key] of started) made.set(name, key);
    const pairs = names.map(
      async (name): Promise<[KeyName, string]> => [name, known.get(name) ?? (await made.get(name)) ?? ""],
    );
    return new Map(await Promise.all(pairs));
  };

  let madeMedia: Promise<string | undefined> | undefined;
  const mediaKey = (): Promise<string | undefined> => (madeMedia ??= mediaServerKey(request));

  const [kubeadmin, certified] = await Promise.all([kubeadminOf(request), keysOf(CERTIFIED)]);
  if (kubeadmin === undefined) return undefined;
  const early = certificates(
    request,
    certified.get("root-ca") ?? "",
    certified.get("machine-config-server") ?? "",
  );
  const pki = request.internalReleaseImage ? await withReleaseImage(request, early) : early;
  return {
    pki,
    kubeadmin,
    boundServiceAccountKey: boundKeyOf(request),
    certify: async (options) => {
      if (reportDamage(request, known, KEY_NAMES)) return undefined;
      const { certifyCluster } = await import("../pki/cluster.js");
      const [keys, media] = await Promise.all([keysOf(KEY_NAMES), mediaKey()]);
      const releaseImage = pki.internalReleaseImage?.pair;
      const certification = certifyCluster({
        keys,
        known: knownCertificates(state, pki),
        ...(media === undefined ? {} : { mediaServer: { key: media, ...mediaServerLogin(request, media) } }),
        names: request.names,
        period: { now: inputs.clock.now(), short: options.short },
        ...(renewBefore === undefined ? {} : { renewBefore }),
        ...(releaseImage === undefined ? {} : { internalReleaseImageKey: releaseImage.key }),
      });
      return { ...certification, renewed: [...signedAgain(state, pki), ...certification.renewed] };
    },
    certifyPart: async (names) => {
      if (reportDamage(request, known, names)) return undefined;
      return certifyPart(names, {
        keys: await keysOf(names),
        known: knownCertificates(state, pki),
        names: request.names,
        period: { now: inputs.clock.now() },
      });
    },
    keys: async (which) => {
      const names = OTHERS.filter((name) => which === "all" || known.has(name) || made.has(name));
      const media =
        which === "all" || madeMedia !== undefined ? await mediaKey() : state?.keys?.get(MEDIA_SERVER.name);
      const keys: readonly (readonly [string, string])[] = [...(await keysOf(names))];
      return new Map(media === undefined ? keys : [...keys, [MEDIA_SERVER.name, media]]);
    },
  };
}

/** The request with every key that it holds, and every one that is made for it, in the release's form. */
function inFormOfRelease(request: SecretsRequest): SecretsRequest {
  const { inputs, keyForm, state } = request;
  const form = (key: string): string => inKeyForm(key, keyForm);
  const pair = <Pair extends KeyPair>(given: Pair): Pair => ({ ...given, key: form(given.key) });
  const keys: Inputs["keys"] = {
    generate: async (algorithm, name) => form(await inputs.keys.generate(algorithm, name)),
  };
  return {
    ...request,
    inputs: { ...inputs, keys },
    state: state && {
      ...state,
      ...(state.rootCA && { rootCA: pair(state.rootCA) }),
      ...(state.machineConfigServer && { machineConfigServer: pair(state.machineConfigServer) }),
      ...(state.internalReleaseImage && {
        internalReleaseImage: { ...state.internalReleaseImage, pair: pair(state.internalReleaseImage.pair) },
      }),
    },
  };
}

/** The keys of a cluster are made in more than one run; what the first one was told counts for all. */
const algorithmOf = ({ algorithm, state }: SecretsRequest): KeyAlgorithm =>
  algorithm ?? (state?.rootCA !== undefined && !isRsaKey(state.rootCA.key) ? "ecdsa-p256" : "rsa-2048");

const BOUND_KEY = "tls/bound-service-account-signing-key.key";

function boundKeyOf({ files, state }: SecretsRequest): string | undefined {
  const file = files.get(BOUND_KEY);
  return file === undefined ? state?.boundServiceAccountKey : (decode(file.data) ?? "");
}

/** Keys of the state: ours, and those that upstream made where it went on to its ignition-configs. */
function knownKeys({ state, keyForm }: SecretsRequest): Map<string, string> {
  const keys = new Map([...(state?.keys ?? [])].map(([name, key]) => [name, inKeyForm(key, keyForm)]));
  if (state !== undefined)
    for (const name of KEY_NAMES) {
      const key = keys.has(name) ? undefined : upstreamKey(state, pkiEntry(name).upstream);
      if (key !== undefined) keys.set(name, inKeyForm(key, keyForm));
    }
  if (state?.rootCA !== undefined) keys.set("root-ca", state.rootCA.key);
  if (state?.machineConfigServer !== undefined)
    keys.set("machine-config-server", state.machineConfigServer.key);
  return keys;
}

/** True when a key, or the root certificate, of the state is damaged: only a copy of the state brings it back. */
function reportDamage(
  { state, back, report }: SecretsRequest,
  keys: ReadonlyMap<string, string>,
  names: readonly KeyName[],
): boolean {
  const damaged = names.filter((name) => {
    const key = keys.get(name);
    const isRoot = name === "root-ca" && state?.rootCA !== undefined;
    return (key !== undefined && !isPrivateKey(key)) || (isRoot && !isCertificate(state.rootCA.certificate));
  });
  for (const name of damaged)
    report(
      problem("DIR011", "Invalid", pkiEntry(name).upstream, `the key or certificate ${name} is damaged`, {
        file: STATE_FILE,
        hint: `${back}restore the file from a backup; the manifests and other certificates would not match a new key`,
      }),
    );
  return damaged.length > 0;
}

const MEDIA_USER = "bootstrap-user";
const LETTERS_AND_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Key of the media server: that of the state, else made now; undefined where there is no such server. */
async function mediaServerKey({
  state,
  inputs,
  keyForm,
  mediaServer,
}: SecretsRequest): Promise<string | undefined> {
  if (mediaServer === undefined) return undefined;
  const { name, upstream } = MEDIA_SERVER;
  const known = state === undefined ? undefined : (state.keys?.get(name) ?? upstreamKey(state, upstream));
  return known !== undefined && isPrivateKey(known)
    ? inKeyForm(known, keyForm)
    : inputs.keys.generate("rsa-2048", name);
}

/** The login of the media server: the installer's, where it made one; else its password follows from the key. */
function mediaServerLogin({ state, mediaServer }: SecretsRequest, key: string): Login {
  const known =
    state === undefined || mediaServer === undefined ? undefined : upstreamLogin(state, mediaServer.login);
  const derived = {
    bytes: (length: number, purpose: string) =>
      new Uint8Array(hkdfSync("sha256", key, "", `slipway ${purpose}`, length)),
  };
  return known ?? { user: MEDIA_USER, password: sample(derived, LETTERS_AND_DIGITS, 16, "media server") };
}

/** Certificates of the state and those that the manifests phase has just made. */
function knownCertificates(
  state: InstallerState | undefined,
  { rootCA, machineConfigServer, internalReleaseImage }: Pki,
): Map<ClusterCertificateName, string> {
  const known = new Map<ClusterCertificateName, string>();
  for (const entry of PKI) {
    const kept =
      state === undefined || entry.kind === "plain" ? undefined : upstreamCertificate(state, entry.upstream);
    if (kept !== undefined && entry.kind !== "plain") known.set(entry.name, kept);
  }
  const media = state === undefined ? undefined : upstreamCertificate(state, MEDIA_SERVER.upstream);
  if (media !== undefined) known.set(MEDIA_SERVER.name, media);
  known.set("root-ca", rootCA.certificate);
  known.set("machine-config-server", machineConfigServer.certificate);
  if (internalReleaseImage !== undefined)
    known.set("internal-release-image", internalReleaseImage.pair.certificate);
  return known;
}

/** The state's certificates, as long as the server's still fits the names of the cluster and its signer. */
function certificates(
  { state, names, inputs, renewBefore }: SecretsRequest,
  rootKey: string,
  serverKey: string,
): Pki {
  const { rootCA, machineConfigServer } = state ?? {};
  const root = rootCA === undefined || endsBefore(rootCA, renewBefore) ? undefined : rootCA;
  if (
    root !== undefined &&
    machineConfigServer !== undefined &&
    fitsServer(machineConfigServer, root, names) &&
    !endsBefore(machineConfigServer, renewBefore)
  )
    return { rootCA: root, machineConfigServer };
  return certifyManifestsPki(
    { "root-ca": rootKey, "machine-config-server": serverKey },
    names,
    { now: inputs.clock.now() },
    root,
  );
}

/** Of a certificate that can be read: the root's was looked at before, the others fit their row. */
const endsBefore = ({ certificate }: KeyPair, moment: Date | undefined): boolean =>
  moment !== undefined && readCertificate(certificate).notAfter.getTime() < moment.getTime();

/** What the manifests phase signed again although the state had it; the phase of the configs finds it done. */
function signedAgain(state: InstallerState | undefined, pki: Pki): ClusterCertificateName[] {
  const pairs: readonly [ClusterCertificateName, KeyPair | undefined, KeyPair | undefined][] = [
    ["root-ca", state?.rootCA, pki.rootCA],
    ["machine-config-server", state?.machineConfigServer, pki.machineConfigServer],
    ["internal-release-image", state?.internalReleaseImage?.pair, pki.internalReleaseImage?.pair],
  ];
  return pairs.flatMap(([name, before, now]): ClusterCertificateName[] =>
    before !== undefined && now !== undefined && before.certificate !== now.certificate ? [name] : [],
  );
}

/** Certificate and login of the registry: the state's, else made now. A certificate that fits no more is signed again. */
async function withReleaseImage(request: SecretsRequest, pki: Pki): Promise<Pki> {
  const { state, inputs, names, renewBefore } = request;
  const before = state?.internalReleaseImage;
  const period = { now: inputs.clock.now() };
  if (before !== undefined) {
    const stays =
      fitsLeaf(INTERNAL_RELEASE_IMAGE, before.pair, pki.rootCA, names) &&
      !endsBefore(before.pair, renewBefore);
    const pair = stays
      ? before.pair
      : certifyLeaf(INTERNAL_RELEASE_IMAGE, before.pair.key, pki.rootCA, names, period);
    return { ...pki, internalReleaseImage: { ...before, pair } };
  }
  const key = await inputs.keys.generate(algorithmOf(request), INTERNAL_RELEASE_IMAGE.name);
  const made = await createInternalReleaseImage(key, pki.rootCA, names, period, inputs.random);
  return { ...pki, internalReleaseImage: made };
}

function fitsServer(pair: KeyPair, rootCA: KeyPair, names: NameInput): boolean {
  const entry = pkiEntry("machine-config-server");
  return entry.kind === "leaf" && fitsLeaf(entry, pair, rootCA, names);
}

async function kubeadminOf({
  state,
  files,
  inputs,
  report,
}: SecretsRequest): Promise<KubeadminPassword | undefined> {
  if (state?.kubeadmin !== undefined) return state.kubeadmin;
  const hash = files.get("tls/kubeadmin-password.hash");
  if (hash === undefined) return createKubeadmin(inputs.random);
  const password = files.get("tls/kubeadmin-password");
  return readKubeadmin(
    decode(hash.data) ?? "",
    password === undefined ? undefined : decode(password.data),
    (problem) => report({ file: hash.path, ...problem }),
  );
}
