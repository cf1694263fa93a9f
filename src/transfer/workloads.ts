/**
 * Workloads that name a claim in their pod templates. Their pods are seen only while they run: a CronJob starts one at
 * its next moment, and whoever scales a Deployment up again waits for a claim that is gone
 * (docs/reference/pvc-transfer.md §3).
 */
import type { Json, JsonObject } from "../core/json.js";
import { parseApiVersion } from "../kubernetes/identity.js";
import { shell } from "../text/shell.js";
import { type Name, nameText } from "./api.js";
import { at, listAt, nameOf, textAt } from "./object.js";

/** Where each kind keeps the volumes of its pods, and how it is seen to start none. */
interface WorkloadKind {
  readonly group: string;
  readonly volumes: readonly string[];
  readonly stops: "replicas" | "suspend" | "people";
}

const POD_VOLUMES = ["spec", "template", "spec", "volumes"] as const;
const KINDS = {
  CronJob: {
    group: "batch",
    volumes: ["spec", "jobTemplate", ...POD_VOLUMES],
    stops: "suspend",
  },
  DaemonSet: { group: "apps", volumes: POD_VOLUMES, stops: "people" },
  Deployment: { group: "apps", volumes: POD_VOLUMES, stops: "replicas" },
  DeploymentConfig: { group: "apps.openshift.io", volumes: POD_VOLUMES, stops: "replicas" },
  Job: { group: "batch", volumes: POD_VOLUMES, stops: "people" },
  ReplicaSet: { group: "apps", volumes: POD_VOLUMES, stops: "replicas" },
  ReplicationController: { group: "", volumes: POD_VOLUMES, stops: "replicas" },
  StatefulSet: { group: "apps", volumes: POD_VOLUMES, stops: "replicas" },
  VirtualMachine: { group: "kubevirt.io", volumes: POD_VOLUMES, stops: "people" },
} as const satisfies Readonly<Record<string, WorkloadKind>>;
export type WorkloadKindName = keyof typeof KINDS;

const isKindName = (kind: string): kind is WorkloadKindName => Object.hasOwn(KINDS, kind);

/** The kind of a workload, by group and kind; undefined for anything else. */
export function workloadKind(object: JsonObject): WorkloadKindName | undefined {
  const kind = textAt(object, "kind");
  return isKindName(kind) && parseApiVersion(textAt(object, "apiVersion")).group === KINDS[kind].group
    ? kind
    : undefined;
}

/** `KIND NAMESPACE/NAME`, by which workloads are told apart. */
export const workloadKey = (kind: string, name: Name): string => `${kind} ${nameText(name)}`;

/** `namespace/name` of the claims that the pods of a workload would use. */
export function claimsNamedBy(workload: JsonObject): readonly string[] {
  const kind = workloadKind(workload);
  if (kind === undefined) return [];
  const { namespace } = nameOf(workload);
  return listAt(workload, ...KINDS[kind].volumes).flatMap((volume: Json): string[] => {
    // A DataVolume of KubeVirt makes a claim of its own name.
    const name = textAt(volume, "persistentVolumeClaim", "claimName") || textAt(volume, "dataVolume", "name");
    return name === "" ? [] : [nameText({ namespace, name })];
  });
}

/** The workload that controls this one, by its key; undefined when nothing does. */
export function controllerOf(workload: JsonObject): string | undefined {
  const owner = listAt(workload, "metadata", "ownerReferences").find(
    (reference) => at(reference, "controller") === true,
  );
  return owner === undefined
    ? undefined
    : workloadKey(textAt(owner, "kind"), {
        namespace: nameOf(workload).namespace,
        name: textAt(owner, "name"),
      });
}

/** Whether it has pods, or will start some by itself. */
export function isActive(workload: JsonObject): boolean {
  const kind = workloadKind(workload);
  switch (kind) {
    case undefined:
      return false;
    case "CronJob":
      return at(workload, "spec", "suspend") !== true;
    case "DaemonSet":
      return true;
    case "Job":
      return at(workload, "spec", "suspend") !== true && !hasFinished(workload);
    case "VirtualMachine": {
      const strategy = textAt(workload, "spec", "runStrategy");
      return at(workload, "spec", "running") === true || (strategy !== "" && strategy !== "Halted");
    }
    default:
      // Left out it is one.
      return (textAt(workload, "spec", "replicas") || "1") !== "0";
  }
}

const hasFinished = (job: JsonObject): boolean =>
  listAt(job, "status", "conditions").some(
    (each) => ["Complete", "Failed"].includes(textAt(each, "type")) && textAt(each, "status") === "True",
  );

/** How a workload is seen to start no more pods. */
export const stopsBy = (kind: WorkloadKindName): WorkloadKind["stops"] => KINDS[kind].stops;

/** The command that merges a patch into an object. */
export const mergePatchLine = (kind: string, { namespace, name }: Name, patch: JsonObject): string =>
  shell`kubectl patch ${kind} ${name} --namespace ${namespace} --type=merge
    --patch ${JSON.stringify(patch)}`;

/** Without it a StatefulSet may delete its claims, when it is scaled down or deleted. */
export const keepClaimsLine = (set: Name): string =>
  mergePatchLine("statefulset", set, {
    spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" } },
  });

/** What stops a workload, for people. */
export function stopHint(kind: WorkloadKindName, { namespace, name }: Name): string {
  const word = kind.toLowerCase();
  switch (KINDS[kind].stops) {
    case "replicas":
      return shell`kubectl scale ${word} ${name} --namespace ${namespace} --replicas=0`;
    case "suspend":
      return mergePatchLine(word, { namespace, name }, { spec: { suspend: true } });
    case "people":
      return `stop or delete ${kind} ${name}`;
  }
}
