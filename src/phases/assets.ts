/** Everything that the phases exchange. */

import type { EffectiveVersionFlags } from "../compatibility/installer.js";
import type { Position } from "../core/diagnostics.js";
import type { OutputFile } from "../core/files.js";
import type { JsonObject } from "../core/json.js";
import { phasesOf } from "../core/phase.js";
import type { Release } from "../core/release.js";
import type { AgentConfig } from "../generated/types/agent-config.js";
import type { CloudFacts } from "../generated/types/cloud-facts.js";
import type { ImageBasedConfig } from "../generated/types/image-based-config.js";
import type { InstallConfig } from "../generated/types/install-config.js";
import type { AssistedVersion } from "../kubernetes/openshift-assisted.js";
import type { AgentTokens } from "../pki/agent-tokens.js";
import type { ClusterPki } from "../pki/cluster.js";
import type { CertifiedName } from "../pki/graph.js";
import type { PlacedHost } from "../platforms/agent.js";
import type { NormalConfig } from "../platforms/config.js";
import type { Credentials, Identity, PlatformModule } from "../platforms/platform.js";
import type { Renderer } from "../text/render.js";
import type { Keyfile } from "./agent/keyfiles.js";
import type { AgentObjects } from "./agent/objects.js";
import type { Form } from "./ignition-configs/forms.js";
import type { CustomInfrastructure } from "./infrastructure-manifests/custom.js";
import type { Kept } from "./infrastructure-manifests/immutable.js";

export type { Identity };

export interface InstallConfigAsset {
  readonly config: NormalConfig;
  /** As it was written, in the fields of today and without defaults. */
  readonly written: InstallConfig;
  /** The config re-written with all defaults, in canonical YAML; what upstream calls the file of the asset. */
  readonly normalForm: string;
  /** Where a field (Kubernetes path) was written, or its nearest ancestor. */
  position(field: string): Position;
}

/** A private key with its certificate; both PEM, as they are stored in the state. */
export interface KeyPair {
  readonly key: string;
  readonly certificate: string;
}

/** What the manifests phase needs of the public key infrastructure; the rest is of the ignition-configs phase. */
export interface Pki {
  readonly rootCA: KeyPair;
  readonly machineConfigServer: KeyPair;
  /** Only where the user installs from images inside the cluster; see `internal-release-image.ts`. */
  readonly internalReleaseImage?: InternalReleaseImage;
}

/** What the registry of the cluster's own release images is served with. */
export interface InternalReleaseImage {
  readonly pair: KeyPair;
  readonly password: string;
  /** One line of an htpasswd file with the bcrypt hash of the password. */
  readonly htpasswd: string;
}

export interface KubeadminPassword {
  readonly password: string;
  /** bcrypt, cost 10. */
  readonly hash: string;
}

/** Numbers of machines that an autoscaler keeps a pool between. */
export interface AutoscalerBounds {
  readonly least: number;
  readonly most: number;
}

/** What applies objects from a Git repository. */
export type GitOpsController = "argocd" | "flux";

export interface InfrastructureOptions {
  readonly namespace: string;
  readonly controllerNamespace: string;
  readonly contract: "v1beta1" | "v1beta2";
  /** Version of OpenshiftAssistedControlPlane; undefined: the control plane is OpenShiftControlPlane. */
  readonly controlPlaneApiVersion?: AssistedVersion | undefined;
  /** Where objects of all clusters lie: in a folder of their own (default), or with each cluster. */
  readonly sharedObjects?: "inline" | "separate" | undefined;
  /** The controller that applies the folder from Git, for which objects are annotated. */
  readonly gitops?: GitOpsController | undefined;
  readonly secrets: "inline" | "separate" | "sops";
  readonly releaseImage: string | undefined;
  /** Whether the control plane takes workload, where somebody said so and the provider is told. */
  readonly mastersSchedulable?: boolean | undefined;
  /** Compute machines are those of Cluster API; undefined where they are the Machine API's. */
  readonly machines?:
    | { readonly healthChecks: boolean; readonly bounds: ReadonlyMap<string, AutoscalerBounds> }
    | undefined;
  /** What keys the name of an object that holds a secret. */
  readonly nameKey?: string;
  /** Templates of earlier runs that something still names. */
  readonly kept?: readonly Kept[];
  /** Paths of files that the user removed: no kustomization may list them. */
  readonly leftOut?: ReadonlySet<string>;
}

export interface IgnitionOptions {
  /** The ways of installing that configs are written for. */
  readonly forms: readonly Form[];
  /** Pull specification of the release to install; the bootstrap node cannot start without it. */
  readonly releaseImage: string | undefined;
  /** Private key, PEM, with which the user wants bound service account tokens signed; a file of the user in tls/. */
  readonly boundServiceAccountKey?: string;
  /** Address of the bootstrap node, where the user fixes it. */
  readonly bootstrapNodeIP?: string;
  /** Keys are not RSA, from which the release's own installer does not go on. */
  readonly notForInstaller?: boolean;
  /** Profile of the cluster's operators, where it is not the default one. */
  readonly clusterProfile?: string;
}

/** agent-config.yaml, judged, with the hosts of both files that count. */
export interface AgentAsset {
  /** Undefined where the directory has no such file. */
  readonly config: AgentConfig | undefined;
  /** Its bytes. */
  readonly file: Uint8Array | undefined;
  readonly hosts: readonly PlacedHost[];
  /** Logins of the hosts' management controllers, by which two nodes fence each other; of the install-config. */
  readonly fencing: readonly JsonObject[];
}

/** Keys and tokens of an agent-based installation. */
export interface AgentAccess {
  /** The signers of its API servers and of the administrator, with the administrator's own certificate. */
  readonly certified: { readonly [Name in CertifiedName]?: KeyPair };
  readonly tokens: AgentTokens;
  /** A UUID. */
  readonly infraEnvID: string;
  /** When the certificates begin, which dates the image. */
  readonly signedAt: Date;
}

/** Keys of an image-based installation, which the seed cluster's are replaced with. */
export interface ImageBasedAccess {
  readonly certified: AgentAccess["certified"];
  readonly ingressSigner: KeyPair;
  /** When the certificates begin, which dates the image. */
  readonly signedAt: Date;
}

export interface AgentOptions {
  /** Pull specification of the release to install. */
  readonly releaseImage: string | undefined;
  /** Files with secrets are encrypted on disk, and committed. */
  readonly isEncrypted: boolean;
  /** Platforms that the install-config names beside its own. */
  readonly others: readonly PlatformModule[];
}

export interface Assets {
  readonly "install-config": InstallConfigAsset;
  /** The bytes of install-config.yaml as it is on disk; undefined where the directory has none (any more). */
  readonly "install-config-file": Uint8Array | undefined;
  readonly identity: Identity;
  readonly pki: Pki;
  readonly kubeadmin: KubeadminPassword;
  readonly facts: CloudFacts;
  readonly credentials: Credentials | undefined;
  readonly platform: PlatformModule;
  /** manifests/ and openshift/ as they are on disk at that moment, user files included, in name order. */
  readonly "manifest-files": readonly OutputFile[];
  /** The files of both folders as the manifests phase generates them. */
  readonly "generated-manifests": readonly OutputFile[];
  /** The bytes of `.openshift_install_state.json` as it is written by the manifests phase. */
  readonly state: Uint8Array;
  readonly "infrastructure-options": InfrastructureOptions;
  /** Infrastructure of the user's (`--custom-infrastructure`), read and checked. */
  readonly "custom-infrastructure": CustomInfrastructure | undefined;
  /** Every certificate of the cluster and what belongs to it. */
  readonly "cluster-pki": ClusterPki;
  readonly "ignition-options": IgnitionOptions;
  readonly "agent-config": AgentAsset;
  readonly "agent-options": AgentOptions;
  /** What cluster-manifests/ and mirror/ say. */
  readonly "agent-objects": AgentObjects;
  /** The files of cluster-manifests/ as they are on disk. */
  readonly "agent-files": readonly OutputFile[];
  readonly "agent-access": AgentAccess;
  /** image-based-config.yaml, judged. */
  readonly "image-based-config": ImageBasedConfig;
  readonly "image-based-access": ImageBasedAccess;
  /** The user's files in extra-manifests/, as they are on disk. */
  readonly "extra-manifests": readonly OutputFile[];
  /** Keyfiles of each static network, in the order of the objects. */
  readonly "network-keyfiles": readonly (readonly Keyfile[])[];
}

export interface PhaseContext {
  readonly release: Release;
  readonly render: Renderer;
  /** Name and version of the tool, for objects that record it. */
  readonly tool: string;
  /** `--emulated-version` and `--min-compatibility-version` after validation. */
  readonly effectiveVersions?: EffectiveVersionFlags | undefined;
  /** The cluster gets no machines of the Machine API: a management cluster keeps them, or people do. */
  readonly machinesElsewhere?: boolean;
  /** Whether the control plane takes workload; by default where there are no compute machines. */
  readonly mastersSchedulable?: boolean | undefined;
}

export const definePhase = phasesOf<Assets, PhaseContext>();
