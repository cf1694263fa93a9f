/** Which kinds have rules of their own. */
import { lookup } from "../../core/lookup.js";
import type { ObjectIdentity } from "../../kubernetes/identity.js";
import type { KindRules } from "./manifest.js";

/** Rules by `kind.group`; a module is loaded where an object of its kind lies in a folder. */
const RULES: Readonly<Record<string, () => Promise<{ readonly rules: KindRules }>>> = {
  "ContainerRuntimeConfig.machineconfiguration.openshift.io": () => import("./container-runtime-config.js"),
  "CustomResourceDefinition.apiextensions.k8s.io": () => import("./custom-resource-definition.js"),
  "KubeletConfig.machineconfiguration.openshift.io": () => import("./kubelet-config.js"),
  "MachineConfig.machineconfiguration.openshift.io": () => import("./machine-config.js"),
  "MachineConfigPool.machineconfiguration.openshift.io": () => import("./machine-config-pool.js"),
  "Network.config.openshift.io": () => import("./network.js"),
  "Network.operator.openshift.io": () => import("./network.js"),
};

/** The rules of a kind; undefined where it has none of its own. */
export const rulesOf = async ({ group, kind }: ObjectIdentity): Promise<KindRules | undefined> =>
  (await lookup(RULES, `${kind}.${group}`)?.())?.rules;
