/**
 * What differs by platform. Each platform is a folder: `descriptor.ts`, small, for what is asked of all of them, and
 * `index.ts`, loaded on demand, for what it does. A new platform is a new folder and a line in `registry.ts`.
 */

import type { Span } from "../core/by-release.js";
import type { Position, Problem } from "../core/diagnostics.js";
import type { OutputFile } from "../core/files.js";
import type { JsonObject } from "../core/json.js";
import type { Release } from "../core/release.js";
import type { CloudFacts } from "../generated/types/cloud-facts.js";
import type { NodeNames } from "../kubernetes/openshift-assisted.js";
import type { TemplateName, View } from "../text/render.js";
import type { PlatformAgent } from "./agent.js";
import type {
  DiskSetup,
  InstallConfig,
  MachinePool,
  NormalConfig,
  NormalPool,
  PlatformName,
} from "./config.js";
import type { GateName } from "./enabled-gates.js";
import type { AskFacts, FactsCollector } from "./fact-questions.js";
import type { IgnitionParts, MediaServer } from "./ignition.js";
import type { Shape } from "./normal-shape.js";
import type { PlatformStarter } from "./starter.js";
import type { SupplementItem } from "./supplement.js";
import type { Traits } from "./traits.js";

export type { SupplementItem };

/** Identity of the cluster: fixed by flags or by the state, else random. */
export interface Identity {
  /** Cluster name, made safe and cut, with five random characters; at most 27 characters. */
  readonly infraID: string;
  /** UUID of the cluster. */
  readonly clusterID: string;
}

/** An object to render into a file. */
export interface Rendering {
  readonly template: TemplateName;
  readonly view: View;
  /** Path of the file below the asset directory. */
  readonly path: string;
  readonly secret?: boolean;
}

/** Text files that offline facts are taken from, already read. */
export interface FactSources {
  readonly facts: CloudFacts | undefined;
  /** Where a field of the facts file stands, such as `aws.subnets[0].zone`. */
  positionInFacts?(field: string): Position;
  /** CoreOS stream metadata (`--coreos-stream`), parsed. */
  readonly stream: JsonObject | undefined;
}

/** Cloud credentials as they enter Secrets: file-format specific to the platform. */
export interface Credentials {
  readonly [key: string]: string;
}

/** What every rule and every object may look at. */
export interface PlatformInput {
  readonly config: NormalConfig;
  readonly identity: Identity;
  readonly facts: CloudFacts;
  readonly credentials: Credentials | undefined;
  readonly release: Release;
}

/** Locations of boot images, as the installer keeps them: an ID, a name or a URL. */
export interface InstallerImages {
  readonly controlPlane: string;
  readonly compute: string;
}

export interface RuleContext {
  readonly release: Release;
  /** Hosts boot an image that the agent-based or the image-based installer makes; left out for all other ways. */
  readonly method?: "agent" | "image-based" | undefined;
  report(problem: Problem): void;
}

export interface CredentialsContext extends RuleContext {
  readonly facts: CloudFacts;
  /** Text of a file that a credentials file names, such as one with certificates; undefined when it cannot be read. */
  readFile(path: string): string | undefined;
}

/** A field behind a feature gate, named as the installer does; `at` is where it stands when that differs. */
export interface GatedField {
  readonly gate: GateName;
  readonly field: string;
  readonly at?: string;
}

/**
 * The fields behind feature gates of a platform. When a config names several, those of one are looked at
 * (openshift/installer pkg/types/validation/installconfig.go, validateGatedFeatures, of release-4.18 to main at 4.22).
 */
export interface GatedFields extends Span {
  /** The place of the platform in the order in which the installer looks for that one; not the order of active ones. */
  readonly rank: number;
  /** Those that a config uses. */
  used(config: NormalConfig, release: Release): readonly GatedField[];
}

export type MachineRole = "master" | "worker" | "arbiter";

/** What one MachineConfig sets; the rest has the values that stand for "leave it". */
export interface MachineConfig {
  readonly name: string;
  readonly fips?: boolean;
  readonly kernelArguments?: readonly string[];
  /** Members of the Ignition config beside `ignition`. */
  readonly ignition?: JsonObject;
}

/**
 * What the platform puts into the config objects of `manifests/` (docs/reference/install-config-and-manifests.md §3.2,
 * §3.3, §3.4, §3.5).
 */
export interface PlatformManifests {
  /** Infrastructure/cluster: `platformSpec` and `platformStatus` members beside `type`. */
  infrastructure(input: PlatformInput): {
    readonly type: string;
    readonly spec: JsonObject;
    readonly status: JsonObject;
  };
  /** DNS/cluster: members of spec beside baseDomain, such as publicZone, privateZone and platform. */
  dns(input: PlatformInput): JsonObject;
  /** Ingress/cluster: `spec.loadBalancer.platform`. */
  ingressPlatform(input: PlatformInput): JsonObject;
  /** Entries that the platform adds to the computed noProxy. */
  noProxy(input: PlatformInput): readonly string[];
  /** Data of ConfigMap openshift-config/cloud-provider-config; undefined when the platform has none. */
  cloudProviderConfig(input: PlatformInput): { readonly [key: string]: string } | undefined;
  /** Name and data of the credentials Secret in kube-system; undefined when the platform has none. */
  credentialsSecret(
    input: PlatformInput,
  ): { readonly name: string; readonly data: Credentials | undefined } | undefined;
  /**
   * `spec.endpointPublishingStrategy.loadBalancer` of the default IngressController; undefined when the platform has no
   * say, and then an IngressController is written only where the ingress is not public
   * (docs/reference/install-config-and-manifests.md §3.2).
   */
  ingressController?(input: PlatformInput): JsonObject | undefined;
  /** MTU that the operator's Network object sets; undefined when it sets none. */
  networkMtu(input: PlatformInput): number | undefined;
  /** `gatewayConfig` of the operator's Network object. */
  gatewayConfig?(input: PlatformInput): JsonObject | undefined;
  /** Virtual IPs of the API, where the platform has them: machines start from them, certificates name them. */
  apiVips?(input: PlatformInput): readonly string[];
  /**
   * Members that the platform adds to the pointer config of a role, beside `ignition`
   * (docs/reference/install-config-and-manifests.md §3.6).
   */
  pointerAdditions?(input: PlatformInput, role: MachineRole): JsonObject;
  /** True when the user-data Secret of a role is the one that the cluster keeps up to date. */
  managedUserData?(input: PlatformInput, role: MachineRole): boolean;
  /** True when the user chose the boot image of the compute machines, so that the cluster must leave it alone. */
  customBootImage?(input: PlatformInput): boolean;
  /** Device path of the disk that a pool's `diskSetup[index]` means; absent where machines have no data disks. */
  diskDevice?(input: PlatformInput, pool: MachinePool, disk: DiskSetup, index: number): string | undefined;
  /** MachineConfigs that the platform adds for the machines of a pool, of the role that the pool has. */
  machineConfigs?(input: PlatformInput, role: MachineRole, pool: NormalPool): readonly MachineConfig[];
  /** The install-config without the credentials that its platform section holds. */
  redact?(installConfig: JsonObject, input: PlatformInput): JsonObject;
  /** Files of manifests/ and openshift/ that only this platform has, machines left out. */
  extra(input: PlatformInput): readonly Rendering[];
}

/** Cluster API objects of the platform; the references are placeholders where the user supplies the objects. */
export interface PlatformInfrastructure {
  readonly cluster: Referent;
  readonly machineTemplate: Referent;
  /** Objects in the order of their file names, `path` relative to infrastructure-manifests/. */
  readonly objects: readonly Rendering[];
}

/** An object that another one refers to; a placeholder is one that the user still has to name. */
export interface Referent {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly placeholder: boolean;
}

/**
 * What the installer's own controllers create the infrastructure, the bootstrap machine and the control plane from:
 * cluster-api/ (openshift/installer pkg/asset/manifests/clusterapi, pkg/asset/machines/clusterapi.go).
 */
export interface InstallerClusterApi {
  /** Infrastructure clusters; each gets a Cluster of its name. */
  readonly clusters: readonly Omit<Referent, "placeholder">[];
  /** Objects without machines; `path` is that of the file below the asset directory. */
  readonly objects: readonly Rendering[];
  /** Infrastructure machines and their Machines; empty where the machines lack a fact. */
  readonly machines: readonly Rendering[];
  /** What is left out because a fact is missing. */
  readonly lacking?: readonly LackingFact[] | undefined;
}

/** A fact that only cluster-api/ needs. */
export interface LackingFact {
  /** The file or folder that is left out without it; cluster-api/ as a whole where it is not set. */
  readonly path?: string;
  /** What is missing, such as `the credentials`. */
  readonly what: string;
  /** What supplies it: an imperative without a full stop. */
  readonly hint: string;
}

/** What a cluster that assisted-service installs stands on. Its objects are named after the Cluster. */
export interface AssistedInfrastructure {
  readonly cluster: Referent;
  /** The machine template of the control plane. */
  readonly controlPlane: Referent;
  /** The machine template of a compute pool. */
  compute(pool: NormalPool): Referent;
  /** Objects in the order of their file names, `path` relative to infrastructure-manifests/. */
  readonly objects: readonly Rendering[];
  /** Virtual IPs; a cluster without them gets the platform None. */
  readonly apiVIPs: readonly string[];
  readonly ingressVIPs: readonly string[];
  readonly timeServers: readonly string[];
  /** Where nodes get their name and labels from: variables of the metadata that the infrastructure gives machines. */
  readonly nodes: NodeNames | undefined;
  /** Labels of the NMStateConfigs among the objects. */
  readonly networks: Readonly<Record<string, string>> | undefined;
}

/** Compute machines of a pool in one place: what a machine set of the Machine API would make. */
export interface ComputeSet {
  readonly pool: string;
  /** As the machine set is named. */
  readonly name: string;
  readonly replicas: number;
  /** The place by the name that the provider knows it by; left out where the template says it. */
  readonly failureDomain?: string | undefined;
  /** Of the nodes, as far as Cluster API carries them on. */
  readonly labels?: JsonObject | undefined;
  readonly taints?: readonly { readonly key: string; readonly effect: string }[] | undefined;
  /** What the template cannot say of the machines, each as part of a sentence. */
  readonly byHand?: readonly string[] | undefined;
  /** The machine template; its view has the name of the set as `name`, and its path ends in it. */
  readonly template?: Rendering | undefined;
  /** A template of the user's in its place. */
  readonly own?: Referent | undefined;
}

/** What Cluster API makes a platform's compute machines from. */
export interface PlatformCompute {
  /** Of the machine templates. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly sets: readonly ComputeSet[];
  /** What the templates need besides. */
  readonly objects: readonly Rendering[];
}

export interface InfrastructureInput extends PlatformInput {
  readonly namespace: string;
  readonly controllerNamespace: string;
}

export interface PlatformModule {
  readonly name: PlatformName;
  /**
   * What the installer keeps in its state beside an install-config of the platform, as it reads it anew from the file;
   * where that differs from the state, it discards the manifests (docs/reference/install-config-and-manifests.md §2.2,
   * §2.5). Left out where it is nothing.
   */
  installerMetadata?(config: NormalConfig): JsonObject;
  /**
   * The boot images that the installer would ask the cloud for, so that it goes on from the state without an account. Left
   * out where it needs no cloud to name them.
   */
  installerImages?(input: PlatformInput): InstallerImages | undefined;
  /**
   * Replaces the platform's old spellings (docs/reference/install-config-and-manifests.md §1.3); returns a new value,
   * or undefined when old and new contradict each other, which is reported. Left out where there are none.
   */
  upconvert?(config: InstallConfig, context: RuleContext): InstallConfig | undefined;
  /**
   * Fills in what the installer fills in for the platform and its pools (docs/reference/install-config-and-manifests.md
   * §1.5, §1.6); returns a new value.
   */
  applyDefaults(config: NormalConfig, release: Release): NormalConfig;
  /**
   * Reports every broken rule of the platform (docs/reference/install-config-and-manifests.md §1.9) and of its machine
   * pools.
   */
  validate(config: NormalConfig, context: RuleContext): void;
  /** The fields behind feature gates. Left out where there are none. */
  readonly gatedFields?: GatedFields;
  /** The platform's section and those of its pools in the normal form. Left out where they are written as they are. */
  readonly normalForm?: {
    /** The config without what the release's own form has no place for. */
    prepare?(config: NormalConfig, release: Release): NormalConfig;
    section(release: Release): Shape;
    readonly pool: Shape | ((release: Release) => Shape);
  };
  /**
   * What the installer changes in a config while it validates it: what is valid is compiled, and written as the normal
   * form, like this. Left out where it changes nothing.
   */
  settle?(config: NormalConfig): NormalConfig;
  /** The facts that a config may need. Empty where there is no cloud to ask. */
  readonly needs: readonly { readonly fact: string }[];
  /** The facts as questions to the cloud, with its own commands. Left out where there is no cloud to ask. */
  readonly askFacts?: AskFacts;
  /** A script that asks the cloud. Left out where there is none. */
  readonly collector?: FactsCollector;
  /** What the installer refuses once it talks to the cloud, although the config alone tells it. */
  cloudRules?(config: NormalConfig): readonly Problem[];
  /** Facts from config, facts file and stream, merged; each one that is missing is reported with the field that supplies it. */
  resolveFacts(config: NormalConfig, sources: FactSources, context: RuleContext): CloudFacts;
  /**
   * Adds what an installer adds once it has asked the cloud, such as a pool that follows from the facts. Runs after
   * upconversion and before the defaults. Absent where nothing follows.
   */
  finish?(config: InstallConfig, facts: CloudFacts | undefined, release: Release): InstallConfig;
  /** True where boot images are taken from CoreOS stream metadata. */
  readonly takesStream?: true;
  /** Reads a credentials file in the provider's own format, for use with the config. Left out where logins come from elsewhere. */
  readCredentials?(
    text: string,
    file: string,
    context: CredentialsContext,
    config: NormalConfig,
  ): Credentials | undefined;
  /** Reports an account that neither facts nor credentials name, or that they name differently. Left out where there is none. */
  checkAccount?(input: PlatformInput, context: RuleContext): void;
  /** Names of the credentials; made-up ones stand in for them where a clone is checked without them. */
  readonly credentialNames?: readonly string[];
  /** Namespace of the infrastructure controller that credentials are read from, where it matters. */
  readonly controllerNamespace?: string;
  readonly manifests: PlatformManifests;
  /**
   * Machine API machines, machine sets and control plane machine set in openshift/
   * (docs/reference/install-config-and-manifests.md §3.7).
   */
  machines(input: PlatformInput): readonly Rendering[];
  /** The Cluster API objects; what the input breaks of the provider's rules goes to the context. */
  infrastructure(input: InfrastructureInput, context: RuleContext): PlatformInfrastructure;
  /** The objects of cluster-api/. Left out where the installer writes none, and undefined where the release or the config has none. */
  clusterApi?(input: PlatformInput): InstallerClusterApi | undefined;
  /** Compute machines for a permanent management cluster. Left out where the machines are the user's. */
  compute?(input: InfrastructureInput): PlatformCompute;
  supplement(input: PlatformInput): readonly SupplementItem[];
  /** What of the manifests as they are wrapped does not go with the Cluster API objects yet. */
  openManifests?(
    input: PlatformInput,
    files: readonly Pick<OutputFile, "path" | "data">[],
  ): readonly Problem[];
  /** For clusters that assisted-service installs; left out where the user brings the objects. */
  readonly assisted?: {
    infrastructure(input: InfrastructureInput, context: RuleContext): AssistedInfrastructure;
    supplement(input: PlatformInput): readonly SupplementItem[];
  };
  /** Left out where the platform adds nothing to the Ignition configs. */
  readonly ignition?: PlatformIgnition;
  /** Left out where the agent-based installer treats the platform as any other, or not at all. */
  readonly agent?: PlatformAgent;
}

/** What the files of the bootstrap node are made from. */
export interface BootstrapInput extends PlatformInput {
  /** manifests/ and openshift/ as they are on disk. */
  readonly manifestFiles: readonly OutputFile[];
  readonly mediaServer: MediaServer | undefined;
}

/** What a platform adds to the Ignition configs. */
export interface PlatformIgnition {
  /** Members of metadata.json that only the platform has, such as `aws`. */
  metadata?(input: PlatformInput): JsonObject;
  /** True when a password is among them. */
  readonly secretMetadata?: boolean;
  /** Files and units of the bootstrap node; a file replaces a common one of the same path. */
  bootstrap?(input: BootstrapInput): IgnitionParts;
  /** Members beside `ignition`, `passwd`, `storage.files` and `systemd` of the bootstrap node's config. */
  bootstrapAdditions?(input: PlatformInput): JsonObject;
  /**
   * What only the release's own installer does for the bootstrap node of the platform, as the end of a sentence
   * ("… has to"); bootstrap.ign then holds the data alone. Absent where slipway gives the boot sequence.
   */
  readonly leftToInstaller?: string;
  /** What the bootstrap node starts itself, so that the user must not; undefined where it starts nothing. */
  startedByBootstrap?(
    input: PlatformInput,
    files: readonly Pick<OutputFile, "path" | "data">[],
  ): StartedByBootstrap | undefined;
}

export interface StartedByBootstrap {
  /** Manifests of the machines that the bootstrap node starts. */
  readonly files: readonly string[];
  /** The program that starts them, such as `Ironic`. */
  readonly program: string;
  /** What the bootstrap node must be able to reach for that. */
  readonly reaches: string;
}

/** What the install-config phase needs of a platform. */
export type PlatformRules = Pick<
  PlatformModule,
  "name" | "upconvert" | "finish" | "applyDefaults" | "validate" | "gatedFields" | "normalForm" | "settle"
>;

/** What is at hand of every platform, without its code. */
export interface PlatformDescriptor {
  readonly traits: Traits;
  /** How slipway handles the platform; one that it does not handle is turned away by the rules of install-configs. */
  readonly handling:
    | { readonly starter: PlatformStarter; load(): Promise<PlatformModule> }
    | "not yet"
    | "no longer";
}
