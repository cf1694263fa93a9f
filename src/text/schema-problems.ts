/**
 * What a JSON Schema finds wrong with a YAML text, as diagnostics at the lines that it is about.
 */

import type { ErrorObject } from "ajv";
import type { Code } from "../core/codes.js";
import type { Position } from "../core/diagnostics.js";
import { isObject, type Json, type JsonObject } from "../core/json.js";
import { lookup } from "../core/lookup.js";
import { type Problem, problem, required, unsupported } from "../core/problem.js";
import { closest } from "./closest.js";
import { child, entryOf, type YamlNode } from "./yaml-read.js";

type Segment = string | number;

/** The steps of a JSON pointer; whole numbers are list indices. */
const stepsOf = (pointer: string): Segment[] =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((step) => (/^(0|[1-9][0-9]*)$/.test(step) ? Number(step) : step));

/** Kubernetes field path of steps: `aws.subnets[0].zone`. */
const fieldOf = (steps: readonly Segment[]): string =>
  steps
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .replace(/^\./, "");

/** The steps of a Kubernetes field path. */
export const stepsOfField = (field: string): Segment[] =>
  [...field.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([text, index]) =>
    index === undefined ? text : Number(index),
  );

/** Where a value stands, or its nearest ancestor; `key` points at the key of the last step instead of its value. */
export function positionOf(
  root: YamlNode | undefined,
  file: string,
  steps: readonly Segment[],
  key = false,
): Position {
  let node = root;
  let place = root === undefined ? { line: 0, column: 0 } : { line: root.line, column: root.column };
  for (const [index, step] of steps.entries()) {
    const last = index === steps.length - 1;
    let next: YamlNode | undefined;
    if (typeof step === "number" && node?.type === "sequence") next = node.items[step];
    else next = child(node, String(step));
    if (next === undefined) break;
    const entry = key && last ? entryOf(node, String(step))?.key : undefined;
    place = { line: (entry ?? next).line, column: (entry ?? next).column };
    node = next;
  }
  return { file, ...place };
}

const nodeAt = (root: YamlNode, steps: readonly Segment[]): YamlNode | undefined =>
  steps.reduce<YamlNode | undefined>(
    (node, step) => (node?.type === "sequence" ? node.items[Number(step)] : child(node, String(step))),
    root,
  );

/** Problems for the errors of an ajv validator of the schema. Values are never quoted: they may be secret. */
export function schemaProblems(
  errors: readonly ErrorObject[],
  schema: Json,
  root: YamlNode,
  file: string,
  code: Code,
): Problem[] {
  return errors.map((error) => problemOf(error, schema, root, file, code));
}

const member = (params: Readonly<Record<string, unknown>>, name: string): string =>
  String(params[name] ?? "");

function problemOf(error: ErrorObject, schema: Json, root: YamlNode, file: string, code: Code): Problem {
  const steps = stepsOf(error.instancePath);
  const field = fieldOf(steps);
  const place = positionOf(root, file, steps);
  switch (error.keyword) {
    case "required":
      return required(code, fieldOf([...steps, member(error.params, "missingProperty")]), "", place);
    case "additionalProperties": {
      const name = member(error.params, "additionalProperty");
      const path = [...steps, name];
      const known = knownNames(schema, steps);
      const near = closest(name, known);
      const hint = near === undefined ? `use one of: ${known.join(", ")}` : `did you mean ${near}?`;
      return problem(code, "Invalid", fieldOf(path), "unknown field", {
        ...positionOf(root, file, path, true),
        hint,
      });
    }
    case "const":
      return unsupported(code, field, undefined, [String(error.params["allowedValue"])], place);
    case "enum": {
      const allowed: unknown = error.params["allowedValues"];
      const values = Array.isArray(allowed) ? allowed.filter((each) => each !== null).map(String) : [];
      return unsupported(code, field, undefined, values, place);
    }
    case "type": {
      const types = member(error.params, "type").split(",");
      const node = nodeAt(root, steps);
      const isUnquoted = node?.type === "scalar" && node.style === "plain" && node.text !== "";
      const hint = types.includes("string") && isUnquoted ? "put the value in quotes" : "";
      return problem(code, "Invalid", field, `must be ${alternatives(types)}`, { ...place, hint });
    }
    default:
      return problem(code, "Invalid", field, error.message ?? "does not match the schema", place);
  }
}

/** `a, b or c`. */
const alternatives = (words: readonly string[]): string =>
  [words.slice(0, -1).join(", "), words.at(-1)].filter(Boolean).join(" or ");

/** The properties that a schema knows at a place of the data. */
function knownNames(schema: Json, steps: readonly Segment[]): string[] {
  const at = steps.reduce<Json | undefined>((node, step) => {
    const here = resolved(schema, node);
    if (typeof step === "number") return here?.["items"];
    const properties = here?.["properties"];
    return (isObject(properties) ? lookup(properties, step) : undefined) ?? here?.["additionalProperties"];
  }, schema);
  const properties = resolved(schema, at)?.["properties"];
  return isObject(properties) ? Object.keys(properties) : [];
}

/** A schema, or the one of the same document that it refers to. */
function resolved(schema: Json, node: Json | undefined): JsonObject | undefined {
  if (!isObject(node)) return undefined;
  const reference = node["$ref"];
  if (typeof reference !== "string") return node;
  const target = stepsOf(reference).reduce<Json | undefined>(
    (found, step) => (isObject(found) ? found[String(step)] : undefined),
    schema,
  );
  return isObject(target) ? target : undefined;
}
