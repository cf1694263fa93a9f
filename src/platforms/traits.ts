/**
 * What the general rules and files ask about a platform, as data: small enough to be loaded for all platforms, so that
 * the rules of install-configs name none of them. Facts are of docs/reference/install-config-and-manifests.md §1, §3.
 */
import type { Span } from "../core/by-release.js";
import type { AgentTraits } from "./agent.js";
import type { GateName } from "./enabled-gates.js";
import type { Shape } from "./normal-shape.js";
import type { UserDataLimit } from "./user-data-limit.js";

export type PublishMode = "External" | "Internal" | "Mixed";

/** How operators may get their credentials; of the rows that hold and fit the section the first one counts. */
export interface CredentialsModes extends Span {
  readonly modes: readonly string[];
  /** The mode when a config names none; left to the cluster where it is missing. */
  readonly initial?: string;
  /** Members of the platform's section that the row is for. */
  readonly where?: { readonly [member: string]: string };
}

export interface IpFamilies {
  /** The platform runs with IPv6 alone. */
  readonly ipv6Alone: boolean;
  /** IPv4 and IPv6 may stand together; `ipv6First`: when IPv6 may come first, undefined for never. */
  readonly both?: { readonly ipv6First: Span | undefined };
  /**
   * `platform.NAME.ipFamily` asks for both. Where it is `binding`, it also says which comes first, service networks
   * follow it, and the IPv6 block of machines may be left to the cloud; elsewhere it only permits.
   */
  readonly byField?: Span & { readonly binding?: true };
}

export interface Traits {
  /** A script can ask its cloud for facts (`collector` of the module). */
  readonly factsScript?: true;
  /** The image-based installer installs it. */
  readonly imageBased?: true;
  /** The newest release that the traits were compared with. */
  readonly reviewed: string;
  /** Whether slipway makes machines and the cloud's objects, or leaves both to the user. */
  readonly infrastructure: "made" | "of the user";
  /** Who may reach the API and the routes. */
  readonly publish: readonly PublishMode[];
  /** Empty where a cluster has no credentials of a cloud. */
  readonly credentials: readonly CredentialsModes[];
  readonly ipFamilies: IpFamilies;
  /** When one control plane machine is a cluster, and when it is one if it is installed in place. */
  readonly singleNode: { readonly always?: Span; readonly inPlace?: Span };
  /** Capabilities that no cluster of the platform can do without. */
  readonly capabilities: readonly string[];
  /** Whether a pool's section for the platform is refused on another platform or only ignored there. */
  readonly poolSection: "refused" | "ignored" | "none";

  /** A capability that a cluster without any baseline set needs for the platform. */
  readonly ownCapability?: string;
  /** Rules of the cluster's name that come with the names of its resources. */
  readonly clusterName?: "begins with a letter" | "without dots";
  /** Names of clusters that the cloud keeps for itself: whole names, and what no name may hold. */
  readonly reservedNames?: Span & {
    readonly by: string;
    readonly names: ReadonlySet<string>;
    readonly parts: RegExp;
  };
  /** How the agent-based installer installs clusters of the platform; left out where it does not. */
  readonly agent?: AgentTraits;
  /** Never counts as a second platform beside another. */
  readonly standsBack?: true;
  /** The platform whose section and pools may stand beside those of this one. */
  readonly standsOn?: "openstack";
  readonly machineNetwork?: string;
  readonly arbiter?: Span;
  readonly fencing?: true;
  readonly edgePools?: true;
  /**
   * Members of the platform's section and of its pools' that become parts of the names of objects. Nothing in the config
   * refuses what no name can hold; the installer asks the cloud, which has no such region or zone.
   */
  readonly inNames?: readonly ("region" | "zones")[];
  /** Architectures that the platform has machines of, where the config alone decides that. */
  readonly architectures?: readonly string[];
  /** When pools of another architecture than the control plane's are possible, and which. */
  readonly mixedArchitectures?: readonly (Span & {
    readonly gate?: GateName;
    readonly only?: { readonly controlPlane: string; readonly compute: string };
  })[];
  /** When a config may ask for an installation in place; `never`: when a single node is refused outright. */
  readonly inPlace?: "meant for it" | { readonly never: Span };
  /** Limits of a cluster network's MTU, in bytes; `least` to `most` are those of `of`, `edge` those of edge zones. */
  readonly clusterMtu?: {
    readonly least: number;
    readonly most: number;
    readonly of: string;
    readonly edge: number;
  };
  /** What fits where a machine of the platform gets its config from. */
  readonly userData?: UserDataLimit;
  /** Members of the pool's section in the normal form, of sections that may stand on any platform. */
  readonly poolShape?: Shape;
  /** The Infrastructure of the cluster lists the machine networks, each of which has to be a CIDR there. */
  readonly listsMachineNetworks?: true;
  /** Machines get the kernel arguments for two service networks at every release. */
  readonly dualStackArguments?: true;
  /** A single control plane machine takes the ingress traffic itself. */
  readonly ingressOnSingleNode?: true;
  /** The member of the platform's section, and its value, with which nodes wait for a cloud controller manager of the user's. */
  readonly ownCloudController?: { readonly member: string; readonly value: string };
  /**
   * The bootstrap node provisions machines and serves them media: it has a key, a certificate and a login for that. The
   * login's member of the installer's state.
   */
  readonly mediaServer?: { readonly login: string };
}

/** The field that the installer names where the gate of fencing is off, whatever the platform. */
export const FENCING_GATE_FIELD = "platform.none.fencingCredentials";

/** DNS/cluster: the members of `spec.platform` where the platform has no say. */
export const NO_DNS_PLATFORM = { aws: null, type: "" } as const;
