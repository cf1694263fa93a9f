/**
 * What slipway knows of the state, a row each: how it is read and how it is written (docs/reference/install-config-and-manifests.md
 * §2.5). A member that is added is a member of StateView, its row, and a member of schemas/inputs/installer-state.schema.json.
 */
import { base64 } from "../core/base64.js";
import { byCodeUnit, decode } from "../core/files.js";
import { equalJson, isList, isObject, type Json, type JsonObject, textAt } from "../core/json.js";
import type { Certificate, File, InstallerState as Members } from "../generated/types/installer-state.js";
import type { AgentTokens } from "../pki/agent-tokens.js";
import type { CertifiedName } from "../pki/graph.js";
import { readYaml, toJson } from "../text/yaml-read.js";
import { writeUpstreamYaml } from "../text/yaml-upstream.js";
import { AGENT_CONFIG, INSTALL_CONFIG } from "./layout.js";
import { clusterApiMembers, fileJson, fileMembers, MACHINE_MEMBERS, type StateFile } from "./state-files.js";
import type { StateMember } from "./state-json.js";
import {
  boundKeyJson,
  CLUSTER_API_MEMBERS,
  certificateJson,
  IGNITION_OPTIONS,
  SHIM_SOURCES,
  type StateCertificate,
  type StatePki,
} from "./state-pki.js";

export interface StateView {
  readonly installConfig?: {
    /** The install-config with all defaults, as JSON. */
    readonly config: JsonObject;
    /** The same as text: what upstream would write as install-config.yaml. Made of `config` when written. */
    readonly text: string;
  };
  readonly clusterID?: { readonly uuid: string; readonly infraID: string };
  /** Boot images that the installer would ask the cloud for. */
  readonly images?: { readonly controlPlane: string; readonly compute: string };
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
  /** What was generated in cluster-api/. */
  readonly clusterApi?: readonly StateFile[];
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
  /** agent-config.yaml, for a run after it was consumed. */
  readonly agentConfig?: {
    readonly data: Uint8Array;
    /** What it says, and the hosts that count, as the installer keeps them. */
    readonly config: JsonObject;
    readonly hosts: readonly JsonObject[];
  };
  /** Logins of an agent-based installation at its service. */
  readonly agentTokens?: AgentTokens;
  /** Name of the hosts' environment at that service, a UUID. */
  readonly infraEnvID?: string;
  /** Signs the certificates of the router of an image-based installation. */
  readonly ingressSigner?: StateCertificate;
  /** What nmstatectl made of static networks, by the digest of each. */
  readonly networkKeyfiles?: NetworkKeyfiles;
}

/** Names and texts of the keyfiles of a host's network. */
export type Keyfiles = readonly { readonly name: string; readonly text: string }[];
export type NetworkKeyfiles = ReadonlyMap<string, Keyfiles>;

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
  /** What an agent-based installation certifies of it. */
  readonly agentPairs?: ReadonlyMap<CertifiedName, StateCertificate>;
}

const KEYS = {
  installConfig: "*installconfig.InstallConfig",
  clusterID: "*installconfig.ClusterID",
  images: "*rhcos.Image",
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
  agentConfig: "*agentconfig.AgentConfig",
  agentHosts: "*agentconfig.AgentHosts",
  agentTokens: "*gencrypto.AuthConfig",
  infraEnvID: "*common.InfraEnvID",
  networkKeyfiles: "slipway.dev/network-keyfiles",
  ingressSigner: "*configimage.IngressOperatorSignerCertKey",
} as const;

/** Members of the state as they were read, and the text of each. */
interface Raw {
  readonly value: Members;
  readonly members: ReadonlyMap<string, StateMember>;
}

type Changed = readonly (readonly [key: string, value: JsonObject])[];

/** How one thing stands in the state: read from one member or from several, and written to the same. */
interface Row<Read, Write> {
  /** Undefined where the state does not say it. */
  read(raw: Raw): Read | undefined;
  write(value: Write, old: ReadonlyMap<string, StateMember>): Changed;
}

const textOf = (base64Text: string): string => Buffer.from(base64Text, "base64").toString("utf8");
const sorted = (values: ReadonlyMap<string, string | boolean>): JsonObject =>
  Object.fromEntries([...values].sort(([a], [b]) => byCodeUnit(a, b)));
const sortedMembers = (values: Readonly<Record<string, string | boolean>>): JsonObject =>
  sorted(new Map(Object.entries(values)));

function certificateOf(value: Certificate | undefined): StateCertificate | undefined {
  if (!value?.CertRaw || !value.KeyRaw) return undefined;
  return { key: textOf(value.KeyRaw), certificate: textOf(value.CertRaw) };
}

type Name = keyof StateView;

const ROWS: { readonly [K in Name]: Row<StateView[K], NonNullable<StateChanges[K]>> } = {
  installConfig: {
    read({ value, members }) {
      const data = value[KEYS.installConfig]?.file?.Data;
      const whole = members.get(KEYS.installConfig)?.value;
      const config = isObject(whole) ? whole["config"] : undefined;
      return data && isObject(config) ? { config, text: textOf(data) } : undefined;
    },
    write: (config, old) => changedConfig(config, old.get(KEYS.installConfig)?.value),
  },
  clusterID: {
    read({ value }) {
      const id = value[KEYS.clusterID];
      return id && id.UUID !== "" && id.InfraID !== "" ? { uuid: id.UUID, infraID: id.InfraID } : undefined;
    },
    write: ({ uuid, infraID }) => [[KEYS.clusterID, { UUID: uuid, InfraID: infraID }]],
  },
  images: {
    read({ value }) {
      const { ControlPlane = "", Compute = "" } = value[KEYS.images] ?? {};
      return ControlPlane === "" || Compute === ""
        ? undefined
        : { controlPlane: ControlPlane, compute: Compute };
    },
    write: ({ controlPlane, compute }) => [[KEYS.images, { ControlPlane: controlPlane, Compute: compute }]],
  },
  openshiftInstall: {
    read({ value }) {
      const tool = value[KEYS.openshiftInstall]?.File;
      return tool ? stateFile(tool) : undefined;
    },
    write: (file) => [[KEYS.openshiftInstall, { File: fileJson(file) }]],
  },
  kubeadmin: {
    read({ value }) {
      const kept = value[KEYS.kubeadmin];
      return kept && kept.Password !== ""
        ? { password: kept.Password, hash: textOf(kept.PasswordHash) }
        : undefined;
    },
    write: ({ password, hash }) => [
      [
        KEYS.kubeadmin,
        {
          Password: password,
          PasswordHash: base64(hash),
          File: { Filename: "auth/kubeadmin-password", Data: base64(password) },
        },
      ],
    ],
  },
  rootCA: {
    read: ({ value }) => certificateOf(value[KEYS.rootCA]),
    write: (pair) => [[KEYS.rootCA, certificateJson(pair, "root-ca")]],
  },
  machineConfigServer: {
    read: ({ value }) => certificateOf(value[KEYS.machineConfigServer]),
    write: (pair) => [[KEYS.machineConfigServer, certificateJson(pair, "machine-config-server")]],
  },
  internalReleaseImage: {
    read({ value }) {
      const pair = certificateOf(value[KEYS.releaseImagePair]);
      const login = value[KEYS.releaseImageLogin];
      return pair !== undefined && login && login.Password !== ""
        ? { pair, password: login.Password, htpasswd: login.HtpasswdContent }
        : undefined;
    },
    write({ pair, password, htpasswd }) {
      const [user = ""] = htpasswd.split(":");
      return [
        [KEYS.releaseImagePair, certificateJson(pair, "internal-release-image")],
        [KEYS.releaseImageLogin, { Username: user, Password: password, HtpasswdContent: htpasswd }],
      ];
    },
  },
  files: { read: ({ value }) => listedFiles(value), write: changedLists },
  clusterApi: {
    read({ value }) {
      // Where it writes no folder, upstream lists a namespace outside of it.
      const listed = CLUSTER_API_MEMBERS.flatMap((key) => value[key]?.FileList ?? []).filter(({ Filename }) =>
        Filename.startsWith("cluster-api/"),
      );
      return listed.length === 0 ? undefined : listed.map(stateFile);
    },
    write: (files, old) =>
      [...clusterApiMembers(files)].filter(([key, value]) => {
        const before = old.get(key)?.value;
        return !isObject(before) || !equalLists(before, value);
      }),
  },
  keys: {
    read({ value }) {
      const keys = value[KEYS.keys];
      return keys === undefined ? undefined : new Map(Object.entries(keys));
    },
    write: (keys) => (keys.size === 0 ? [] : [[KEYS.keys, sorted(keys)]]),
  },
  boundServiceAccountKey: {
    read({ value }) {
      const [bound] = value[KEYS.boundKey]?.FileList ?? [];
      return bound === undefined ? undefined : textOf(bound.Data ?? "");
    },
    write: (key) => [[KEYS.boundKey, boundKeyJson(key)]],
  },
  shimSources: {
    read: ({ value }) => value[KEYS.shimSources],
    write: (sources, old) =>
      old.has(KEYS.shimSources) || Object.keys(sources).length > 0
        ? [[KEYS.shimSources, sortedMembers(sources)]]
        : [],
  },
  options: {
    read: ({ value }) => value[KEYS.options],
    write: (options) => [[KEYS.options, sortedMembers(options)]],
  },
  facts: {
    read({ members }) {
      const facts = members.get(KEYS.facts)?.value;
      return isObject(facts) ? facts : undefined;
    },
    write: (facts) => [[KEYS.facts, facts]],
  },
  credentials: {
    read: ({ value }) => value[KEYS.credentials],
    write: (credentials) => [[KEYS.credentials, sortedMembers(credentials)]],
  },
  ignitionOptions: {
    read: ({ value }) => value[KEYS.ignitionOptions],
    write: (options) => [[KEYS.ignitionOptions, sortedMembers(options)]],
  },
  agentConfig: {
    read({ value }) {
      const data = value[KEYS.agentConfig]?.File?.Data;
      return data ? { data: Buffer.from(data, "base64"), config: {}, hosts: [] } : undefined;
    },
    write: ({ data, config, hosts }) => [
      [
        KEYS.agentConfig,
        {
          File: { Filename: AGENT_CONFIG, Data: Buffer.from(data).toString("base64") },
          Config: config,
          Template: "",
        },
      ],
      [KEYS.agentHosts, { Hosts: hosts.length === 0 ? null : hosts }],
      // Without it the installer would make networks of hosts that have none, from the null that stands for it.
      ...(hosts.every(({ networkConfig }) => networkConfig === null)
        ? [[NO_NETWORKS, { File: null, StaticNetworkConfig: null, Config: null }] as const]
        : []),
    ],
  },
  agentTokens: {
    read({ value }) {
      const kept = value[KEYS.agentTokens];
      return kept && kept.PublicKey !== "" && kept.AgentAuthToken !== ""
        ? {
            publicKey: kept.PublicKey,
            agent: kept.AgentAuthToken,
            user: kept.UserAuthToken,
            watcher: kept.WatcherAuthToken,
          }
        : undefined;
    },
    write: ({ publicKey, agent, user, watcher }) => [
      [
        KEYS.agentTokens,
        {
          PublicKey: publicKey,
          AgentAuthToken: agent,
          UserAuthToken: user,
          WatcherAuthToken: watcher,
          AuthTokenExpiry: "",
          AuthType: AUTH_TYPE,
        },
      ],
    ],
  },
  infraEnvID: {
    read: ({ value }) => value[KEYS.infraEnvID]?.ID || undefined,
    write: (id) => [[KEYS.infraEnvID, { ID: id }]],
  },
  ingressSigner: {
    read: ({ value }) => certificateOf(value[KEYS.ingressSigner]),
    write: ({ key, certificate }) => [
      [KEYS.ingressSigner, { CertRaw: base64(certificate), KeyRaw: base64(key), FileList: null }],
    ],
  },
  networkKeyfiles: {
    read({ value }) {
      const kept = value[KEYS.networkKeyfiles];
      return kept && new Map(Object.entries(kept));
    },
    write: (keyfiles, old) =>
      keyfiles.size === 0 && !old.has(KEYS.networkKeyfiles)
        ? []
        : [
            [
              KEYS.networkKeyfiles,
              Object.fromEntries(
                [...keyfiles]
                  .sort(([a], [b]) => byCodeUnit(a, b))
                  .map(([digest, files]) => [digest, files.map(({ name, text }) => ({ name, text }))]),
              ),
            ],
          ],
  },
};

/** Static networks of hosts, which are on disk where there are any. */
const NO_NETWORKS = "*manifests.NMStateConfig";

/** How the programs of the hosts log in (`AuthType` of the installer). */
const AUTH_TYPE = "agent-installer-local";

const isRow = (name: string): name is Name => name in ROWS;
const NAMES = Object.keys(ROWS).filter(isRow);

/** What the state says. */
export function viewOf(raw: Raw): StateView {
  const view: { -readonly [K in Name]?: StateView[K] } = {};
  const put = <K extends Name>(name: K): void => {
    const found = ROWS[name].read(raw);
    if (found !== undefined) view[name] = found;
  };
  NAMES.forEach(put);
  return view;
}

/** The members that say what has changed. */
export function changedMembers(changes: StateChanges, old: ReadonlyMap<string, StateMember>): Changed {
  const written = <K extends Name>(name: K): Changed => {
    const value = changes[name];
    return value === undefined ? [] : ROWS[name].write(value, old);
  };
  return NAMES.flatMap(written);
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

/**
 * Listed even where it is empty: what the state lacks, openshift-install of 4.19 and later generates, and its arbiters
 * depend on the check of the cloud's credentials, which asks for them (pkg/asset/machines/arbiter.go, Dependencies).
 */
const NO_ARBITERS = "*machines.Arbiter";

/** The lists that differ from those in the state; upstream's own order of a list that says the same stays. */
function changedLists(
  files: readonly StateFile[],
  old: ReadonlyMap<string, StateMember>,
): readonly [key: string, value: JsonObject][] {
  const present = Object.keys(MACHINE_MEMBERS).filter((key) => key === NO_ARBITERS || old.has(key));
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
