/** A field of a schema as text for people. */
import { isList, isObject, type Json, type JsonObject } from "../core/json.js";
import type { KnownDocument } from "./documents.js";
import { type Field, type Member, membersOf, notesOfNode, resolve, throughLists } from "./fields.js";

const WIDTH = 100;

/** Everything about one field: what it is, what it may be, what it is for, and the fields below it. */
export function describeField(document: KnownDocument, field: Field, schema: JsonObject): string {
  const { node } = field;
  const inner = throughLists(node, schema);
  const facts = factsOf(document, field, schema);
  const path = [document.name, ...(field.path === "" ? [] : [field.path])].join(".");
  const head: [string, string][] = [["FIELD", path], ...facts];
  if (field.path === "" && document.apiVersion !== "") head.splice(1, 0, ["API", document.apiVersion]);
  const width = Math.max(...head.map(([name]) => name.length)) + 2;
  const lines = head.map(([name, value]) => wrap(value, width, name.padEnd(width)));
  const texts = [node["description"], inner === node ? undefined : inner["description"]];
  for (const text of texts) if (typeof text === "string" && text !== "") lines.push("", wrap(text, 0));
  const members = membersOf(inner, schema);
  if (members.length > 0)
    lines.push("", "FIELDS", ...members.map((member) => describeMember(member, schema)));
  return `${lines.join("\n")}\n`;
}

function factsOf(
  document: KnownDocument,
  { node, required, path }: Field,
  schema: JsonObject,
): [string, string][] {
  const notes = notesOfNode(node);
  const facts: [string, string][] = [["TYPE", typeText(node, schema)]];
  const add = (name: string, value: Json | undefined): void => {
    if (value !== undefined) facts.push([name, show(value)]);
  };
  if (required) facts.push(["REQUIRED", "yes"]);
  add("DEFAULT", node["default"]);
  const values = allowedValues(node, schema);
  if (values.length > 0) facts.push(["VALUES", values.map(show).join(", ")]);
  const range = rangeText(node);
  if (range !== "") facts.push(["RANGE", range]);
  add("PATTERN", node["pattern"]);
  const examples = node["examples"];
  if (isList(examples) && values.length === 0) facts.push(["EXAMPLE", examples.map(show).join(", ")]);
  if (notes["since"] !== undefined) facts.push(["SINCE", `${show(notes["since"])}`]);
  if (notes["before"] !== undefined) facts.push(["REMOVED", `in ${show(notes["before"])}`]);
  if (node["deprecated"] === true) {
    const instead = notes["replacedBy"];
    const above = path.includes(".") ? `.${path.slice(0, path.lastIndexOf("."))}` : "";
    facts.push([
      "DEPRECATED",
      instead === undefined ? "yes" : `use ${document.name}${above}.${show(instead)}`,
    ]);
  }
  if (notes["inherits"] !== undefined)
    facts.push(["INHERITS", `unset fields default to ${show(notes["inherits"])}`]);
  if (node["writeOnly"] === true) facts.push(["SECRET", "never shown in messages, diffs and logs"]);
  return facts;
}

/** The words that a value may be: an enum, a constant, or what the documentation lists. */
function allowedValues(node: JsonObject, schema: JsonObject): readonly Json[] {
  const inner = throughLists(node, schema);
  const noted = notesOfNode(inner)["values"];
  if (isList(noted)) return noted;
  if (isList(inner["enum"])) return inner["enum"];
  return inner["const"] === undefined ? [] : [inner["const"]];
}

function typeText(node: JsonObject, schema: JsonObject): string {
  const { type, items, additionalProperties, format } = node;
  if (isObject(items)) return `list of ${typeText(resolve(items, schema), schema)}`;
  if (isObject(additionalProperties) && node["properties"] === undefined)
    return `map of ${typeText(resolve(additionalProperties, schema), schema)}`;
  const parts = ["anyOf", "oneOf"]
    .flatMap((keyword) => (isList(node[keyword]) ? node[keyword] : []))
    .filter(isObject);
  if (type === undefined && parts.length > 0)
    return [...new Set(parts.map((part) => typeText(resolve(part, schema), schema)))].join(" or ");
  const constant = node["const"];
  const name = isList(type)
    ? type.map(String).join(" or ")
    : typeof type === "string"
      ? type
      : constant === undefined
        ? "any"
        : typeof constant;
  return typeof format === "string" ? `${name} (${FORMATS[format] ?? format})` : name;
}

const FORMATS: { readonly [format: string]: string } = {
  cidr: "CIDR",
  "date-time": "time",
  int32: "32 bits",
  int64: "64 bits",
  uint32: "32 bits, not negative",
};

function rangeText(node: JsonObject): string {
  const bound = (name: string, text: string): string[] =>
    node[name] === undefined ? [] : [`${text} ${show(node[name] ?? null)}`];
  return [
    ...bound("minimum", "at least"),
    ...bound("maximum", "at most"),
    ...bound("minLength", "length at least"),
    ...bound("maxLength", "length at most"),
    ...bound("minItems", "items at least"),
    ...bound("maxItems", "items at most"),
  ].join(", ");
}

function describeMember({ name, node, required }: Member, schema: JsonObject): string {
  const notes = notesOfNode(node);
  const marks = [
    typeText(node, schema),
    ...(required ? ["required"] : []),
    ...(notes["since"] === undefined ? [] : [`since ${show(notes["since"])}`]),
    ...(notes["before"] === undefined ? [] : [`until ${show(notes["before"])}`]),
    ...(node["deprecated"] === true ? ["deprecated"] : []),
  ];
  const text = node["description"];
  const summary = typeof text === "string" && text !== "" ? `\n${wrap(firstSentence(text), 6)}` : "";
  return `  ${name} <${marks.join(", ")}>${summary}`;
}

export const firstSentence = (text: string): string => text.split(/(?<=[.]) /)[0] ?? "";

const show = (value: Json): string =>
  value === "" ? '""' : typeof value === "string" ? value.replaceAll("\n", "\\n") : JSON.stringify(value);

/** Text in lines of at most `WIDTH`; the first one starts with `first`, the others are indented. */
export function wrap(text: string, indent: number, first = " ".repeat(indent)): string {
  const lines: string[] = [];
  let line = first;
  let fresh = true;
  for (const word of text.split(/ +/)) {
    if (!fresh && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = " ".repeat(indent);
      fresh = true;
    }
    line += fresh ? word : ` ${word}`;
    fresh = false;
  }
  return [...lines, line].join("\n");
}
