/** What is alike for KubeletConfig and ContainerRuntimeConfig: the pools that they are for. */
import { isObject } from "../../core/json.js";
import { type Found, warning } from "../../core/problem.js";
import { readSelector } from "../../kubernetes/selectors.js";
import { dig } from "../context.js";
import { type Folders, type Manifest, refused } from "./manifest.js";
import { POOL_LABEL, selectedPools } from "./pools.js";

const SELECTOR = "spec.machineConfigPoolSelector";

/** Faults of the selector, pools that it does not find, and pools that another object of the kind is for already. */
export function selectorFindings(manifest: Manifest, folders: Folders): readonly Found[] {
  const given = dig(manifest.object, SELECTOR.split("."));
  const { problems } = isObject(given) ? readSelector(given) : { problems: [] };
  if (problems.length > 0)
    return problems.map(({ field, message }) =>
      refused([SELECTOR, field].filter(Boolean).join("."), message),
    );
  const selected = selectedPools(manifest, folders);
  const { kind, group } = manifest.identity;
  if (selected.length === 0)
    return [
      warning(
        "BOOT007",
        "NotFound",
        SELECTOR,
        `the ${kind} matches no MachineConfigPool`,
        `select the label ${POOL_LABEL}worker: "", or the label of another pool`,
      ),
    ];
  const before = folders.manifests
    .slice(0, folders.manifests.indexOf(manifest))
    .filter(({ identity }) => identity.kind === kind && identity.group === group);
  return selected.flatMap((pool) => {
    const other = before.find((each) => selectedPools(each, folders).includes(pool));
    if (other === undefined) return [];
    return [
      refused(
        SELECTOR,
        `the pool ${pool.name} already has the ${kind} ${other.identity.name} in ${other.file}; the bootstrap supports one per pool`,
        "merge them",
        "Duplicate",
      ),
    ];
  });
}
