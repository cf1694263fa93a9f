/**
 * The API of storage transfers (PVC namespace transfer design), defined once: StorageTransferRequest in the target
 * namespace, StorageTransferApproval in the source namespace. The spec is the design's; the group, the immutability,
 * and of the status everything but `complete` and `error` are ours (docs/reference/pvc-transfer.md §1 O1, O6;
 * docs/reference/source-designs.md §5).
 */

import { isDnsSubdomain } from "../kubernetes/names.js";
import { conditionsSchema } from "./conditions.js";
import type { CrdDefinition, CrdVersionDefinition, PrinterColumn, StructuralSchema } from "./definition.js";

export const TRANSFER_GROUP = "transfer.slipway.dev";
export const TRANSFER_VERSION = "v1alpha1";
export const REQUEST_KIND = "StorageTransferRequest";
export const APPROVAL_KIND = "StorageTransferApproval";
export const REQUEST_PLURAL = "storagetransferrequests";
export const APPROVAL_PLURAL = "storagetransferapprovals";
/** The one kind that is transferred. */
export const CLAIM_KIND = "PersistentVolumeClaim";

/** Where a transfer stands; `complete` is true in the phase Complete only. */
export const TRANSFER_PHASES = ["Pending", "InProgress", "Complete", "Failed", "RolledBack"] as const;

const objectName = (description: string): StructuralSchema => ({
  type: "string",
  description,
  minLength: 1,
  maxLength: 253,
  pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
});

const namespaceName = (description: string): StructuralSchema => ({
  type: "string",
  description,
  minLength: 1,
  maxLength: 63,
  pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
});

const kind: StructuralSchema = {
  type: "string",
  description: "Kind of the object to transfer; only PersistentVolumeClaim is supported.",
  enum: [CLAIM_KIND],
};

const apiGroup: StructuralSchema = {
  type: "string",
  description: "API group of the kind. Claims are in the core group, so it must be empty or omitted.",
  maxLength: 0,
};

/**
 * A member that must not be there. It is named so that the API server refuses it: one that the schema does not know
 * would be dropped in silence, and the object would then consent to something else than what was written.
 */
const absent = (description: string): StructuralSchema => ({ type: "string", description, maxLength: 253 });
/** Words of CEL stand between double underscores when they name a member (Kubernetes, "CEL: escaping"). */
const CEL_WORDS = ["namespace"];
const absentRule = (name: string) => ({
  rule: `!has(self.${CEL_WORDS.includes(name) ? `__${name}__` : name})`,
  message: `${name} is not supported; the source is specified by kind and name`,
});

const requestSource: StructuralSchema = {
  type: "object",
  description: "The requested claim.",
  required: ["kind", "name", "namespace"],
  properties: {
    kind,
    name: objectName("Name of the claim."),
    namespace: namespaceName("Namespace of the claim and of the approval."),
    apiGroup,
    apiVersion: { type: "string", description: "v1 or omitted.", enum: ["v1"] },
    uid: absent("Not supported: an approval pins the identity of the claim."),
    resourceVersion: absent("Not supported."),
    fieldPath: absent("Not supported."),
  },
  "x-kubernetes-validations": ["uid", "resourceVersion", "fieldPath"].map(absentRule),
};

const approvalSource: StructuralSchema = {
  type: "object",
  description: "The claim to transfer, in the namespace of the approval.",
  required: ["kind", "name"],
  properties: {
    kind,
    name: objectName("Name of the claim."),
    apiGroup,
    namespace: absent("Not supported: an approval applies to claims in its own namespace."),
    uid: absent("Not supported: the annotation transfer.slipway.dev/source-uid pins the identity."),
  },
  "x-kubernetes-validations": ["namespace", "uid"].map(absentRule),
};

const immutable = { rule: "self == oldSelf", message: "spec is immutable; create a new object" };

const requestSpec: StructuralSchema = {
  type: "object",
  description: "Specification of the requested transfer.",
  required: ["approvalName", "source"],
  properties: {
    source: requestSource,
    approvalName: objectName("Name of the StorageTransferApproval in the namespace of the source."),
    targetName: objectName(
      "Name of the new claim in the namespace of the request. Defaults to the name of the source.",
    ),
  },
  "x-kubernetes-validations": [immutable],
};

const approvalSpec: StructuralSchema = {
  type: "object",
  description: "Specification of the approved transfer.",
  required: ["requestName", "source", "targetNamespace"],
  properties: {
    source: approvalSource,
    targetNamespace: namespaceName("Namespace of the StorageTransferRequest, which receives the claim."),
    requestName: objectName("Name of the StorageTransferRequest."),
  },
  "x-kubernetes-validations": [immutable],
};

const status: StructuralSchema = {
  type: "object",
  description: "Status of the transfer.",
  properties: {
    complete: {
      type: "boolean",
      description: "True once the target claim is bound to the volume and the reclaim policy is restored.",
    },
    phase: {
      type: "string",
      description: `Phase of the transfer: ${TRANSFER_PHASES.join(", ")}.`,
      enum: TRANSFER_PHASES,
    },
    volumeName: { type: "string", description: "Name of the transferred PersistentVolume.", maxLength: 253 },
    sourceUID: {
      type: "string",
      description: "UID of the transferred claim. A pair never transfers another claim.",
      maxLength: 128,
    },
    savedReclaimPolicy: {
      type: "string",
      description: "The reclaim policy of the volume before the transfer.",
      enum: ["Retain", "Delete", "Recycle"],
    },
    error: {
      type: "object",
      description: "Reason why the transfer did not succeed.",
      required: ["message", "reason"],
      properties: {
        reason: {
          type: "string",
          description: "One word in CamelCase.",
          maxLength: 1024,
          pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
        },
        message: { type: "string", description: "Human-readable message.", maxLength: 32768 },
      },
    },
    conditions: conditionsSchema("Conditions of the transfer."),
  },
};

const AGE: PrinterColumn = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
  description: "Time since the object was created",
};
const SOURCE: PrinterColumn = {
  name: "Source",
  type: "string",
  jsonPath: ".spec.source.name",
  description: "The claim to transfer",
};
const PHASE: PrinterColumn = {
  name: "Phase",
  type: "string",
  jsonPath: ".status.phase",
  description: "Phase of the transfer",
};
const COMPLETE: PrinterColumn = {
  name: "Complete",
  type: "boolean",
  jsonPath: ".status.complete",
  description: "Whether the transfer is complete",
};

const version = (
  description: string,
  spec: StructuralSchema,
  columns: readonly PrinterColumn[],
): CrdVersionDefinition => ({
  name: TRANSFER_VERSION,
  served: true,
  storage: true,
  description,
  spec,
  status,
  columns,
});

export interface TransferDefinitions {
  readonly request: CrdDefinition;
  readonly approval: CrdDefinition;
}

/** Both definitions in an API group. */
export const transferDefinitions = (group: string): TransferDefinitions => ({
  request: {
    group,
    kind: REQUEST_KIND,
    plural: REQUEST_PLURAL,
    singular: "storagetransferrequest",
    shortNames: ["str"],
    scope: "Namespaced",
    versions: [
      version(
        "StorageTransferRequest requests a PersistentVolumeClaim of another namespace. It takes effect with the StorageTransferApproval in that namespace.",
        requestSpec,
        [
          {
            name: "From",
            type: "string",
            jsonPath: ".spec.source.namespace",
            description: "Namespace of the claim",
          },
          SOURCE,
          PHASE,
          COMPLETE,
          AGE,
        ],
      ),
    ],
  },
  approval: {
    group,
    kind: APPROVAL_KIND,
    plural: APPROVAL_PLURAL,
    singular: "storagetransferapproval",
    shortNames: ["sta"],
    scope: "Namespaced",
    versions: [
      version(
        "StorageTransferApproval approves the transfer of a PersistentVolumeClaim of its namespace to the namespace of a StorageTransferRequest.",
        approvalSpec,
        [
          SOURCE,
          {
            name: "To",
            type: "string",
            jsonPath: ".spec.targetNamespace",
            description: "Namespace that receives the claim",
          },
          PHASE,
          COMPLETE,
          AGE,
        ],
      ),
    ],
  },
});

/** The definitions in the default group. */
export const TRANSFER_DEFINITIONS = transferDefinitions(TRANSFER_GROUP);

/**
 * Specs are immutable; `patch` is what `kubectl apply` and delivery tools send, for a first server-side apply and for
 * every one that comes after.
 */
const VERBS = ["create", "delete", "get", "list", "patch", "watch"] as const;

export interface TransferRole {
  readonly name: string;
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

/** Least rights: who may ask, for the target namespace, and who may agree, for the source namespace. */
export const transferRoles = (
  group: string,
): { readonly requester: TransferRole; readonly approver: TransferRole } => {
  const role = (name: string, resource: string): TransferRole => ({
    name,
    rules: [{ apiGroups: [group], resources: [resource], verbs: VERBS }],
  });
  return {
    requester: role("slipway-storage-transfer-requester", REQUEST_PLURAL),
    approver: role("slipway-storage-transfer-approver", APPROVAL_PLURAL),
  };
};

/**
 * What is wrong with an API group of one's own; undefined when nothing is. Groups of Kubernetes are protected: a
 * definition there needs the annotation api-approved.kubernetes.io.
 */
export function transferGroupFault(group: string): string | undefined {
  if (!isDnsSubdomain(group) || !group.includes("."))
    return "use a DNS name with a dot, such as transfer.example.com";
  if (/(^|\.)(k8s\.io|kubernetes\.io)$/.test(group))
    return "use a group in your own domain; groups below k8s.io and kubernetes.io are protected";
  return undefined;
}
