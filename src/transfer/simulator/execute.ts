/** Runs the steps of a plan on a simulated cluster, with the very artefacts that a user would apply. */
import { isObject, type Json, type JsonObject } from "../../core/json.js";
import { holds, type ObjectRef, usesClaim } from "../gates.js";
import type { Artefact, StepSpec, Transfer } from "../model.js";
import { objectAt, textAt } from "../object.js";
import { workloadKey } from "../workloads.js";
import type { Answer, Cluster } from "./cluster.js";

const contentOf = (stepSpec: StepSpec): Artefact["content"] => {
  if (stepSpec.artefact === null) throw new Error(`step ${stepSpec.key} has no artefact`);
  return stepSpec.artefact.content;
};

/**
 * Does one step, if its conditions hold; what only people can tell counts as true. `check` and
 * `patch-status` change nothing that is simulated.
 */
export function execute(cluster: Cluster, stepSpec: StepSpec): Answer {
  const shut = stepSpec.conditions.find(({ condition }) => holds(condition, cluster) === false);
  if (shut !== undefined) return { ok: false, reason: `not yet: ${shut.says}` };
  switch (stepSpec.action) {
    case "gate":
    case "check":
    case "patch-status":
      return { ok: true };
    case "patch-pv":
      return cluster.patchVolume(objectOfStep(stepSpec).name, listOf(contentOf(stepSpec)));
    case "create-pvc":
      return cluster.createClaim(objectOf(contentOf(stepSpec)));
    case "patch-pvc":
      return cluster.patchClaim(objectOfStep(stepSpec), listOf(contentOf(stepSpec)));
    case "delete-pvc":
      return cluster.deleteClaim(objectOfStep(stepSpec), objectOf(contentOf(stepSpec)));
  }
}

const listOf = (content: Artefact["content"]): Json => {
  if (!Array.isArray(content)) throw new Error("a patch is a list");
  return content;
};

const objectOf = (content: Artefact["content"]): JsonObject => {
  if (!isObject(content)) throw new Error("a manifest is an object");
  return content;
};

function objectOfStep({ key, on }: StepSpec): ObjectRef {
  if (on === null) throw new Error(`step ${key} is about no object`);
  return on;
}

/** What people do before gate 4: pods and attachments end, StatefulSets are scaled down and keep their claims. */
export function quiesce(cluster: Cluster, transfer: Transfer): void {
  const { source, volume, owners, users } = transfer;
  for (const [key, pod] of cluster.podObjects) if (usesClaim(pod, source)) cluster.podObjects.delete(key);
  for (const [key, attachment] of cluster.attachmentObjects)
    if (textAt(attachment, "spec", "source", "persistentVolumeName") === volume?.name)
      cluster.attachmentObjects.delete(key);
  for (const { kind, name } of users) {
    const key = workloadKey(kind, { namespace: source.namespace, name });
    const workload = cluster.workloads.get(key);
    if (workload === undefined) continue;
    cluster.workloads.set(key, {
      ...workload,
      spec: { ...objectAt(workload, "spec"), replicas: 0, suspend: true },
    });
  }
  for (const owner of [...owners, ...users]) {
    const key = `${source.namespace}/${owner.name}`;
    const set = cluster.statefulSets.get(key);
    if (owner.kind !== "StatefulSet" || set === undefined) continue;
    const spec = isObject(set["spec"]) ? set["spec"] : {};
    cluster.statefulSets.set(key, {
      ...set,
      spec: {
        ...spec,
        replicas: 0,
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
      },
    });
  }
}
