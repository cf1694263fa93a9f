/**
 * What differs by platform in an agent-based installation (openshift/installer pkg/asset/agent/installconfig.go,
 * pkg/asset/agent/manifests/agentclusterinstall.go).
 */

import table from "../../tables/agent-facts.json" with { type: "json" };
import { factsAt, type Span } from "../core/by-release.js";
import type { Position, Problem } from "../core/diagnostics.js";
import type { Json, JsonObject } from "../core/json.js";
import type { Release } from "../core/release.js";
import type { NormalConfig } from "./config.js";

/** True when the agent-based installer of the release does what the fact says. */
export const agentFact = factsAt(table.facts);

/** What the general rules ask about the platform; a platform without it cannot be installed so. */
export interface AgentTraits extends Span {
  /** `spec.platformType` of AgentClusterInstall. */
  readonly platformType: string;
  /** Load balancers and DNS are the user's, and one node is a cluster. */
  readonly userManaged?: true;
  /** The control plane may have any architecture; elsewhere x86_64 and aarch64 only. */
  readonly everyArchitecture?: true;
}

/** The management controller of a host. */
export interface AgentController {
  readonly address?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly disableCertificateVerification?: boolean | undefined;
}

/** A host with settings of its own, of agent-config.yaml or of the install-config. */
export interface AgentHost {
  readonly hostname: string;
  readonly role: string;
  readonly interfaces: readonly { readonly name: string; readonly macAddress: string }[];
  readonly rootDeviceHints: JsonObject;
  readonly networkConfig: Json | undefined;
  readonly bmc: AgentController;
}

/** A host that the install-config lists. */
export interface ListedHost {
  readonly host: AgentHost;
  readonly bootMACAddress: string;
  /** Where it stands. */
  readonly field: string;
}

export interface AgentInput {
  readonly config: NormalConfig;
  /** The platform's section in the normal form. */
  readonly section: JsonObject;
  readonly hosts: readonly AgentHost[];
  /** Something else of the install-config goes into the overrides as well. */
  readonly isOverridden: boolean;
  readonly release: Release;
}

/** As much of a rule's context as these rules use. */
interface AgentRules {
  readonly release: Release;
  report(problem: Problem): void;
}

export interface PlatformAgent {
  /** Rules in addition to those of the platform, which know the method themselves (`RuleContext.method`). */
  validate?(config: NormalConfig, context: AgentRules): void;
  /** Hosts that the install-config lists; they count where agent-config.yaml lists none. */
  hosts?(config: NormalConfig): readonly ListedHost[];
  /** Members of AgentClusterInstall's spec: virtual IPs, and the name of the platform. */
  spec?(config: NormalConfig): {
    readonly apiVIP?: string;
    readonly apiVIPs?: readonly string[];
    readonly ingressVIP?: string;
    readonly ingressVIPs?: readonly string[];
    readonly external?: JsonObject;
  };
  /** Time servers that the install-config names; they count where agent-config.yaml names none. */
  timeServers?(config: NormalConfig): readonly string[];
  /** The platform's section in the overrides of the install-config; undefined where nothing of it is overridden. */
  override?(input: AgentInput): JsonObject | undefined;
}

/** Where the fields of a host stand. */
export interface PlacedHost {
  readonly host: AgentHost;
  position(member: string): Position;
}

/** Fields of the install-config that this way of installing ignores, with the value that a default has. */
export type IgnoredFields = readonly (readonly [field: string, initial?: string | number])[];
