/** What a precompiled validator found, as field and text. The values themselves are never repeated. */
import type { ErrorObject } from "ajv";

export interface SchemaFault {
  /** Path of the field, such as `phases.manifests`; empty for the document. */
  readonly field: string;
  readonly text: string;
  /** The same without the field. */
  readonly message: string;
}

/**
 * The first faults of a validation. Of a value that may also be null (`anyOf` in our schemas) only the faults of its
 * other form count; where it may have several forms and has the type of none, they are named together.
 */
export function schemaFaults(errors: readonly ErrorObject[], limit = 5): SchemaFault[] {
  return withoutAlternatives(errors)
    .slice(0, limit)
    .map(({ instancePath, message: found, params }) => {
      const field = instancePath.split("/").slice(1).map(unescaped).join(".");
      const extra: unknown = params["additionalProperty"];
      const named = typeof extra === "string" ? ` (${extra})` : "";
      const message = `${found ?? "is wrong"}${named}`;
      return { field, message, text: `${field === "" ? "" : `${field} `}${message}` };
    });
}

function withoutAlternatives(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const open = new Set(
    errors.filter(({ keyword }) => keyword === "anyOf").map(({ instancePath }) => instancePath),
  );
  const kept = errors.filter(
    ({ instancePath, keyword, params }) =>
      !open.has(instancePath) || !(keyword === "anyOf" || (keyword === "type" && params["type"] === "null")),
  );
  return kept.flatMap((error, index): ErrorObject[] => {
    const { instancePath, keyword } = error;
    if (keyword !== "type") return [error];
    const isSame = (each: ErrorObject): boolean =>
      each.keyword === "type" && each.instancePath === instancePath;
    if (index !== kept.findIndex(isSame)) return [];
    const types = new Set(kept.filter(isSame).flatMap(({ params }) => String(params["type"]).split(",")));
    return [{ ...error, message: `must be ${[...types].join(" or ")}` }];
  });
}

const unescaped = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");
