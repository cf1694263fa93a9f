/**
 * The user's own infrastructure cluster and machine template, in the place of the platform's
 * (docs/reference/source-designs.md §1.4).
 */
import type { JsonObject } from "../../core/json.js";
import type { PlatformInfrastructure, Referent } from "../../platforms/platform.js";
import { INFRASTRUCTURE_CLUSTER_FILE } from "./layout.js";

/** An object of the user's own infrastructure, as it lies in the folder of --custom-infrastructure. */
export const CUSTOM_FILE = "infrastructure-manifests/12_*.yaml";

/** An object of the user's with the name of its file inside the folder; it is written as it is. */
export interface CustomObject {
  readonly name: string;
  readonly object: JsonObject;
  readonly secret: boolean;
  /** Where it comes from, as `file:line`. */
  readonly source: string;
}

export interface CustomInfrastructure {
  /** What the Cluster refers to. */
  readonly cluster: Referent;
  /** What the control plane refers to. */
  readonly machineTemplate: Referent;
  /** Machine templates of compute pools, by the pool that their label names. */
  readonly poolTemplates: ReadonlyMap<string, Referent>;
  /** Both, and everything else that lies with them. */
  readonly objects: readonly CustomObject[];
}

/**
 * What is left of the platform's objects beside those of the user. What belongs to the provider as a whole (identities,
 * credentials, hosts) stays where the user's cluster is one of the same provider; another provider has no use for it.
 */
export function besideCustom(
  { cluster, objects }: PlatformInfrastructure,
  custom: CustomInfrastructure,
): PlatformInfrastructure {
  const isReplaced = (path: string): boolean =>
    path === INFRASTRUCTURE_CLUSTER_FILE || /^5\d_machine-template/.test(path);
  return {
    cluster: custom.cluster,
    machineTemplate: custom.machineTemplate,
    objects: cluster.kind === custom.cluster.kind ? objects.filter(({ path }) => !isReplaced(path)) : [],
  };
}
