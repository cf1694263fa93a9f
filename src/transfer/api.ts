/** Names of the transfer API that every module of this folder shares, and what its objects look like once read. */
import type { Position } from "../core/diagnostics.js";
import type { JsonObject } from "../core/json.js";
import { APPROVAL_KIND, REQUEST_KIND } from "../crd/storage-transfer.js";
/**
 * Annotations that pin an approval to what was looked at, and those that mark a volume and a target claim while
 * their transfer runs. They keep their prefix whatever the API group (docs/reference/pvc-transfer.md §1 O5, §6).
 */
export const ANNOTATIONS = {
  /** On an approval: `sha256:` and the digest of the request that was read. */
  requestDigest: "transfer.slipway.dev/request-digest",
  /** On an approval and on a volume under way: uid of the source claim. */
  sourceUid: "transfer.slipway.dev/source-uid",
  /** On an approval: name of the PersistentVolume. */
  volume: "transfer.slipway.dev/persistent-volume",
  /** On an approval: the moment from which on it is void, RFC 3339. */
  expires: "transfer.slipway.dev/expires",
  /** On a volume under way and on the target claim: id of the transfer. */
  plan: "transfer.slipway.dev/plan",
  /** On a volume under way: its reclaim policy before the transfer, the only truth about it. */
  originalPolicy: "transfer.slipway.dev/original-reclaim-policy",
} as const;

export const OWN_PREFIX = "transfer.slipway.dev/";

/** A namespaced name. */
export interface Name {
  readonly namespace: string;
  readonly name: string;
}

export const nameText = ({ namespace, name }: Name): string => `${namespace}/${name}`;
export const sameName = (a: Name, b: Name): boolean => a.namespace === b.namespace && a.name === b.name;

/** The fields that the match conditions compare. */
export type MatchField =
  | "name"
  | "namespace"
  | "sourceKind"
  | "sourceName"
  | "sourceNamespace"
  | "partnerName"
  | "targetNamespace";

interface TransferObjectBase extends Name {
  /** API group; empty for the bare form of the design, `apiVersion: v1alpha1`. */
  readonly group: string;
  readonly version: string;
  readonly file: string;
  /** Line and column of the document. */
  readonly line: number;
  readonly column: number;
  readonly sourceKind: string;
  readonly sourceName: string;
  readonly annotations: ReadonlyMap<string, string>;
  /** `status.complete` of an object that was read from a cluster. */
  readonly complete: boolean;
  /** `metadata.uid` of an object that was read from a cluster; empty in Git. */
  readonly uid: string;
  /** False when something is missing or malformed, which was reported. */
  readonly valid: boolean;
  /** The spec as an API server keeps it: without members that are null. */
  spec(): JsonObject;
  /** Where a field stands; of one that is missing, where its nearest parent stands. */
  place(field: MatchField): Position;
}

/** Missing members are empty texts. */
export interface TransferRequest extends TransferObjectBase {
  readonly type: "request";
  readonly sourceNamespace: string;
  readonly approvalName: string;
  /** As written; empty when left out. */
  readonly targetName: string;
}

export interface TransferApproval extends TransferObjectBase {
  readonly type: "approval";
  readonly requestName: string;
  readonly targetNamespace: string;
}

export type TransferObject = TransferRequest | TransferApproval;

export interface TransferPair {
  readonly request: TransferRequest;
  readonly approval: TransferApproval;
}

export const kindOf = (object: TransferObject): string =>
  object.type === "request" ? REQUEST_KIND : APPROVAL_KIND;

export const describe = (object: TransferObject): string => `${kindOf(object)} ${nameText(object)}`;

/** The claim that a request asks for. */
export const sourceOf = ({
  sourceNamespace,
  sourceName,
}: Pick<TransferRequest, "sourceNamespace" | "sourceName">): Name => ({
  namespace: sourceNamespace,
  name: sourceName,
});

/**
 * The claim that a request wants: `targetName` defaults to the name of the source (docs/reference/source-designs.md
 * §5).
 */
export const targetOf = ({
  namespace,
  targetName,
  sourceName,
}: Pick<TransferRequest, "namespace" | "targetName" | "sourceName">): Name => ({
  namespace,
  name: targetName === "" ? sourceName : targetName,
});
