/**
 * Validation rules of a schema as an API server compiles them (apiextensions-apiserver 0.37.2: `validation.go`,
 * `cel_validation.go`, `apiserver/schema/cel/compilation.go`), and what they may cost.
 */
import { isList, type JsonObject } from "../core/json.js";
import { addMinors, type Minor } from "../core/minor.js";
import { forbidden, invalid, invalidStructure, type ServerError } from "../kubernetes/server-error.js";
import { COST_LIMITS, type CostModel, costModelAt } from "./cel/call-costs.js";
import type { Compile, Compiled } from "./cel/compile.js";
import { estimateCost } from "./cel/cost.js";
import { add, multiply } from "./cel/sizes.js";
import { BOOL, optionalOf, STRING } from "./cel/types.js";
import { escapeName, type RuleValue, ruleValue } from "./rule-types.js";
import { childrenOf, everyNode, isSet, isTrue, nodeAt, nodesAt, textAt } from "./schema-nodes.js";

/** With what rules are compiled. */
export interface RuleCompiler {
  readonly compile: Compile;
  /** The release whose functions new expressions may call; all that are known where it is left out. */
  readonly release?: Minor | undefined;
  /** The release of the server, by which costs are estimated; the newest that is known where it is left out. */
  readonly server?: Minor | undefined;
}

/** The rules of a server of this release; its minimum compatibility version is, by default, the release before its own. */
export const compilerOf = (compile: Compile, server: Minor): RuleCompiler => ({
  compile,
  release: addMinors(server, -1),
  server,
});

/** What an update takes over from the stored definition. */
export interface KnownRules {
  /** Expressions that are stored, which may call everything that the server has. */
  readonly expressions: ReadonlySet<string>;
  /** True for a schema that is stored as it is: what one of its rules costs is not held against it again. */
  readonly isUnchanged: boolean;
}

export interface RuleAnswer {
  readonly errors: readonly ServerError[];
  /** What the server says at the end of all that it says of the schema. */
  readonly last: readonly ServerError[];
  /** Rules of which nobody here can tell whether they compile. */
  readonly unknown: readonly { readonly rule: string; readonly why: string }[];
}

/** Where a node stands. */
interface Site {
  readonly field: string;
  readonly isRoot: boolean;
  /** Of the node above, where rules at it or above it made the server look for it. */
  readonly above: RuleValue | undefined;
  readonly typeAbove: "members" | "items" | undefined;
  readonly name: string;
  readonly inScope: boolean;
  /** The list above whose items cannot be told apart between two states of an object. */
  readonly uncorrelatable: string | undefined;
  /** How often the value may be there in an object; undefined below a list or a map without a bound. */
  readonly count: number | undefined;
}

/**
 * What the server says of the rules of a schema at `field`.
 *
 * @param others what else is wrong: the rules of a node with an error at it or below are not compiled
 */
export function ruleErrors(
  schema: JsonObject,
  field: string,
  compiler: RuleCompiler,
  known: KnownRules,
  others: readonly ServerError[],
): RuleAnswer {
  const model = costModelAt(compiler.server);
  const sizes = model ?? { boundedIntOrString: true, boundedNames: true };
  const errors: ServerError[] = [];
  const costs: RuleCost[] = [];
  const unknown: { rule: string; why: string }[] = [];
  const visit = (node: JsonObject, site: Site): void => {
    const rules = nodesAt(node, "x-kubernetes-validations");
    const inScope = site.inScope || rules.length > 0;
    const declared = inScope ? declaredAbove(site) : undefined;
    const isResource = site.isRoot || isTrue(node, "x-kubernetes-embedded-resource");
    const value = inScope ? (declared ?? ruleValue(node, isResource, sizes)) : undefined;
    const bound = site.count === undefined ? undefined : boundOf(node);
    const below = {
      isRoot: false,
      above: value,
      inScope,
      uncorrelatable: site.uncorrelatable,
      count: site.count === undefined || bound === undefined ? undefined : multiply(site.count, bound),
    };
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
    if (value === undefined) {
      const at = `${site.field}.x-kubernetes-validations`;
      errors.push({ ...invalidStructure(at, ""), message: NO_TYPE, kind: "InternalError" });
      return;
    }
    const count = site.count ?? Math.floor(COST_LIMITS.request / (value.least + 1));
    rules.forEach((rule, i) => {
      const answer = judgeRule(rule, `${site.field}.x-kubernetes-validations[${i}]`, {
        value,
        count,
        compiler,
        model,
        known,
      });
      errors.push(...answer.errors, ...misused(rule, answer.usesOldSelf, site, i));
      costs.push(...answer.costs);
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
    count: 1,
  });
  return { errors, last: totalErrors(costs, field), unknown };
}

const isBelow = (field: string, node: string): boolean =>
  field.startsWith(node) && /^(?:$|[.[])/.test(field.slice(node.length));

const NO_TYPE =
  "Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations";

/** The node's value as the node above declares it. */
const declaredAbove = ({ above, typeAbove, name }: Site): RuleValue | undefined =>
  typeAbove === "members" ? above?.members?.get(escapeName(name) ?? "") : above?.item;

/** How many of what is below a node there may be for one of it; undefined where the schema does not say. */
function boundOf(node: JsonObject): number | undefined {
  const at = (key: string): number | undefined => {
    const value = node[key];
    return typeof value === "number" ? Math.max(0, value) : undefined;
  };
  const type = textAt(node, "type");
  if (type === "array") return at("maxItems");
  return type === "object" && isSet(node, "additionalProperties") ? at("maxProperties") : 1;
}

// ---- costs ----

interface RuleCost {
  readonly field: string;
  readonly cost: number;
}

/** What the whole schema costs too much, and the rules that cost most of it. */
function totalErrors(costs: readonly RuleCost[], field: string): ServerError[] {
  const { definition: limit } = COST_LIMITS;
  const total = costs.reduce((sum, { cost }) => add(sum, cost), 0);
  if (total <= limit) return [];
  const most = costs
    .filter(({ cost }) => cost >= limit / 100)
    .sort((a, b) => b.cost - a.cost)
    .slice(0, MOST_NAMED);
  return [
    ...most.map((each) =>
      forbidden(
        each.field,
        "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
      ),
    ),
    tooExpensive(
      field,
      "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema",
      total,
      limit,
    ),
  ];
}

const MOST_NAMED = 4;

function tooExpensive(field: string, what: string, cost: number, limit: number): ServerError {
  const times = cost / limit;
  const factor = times > 100 ? "more than 100" : goFixed(times, times < 1.5 ? 6 : 1);
  return forbidden(
    field,
    `${what} exceeds budget by factor of ${factor}x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`,
  );
}

/** A number with so many digits behind the point, as Go prints it: one that lies in the middle gets an even last digit. */
function goFixed(value: number, digits: number): string {
  const exact = value.toFixed(DIGITS);
  const [kept, rest] = [exact.slice(0, digits - DIGITS), exact.slice(digits - DIGITS)];
  return /^50*$/.test(rest) && /[02468]$/.test(kept) ? kept : value.toFixed(digits);
}
const DIGITS = 60;

// ---- rules ----

interface Judged {
  readonly errors: readonly ServerError[];
  readonly costs: readonly RuleCost[];
  readonly unknown: RuleAnswer["unknown"];
  readonly usesOldSelf: boolean | undefined;
}

/** What the rules of a node are judged by. */
interface Judge {
  readonly value: RuleValue;
  readonly count: number;
  readonly compiler: RuleCompiler;
  readonly model: CostModel | undefined;
  readonly known: KnownRules;
}

function judgeRule(rule: JsonObject, field: string, judge: Judge): Judged {
  const { value, compiler, known } = judge;
  const variables = new Map([
    ["self", value.type],
    ["oldSelf", isTrue(rule, "optionalOldSelf") ? optionalOf(value.type) : value.type],
  ]);
  const compiled = (text: string) =>
    compiler.compile(text, variables, known.expressions.has(text) ? undefined : compiler.release);
  const text = textAt(rule, "rule");
  const nothing = { errors: [], costs: [], unknown: [], usesOldSelf: false };
  if (text.trim() === "") return nothing;
  const own = compiled(text);
  const fault = faultOf(own, BOOL.name, RULE_TEXTS);
  const at = `${field}.rule`;
  const usesOldSelf = own.reads.has("oldSelf") || (own.unknown === undefined ? false : undefined);
  if (fault !== undefined)
    return {
      ...nothing,
      errors: [invalidStructure(at, fault)],
      // A server that cannot make a program of it has seen by then what it reads.
      usesOldSelf: own.fault === undefined && own.type.name === BOOL.name ? usesOldSelf : false,
    };
  const cost = costed(own, at, "estimated rule cost", judge.count, judge);
  const unknown = own.unknown === undefined ? [] : [{ rule: text, why: own.unknown }];
  const expression = textAt(rule, "messageExpression");
  if (expression === "") return { ...cost, unknown, usesOldSelf };
  const message = compiled(expression);
  const detail = faultOf(message, STRING.name, MESSAGE_TEXTS);
  const below = `${field}.messageExpression`;
  if (detail !== undefined)
    return { ...cost, errors: [...cost.errors, invalidStructure(below, detail)], unknown, usesOldSelf };
  const messageCost = costed(message, below, "estimated messageExpression cost", 1, judge);
  return {
    errors: [...cost.errors, ...messageCost.errors],
    costs: [...cost.costs, ...messageCost.costs],
    unknown: [
      ...unknown,
      ...(message.unknown === undefined ? [] : [{ rule: expression, why: message.unknown }]),
    ],
    usesOldSelf,
  };
}

interface FaultTexts {
  readonly compilation: string;
  readonly type: string;
  readonly program: string;
}
const RULE_TEXTS: FaultTexts = {
  compilation: "compilation failed",
  type: "cel expression must evaluate to a bool",
  program: "program instantiation failed",
};
const MESSAGE_TEXTS: FaultTexts = {
  compilation: "messageExpression compilation failed",
  type: "messageExpression must evaluate to a string",
  program: "messageExpression instantiation failed",
};

function faultOf(compiled: Compiled, type: string, texts: FaultTexts): string | undefined {
  if (compiled.fault !== undefined) return `${texts.compilation}: ${compiled.fault}`;
  if (compiled.unknown === undefined && compiled.type.name !== type) return texts.type;
  return compiled.unbuilt === undefined ? undefined : `${texts.program}: ${compiled.unbuilt}`;
}

/** What an expression costs, as often as it is evaluated, and what the server says to that. */
function costed(
  { unknown, checked }: Compiled,
  field: string,
  what: string,
  count: number,
  { value, model, known }: Judge,
): Pick<Judged, "errors" | "costs"> {
  if (checked === undefined || model === undefined || unknown !== undefined) return { errors: [], costs: [] };
  const cost = multiply(estimateCost(checked, value, model), count);
  const { expression: limit } = COST_LIMITS;
  return {
    errors: cost > limit && !known.isUnchanged ? [tooExpensive(field, what, cost, limit)] : [],
    costs: [{ field, cost }],
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
