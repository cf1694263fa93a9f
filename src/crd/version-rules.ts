/** What an API server says of one version of a CustomResourceDefinition: its schema, scale, columns and selectable fields. */
import { isObject, type JsonObject } from "../core/json.js";
import {
  duplicate,
  invalid,
  invalidOptional,
  required,
  type ServerError,
} from "../kubernetes/server-error.js";
import { followFieldPath } from "./field-path.js";
import { isSameToServer, nodesAt, objectAt, textAt } from "./schema-nodes.js";
import type { Rules, Version } from "./spec.js";
import { schemaErrors } from "./structural.js";

const SHAREABLE = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const;
export type Shareable = (typeof SHAREABLE)[number];

/** What every version has alike stands for the server above the versions, and is refused there. */
export const sharedOf = (versions: readonly Version[]): ReadonlySet<Shareable> =>
  new Set(
    SHAREABLE.filter((key) =>
      versions.every(({ object }) => isSameToServer(object[key] ?? null, versions[0]?.object[key] ?? null)),
    ),
  );

export const hasStatus = ({ object }: Version): boolean =>
  isObject(objectAt(object, "subresources")["status"]);

/** What the server says of one version at the path `at`; what every version has alike it says above them. */
export function versionErrors(
  version: Version,
  at: string,
  rules: Rules,
  shared: ReadonlySet<Shareable>,
): ServerError[] {
  const { object, schema } = version;
  return [
    ...deprecationErrors(object, `${at}.deprecationWarning`),
    ...(schema === undefined || shared.has("schema")
      ? []
      : schemaErrors(schema, `${at}.schema.openAPIV3Schema`, hasStatus(version), rules.schema)),
    ...(shared.has("subresources") ? [] : scaleErrors(object, `${at}.subresources`)),
    ...(shared.has("additionalPrinterColumns") ? [] : columnErrors(object, `${at}.additionalPrinterColumns`)),
    ...(shared.has("selectableFields")
      ? []
      : selectableErrors(version, `${at}.selectableFields`, rules, shared)),
  ];
}

function deprecationErrors(
  { deprecated, deprecationWarning: text }: JsonObject,
  field: string,
): ServerError[] {
  if (typeof text !== "string") return [];
  const refuse = (detail: string): ServerError => invalidOptional(field, text, detail);
  if (deprecated !== true) return [refuse("can only be set for deprecated versions")];
  const odd = /(?! )[\p{C}\p{Z}]/u.exec(text);
  const at = odd === null ? 0 : Buffer.byteLength(text.slice(0, odd.index), "utf8");
  return [
    ...(Buffer.byteLength(text, "utf8") > 256 ? [refuse("must be <= 256 characters long")] : []),
    ...(text === "" ? [refuse("must not be an empty string")] : []),
    ...(odd === null
      ? []
      : [
          refuse(
            `must only contain printable UTF-8 characters; non-printable character found at index ${at}`,
          ),
        ]),
  ];
}

export function scaleErrors(version: JsonObject, field: string): ServerError[] {
  const scale = objectAt(version, "subresources")["scale"];
  if (!isObject(scale)) return [];
  const path = (member: string, under: readonly string[], detail: string, needed: boolean): ServerError[] => {
    const at = `${field}.scale.${member}`;
    const text = textAt(scale, member);
    if (text === "") return needed ? [required(at)] : [];
    if (!text.startsWith(".")) return [invalid(at, text, SIMPLE_PATH)];
    return under.some((each) => text.startsWith(each))
      ? []
      : [(needed ? invalid : invalidOptional)(at, text, detail)];
  };
  return [
    ...path("specReplicasPath", [".spec."], "should be a json path under .spec", true),
    ...path("statusReplicasPath", [".status."], "should be a json path under .status", true),
    ...path(
      "labelSelectorPath",
      [".spec.", ".status."],
      "should be a json path under either .spec or .status",
      false,
    ),
  ];
}

const SIMPLE_PATH = "must be a simple json path starting with .";
const COLUMN_TYPES = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

export const columnErrors = (version: JsonObject, field: string): ServerError[] =>
  nodesAt(version, "additionalPrinterColumns").flatMap((column, i): ServerError[] => {
    const at = `${field}[${i}]`;
    const [type, format, path] = [
      textAt(column, "type"),
      textAt(column, "format"),
      textAt(column, "jsonPath"),
    ];
    const types = `must be one of ${COLUMN_TYPES.join(",")}`;
    return [
      ...(textAt(column, "name") === "" ? [required(`${at}.name`)] : []),
      ...(type === ""
        ? [required(`${at}.type`, types)]
        : COLUMN_TYPES.includes(type)
          ? []
          : [invalid(`${at}.type`, type, types)]),
      ...(format === "" || COLUMN_FORMATS.includes(format)
        ? []
        : [invalid(`${at}.format`, format, `must be one of ${COLUMN_FORMATS.join(",")}`)]),
      ...(path === ""
        ? [required(`${at}.JSONPath`)]
        : path.startsWith(".")
          ? []
          : [invalid(`${at}.JSONPath`, path, SIMPLE_PATH)]),
    ];
  });

/** Selectable fields that a version may have. */
export const MOST_FIELDS = 8;

export function selectableErrors(
  { name, object, schema }: Version,
  field: string,
  rules: Rules,
  shared: ReadonlySet<Shareable>,
): ServerError[] {
  const fields = nodesAt(object, "selectableFields");
  if (fields.length === 0) return [];
  const above = shared.has("selectableFields");
  // The server looks for the schema beside the fields: above the versions, or in the version.
  if (above !== shared.has("schema") || schema === undefined)
    return [
      invalid(
        field,
        "",
        above
          ? "may only be set when validations.schema is included"
          : "may only be set when `version.schema.openAPIV3Schema` is not included",
      ),
    ];
  const errors: ServerError[] = [];
  const seen = new Set<string>();
  for (const [i, each] of fields.entries()) {
    const at = `${field}[${i}].jsonPath`;
    const text = textAt(each, "jsonPath");
    if (text === "") {
      errors.push(required(at));
      continue;
    }
    const found = followFieldPath(text, schema, false);
    if ("fault" in found) {
      errors.push(invalid(at, text, `is an invalid path: ${found.fault}`));
      continue;
    }
    if (/^metadata\b/.test(found.path))
      errors.push(invalid(at, text, "must not point to fields in metadata"));
    if (!["string", "boolean", "integer"].includes(textAt(found.schema, "type")))
      errors.push(
        invalid(
          at,
          text,
          "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
        ),
      );
    if (seen.has(found.path)) errors.push(duplicate(at, text));
    seen.add(found.path);
  }
  if (seen.size > MOST_FIELDS && !rules.manyFields.has(name))
    errors.push({
      field,
      kind: "TooMany",
      message: `Too many: ${seen.size}: must have at most ${MOST_FIELDS} items`,
      exact: true,
    });
  return errors;
}
