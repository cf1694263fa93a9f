/**
 * Validation rules of a schema as an API server compiles them (apiextensions-apiserver 0.37.2: `validation.go`,
 * `cel_validation.go`, `apiserver/schema/cel/compilation.go`). What a rule may cost is not estimated.
 */
import { isList, type JsonObject } from "../core/json.js";
import type { Minor } from "../core/minor.js";
import type { Compile } from "./cel-compile.js";
import { BOOL, type CelType, optionalOf, STRING } from "./cel-types.js";
import { escapeName, ruleType } from "./crd-rule-types.js";
import { childrenOf, everyNode, isTrue, nodeAt, nodesAt, textAt } from "./crd-schema-nodes.js";
import { invalid, invalidStructure, type ServerError } from "./server-error.js";

/** With what rules are compiled. */
export interface RuleCompiler {
  readonly compile: Compile;
  /** The release whose functions new expressions may call; all that are known where it is left out. */
  readonly release?: Minor | undefined;
}

export interface RuleAnswer {
  readonly errors: readonly ServerError[];
  /** Rules of which nobody here can tell whether they compile. */
  readonly unknown: readonly { readonly rule: string; readonly why: string }[];
}

/** Where a node stands. */
interface Site {
  readonly field: string;
  readonly isRoot: boolean;
  /** Of the node above, where rules at it or above it made the server look for it. */
  readonly above: CelType | undefined;
  readonly typeAbove: "members" | "items" | undefined;
  readonly name: string;
  readonly inScope: boolean;
  /** The list above whose items cannot be told apart between two states of an object. */
  readonly uncorrelatable: string | undefined;
}

/**
 * What the server says of the rules of a schema at `field`.
 *
 * @param known expressions that the stored definition has, which may call everything that the server has
 * @param others what else is wrong: the rules of a node with an error at it or below are not compiled
 */
export function ruleErrors(
  schema: JsonObject,
  field: string,
  compiler: RuleCompiler,
  known: ReadonlySet<string>,
  others: readonly ServerError[],
): RuleAnswer {
  const errors: ServerError[] = [];
  const unknown: { rule: string; why: string }[] = [];
  const visit = (node: JsonObject, site: Site): void => {
    const rules = nodesAt(node, "x-kubernetes-validations");
    const inScope = site.inScope || rules.length > 0;
    const type = inScope ? typeAt(node, site) : undefined;
    const below = { isRoot: false, above: type, inScope, uncorrelatable: site.uncorrelatable };
    for (const [name, child] of childrenOf(node, "properties"))
      visit(child, { ...below, field: `${site.field}.properties[${name}]`, typeAbove: "members", name });
    const values = nodeAt(node, "additionalProperties");
    if (values !== undefined)
      visit(values, { ...below, field: `${site.field}.additionalProperties`, typeAbove: "items", name: "" });
    const items = nodeAt(node, "items");
    if (items !== undefined)
      visit(items, {
        ...below,
        field: `${site.field}.items`,
        typeAbove: "items",
        name: "",
        uncorrelatable:
          site.uncorrelatable ?? (node["x-kubernetes-list-type"] === "map" ? undefined : site.field),
      });
    if (rules.length === 0 || others.some((each) => isBelow(each.field, site.field))) return;
    if (type === undefined) {
      const at = `${site.field}.x-kubernetes-validations`;
      errors.push({ ...invalidStructure(at, ""), message: NO_TYPE, kind: "InternalError" });
      return;
    }
    rules.forEach((rule, i) => {
      const answer = judgeRule(rule, `${site.field}.x-kubernetes-validations[${i}]`, type, compiler, known);
      errors.push(...answer.errors, ...misused(rule, answer.usesOldSelf, site, i));
      unknown.push(...answer.unknown);
    });
  };
  visit(schema, {
    field,
    isRoot: true,
    above: undefined,
    typeAbove: undefined,
    name: "",
    inScope: false,
    uncorrelatable: undefined,
  });
  return { errors, unknown };
}

const isBelow = (field: string, node: string): boolean =>
  field.startsWith(node) && /^(?:$|[.[])/.test(field.slice(node.length));

const NO_TYPE =
  "Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations";

/** The type of the node's value: as the node above declares it, else its own. */
function typeAt(node: JsonObject, { above, typeAbove, name, isRoot }: Site): CelType | undefined {
  const declared = typeAbove === "members" ? above?.fields?.get(escapeName(name) ?? "") : above?.of.at(-1);
  return declared ?? ruleType(node, isRoot || isTrue(node, "x-kubernetes-embedded-resource"));
}

interface Judged extends RuleAnswer {
  readonly usesOldSelf: boolean | undefined;
}

function judgeRule(
  rule: JsonObject,
  field: string,
  type: CelType,
  { compile, release }: RuleCompiler,
  known: ReadonlySet<string>,
): Judged {
  const variables = new Map([
    ["self", type],
    ["oldSelf", isTrue(rule, "optionalOldSelf") ? optionalOf(type) : type],
  ]);
  const compiled = (text: string) => compile(text, variables, known.has(text) ? undefined : release);
  const refuse = (member: string, detail: string): ServerError =>
    invalidStructure(`${field}.${member}`, detail);
  const text = textAt(rule, "rule");
  if (text.trim() === "") return { errors: [], unknown: [], usesOldSelf: false };
  const own = compiled(text);
  const unknown = own.unknown === undefined ? [] : [{ rule: text, why: own.unknown }];
  if (own.fault !== undefined)
    return {
      errors: [refuse("rule", `compilation failed: ${own.fault}`)],
      unknown: [],
      usesOldSelf: false,
    };
  if (own.unknown === undefined && own.type !== BOOL && own.type.name !== "bool")
    return {
      errors: [refuse("rule", "cel expression must evaluate to a bool")],
      unknown,
      usesOldSelf: false,
    };
  const usesOldSelf = own.reads.has("oldSelf") || (own.unknown === undefined ? false : undefined);
  const expression = textAt(rule, "messageExpression");
  if (expression === "") return { errors: [], unknown, usesOldSelf };
  const message = compiled(expression);
  const detail =
    message.fault !== undefined
      ? `messageExpression compilation failed: ${message.fault}`
      : message.unknown === undefined && message.type.name !== STRING.name
        ? "messageExpression must evaluate to a string"
        : undefined;
  return {
    errors: detail === undefined ? [] : [refuse("messageExpression", detail)],
    unknown: [
      ...unknown,
      ...(message.unknown === undefined ? [] : [{ rule: expression, why: message.unknown }]),
    ],
    usesOldSelf,
  };
}

/** What the server says of a former value in a rule that has none, and of its flag in a rule that does not ask for it. */
function misused(
  rule: JsonObject,
  usesOldSelf: boolean | undefined,
  { field, uncorrelatable }: Site,
  i: number,
): ServerError[] {
  const at = `${field}.x-kubernetes-validations[${i}]`;
  if (usesOldSelf === true)
    return uncorrelatable === undefined
      ? []
      : [
          invalid(
            `${at}.rule`,
            textAt(rule, "rule"),
            `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`,
          ),
        ];
  const flag = rule["optionalOldSelf"];
  return usesOldSelf === false && typeof flag === "boolean"
    ? [invalid(`${at}.optionalOldSelf`, flag, "may not be set if oldSelf is not used in rule")]
    : [];
}

/** The expressions of schemas: those that a server has stored already, it compiles with all that it has. */
export const expressionsOf = (schemas: readonly JsonObject[]): ReadonlySet<string> =>
  new Set(
    schemas
      .flatMap((schema) => [...everyNode(schema)])
      .flatMap((node) =>
        isList(node["x-kubernetes-validations"]) ? nodesAt(node, "x-kubernetes-validations") : [],
      )
      .flatMap((rule) => [textAt(rule, "rule"), textAt(rule, "messageExpression")]),
  );
