/** Paths into a schema, as validation rules and selectable fields write them (apiextensions `cel.ValidFieldPath`). */
import { isObject, type JsonObject } from "../core/json.js";

export type FieldPath = { readonly path: string; readonly schema: JsonObject } | { readonly fault: string };

const NOT_A_FIELD = { fault: "does not refer to a valid field" } as const;
const END = { fault: "unexpected end of JSON path" } as const;

/** Follows `.a.b['c']` from the schema; `brackets` says whether the second form is allowed. */
export function followFieldPath(text: string, schema: JsonObject, brackets: boolean): FieldPath {
  const tokens = text.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/g) ?? [];
  let at = schema;
  let path = "";
  for (let i = 0; i < tokens.length; ) {
    const token = tokens[i];
    if (token === "[" && !brackets) return { fault: "array notation is not allowed" };
    if (token !== "." && token !== "[") return { fault: `expected [ or . but got: ${token}` };
    const next = tokens[i + 1];
    if (next === undefined) return END;
    if (token === "[" && !/^'.*'$/s.test(next))
      return { fault: `expected single quoted string but got ${next}` };
    const name = token === "[" ? next.slice(1, -1).replace(/\\(.)/g, "$1") : next;
    const { properties, additionalProperties } = at;
    const named = isObject(properties) && Object.keys(properties).length > 0;
    const child = named ? properties[name] : additionalProperties;
    if (!isObject(child)) return NOT_A_FIELD;
    path += named ? `${path === "" ? "" : "."}${name}` : `[${name}]`;
    at = child;
    i += 2;
    if (token !== "[") continue;
    if (tokens[i] === undefined) return END;
    if (tokens[i] !== "]") return { fault: `expected ] but got ${tokens[i]}` };
    i++;
  }
  return { path, schema: at };
}
