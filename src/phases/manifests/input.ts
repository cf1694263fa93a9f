/** What the assets of the phase are made from, and the shape of an asset. */
import type { EffectiveVersionFlags } from "../../compatibility/installer.js";
import type { Problem } from "../../core/diagnostics.js";
import type { PlatformInput, PlatformModule, Rendering } from "../../platforms/platform.js";
import type { KubeadminPassword, Pki } from "../assets.js";

export interface ManifestInput extends PlatformInput {
  readonly platform: PlatformModule;
  /** `<name>.<baseDomain>` without a trailing dot. */
  readonly domain: string;
  readonly pki: Pki;
  readonly kubeadmin: KubeadminPassword;
  /** The config with all defaults, as YAML text. */
  readonly normalForm: string;
  /** Name and version of the tool. */
  readonly tool: string;
  /** What the control plane emulates; undefined for its own version. */
  readonly effectiveVersions: EffectiveVersionFlags | undefined;
  /** A management cluster keeps the machines, or people do. */
  readonly machinesElsewhere: boolean;
  /** Whether the control plane takes workload, where somebody said so. */
  readonly mastersSchedulable: boolean | undefined;
  /** Reports a problem at the place where its `field` was written. */
  report(problem: Problem): void;
}

/** One emitted file, or a small group that belongs together; empty when the config does not ask for it. */
export type Asset = (input: ManifestInput) => readonly Rendering[];

/** Number of compute machines over all pools. */
export const computeReplicas = ({ config }: ManifestInput): number =>
  config.compute.reduce((sum, pool) => sum + pool.replicas, 0);
