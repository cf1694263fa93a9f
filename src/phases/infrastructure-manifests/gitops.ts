/**
 * Annotations for the controllers that apply the folder from Git (`--gitops`): in which order, and what must not go
 * only because a file went. Deleting the Cluster deletes its machines, and a template is needed as long as something
 * in the cluster names it (argo-cd.readthedocs.io, Sync Phases and Waves, Sync Options; fluxcd.io, Kustomization,
 * Controlling the apply behavior of resources).
 */
import { isObject, type JsonObject } from "../../core/json.js";
import { identityOf } from "../../kubernetes/identity.js";
import type { GitOpsController } from "../assets.js";

/** Kinds that hold the cluster, or what it runs on. */
const HOLDS_CLUSTER = /^(?:Namespace|Secret|MachineDeployment|.*ControlPlane|.*Cluster|.*Template|.*Host)$/;

/**
 * The object as a controller is to treat it.
 * @param file name of its file, whose number is the wave
 */
export function forGitOps(object: JsonObject, file: string, gitops: GitOpsController): JsonObject {
  const stays = HOLDS_CLUSTER.test(identityOf(object).kind);
  const added =
    gitops === "argocd"
      ? {
          "argocd.argoproj.io/sync-wave": String(Number(/^(\d+)_/.exec(file)?.[1] ?? 0)),
          ...(stays ? { "argocd.argoproj.io/sync-options": "Prune=false,Delete=false" } : {}),
        }
      : stays
        ? { "kustomize.toolkit.fluxcd.io/prune": "disabled" }
        : {};
  if (Object.keys(added).length === 0) return object;
  const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
  const before = isObject(metadata["annotations"]) ? metadata["annotations"] : {};
  // Whoever wrote such an annotation into an object of their own meant it.
  return { ...object, metadata: { ...metadata, annotations: { ...added, ...before } } };
}
