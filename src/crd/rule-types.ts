/** The types and sizes under which validation rules know values of a schema (k8s.io/apiserver pkg/cel/common/schemas.go). */
import { isList, isObject, type JsonObject } from "../core/json.js";
import { COST_LIMITS, type CostModel } from "./cel/call-costs.js";
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
} from "./cel/types.js";
import { childrenOf, isSet, isTrue, nodeAt, objectAt, textAt } from "./schema-nodes.js";

/** A value of a schema as rules know it, with the sizes by which a server estimates what rules cost. */
export interface RuleValue {
  readonly type: CelType;
  /** Characters of a text, bytes, items or entries that it has at most; nothing for the others. */
  readonly most: number;
  /** Bytes that it takes in JSON at least. */
  readonly least: number;
  /** Members of an object, under the names by which rules know them. */
  readonly members?: ReadonlyMap<string, RuleValue>;
  /** Items of a list, values of a map. */
  readonly item?: RuleValue;
  /** Keys of a map. */
  readonly key?: RuleValue;
}

/** How a release of the server sees sizes. */
export type SizeRules = Pick<CostModel, "boundedIntOrString" | "boundedNames">;

/** Bytes of a request. */
const { request: REQUEST } = COST_LIMITS;
/** A text in quotation marks that fills the request. */
const LONGEST_TEXT = REQUEST - 2;
/** A letter may take as many bytes. */
const BYTES_OF_LETTER = 4;
const TIME_MOST = 32;
const DATE_MOST = 12;

const FORMATS: ReadonlyMap<string, RuleValue> = new Map([
  ["byte", { type: BYTES, most: LONGEST_TEXT, least: 2 }],
  ["duration", { type: DURATION, most: TIME_MOST, least: 3 }],
  ["date", { type: TIMESTAMP, most: DATE_MOST, least: DATE_MOST }],
  ["date-time", { type: TIMESTAMP, most: TIME_MOST, least: 21 }],
]);
const PLAIN: ReadonlyMap<string, RuleValue> = new Map([
  ["boolean", { type: BOOL, most: 0, least: 4 }],
  ["number", { type: DOUBLE, most: 0, least: 1 }],
  ["integer", { type: INT, most: 0, least: 1 }],
]);
const KEY: RuleValue = { type: STRING, most: 0, least: 2 };

/** A bound of the schema; undefined where there is none. */
const boundAt = (schema: JsonObject, key: string): number | undefined => {
  const value = schema[key];
  return typeof value === "number" ? Math.max(0, value) : undefined;
};

/**
 * A value of the schema; undefined for one that rules do not see, such as what has no type.
 *
 * @param isResource at the root of a resource, where rules see its name and kind, and nothing else of its metadata
 */
export function ruleValue(schema: JsonObject, isResource: boolean, rules: SizeRules): RuleValue | undefined {
  if (isTrue(schema, "x-kubernetes-int-or-string")) {
    const bound = rules.boundedIntOrString ? boundAt(schema, "maxLength") : undefined;
    return { type: DYN, most: bound === undefined ? LONGEST_TEXT : bound * BYTES_OF_LETTER, least: 1 };
  }
  const type = textAt(schema, "type");
  if (type === "string") return textValue(schema);
  if (type === "array") {
    const items = nodeAt(schema, "items");
    const item = items === undefined ? undefined : ownValue(items, rules);
    if (item === undefined) return undefined;
    const most = boundAt(schema, "maxItems") ?? Math.floor((REQUEST - 2) / (item.least + 1));
    return { type: listOf(item.type), most, least: 2, item };
  }
  if (type !== "object") return PLAIN.get(type);
  const additional = nodeAt(schema, "additionalProperties");
  if (additional !== undefined) {
    const item = ownValue(additional, rules);
    if (item === undefined) return undefined;
    const most = boundAt(schema, "maxProperties") ?? Math.floor((REQUEST - 2) / (item.least + 6));
    return { type: mapOf(STRING, item.type), most, least: 2, item, key: KEY };
  }
  return objectValue(schema, isResource, rules);
}

const ownValue = (schema: JsonObject, rules: SizeRules): RuleValue | undefined =>
  ruleValue(schema, isTrue(schema, "x-kubernetes-embedded-resource"), rules);

function textValue(schema: JsonObject): RuleValue {
  const bound = boundAt(schema, "maxLength");
  const formatted = FORMATS.get(textAt(schema, "format"));
  if (formatted !== undefined)
    return formatted.type === BYTES && bound !== undefined ? { ...formatted, most: bound } : formatted;
  const choices = isList(schema["enum"]) ? schema["enum"] : [];
  const longest = choices.reduce<number>(
    (most, each) => Math.max(most, typeof each === "string" ? Buffer.byteLength(each, "utf8") : 0),
    0,
  );
  const most = bound !== undefined ? bound * BYTES_OF_LETTER : choices.length > 0 ? longest : LONGEST_TEXT;
  return { type: STRING, most, least: 2 };
}

function objectValue(schema: JsonObject, isResource: boolean, rules: SizeRules): RuleValue {
  const needed = new Set(isList(schema["required"]) ? schema["required"] : []);
  const given = isResource ? withIdentity(schema, rules) : childrenOf(schema, "properties");
  const members = new Map<string, RuleValue>();
  let least = 2;
  for (const [name, member] of given) {
    const own = ownValue(member, rules);
    if (own === undefined) continue;
    const escaped = escapeName(name);
    if (escaped !== undefined) members.set(escaped, own);
    // What has a default is filled in by the server.
    if (needed.has(name) && !isSet(member, "default"))
      least += Buffer.byteLength(name, "utf8") + own.least + 4;
  }
  const fields = new Map([...members].map(([name, { type }]): [string, CelType] => [name, type]));
  return { type: { name: "object", of: [], fields }, most: 0, least, members };
}

/** The properties of a resource, with those that every object has. */
function withIdentity(schema: JsonObject, { boundedNames }: SizeRules): [string, JsonObject][] {
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
  const named = (name: string, most: number): JsonObject => {
    const bound = boundAt(objectAt(inside, name), "maxLength") ?? most;
    return boundedNames ? { ...text, maxLength: Math.min(bound, most) } : text;
  };
  return [
    ...members.filter(([name]) => !["kind", "apiVersion", "metadata"].includes(name)),
    ["kind", text],
    ["apiVersion", text],
    [
      "metadata",
      {
        type: "object",
        properties: {
          name: named("name", LONGEST_NAME),
          // What is added to it takes a letter at least.
          generateName: named("generateName", LONGEST_NAME - 1),
        },
      },
    ],
  ];
}

/** Letters of the name of an object. */
const LONGEST_NAME = 253;

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
