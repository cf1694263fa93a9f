/**
 * `.openshift_install_state.json`: identity, keys and what was generated, for later phases of ours and for
 * upstream's binary. Form and names are upstream's (docs/reference/install-config-and-manifests.md §2.5,
 * docs/reference/ignition-configs.md §7c); what upstream does not know stands under `slipway.dev/…`, which it keeps.
 */
import type { Problem } from "../core/diagnostics.js";
import { byCodeUnit, decode, encode } from "../core/files.js";
import { equalJson, isList, isObject, type Json, type JsonObject, textAt } from "../core/json.js";
import type { Certificate, File, InstallerState as Members } from "../generated/types/installer-state.js";
import { readYaml, toJson } from "../text/yaml-read.js";
import { writeUpstreamYaml } from "../text/yaml-upstream.js";
import { INSTALL_CONFIG, STATE_FILE } from "./layout.js";
import { schemaFaults } from "./schema-faults.js";
import { fileJson, fileMembers, MACHINE_MEMBERS, type StateFile } from "./state-files.js";
import { memberOf, readMembers, type StateMember, writeMembers } from "./state-json.js";
import {
  boundKeyJson,
  certificateJson,
  IGNITION_OPTIONS,
  memberCertificate,
  membersOfManifests,
  pkiMembers,
  SHIM_SOURCES,
  type StateCertificate,
  type StatePki,
  withoutDerived,
} from "./state-pki.js";

export type { StateCertificate, StateFile };

export interface StateView {
  readonly installConfig?: {
    /** The install-config with all defaults, as JSON. */
    readonly config: JsonObject;
    /** The same as text: what upstream would write as install-config.yaml. Made of `config` when written. */
    readonly text: string;
  };
  readonly clusterID?: { readonly uuid: string; readonly infraID: string };
  readonly kubeadmin?: { readonly password: string /** bcrypt */; readonly hash: string };
  readonly rootCA?: StateCertificate;
  readonly machineConfigServer?: StateCertificate;
  /** What the registry of the cluster's own release images is served with; only where the user asked for it. */
  readonly internalReleaseImage?: {
    readonly pair: StateCertificate;
    readonly password: string;
    readonly htpasswd: string;
  };
  /** openshift/openshift-install-manifests.yaml */
  readonly openshiftInstall?: StateFile;
  /** What was generated in manifests/ and openshift/, machines included. */
  readonly files?: readonly StateFile[];
  /** Private keys without a certificate yet, PEM, by name (docs/reference/ignition-configs.md §1). */
  readonly keys?: ReadonlyMap<string, string>;
  /** What the user wants bound tokens of service accounts signed with, PEM. */
  readonly boundServiceAccountKey?: string;
  /** Addresses that machines fetch their config from, by role; they may be signed. Of the ignition-configs phase. */
  readonly shimSources?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, string | boolean>>;
  /** The facts about the cloud that the manifests were compiled with (CloudFacts), so that a later phase needs no file. */
  readonly facts?: JsonObject;
  /** Cloud credentials as they stand in Secrets, so that a later phase needs no file for them. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Options that ignition-configs was the first to be given; they are not wrapped. */
  readonly ignitionOptions?: Readonly<Record<string, string>>;
}

/**
 * What a run writes. `config` is the install-config exactly as upstream marshals it: with the release's defaults, the
 * pull secret, and through 4.20 with `creationTimestamp: null` in its metadata
 * (docs/reference/install-config-and-manifests.md §3.1).
 */
export interface StateChanges extends Omit<StateView, "installConfig"> {
  readonly installConfig?: {
    readonly config: JsonObject;
    /** Members beside it, such as `aws` (`installerMetadata` of a platform). */
    readonly metadata?: JsonObject;
  };
  /** What the ignition-configs phase certified. */
  readonly pki?: StatePki;
}

/** A state that was read: what we know of it, and the text of every member. */
export interface InstallerState extends StateView {
  readonly members: ReadonlyMap<string, StateMember>;
  readonly bytes: Uint8Array;
}

const KEYS = {
  installConfig: "*installconfig.InstallConfig",
  clusterID: "*installconfig.ClusterID",
  openshiftInstall: "*openshiftinstall.Config",
  kubeadmin: "*password.KubeadminPassword",
  rootCA: "*tls.RootCA",
  machineConfigServer: "*tls.MCSCertKey",
  releaseImagePair: "*tls.IRICertKey",
  releaseImageLogin: "*tls.IRIRegistryCredentials",
  manifests: "*manifests.Manifests",
  openshift: "*manifests.Openshift",
  boundKey: "*tls.BoundSASigningKey",
  keys: "slipway.dev/keys",
  shimSources: SHIM_SOURCES,
  facts: "slipway.dev/facts",
  options: "slipway.dev/options",
  credentials: "slipway.dev/credentials",
  ignitionOptions: IGNITION_OPTIONS,
} as const;

/** Members that only slipway reads; they are replaced as a whole. */
const OWN_PREFIX = "slipway.dev/";

export type ParsedState =
  | { readonly state: InstallerState; readonly problems: readonly [] }
  | { readonly state: undefined; readonly problems: readonly Problem[] };

/** Reads a state file. Nothing of its content appears in a problem. */
export async function parseState(bytes: Uint8Array): Promise<ParsedState> {
  const hint =
    "restore the file from a copy; without it the directory has lost its identity and keys, and a new one must be started";
  const text = decode(bytes);
  const members = text === undefined ? undefined : readMembers(text);
  if (members === undefined) {
    const what =
      text === undefined
        ? "is not UTF-8 text"
        : text.trim() === ""
          ? "is empty"
          : "is not one JSON object; it may have been cut off";
    const problem: Problem = {
      code: "DIR010",
      kind: "Parse",
      file: STATE_FILE,
      message: `${STATE_FILE} ${what}`,
      hint,
    };
    return { state: undefined, problems: [problem] };
  }
  const { default: validate } = await import("../generated/validators/installer-state.js");
  const isState = (value: unknown): value is Members => validate(value);
  const value: unknown = Object.fromEntries([...members].map(([key, member]) => [key, member.value]));
  if (!isState(value)) {
    const problems = schemaFaults(validate.errors ?? []).map(
      ({ field, message: fault }): Problem => ({
        code: "DIR011",
        kind: "Invalid",
        file: STATE_FILE,
        field,
        message: fault,
        hint,
      }),
    );
    return { state: undefined, problems };
  }
  return { state: { ...viewOf(value, members), members, bytes }, problems: [] };
}

const textOf = (base64: string): string => Buffer.from(base64, "base64").toString("utf8");

function viewOf(value: Members, members: ReadonlyMap<string, StateMember>): StateView {
  const view: { -readonly [K in keyof StateView]: StateView[K] } = {};
  const config = value[KEYS.installConfig];
  const rawConfig = members.get(KEYS.installConfig)?.value;
  const configJson = isObject(rawConfig) ? rawConfig["config"] : undefined;
  if (config?.file?.Data && isObject(configJson))
    view.installConfig = { config: configJson, text: textOf(config.file.Data) };
  const id = value[KEYS.clusterID];
  if (id && id.UUID !== "" && id.InfraID !== "") view.clusterID = { uuid: id.UUID, infraID: id.InfraID };
  const password = value[KEYS.kubeadmin];
  if (password && password.Password !== "")
    view.kubeadmin = { password: password.Password, hash: textOf(password.PasswordHash) };
  const root = certificateOf(value[KEYS.rootCA]);
  if (root !== undefined) view.rootCA = root;
  const server = certificateOf(value[KEYS.machineConfigServer]);
  if (server !== undefined) view.machineConfigServer = server;
  const pair = certificateOf(value[KEYS.releaseImagePair]);
  const login = value[KEYS.releaseImageLogin];
  if (pair !== undefined && login && login.Password !== "")
    view.internalReleaseImage = { pair, password: login.Password, htpasswd: login.HtpasswdContent };
  const tool = value[KEYS.openshiftInstall]?.File;
  if (tool) view.openshiftInstall = stateFile(tool);
  const files = listedFiles(value);
  if (files !== undefined) view.files = files;
  const keys = value[KEYS.keys];
  if (keys !== undefined) view.keys = new Map(Object.entries(keys));
  const [bound] = value[KEYS.boundKey]?.FileList ?? [];
  if (bound !== undefined) view.boundServiceAccountKey = textOf(bound.Data ?? "");
  const sources = value[KEYS.shimSources];
  if (sources !== undefined) view.shimSources = sources;
  const options = value[KEYS.options];
  if (options !== undefined) view.options = options;
  const facts = members.get(KEYS.facts)?.value;
  if (isObject(facts)) view.facts = facts;
  const credentials = value[KEYS.credentials];
  if (credentials !== undefined) view.credentials = credentials;
  const ignitionOptions = value[KEYS.ignitionOptions];
  if (ignitionOptions !== undefined) view.ignitionOptions = ignitionOptions;
  return view;
}

function certificateOf(value: Certificate | undefined): StateCertificate | undefined {
  if (!value?.CertRaw || !value.KeyRaw) return undefined;
  return { key: textOf(value.KeyRaw), certificate: textOf(value.CertRaw) };
}

/**
 * A private key that upstream made in its ignition-configs target, PEM, by the type name of its asset, such as
 * `*tls.KubeletCSRSignerCertKey`. Undefined where the state has none.
 */
export function upstreamKey({ members }: InstallerState, member: string): string | undefined {
  const value = members.get(member)?.value;
  if (!isObject(value)) return undefined;
  // Certificates, key pairs and the SSH key name the same thing differently.
  const raw = value["KeyRaw"] ?? value["Pvt"] ?? value["Priv"];
  const text = typeof raw === "string" ? textOf(raw) : "";
  return text.startsWith("-----BEGIN ") ? text : undefined;
}

/** A certificate of the ignition-configs phase, ours or upstream's, PEM, by the type name of its asset. */
export const upstreamCertificate = ({ members }: InstallerState, member: string): string | undefined =>
  memberCertificate(members.get(member)?.value);

/** User and password that upstream keeps under a type name such as `*tls.IRIRegistryCredentials`. */
export function upstreamLogin(
  { members }: InstallerState,
  member: string,
): { readonly user: string; readonly password: string } | undefined {
  const value = members.get(member)?.value;
  if (!isObject(value)) return undefined;
  const [user, password] = [textAt(value, "Username"), textAt(value, "Password")];
  return user === "" || password === "" ? undefined : { user, password };
}

/** The state as the manifests phase leaves it, without what ignition-configs adds. */
export function stateOfManifests(state: InstallerState): InstallerState {
  const members = membersOfManifests(state.members);
  if (members.size === state.members.size) return state;
  return { ...state, members, bytes: encode(writeMembers(members)) };
}

const stateFile = ({ Filename, Data }: File): StateFile => ({
  path: Filename,
  data: Buffer.from(Data ?? "", "base64"),
});

/** Undefined when no list is there: the manifests target was not run. */
function listedFiles(value: Members): readonly StateFile[] | undefined {
  const lists = [value[KEYS.manifests], value[KEYS.openshift]];
  if (lists.every((list) => list === undefined || list === null)) return undefined;
  const files = lists.flatMap((list) => list?.FileList ?? []);
  for (const key of ["*machines.Master", "*machines.Worker", "*machines.Arbiter"] as const)
    for (const member of Object.values(value[key] ?? {}))
      files.push(...(Array.isArray(member) ? member : member === null ? [] : [member]));
  return files.map(stateFile);
}

/**
 * The bytes of a state after a change. Members that are not in `changes`, and members that already say the same,
 * keep their text; unknown members inside of changed ones stay.
 */
export function writeState(old: InstallerState | undefined, changes: StateChanges): Uint8Array {
  const members = new Map(old?.members ?? []);
  const set = (changed: readonly (readonly [key: string, value: JsonObject])[]): number =>
    changed.filter(([key, value]) => {
      const before = members.get(key)?.value;
      const merged = isObject(before) && !key.startsWith(OWN_PREFIX) ? { ...before, ...value } : value;
      if (equalJson(before, merged)) return false;
      members.set(key, memberOf(merged));
      return true;
    }).length;
  set(changedMembers(changes, members));
  const certified = changes.pki === undefined ? 0 : set(pkiMembers(changes.pki));
  return encode(writeMembers(certified > 0 ? withoutDerived(members) : members));
}

const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");

function changedMembers(
  changes: StateChanges,
  old: ReadonlyMap<string, StateMember>,
): readonly [key: string, value: JsonObject][] {
  const { installConfig, clusterID, kubeadmin, rootCA, machineConfigServer, openshiftInstall } = changes;
  const members: [string, JsonObject][] = [];
  if (installConfig !== undefined)
    members.push(...changedConfig(installConfig, old.get(KEYS.installConfig)?.value));
  if (clusterID !== undefined)
    members.push([KEYS.clusterID, { UUID: clusterID.uuid, InfraID: clusterID.infraID }]);
  if (openshiftInstall !== undefined)
    members.push([KEYS.openshiftInstall, { File: fileJson(openshiftInstall) }]);
  if (kubeadmin !== undefined)
    members.push([
      KEYS.kubeadmin,
      {
        Password: kubeadmin.password,
        PasswordHash: base64(kubeadmin.hash),
        File: { Filename: "auth/kubeadmin-password", Data: base64(kubeadmin.password) },
      },
    ]);
  if (rootCA !== undefined) members.push([KEYS.rootCA, certificateJson(rootCA, "root-ca")]);
  if (machineConfigServer !== undefined)
    members.push([KEYS.machineConfigServer, certificateJson(machineConfigServer, "machine-config-server")]);
  const { internalReleaseImage } = changes;
  if (internalReleaseImage !== undefined) {
    const { pair, password, htpasswd } = internalReleaseImage;
    members.push([KEYS.releaseImagePair, certificateJson(pair, "internal-release-image")]);
    const [user = ""] = htpasswd.split(":");
    members.push([KEYS.releaseImageLogin, { Username: user, Password: password, HtpasswdContent: htpasswd }]);
  }
  if (changes.files !== undefined) members.push(...changedLists(changes.files, old));
  if (changes.keys !== undefined && changes.keys.size > 0) members.push([KEYS.keys, sorted(changes.keys)]);
  if (changes.boundServiceAccountKey !== undefined)
    members.push([KEYS.boundKey, boundKeyJson(changes.boundServiceAccountKey)]);
  if (
    changes.shimSources !== undefined &&
    (old.has(SHIM_SOURCES) || Object.keys(changes.shimSources).length > 0)
  )
    members.push([SHIM_SOURCES, sorted(new Map(Object.entries(changes.shimSources)))]);
  if (changes.options !== undefined)
    members.push([KEYS.options, sorted(new Map(Object.entries(changes.options)))]);
  if (changes.facts !== undefined) members.push([KEYS.facts, changes.facts]);
  if (changes.credentials !== undefined)
    members.push([KEYS.credentials, sorted(new Map(Object.entries(changes.credentials)))]);
  if (changes.ignitionOptions !== undefined)
    members.push([KEYS.ignitionOptions, sorted(new Map(Object.entries(changes.ignitionOptions)))]);
  return members;
}

/** The text follows from the config: where that is the same, text and metadata stay as they are. */
function changedConfig(
  { config, metadata = {} }: NonNullable<StateChanges["installConfig"]>,
  old: Json | undefined,
): [string, JsonObject][] {
  if (isObject(old) && isObject(old["file"]) && equalJson(old["config"], config))
    return [[KEYS.installConfig, { ...metadata, ...old }]];
  const file = { Filename: INSTALL_CONFIG, Data: base64(writeUpstreamYaml(config)) };
  return [[KEYS.installConfig, { config, file, ...metadata }]];
}

const sorted = (values: ReadonlyMap<string, string | boolean>): JsonObject =>
  Object.fromEntries([...values].sort(([a], [b]) => byCodeUnit(a, b)));

/** The lists that differ from those in the state; upstream's own order of a list that says the same stays. */
function changedLists(
  files: readonly StateFile[],
  old: ReadonlyMap<string, StateMember>,
): readonly [key: string, value: JsonObject][] {
  const present = Object.keys(MACHINE_MEMBERS).filter((key) => old.has(key));
  return [...fileMembers(files, present)].flatMap(([key, value]) => {
    const before = old.get(key)?.value;
    if (isObject(before) && equalLists(before, value)) return [];
    const full = key === KEYS.manifests ? { KubeSysConfig: clusterConfigObject(files), ...value } : value;
    return [[key, full]];
  });
}

/** True when two members list the same files with the same content; null and an empty list are the same. */
function equalLists(before: JsonObject, after: JsonObject): boolean {
  return Object.entries(after).every(([member, files]) => {
    const other = before[member] ?? null;
    return equalJson(byName(other), byName(files));
  });
}

const byName = (files: Json): Json => {
  if (isObject(files)) return files;
  const list = isList(files) ? files.filter(isObject) : [];
  return Object.fromEntries(list.map((file) => [textAt(file, "Filename"), file["Data"] ?? null]));
};

/** The object in manifests/cluster-config.yaml, which upstream keeps beside the list. */
function clusterConfigObject(files: readonly StateFile[]): Json {
  const file = files.find(({ path }) => path === "manifests/cluster-config.yaml");
  const text = file === undefined ? undefined : decode(file.data);
  const root = text === undefined ? undefined : readYaml(text, "").documents[0]?.root;
  return root === undefined ? null : toJson(root);
}
