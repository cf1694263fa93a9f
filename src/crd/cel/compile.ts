/**
 * The types of an expression in CEL, as an API server finds them when it compiles one (google/cel-go checker/checker.go).
 * Types of the library that parses are not used: it has objects that cannot be null, looks at no member within has(),
 * and takes one signature of a function by the number of its arguments.
 */
import type { Minor } from "../../core/minor.js";
import type { Checked, CheckedCall } from "./checked.js";
import { argumentFault, constantFaults, formatFault, literalFault } from "./constants.js";
import {
  type CelCall,
  type CelConstant,
  type CelExpression,
  type CelFold,
  type CelLiteral,
  type CelSelect,
  dottedName,
} from "./expressions.js";
import { type CelOverload, type CelVocabulary, overloadOf, vocabularyOf } from "./functions.js";
import { loadParse } from "./parse.js";
import {
  BOOL,
  BYTES,
  CEL_KEYWORDS,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  ERROR,
  formatType,
  INT,
  isSameType,
  isWild,
  listOf,
  mapOf,
  NULL,
  OpenTypes,
  optionalOf,
  parseType,
  STRING,
  TIMESTAMP,
  typeOfType,
  UINT,
} from "./types.js";

/** What compiling an expression gives. */
export interface Compiled {
  /** Why the server refuses it; undefined where it does not. */
  readonly fault: string | undefined;
  /** Of a sound expression: why no program can be made of it. */
  readonly unbuilt: string | undefined;
  /** What nobody here can tell, so that the server may refuse the expression; undefined where all is known. */
  readonly unknown: string | undefined;
  readonly type: CelType;
  /** Variables that it reads. */
  readonly reads: ReadonlySet<string>;
  /** The expression with what is known of it; undefined where it could not be read. */
  readonly checked: Checked | undefined;
}

export type Compile = (
  expression: string,
  variables: ReadonlyMap<string, CelType>,
  release: Minor | undefined,
) => Compiled;

interface Context {
  readonly types: OpenTypes;
  readonly vocabulary: CelVocabulary;
  readonly variables: ReadonlyMap<string, CelType>;
  readonly reads: Set<string>;
  readonly faults: string[];
  readonly unknown: string[];
  readonly found: Map<CelExpression, CelType>;
  readonly calls: Map<CelExpression, CheckedCall>;
  /** Types that lists and maps written out hold, which have to be the same when all is known, but for those of format(). */
  readonly literals: (readonly CelType[])[];
  /** Calls of format() whose text is written out, with their arguments. */
  readonly formats: { readonly text: string; readonly args: readonly CelExpression[] }[];
  /** How many calls of format() are around. */
  depth: number;
}
type Scope = ReadonlyMap<string, CelType>;

/** Compiles by the types of the variables; `release` is that of the environment, everything known where it is left out. */
export async function loadCompile(): Promise<Compile> {
  const parse = await loadParse();
  return (expression, variables, release) => {
    const vocabulary = vocabularyOf(release);
    const { tree, fault, unknown } = parse(expression, vocabulary.macros);
    return tree === undefined
      ? { fault, unbuilt: undefined, unknown, type: ERROR, reads: new Set<string>(), checked: undefined }
      : compileTree(tree, variables, vocabulary);
  };
}

function compileTree(tree: CelExpression, variables: Scope, vocabulary: CelVocabulary): Compiled {
  const context: Context = {
    types: new OpenTypes(),
    vocabulary,
    variables,
    reads: new Set(),
    faults: [],
    unknown: [],
    found: new Map(),
    calls: new Map(),
    literals: [],
    formats: [],
    depth: 0,
  };
  const type = context.types.known(typeOf(context, tree, variables), true);
  for (const each of context.literals) {
    const [first, ...rest] = each.map((own) => context.types.known(own, true));
    const other = rest.find((own) => first !== undefined && !isSameType(first, own));
    if (first !== undefined && other !== undefined)
      fault(context, `expected type '${formatType(first)}' but found '${formatType(other)}'`);
  }
  const checked: Checked = {
    tree,
    typeOf: (each) => context.types.known(context.found.get(each) ?? ERROR, true),
    isName: ({ operand }) => !context.found.has(operand),
    callOf: (each) => context.calls.get(each),
  };
  for (const { text, args } of context.formats) {
    const found = formatFault(text, args, checked);
    if (found !== undefined) fault(context, found);
  }
  const { faults, unknown, reads } = context;
  const unbuilt = faults.length === 0 ? constantFaults(checked)[0] : undefined;
  return { fault: faults[0], unbuilt, unknown: unknown[0], type, reads, checked };
}

function fault(context: Context, text: string): CelType {
  context.faults.push(text);
  return ERROR;
}

/** The type of an expression, found once: a macro may use what it is given twice. */
function typeOf(context: Context, expression: CelExpression, scope: Scope): CelType {
  const known = context.found.get(expression);
  if (known !== undefined) return known;
  const type = ownType(context, expression, scope);
  context.found.set(expression, type);
  return type;
}

function ownType(context: Context, expression: CelExpression, scope: Scope): CelType {
  const of = (each: CelExpression): CelType => typeOf(context, each, scope);
  switch (expression.kind) {
    case "literal":
      return literalType(context, expression);
    case "name":
      return nameType(context, expression.name, scope);
    case "select":
      return selectType(context, expression, scope);
    case "call":
      return callType(context, expression, scope);
    case "list":
      return listOf(joined(context, expression.items.map(of)));
    case "map": {
      const types = expression.entries.map(([key, value]) => [of(key), of(value)] as const);
      return mapOf(
        joined(
          context,
          types.map(([key]) => key),
        ),
        joined(
          context,
          types.map(([, value]) => value),
        ),
      );
    }
    case "fold":
      return foldType(context, expression, scope);
    case "fault":
      return fault(context, expression.fault);
  }
}

function literalType(context: Context, { value }: CelLiteral): CelType {
  const wrong = literalFault(value);
  return wrong === undefined ? constantType(value) : fault(context, wrong);
}

function constantType(value: CelConstant): CelType {
  switch (typeof value) {
    case "string":
      return STRING;
    case "bigint":
      return INT;
    case "number":
      return DOUBLE;
    case "boolean":
      return BOOL;
    default:
      if (value === null) return NULL;
      return value instanceof Uint8Array ? BYTES : UINT;
  }
}

// ---- names ----

const TYPE_NAMES: ReadonlyMap<string, CelType> = new Map([
  ...["bool", "bytes", "double", "int", "string", "uint"].map((name): [string, CelType] => [
    name,
    parseType(name),
  ]),
  ["null_type", NULL],
  ["list", listOf(DYN)],
  ["map", mapOf(DYN, DYN)],
  ["type", typeOfType(DYN)],
  ["google.protobuf.Duration", DURATION],
  ["google.protobuf.Timestamp", TIMESTAMP],
]);

function nameType(context: Context, name: string, scope: Scope): CelType {
  const declared = scope.get(name);
  if (declared !== undefined) {
    if (declared === context.variables.get(name)) context.reads.add(name);
    return declared;
  }
  const type = TYPE_NAMES.get(name);
  return type === undefined ? undeclared(context, name) : typeOfType(type);
}

const undeclared = (context: Context, name: string): CelType =>
  fault(context, `undeclared reference to '${name}' (in container '')`);

function selectType(context: Context, expression: CelSelect, scope: Scope): CelType {
  const { operand, field, isTest } = expression;
  const named = isTest ? undefined : typeName(context, expression, scope);
  if (named !== undefined) return named;
  const found = selected(context, typeOf(context, operand, scope), field, false);
  return isTest ? BOOL : found;
}

/** The type that a dotted name such as google.protobuf.Timestamp stands for. */
function typeName(context: Context, expression: CelSelect, scope: Scope): CelType | undefined {
  const name = dottedName(expression);
  if (name === undefined || scope.has(name.slice(0, name.indexOf(".")))) return undefined;
  const type = TYPE_NAMES.get(name);
  if (type !== undefined) return typeOfType(type);
  if (!/^(?:google|kubernetes|net)\./.test(name)) return undefined;
  context.unknown.push(`cannot determine whether ${name} is a type`);
  return ERROR;
}

function selected(context: Context, operand: CelType, field: string, isOptional: boolean): CelType {
  const type = context.types.known(operand);
  const [inner] = type.of;
  const target = type.name === "optional_type" && inner !== undefined ? inner : type;
  const found = memberType(context, target, field);
  return isOptional || target !== type ? optionalOf(found) : found;
}

function memberType(context: Context, target: CelType, field: string): CelType {
  if (target.fields !== undefined) {
    const isKeyword = context.vocabulary.keywordMembers && CEL_KEYWORDS.has(field);
    const found = target.fields.get(field) ?? target.fields.get(isKeyword ? `__${field}__` : field);
    return found ?? fault(context, `undefined field '${field}'`);
  }
  if (target.name === "map") return target.of[1] ?? DYN;
  if (target.name.startsWith("?")) context.types.fits([DYN], [target]);
  else if (!isWild(target))
    return fault(context, `type '${formatType(target)}' does not support field selection`);
  return DYN;
}

// ---- calls ----

function callType(context: Context, expression: CelCall, scope: Scope): CelType {
  const { name, target, args } = expression;
  const { functions } = context.vocabulary;
  if (name === "_?._") return optionalMember(context, expression, scope);
  if (target === undefined) {
    const types = args.map((each) => typeOf(context, each, scope));
    if (name === "_&&_" || name === "_||_") for (const each of types) needBool(context, each);
    if (!functions.has(name) && name !== NOT_FALSE) return undeclared(context, name);
    return called(context, expression, name, undefined, types);
  }
  const prefix = dottedName(target);
  const qualified = prefix === undefined ? name : `${prefix}.${name}`;
  if (prefix !== undefined && functions.has(qualified)) {
    const types = args.map((each) => typeOf(context, each, scope));
    return called(context, expression, qualified, undefined, types);
  }
  const isFormat = name === "format";
  if (isFormat) context.depth++;
  const types = [target, ...args].map((each) => typeOf(context, each, scope));
  if (isFormat) context.depth--;
  if (!functions.has(name)) return undeclared(context, name);
  const [list] = args;
  if (isFormat && target.kind === "literal" && typeof target.value === "string" && list?.kind === "list")
    context.formats.push({ text: target.value, args: list.items });
  return called(context, expression, name, target, types);
}

function optionalMember(context: Context, expression: CelCall, scope: Scope): CelType {
  const [operand, field] = expression.args;
  const [overload] = context.vocabulary.functions.get("_?._") ?? [];
  if (overload === undefined || operand === undefined) return fault(context, "unsupported syntax '.?'");
  const name = field?.kind === "literal" && typeof field.value === "string" ? field.value : "";
  const type = selected(context, typeOf(context, operand, scope), name, true);
  if (field !== undefined) typeOf(context, field, scope);
  context.calls.set(expression, { name: "_?._", target: undefined, overloads: [overload] });
  return type;
}

const NOT_FALSE = "@not_strictly_false";
const LOGICAL: ReadonlyMap<string, readonly CelOverload[]> = new Map([
  [NOT_FALSE, [overloadOf(`${NOT_FALSE}(bool): bool`, false)]],
]);

/** The result of a function: that of the signature that fits, dynamic where several fit whose results differ. */
function called(
  context: Context,
  expression: CelCall,
  name: string,
  target: CelExpression | undefined,
  args: readonly CelType[],
): CelType {
  const overloads: CelOverload[] = [];
  let result: CelType | undefined;
  for (const overload of context.vocabulary.functions.get(name) ?? LOGICAL.get(name) ?? []) {
    if (overload.isMethod !== (target !== undefined)) continue;
    const own = new Map<string, CelType>();
    const wanted = overload.args.map((each) => instance(context, each, own));
    if (!context.types.fits(args, wanted)) continue;
    overloads.push(overload);
    const given = context.types.known(instance(context, overload.result, own));
    if (result === undefined || result.name === DYN.name) result ??= given;
    else if (!isSameType(result, given)) result = DYN;
  }
  if (result !== undefined) {
    context.calls.set(expression, { name, target, overloads });
    const wrong = argumentFault(name, expression.args);
    return wrong === undefined ? result : fault(context, wrong);
  }
  // What has no truth value was told by its place.
  if (name === "_&&_" || name === "_||_") return BOOL;
  const [first, ...rest] = args.map((each) => formatType(context.types.known(each)));
  const applied = target === undefined ? `(${[first, ...rest].join(", ")})` : `${first}.(${rest.join(", ")})`;
  return fault(context, `found no matching overload for '${name}' applied to '${applied}'`);
}

/** The type with a new open type for each of its parameters. */
function instance(context: Context, type: CelType, own: Map<string, CelType>): CelType {
  if (/^[A-Z]$/.test(type.name)) {
    const known = own.get(type.name) ?? context.types.fresh();
    own.set(type.name, known);
    return known;
  }
  return type.of.length === 0 ? type : { ...type, of: type.of.map((each) => instance(context, each, own)) };
}

function needBool(context: Context, type: CelType): void {
  if (!context.types.fits([type], [BOOL]))
    fault(context, `expected type 'bool' but found '${formatType(context.types.known(type))}'`);
}

/** What the items of a list that is written out have in common. */
function joined(context: Context, types: readonly CelType[]): CelType {
  if (context.depth === 0) context.literals.push(types);
  const common = types.reduce<CelType | undefined>(
    (before, each) =>
      before === undefined
        ? each
        : context.types.fits([before], [each])
          ? context.types.moreGeneral(before, each)
          : DYN,
    undefined,
  );
  return common ?? context.types.fresh();
}

// ---- loops ----

function foldType(context: Context, fold: CelFold, scope: Scope): CelType {
  const range = typeOf(context, fold.range, scope);
  const start = typeOf(context, fold.start, scope);
  const types = itemTypes(context, range, fold.names.length);
  const outside = new Map([...scope, [fold.accumulator, start]]);
  const inside = new Map([
    ...outside,
    ...fold.names.map((each, i): [string, CelType] => [each, types[i] ?? DYN]),
  ]);
  needBool(context, typeOf(context, fold.condition, inside));
  const step = typeOf(context, fold.step, inside);
  if (!context.types.fits([start], [step]))
    fault(
      context,
      `expected type '${formatType(context.types.known(start))}' but found '${formatType(context.types.known(step))}'`,
    );
  return context.types.known(typeOf(context, fold.result, outside));
}

/** The types of what a loop goes through: items, or index and item; keys, or key and value. */
function itemTypes(context: Context, given: CelType, names: number): readonly CelType[] {
  const range = context.types.known(given);
  const [first = DYN, second = DYN] = range.of;
  if (range.name === "list") return names === 1 ? [first] : [INT, first];
  if (range.name === "map") return names === 1 ? [first] : [first, second];
  if (isWild(range) || range.name.startsWith("?")) {
    context.types.fits([DYN], [range]);
    return [DYN, DYN];
  }
  fault(
    context,
    `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
  );
  return [ERROR, ERROR];
}
