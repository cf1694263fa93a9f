/**
 * manifests/cvo-overrides.yaml as the bootstrap node gets it: the cluster version operator leaves every object of the
 * manifests alone until the bootstrap is over, and original_cvo_overrides.patch gives it back what the user wanted
 * (docs/reference/ignition-configs.md §2b).
 */
import { isList, isObject, type Json, type JsonObject, sortKeys } from "../../core/json.js";
import { problem } from "../../core/problem.js";
import { identityOf } from "../../kubernetes/identity.js";
import type { IgnitionFile } from "../../platforms/ignition.js";
import { writeUpstreamYaml } from "../../text/yaml-upstream.js";
import { goJson } from "../pointer-config.js";
import { type IgnitionInput, ROOT } from "./input.js";
import type { ManifestObject } from "./manifest-objects.js";

export const CLUSTER_VERSION_FILE = "manifests/cvo-overrides.yaml";
export const OVERRIDES_PATCH = "original_cvo_overrides.patch";

/** Both files; none where the cluster version is missing or cannot be extended, which is reported. */
export function clusterVersionFiles(
  objects: readonly ManifestObject[],
  report: IgnitionInput["report"],
): IgnitionFile[] {
  const clusterVersion = objects.find(({ path }) => path === CLUSTER_VERSION_FILE)?.object;
  if (clusterVersion === undefined) {
    report(
      problem("IGN004", "Required", "", "the bootstrap requires the ClusterVersion in this file", {
        file: CLUSTER_VERSION_FILE,
        hint: `restore the file: slipway create manifests --theirs ${CLUSTER_VERSION_FILE}`,
      }),
    );
    return [];
  }
  const own = ownOverrides(clusterVersion, report);
  if (own === undefined) return [];
  const spec = isObject(clusterVersion["spec"]) ? clusterVersion["spec"] : {};
  const overrides = objects.filter(({ path }) => path !== CLUSTER_VERSION_FILE).map(leftAlone);
  const file = { ...clusterVersion, spec: { ...spec, overrides: [...overrides, ...(own ?? [])] } };
  const patch = { spec: { overrides: own } };
  return [
    { path: `${ROOT}/${CLUSTER_VERSION_FILE}`, mode: 0o644, data: writeUpstreamYaml(file) },
    { path: `${ROOT}/${OVERRIDES_PATCH}`, mode: 0o644, data: goJson(sortKeys(patch)) },
  ];
}

/** The overrides of the user, null without any; undefined where the members have another form, which is reported. */
function ownOverrides(
  { spec }: JsonObject,
  report: IgnitionInput["report"],
): readonly Json[] | null | undefined {
  const refuse = (field: string, wanted: string): undefined =>
    void report(
      problem("IGN005", "Invalid", field, `must be ${wanted}`, {
        file: CLUSTER_VERSION_FILE,
        hint: "correct the type; the bootstrap adds its overrides to it",
      }),
    );
  if (spec === undefined) return null;
  if (!isObject(spec)) return refuse("spec", "an object");
  const overrides = spec["overrides"] ?? null;
  return overrides === null || isList(overrides) ? overrides : refuse("spec.overrides", "a list");
}

function leftAlone({ object }: ManifestObject): JsonObject {
  const { group, kind, namespace, name } = identityOf(object);
  return { group, kind, name, namespace, unmanaged: true };
}
