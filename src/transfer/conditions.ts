/** The six equalities that make a pair, M1 to M6 (docs/reference/pvc-transfer.md §1). */
import type { Position } from "../core/diagnostics.js";
import type { MatchField, TransferApproval, TransferRequest } from "./api.js";

export const CONDITIONS = ["M1", "M2", "M3", "M4", "M5", "M6"] as const;
export type ConditionName = (typeof CONDITIONS)[number];

interface Side<T> {
  readonly field: string;
  readonly place: MatchField;
  of(object: T): string;
}

export interface Condition {
  readonly name: ConditionName;
  readonly left: Side<TransferRequest>;
  readonly right: Side<TransferApproval>;
}

export const MATCH: readonly Condition[] = [
  {
    name: "M1",
    left: { field: "metadata.name", place: "name", of: (r) => r.name },
    right: { field: "spec.requestName", place: "partnerName", of: (a) => a.requestName },
  },
  {
    name: "M2",
    left: { field: "metadata.namespace", place: "namespace", of: (r) => r.namespace },
    right: { field: "spec.targetNamespace", place: "targetNamespace", of: (a) => a.targetNamespace },
  },
  {
    name: "M3",
    left: { field: "spec.source.namespace", place: "sourceNamespace", of: (r) => r.sourceNamespace },
    right: { field: "metadata.namespace", place: "namespace", of: (a) => a.namespace },
  },
  {
    name: "M4",
    left: { field: "spec.source.name", place: "sourceName", of: (r) => r.sourceName },
    right: { field: "spec.source.name", place: "sourceName", of: (a) => a.sourceName },
  },
  {
    name: "M5",
    left: { field: "spec.source.kind", place: "sourceKind", of: (r) => r.sourceKind },
    right: { field: "spec.source.kind", place: "sourceKind", of: (a) => a.sourceKind },
  },
  {
    name: "M6",
    left: { field: "spec.approvalName", place: "partnerName", of: (r) => r.approvalName },
    right: { field: "metadata.name", place: "name", of: (a) => a.name },
  },
];

/** A missing text equals nothing, not even another missing one. */
const holds = ({ left, right }: Condition, request: TransferRequest, approval: TransferApproval): boolean => {
  const value = left.of(request);
  return value !== "" && value === right.of(approval);
};

/** True when all six hold. */
export const matches = (request: TransferRequest, approval: TransferApproval): boolean =>
  MATCH.every((condition) => holds(condition, request, approval));

export interface FailedCondition {
  readonly condition: ConditionName;
  readonly left: string;
  readonly right: string;
  readonly leftField: string;
  readonly rightField: string;
  readonly leftAt: Position;
  readonly rightAt: Position;
  /** What usually makes this condition fail this way; empty when nothing usual fits. */
  readonly hint: string;
}

/** The conditions that fail, each with both values and where they stand. */
export const failedConditions = (request: TransferRequest, approval: TransferApproval): FailedCondition[] =>
  MATCH.filter((condition) => !holds(condition, request, approval)).map(({ name, left, right }) => ({
    condition: name,
    left: left.of(request),
    right: right.of(approval),
    leftField: left.field,
    rightField: right.field,
    leftAt: request.place(left.place),
    rightAt: approval.place(right.place),
    hint: nearMiss(name, left.of(request), right.of(approval), request, approval),
  }));

const ORDINAL = /^(.*)-(\d+)$/;

/** The near misses of the table in docs/reference/pvc-transfer.md §1. */
function nearMiss(
  name: ConditionName,
  left: string,
  right: string,
  request: TransferRequest,
  approval: TransferApproval,
): string {
  if (left === "" || right === "") return "";
  const [ownName, reference] = name === "M6" ? [right, left] : [left, right];
  switch (name) {
    case "M1":
    case "M6":
      return ownName.length > reference.length &&
        (ownName.startsWith(`${reference}-`) ||
          ownName.endsWith(`-${reference}`) ||
          ownName.endsWith(reference) ||
          ownName.startsWith(reference))
        ? `kustomize namePrefix or nameSuffix changed the name of the object but not the ${name === "M1" ? "approval's spec.requestName" : "request's spec.approvalName"}`
        : "";
    case "M2":
      return "the kustomize namespace transformer changed the namespace of the object but not spec.targetNamespace";
    case "M3":
      return approval.namespace === request.namespace
        ? "move the approval from the target namespace to the namespace of the source"
        : "the kustomize namespace transformer changed the namespace of the approval but not spec.source.namespace";
    case "M4": {
      const [a, b] = [ORDINAL.exec(left), ORDINAL.exec(right)];
      return a !== null && b !== null && a[1] === b[1]
        ? `the claims belong to ordinals ${a[2]} and ${b[2]} of one StatefulSet`
        : "";
    }
    case "M5":
      return left.toLowerCase() === right.toLowerCase() ? "use the same case; kinds are case-sensitive" : "";
  }
}
