/** Objects within custom resources that the API server holds to the rules of objects (apiextensions `objectmeta`). */
import { isList, isObject, type Json, type JsonObject } from "../core/json.js";
import { metadataFindings } from "../kubernetes/metadata-rules.js";
import { isDns1035Label, isPathSegment } from "../kubernetes/names.js";
import { invalid, required, type ServerError } from "../kubernetes/server-error.js";
import { memberSchema, type SchemaNode } from "./read.js";

/** What the server says of the value and of what is in it; a default counts as a whole object where the schema says so. */
export function embeddedErrors(value: Json, schema: SchemaNode | undefined, at: string): ServerError[] {
  if (schema === undefined) return [];
  if (isList(value)) return value.flatMap((each, i) => embeddedErrors(each, schema.items, `${at}[${i}]`));
  if (!isObject(value)) return [];
  return [
    ...(schema.embeddedResource ? resourceErrors(value, at) : []),
    ...Object.entries(value).flatMap(([name, each]) =>
      embeddedErrors(each, memberSchema(schema, name), `${at}.${name}`),
    ),
  ];
}

function resourceErrors(value: JsonObject, at: string): ServerError[] {
  return [
    ...typeErrors(value, "apiVersion", at, (text) => text.split("/").length <= 2),
    ...typeErrors(value, "kind", at, (text) => isDns1035Label(text.toLowerCase())),
    ...metadataErrors(value, at),
  ];
}

function typeErrors(
  value: JsonObject,
  member: "apiVersion" | "kind",
  at: string,
  legal: (text: string) => boolean,
): ServerError[] {
  const field = `${at}.${member}`;
  const text = value[member];
  if (text === undefined) return [required(field)];
  if (typeof text !== "string") return [invalid(field, text, "must be a string")];
  if (text === "") return [invalid(field, text, "must not be empty")];
  return legal(text) ? [] : [{ ...invalid(field, text, `is not a legal ${member}`), exact: false }];
}

/** A name may be absent, and be any step of a path. */
function metadataErrors(value: JsonObject, at: string): ServerError[] {
  const { metadata = null } = value;
  if (metadata === null) return [];
  const { name = "" } = isObject(metadata) ? metadata : {};
  const errors: ServerError[] = [];
  const refuse = (field: string, message: string): void =>
    void errors.push({ field: `${at}.${field}`, kind: "Invalid", message, exact: false });
  if (name !== null && name !== "" && !(typeof name === "string" && isPathSegment(name)))
    refuse("metadata.name", "is not a legal name");
  const named = isObject(metadata) ? { ...metadata, name: "named" } : metadata;
  metadataFindings({ ...value, metadata: named }, ({ field, message }) => refuse(field, message));
  return errors;
}
