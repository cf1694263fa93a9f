/** The conditions of a status (metav1.Condition), for every API of ours that has them. */
import type { StructuralSchema } from "./definition.js";

export const conditionsSchema = (description: string): StructuralSchema => ({
  type: "array",
  description,
  maxItems: 32,
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
  items: {
    type: "object",
    required: ["lastTransitionTime", "message", "reason", "status", "type"],
    properties: {
      type: {
        type: "string",
        description: "Type of the condition, in CamelCase.",
        maxLength: 316,
        pattern:
          "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
      },
      status: {
        type: "string",
        description: "True, False or Unknown.",
        enum: ["True", "False", "Unknown"],
      },
      reason: {
        type: "string",
        description: "Reason for the status, one word in CamelCase.",
        minLength: 1,
        maxLength: 1024,
        pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
      },
      message: { type: "string", description: "Human-readable message; may be empty.", maxLength: 32768 },
      lastTransitionTime: {
        type: "string",
        description: "Last time the status changed.",
        format: "date-time",
      },
      observedGeneration: {
        type: "integer",
        description: "Generation of the spec that the condition is based on.",
        format: "int64",
        minimum: 0,
      },
    },
  },
});
