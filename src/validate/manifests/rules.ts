/** What the rules of single kinds look at, and which kinds have rules of their own. */
import type { Problem } from "../../core/diagnostics.js";
import { lookup } from "../../core/lookup.js";
import type { Release } from "../../core/release.js";
import type { ObjectIdentity } from "../../kubernetes/identity.js";
import type { Finding } from "../../kubernetes/object-rules.js";
import type { ObjectDocument } from "../documents.js";
import type { Pool } from "./pools.js";

export interface Manifest extends ObjectDocument {
  readonly identity: ObjectIdentity;
}

export interface Folders {
  readonly release: Release;
  /** Every object of both folders. */
  readonly manifests: readonly Manifest[];
  /** The pools of the cluster: those that every one has, and those of the folders. */
  readonly pools: readonly Pool[];
}

export type KindRules = (
  manifest: Manifest,
  folders: Folders,
) => Promise<readonly Problem[]> | readonly Problem[];

/** Rules by `kind.group`; a module is loaded where an object of its kind lies in a folder. */
const RULES: Readonly<Record<string, () => Promise<{ readonly rules: KindRules }>>> = {
  "ContainerRuntimeConfig.machineconfiguration.openshift.io": () => import("./container-runtime-config.js"),
  "KubeletConfig.machineconfiguration.openshift.io": () => import("./kubelet-config.js"),
  "MachineConfig.machineconfiguration.openshift.io": () => import("./machine-config.js"),
  "MachineConfigPool.machineconfiguration.openshift.io": () => import("./machine-config-pool.js"),
  "Network.config.openshift.io": () => import("./network.js"),
  "Network.operator.openshift.io": () => import("./network.js"),
};

/** The rules of a kind; undefined where it has none of its own. */
export const rulesOf = async ({ group, kind }: ObjectIdentity): Promise<KindRules | undefined> =>
  (await lookup(RULES, `${kind}.${group}`)?.())?.rules;

/** Something that makes the machine config controller end, and the bootstrap with it. */
export const refused = (
  field: string,
  message: string,
  hint = "",
  kind: Finding["kind"] = "Invalid",
): Finding => ({
  code: "BOOT016",
  kind,
  field,
  message,
  hint,
});
