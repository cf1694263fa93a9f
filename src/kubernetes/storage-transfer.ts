/**
 * The API of storage transfers (PVC namespace transfer design), defined once: StorageTransferRequest in the target
 * namespace, StorageTransferApproval in the source namespace. The spec is the design's; the group, the immutability,
 * and of the status everything but `complete` and `error` are ours (docs/reference/pvc-transfer.md §1 O1, O6;
 * docs/reference/source-designs.md §5).
 */
import { conditionsSchema } from "./crd-conditions.js";
import type {
  CrdDefinition,
  CrdVersionDefinition,
  PrinterColumn,
  StructuralSchema,
} from "./crd-definition.js";
import { isDnsSubdomain } from "./names.js";

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
  description: "Kind of what is transferred; PersistentVolumeClaim is the only one.",
  enum: [CLAIM_KIND],
};

const apiGroup: StructuralSchema = {
  type: "string",
  description: "API group of the kind: the core group, written as an empty text or left out.",
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
  message: `${name} is not taken; the source is named by kind and name`,
});

const requestSource: StructuralSchema = {
  type: "object",
  description: "The claim that is asked for.",
  required: ["kind", "name", "namespace"],
  properties: {
    kind,
    name: objectName("Name of the claim."),
    namespace: namespaceName("Namespace of the claim; the approval has to be there."),
    apiGroup,
    apiVersion: { type: "string", description: "v1, or left out.", enum: ["v1"] },
    uid: absent("Not taken: an approval pins the identity of the claim."),
    resourceVersion: absent("Not taken."),
    fieldPath: absent("Not taken."),
  },
  "x-kubernetes-validations": ["uid", "resourceVersion", "fieldPath"].map(absentRule),
};

const approvalSource: StructuralSchema = {
  type: "object",
  description: "The claim that is given away; it is in the namespace of the approval.",
  required: ["kind", "name"],
  properties: {
    kind,
    name: objectName("Name of the claim."),
    apiGroup,
    namespace: absent("Not taken: an approval gives away a claim of its own namespace."),
    uid: absent("Not taken: the annotation transfer.slipway.dev/source-uid pins the identity."),
  },
  "x-kubernetes-validations": ["namespace", "uid"].map(absentRule),
};

const immutable = { rule: "self == oldSelf", message: "spec is immutable; make a new object" };

const requestSpec: StructuralSchema = {
  type: "object",
  description: "What is asked for.",
  required: ["approvalName", "source"],
  properties: {
    source: requestSource,
    approvalName: objectName("Name of the StorageTransferApproval in the namespace of the source."),
    targetName: objectName(
      "Name of the claim in the namespace of the request; left out, the name of the source.",
    ),
  },
  "x-kubernetes-validations": [immutable],
};

const approvalSpec: StructuralSchema = {
  type: "object",
  description: "What is agreed to.",
  required: ["requestName", "source", "targetNamespace"],
  properties: {
    source: approvalSource,
    targetNamespace: namespaceName("Namespace of the StorageTransferRequest, to which the claim goes."),
    requestName: objectName("Name of the StorageTransferRequest."),
  },
  "x-kubernetes-validations": [immutable],
};

const status: StructuralSchema = {
  type: "object",
  description: "How far the transfer is.",
  properties: {
    complete: {
      type: "boolean",
      description: "True once the target claim is bound to the volume and the reclaim policy is restored.",
    },
    phase: {
      type: "string",
      description: `Where the transfer stands: ${TRANSFER_PHASES.join(", ")}.`,
      enum: TRANSFER_PHASES,
    },
    volumeName: { type: "string", description: "The PersistentVolume that moves.", maxLength: 253 },
    sourceUID: {
      type: "string",
      description: "The uid of the claim that was transferred; the same pair never moves another one.",
      maxLength: 128,
    },
    savedReclaimPolicy: {
      type: "string",
      description: "The reclaim policy of the volume before the transfer.",
      enum: ["Retain", "Delete", "Recycle"],
    },
    error: {
      type: "object",
      description: "Why the transfer ended without success.",
      required: ["message", "reason"],
      properties: {
        reason: {
          type: "string",
          description: "One word in CamelCase.",
          maxLength: 1024,
          pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
        },
        message: { type: "string", description: "The same for people.", maxLength: 32768 },
      },
    },
    conditions: conditionsSchema("What is known about the transfer."),
  },
};

const AGE: PrinterColumn = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
  description: "Time since the object was made",
};
const SOURCE: PrinterColumn = {
  name: "Source",
  type: "string",
  jsonPath: ".spec.source.name",
  description: "The claim that moves",
};
const PHASE: PrinterColumn = {
  name: "Phase",
  type: "string",
  jsonPath: ".status.phase",
  description: "Where the transfer stands",
};
const COMPLETE: PrinterColumn = {
  name: "Complete",
  type: "boolean",
  jsonPath: ".status.complete",
  description: "The transfer is complete",
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
        "StorageTransferRequest asks for a PersistentVolumeClaim of another namespace. It takes effect with the StorageTransferApproval of that namespace.",
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
        "StorageTransferApproval agrees that a PersistentVolumeClaim of its namespace moves to the namespace of a StorageTransferRequest.",
        approvalSpec,
        [
          SOURCE,
          {
            name: "To",
            type: "string",
            jsonPath: ".spec.targetNamespace",
            description: "Namespace that the claim moves to",
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
    return "a group is a DNS name with a dot, such as transfer.example.com";
  if (/(^|\.)(k8s\.io|kubernetes\.io)$/.test(group))
    return "groups below k8s.io and kubernetes.io are protected; take one of your own domain";
  return undefined;
}
