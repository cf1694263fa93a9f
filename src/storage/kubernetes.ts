/** The behaviours of Kubernetes' built-in kinds under KEP-3166, for whoever judges objects by that design. */
import { kubernetesApis } from "../compatibility/kubernetes.js";
import { deriveTable } from "./derive.js";
import type { VersionRow } from "./model.js";
import { presetPolicy } from "./policy.js";

let rows: ReadonlyMap<string, VersionRow> | undefined;

/** The row of a version of a built-in resource, as `group/resource version`; made at the first question. */
export function builtInBehaviors(group: string, resource: string, version: string): VersionRow | undefined {
  rows ??= new Map(
    deriveTable(kubernetesApis(), presetPolicy("kep")).resources.flatMap((each) =>
      each.versions.map((row) => [`${each.group}/${each.resource} ${row.version}`, row] as const),
    ),
  );
  return rows.get(`${group}/${resource} ${version}`);
}
