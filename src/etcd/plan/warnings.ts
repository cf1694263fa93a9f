/** What a deletion that asks nothing breaks, said for each object (docs/reference/source-designs.md §4). */
import type { Candidate } from "./candidates.js";
import type { Relations } from "./relations.js";

/**
 * The two warnings of docs/reference/source-designs.md §4, which stand in every manifest that grants or sends such a
 * deletion.
 */
export const CLUSTER_WARNING =
  "Deleting an object that cannot be read skips its finalizers, owner references and dependents. It can break the cluster if anything depends on the object. Use it only if you understand the consequences.";
export const SUPPORT_WARNING = "Vendors may end their support of a cluster in which this option was used.";

export const WARNING_ANNOTATIONS = {
  "slipway.dev/warning-cluster": CLUSTER_WARNING,
  "slipway.dev/warning-support": SUPPORT_WARNING,
} as const;

/** `group/resource` → what else lies behind objects of it. */
const CONSEQUENCES: Readonly<Record<string, string>> = {
  "/pods": "its containers keep running until the kubelet notices that the pod is gone",
  "/persistentvolumes": "its storage is not released",
  "/persistentvolumeclaims": "its volume stays bound to a claim that no longer exists",
  "/services":
    "its cluster IPs and node ports stay allocated until the API server's repair loop releases them",
  "/nodes": "the pods of the node are garbage-collected",
  "/serviceaccounts": "tokens of the account stop working",
  "apps/deployments": "its ReplicaSets and pods lose their owner and are garbage-collected",
  "apps/statefulsets": "its pods lose their owner and are garbage-collected",
  "apps/daemonsets": "its pods lose their owner and are garbage-collected",
  "apps/replicasets": "its pods lose their owner and are garbage-collected",
  "batch/jobs": "its pods lose their owner and are garbage-collected",
  "apiextensions.k8s.io/customresourcedefinitions":
    "every object of the resource stays in etcd, but no API serves it",
  "apiregistration.k8s.io/apiservices": "the aggregated API disappears; its objects are kept",
  "storage.k8s.io/volumeattachments": "the volume stays attached to its node",
};

export interface DeletionWarning {
  /** Revision from which finalizers and owners are known, or `unknown`. */
  readonly knownFrom: string;
  readonly finalizers: readonly string[] | "unknown";
  readonly owners:
    | readonly { readonly apiVersion: string; readonly kind: string; readonly name: string }[]
    | "unknown";
  /** Readable objects that name this one as owner; those that cannot be read are not known. */
  readonly dependents: readonly string[];
  readonly moreDependents: number;
  readonly text: readonly string[];
}

export function warningOf({ served, failure }: Candidate, relations: Relations): DeletionWarning {
  const { knownFrom, finalizers, owners, dependents, moreDependents } = relations;
  const own = knownFrom === failure.modRevision;
  const text: string[] = [];
  if (finalizers === undefined)
    text.push("finalizers and owners are unknown: no revision of the object in the copy can be read");
  else {
    const from = own ? "" : ` (as of revision ${knownFrom}; they may have changed since)`;
    if (finalizers.length > 0) text.push(`finalizers that will not run: ${finalizers.join(", ")}${from}`);
    if (owners !== undefined && owners.length > 0)
      text.push(
        `owned by ${owners.map(({ kind, name }) => `${kind} ${name}`).join(", ")}, which may create it again${from}`,
      );
    if (finalizers.length === 0 && (owners ?? []).length === 0)
      text.push(`no finalizers and no owners${from}`);
  }
  const count = dependents.length + moreDependents;
  if (count > 0)
    text.push(
      `${count} readable objects name it as their owner and may be garbage-collected: ${dependents
        .slice(0, 3)
        .map(({ kind, name }) => `${kind} ${name}`)
        .join(", ")}${count > 3 ? ", …" : ""}`,
    );
  const consequence = CONSEQUENCES[`${served.group}/${served.resource}`];
  if (consequence !== undefined) text.push(consequence);
  return {
    knownFrom: knownFrom === undefined ? "unknown" : knownFrom.toString(),
    finalizers: finalizers ?? "unknown",
    owners:
      owners === undefined
        ? "unknown"
        : owners.map(({ apiVersion, kind, name }) => ({ apiVersion, kind, name })),
    dependents: dependents.map(({ key }) => key),
    moreDependents,
    text,
  };
}
