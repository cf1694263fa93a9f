/** What a precompiled validator found, as field and text. The values themselves are never repeated. */
import type { ErrorObject } from "ajv";

export interface SchemaFault {
  /** Path of the field, such as `phases.manifests`; empty for the document. */
  readonly field: string;
  readonly text: string;
}

/** The first faults of a validation; the alternatives of an `anyOf` are left to its own message. */
export function schemaFaults(errors: readonly ErrorObject[], limit = 5): SchemaFault[] {
  return errors.slice(0, limit).map(({ instancePath, message, params }) => {
    const field = instancePath.split("/").slice(1).map(unescaped).join(".");
    const extra: unknown = params["additionalProperty"];
    const named = typeof extra === "string" ? ` (${extra})` : "";
    return { field, text: `${field === "" ? "" : `${field} `}${message ?? "is wrong"}${named}` };
  });
}

const unescaped = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");
