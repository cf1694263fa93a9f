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
      const message = `${found ?? "is invalid"}${named}`;
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
  const types = new Map<string, Set<string>>();
  for (const { instancePath, keyword, params } of kept) {
    if (keyword !== "type") continue;
    const known = types.get(instancePath) ?? new Set();
    for (const type of String(params["type"]).split(",")) known.add(type);
    types.set(instancePath, known);
  }
  return kept.flatMap((error): ErrorObject[] => {
    if (error.keyword !== "type") return [error];
    const named = types.get(error.instancePath);
    // The first error of a place names all of its types.
    types.delete(error.instancePath);
    return named === undefined ? [] : [{ ...error, message: `must be ${[...named].join(" or ")}` }];
  });
}

const unescaped = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");
