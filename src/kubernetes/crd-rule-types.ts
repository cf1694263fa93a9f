/** The types under which validation rules know values of a schema (k8s.io/apiserver pkg/cel/common/schemas.go). */
import { isObject, type JsonObject } from "../core/json.js";
import {
  BOOL,
  BYTES,
  CEL_KEYWORDS,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  TIMESTAMP,
} from "./cel-types.js";
import { childrenOf, isTrue, nodeAt, objectAt, textAt } from "./crd-schema-nodes.js";

const FORMATS: ReadonlyMap<string, CelType> = new Map([
  ["byte", BYTES],
  ["duration", DURATION],
  ["date", TIMESTAMP],
  ["date-time", TIMESTAMP],
]);
const PLAIN: ReadonlyMap<string, CelType> = new Map([
  ["boolean", BOOL],
  ["number", DOUBLE],
  ["integer", INT],
]);

/**
 * The type of a value of the schema; undefined for one that rules do not see, such as what has no type.
 *
 * @param isResource at the root of a resource, where rules see its name and kind, and nothing else of its metadata
 */
export function ruleType(schema: JsonObject, isResource: boolean): CelType | undefined {
  if (isTrue(schema, "x-kubernetes-int-or-string")) return DYN;
  const type = textAt(schema, "type");
  if (type === "string") return FORMATS.get(textAt(schema, "format")) ?? STRING;
  if (type === "array") {
    const items = nodeAt(schema, "items");
    const item = items === undefined ? undefined : ownType(items);
    return item === undefined ? undefined : listOf(item);
  }
  if (type !== "object") return PLAIN.get(type);
  const additional = nodeAt(schema, "additionalProperties");
  if (additional !== undefined) {
    const value = ownType(additional);
    return value === undefined ? undefined : mapOf(STRING, value);
  }
  const members = isResource ? withIdentity(schema) : childrenOf(schema, "properties");
  return {
    name: "object",
    of: [],
    fields: new Map(
      members.flatMap(([name, member]): [string, CelType][] => {
        const escaped = escapeName(name);
        const own = ownType(member);
        return escaped === undefined || own === undefined ? [] : [[escaped, own]];
      }),
    ),
  };
}

const ownType = (schema: JsonObject): CelType | undefined =>
  ruleType(schema, isTrue(schema, "x-kubernetes-embedded-resource"));

/** The properties of a resource, with those that every object has. */
function withIdentity(schema: JsonObject): [string, JsonObject][] {
  const properties = objectAt(schema, "properties");
  const typed = (value: JsonObject, name: string, type: string): boolean =>
    isObject(value[name]) && textAt(value[name], "type") === type;
  const inside = objectAt(objectAt(properties, "metadata"), "properties");
  const isDeclared =
    typed(properties, "kind", "string") &&
    typed(properties, "apiVersion", "string") &&
    typed(properties, "metadata", "object") &&
    typed(inside, "name", "string") &&
    typed(inside, "generateName", "string");
  const members = childrenOf(schema, "properties");
  if (isDeclared) return members;
  const text = { type: "string" };
  return [
    ...members.filter(([name]) => !["kind", "apiVersion", "metadata"].includes(name)),
    ["kind", text],
    ["apiVersion", text],
    ["metadata", { type: "object", properties: { name: text, generateName: text } }],
  ];
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["__", "__underscores__"],
  [".", "__dot__"],
  ["-", "__dash__"],
  ["/", "__slash__"],
]);

/** How a rule writes the name of a member (k8s.io/apiserver pkg/cel/escaping.go); undefined for one that it cannot. */
export const escapeName = (name: string): string | undefined => {
  if (CEL_KEYWORDS.has(name)) return `__${name}__`;
  return /^[A-Za-z_./-][\w./-]*$/.test(name)
    ? name.replace(/__|[.\-/]/g, (found) => ESCAPES.get(found) ?? found)
    : undefined;
};
