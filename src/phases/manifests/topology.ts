/** Topologies of Infrastructure/cluster (docs/reference/install-config-and-manifests.md §3.3). */
import type { NormalConfig } from "../../platforms/config.js";
import { inForce } from "../../platforms/release-changes.js";
import { computeReplicas, type ManifestInput } from "./input.js";

export type Topology = "HighlyAvailable" | "HighlyAvailableArbiter" | "DualReplica" | "SingleReplica";

export const hasArbiter = (config: NormalConfig): boolean => (config.arbiter?.replicas ?? 0) > 0;

export function controlPlaneTopology({
  config,
  release,
}: Pick<ManifestInput, "config" | "release">): Topology {
  const { replicas } = config.controlPlane;
  if (!inForce(release, "dualReplicaTopology")) return replicas < 3 ? "SingleReplica" : "HighlyAvailable";
  const mayHaveArbiter = inForce(release, "arbiterBesideMoreThanTwo") ? replicas >= 2 : replicas === 2;
  if (mayHaveArbiter && hasArbiter(config)) return "HighlyAvailableArbiter";
  return replicas === 1 ? "SingleReplica" : replicas === 2 ? "DualReplica" : "HighlyAvailable";
}

/** Where the ingress and the like run: on the compute machines, or on the control plane where there are none. */
export function infrastructureTopology(input: ManifestInput): Topology {
  const workers = computeReplicas(input);
  if (workers === 1) return "SingleReplica";
  if (workers > 1) return "HighlyAvailable";
  const controlPlane = controlPlaneTopology(input);
  return controlPlane === "SingleReplica" ? "SingleReplica" : "HighlyAvailable";
}
