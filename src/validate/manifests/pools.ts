/** The pools of a cluster, and what they take (machine-config-operator `manifests/*.machineconfigpool.yaml`). */
import { isObject, type Json } from "../../core/json.js";
import { labelsOf } from "../../kubernetes/labels.js";
import { type LabelSelector, matchesSelector, readSelector } from "../../kubernetes/selectors.js";
import { dig } from "../context.js";
import type { Folders, Manifest, Pool } from "./manifest.js";

export const ROLE_LABEL = "machineconfiguration.openshift.io/role";
export const POOL_LABEL = "pools.operator.machineconfiguration.openshift.io/";
/** The pools that every cluster has, or gets for machines of that role. */
export const BUILT_IN_POOLS: readonly string[] = ["master", "worker", "arbiter"];
const CONTROL_PLANE: readonly string[] = ["master", "arbiter"];
const MASTER_LABEL = "node-role.kubernetes.io/master";

const builtIn = (name: string): Pool => ({
  name,
  labels: new Map([
    ["machineconfiguration.openshift.io/mco-built-in", ""],
    [`${POOL_LABEL}${name}`, ""],
  ]),
  selector: readSelector({ matchLabels: { [ROLE_LABEL]: name } }),
  isControlPlane: CONTROL_PLANE.includes(name),
});

/** A pool of the folders takes the place of one that every cluster has. */
export function poolsOf(manifests: readonly Manifest[]): readonly Pool[] {
  const own = manifests
    .filter(
      ({ identity: { group, kind } }) =>
        group === "machineconfiguration.openshift.io" && kind === "MachineConfigPool",
    )
    .map(({ object, identity: { name } }): Pool => {
      const nodes = dig(object, ["spec", "nodeSelector", "matchLabels"]);
      return {
        name,
        // The operator keeps its labels on its own pools, whatever a file says of them.
        labels: BUILT_IN_POOLS.includes(name)
          ? new Map([...builtIn(name).labels, ...labelsOf(object)])
          : labelsOf(object),
        selector: usableSelector(dig(object, ["spec", "machineConfigSelector"])),
        isControlPlane:
          CONTROL_PLANE.includes(name) || (isObject(nodes) && Object.hasOwn(nodes, MASTER_LABEL)),
      };
    });
  const names = new Set(own.map(({ name }) => name));
  return [...BUILT_IN_POOLS.filter((name) => !names.has(name)).map(builtIn), ...own];
}

/** A selector that selects something; none and an empty one select nothing here, not everything. */
export function usableSelector(selector: Json | undefined): LabelSelector | undefined {
  if (!isObject(selector)) return undefined;
  const read = readSelector(selector);
  return read.requirements.length === 0 || read.problems.length > 0 ? undefined : read;
}

/** The pools that the `machineConfigPoolSelector` of an object selects, by their labels. */
export function selectedPools({ object }: Manifest, { pools }: Folders): readonly Pool[] {
  const selector = usableSelector(dig(object, ["spec", "machineConfigPoolSelector"]));
  return selector === undefined ? [] : pools.filter(({ labels }) => matchesSelector(selector, labels));
}
