/** What a provider of Cluster API would say to an object, as problems of the field that it is about. */
import type { Problem } from "../core/diagnostics.js";
import type { ObjectFinding } from "../kubernetes/finding.js";

/** The provider refuses the object. */
export const broken = (field: string, message: string, hint: string): Problem & ObjectFinding => ({
  code: "CAPI101",
  kind: "Invalid",
  field,
  message,
  hint,
});

/** The provider takes the object, and its user hardly means it. */
export const doubtful = (field: string, message: string, hint: string): Problem & ObjectFinding => ({
  code: "CAPI102",
  kind: "Invalid",
  severity: "warning",
  field,
  message,
  hint,
});
