/** The conditions of a status (metav1.Condition), for every API of ours that has them. */
import type { StructuralSchema } from "./crd-definition.js";

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
        description: "What the condition is about, in CamelCase.",
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
        description: "Why the status is what it is, one word in CamelCase.",
        minLength: 1,
        maxLength: 1024,
        pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
      },
      message: { type: "string", description: "The same for people; may be empty.", maxLength: 32768 },
      lastTransitionTime: {
        type: "string",
        description: "When the status last changed.",
        format: "date-time",
      },
      observedGeneration: {
        type: "integer",
        description: "The generation of the spec that the condition was made from.",
        format: "int64",
        minimum: 0,
      },
    },
  },
});
