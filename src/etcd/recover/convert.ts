/**
 * An object in a version that a release serves. Versions of a kind that differ in nothing but their name are told by
 * the tables of their fields; definitions, which are stored in a version that is served no more, have a rule of their
 * own (apiextensions-apiserver, pkg/apis/apiextensions/v1/conversion.go).
 */
import { isList, isObject, type Json, type JsonObject, textAt } from "../../core/json.js";
import type { JsonForm } from "../decode/json-form.js";
import { asServerReads } from "./old-defaults.js";

/** The object in the version; undefined where fields would be lost or mean something else. */
export function inVersion(object: JsonObject, apiVersion: string, form: JsonForm): JsonObject | undefined {
  if (object["apiVersion"] === apiVersion) return object;
  const kind = textAt(object, "kind");
  if (kind === "CustomResourceDefinition" && apiVersion === "apiextensions.k8s.io/v1")
    return definition(object);
  const message = form.messageOf(apiVersion, kind);
  const read = asServerReads(object);
  const { apiVersion: _, kind: __, ...rest } = read;
  return message !== undefined && fits(rest, message, form) ? { ...read, apiVersion } : undefined;
}

/** True when every member of the value is a field of the message, of the same type. */
function fits(value: Json, type: string, form: JsonForm): boolean {
  if (type.length === 1)
    return type === "b"
      ? typeof value === "boolean"
      : type === "i" || type === "l" || type === "d"
        ? typeof value === "number"
        : typeof value === "string";
  const members = form.membersOf(type);
  // What has a JSON form of its own is the same message in every version.
  if (members === undefined) return true;
  if (!isObject(value)) return isList(value);
  return Object.entries(value).every(([name, each]) => {
    const field = members.get(name);
    if (field === undefined) return false;
    if (field.many === "list") return isList(each) && each.every((item) => fits(item, field.type, form));
    if (field.many === "map")
      return isObject(each) && Object.values(each).every((item) => fits(item, field.type, form));
    return fits(each, field.type, form);
  });
}

/** From v1beta1, which servers store, to v1: what stood once for all versions stands in each. */
function definition(object: JsonObject): JsonObject | undefined {
  const { spec } = object;
  if (object["apiVersion"] !== "apiextensions.k8s.io/v1beta1" || !isObject(spec)) return undefined;
  const {
    version,
    versions,
    validation,
    subresources,
    additionalPrinterColumns,
    selectableFields,
    conversion,
    preserveUnknownFields,
    ...others
  } = spec;
  // v1beta1 keeps unknown fields unless it says false; v1 says so in the schemas.
  const keeps = preserveUnknownFields !== false;
  const listed = isList(versions) && versions.length > 0 ? versions : undefined;
  const each = oldest(listed, version).map((one): Json => {
    if (!isObject(one)) return one;
    const { additionalPrinterColumns: own, ...rest } = one;
    const columns = own ?? additionalPrinterColumns;
    const schema = rest["schema"] ?? validation;
    return {
      ...(subresources === undefined ? {} : { subresources }),
      ...(selectableFields === undefined ? {} : { selectableFields }),
      ...rest,
      ...(keeps ? { schema: keepingUnknown(schema) } : schema === undefined ? {} : { schema }),
      ...(isList(columns) ? { additionalPrinterColumns: columns.map(column) } : {}),
    };
  });
  return {
    ...object,
    apiVersion: "apiextensions.k8s.io/v1",
    spec: {
      // v1beta1 has a default, v1 asks for it.
      scope: "Namespaced",
      ...others,
      ...(isObject(conversion) ? { conversion: conversionOf(conversion) } : {}),
      versions: each,
    },
  };
}

/** Before 1.11 a definition had one version and no list. */
const oldest = (listed: readonly Json[] | undefined, version: Json | undefined): readonly Json[] =>
  listed ?? [{ name: version ?? null, served: true, storage: true }];

function keepingUnknown(schema: Json | undefined): JsonObject {
  const root = isObject(schema) ? schema["openAPIV3Schema"] : undefined;
  return {
    openAPIV3Schema: {
      type: "object",
      ...(isObject(root) ? root : {}),
      "x-kubernetes-preserve-unknown-fields": true,
    },
  };
}

const column = (value: Json): Json => {
  if (!isObject(value)) return value;
  const { JSONPath, ...rest } = value;
  return { ...rest, ...(JSONPath === undefined ? {} : { jsonPath: JSONPath }) };
};

function conversionOf({ strategy, webhookClientConfig, conversionReviewVersions }: JsonObject): JsonObject {
  const webhook = {
    ...(webhookClientConfig === undefined ? {} : { clientConfig: webhookClientConfig }),
    conversionReviewVersions: conversionReviewVersions ?? ["v1beta1"],
  };
  return {
    ...(strategy === undefined ? {} : { strategy }),
    ...(strategy === "Webhook" ? { webhook } : {}),
  };
}
