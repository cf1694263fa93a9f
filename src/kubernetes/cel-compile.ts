/**
 * The types of an expression in CEL, as an API server finds them when it compiles one (google/cel-go checker/checker.go).
 * Types of the library that parses are not used: it has objects that cannot be null, looks at no member within has(),
 * and takes one signature of a function by the number of its arguments.
 */
import type { ASTNode, Environment } from "@marcbachmann/cel-js";
import type { Minor } from "../core/minor.js";
import { compileGoPattern } from "../text/go-regexp.js";
import { type CelVocabulary, vocabularyOf } from "./cel-functions.js";
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
  listOf,
  mapOf,
  NULL,
  OpenTypes,
  optionalOf,
  parseType,
  STRING,
  TIMESTAMP,
  typeOfType,
} from "./cel-types.js";

/** What compiling an expression gives. */
export interface Compiled {
  /** Why the server refuses it; undefined where it does not. */
  readonly fault: string | undefined;
  /** What nobody here can tell, so that the server may refuse the expression; undefined where all is known. */
  readonly unknown: string | undefined;
  readonly type: CelType;
  /** Variables that it reads. */
  readonly reads: ReadonlySet<string>;
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
  /** Types that lists and maps written out hold, which have to be the same when all is known, but for those of format(). */
  readonly literals: (readonly CelType[])[];
  /** How many calls of format() are around. */
  formats: number;
}
type Scope = ReadonlyMap<string, CelType>;

/** Compiles by the types of the variables; `release` is that of the environment, everything known where it is left out. */
export async function loadCompile(): Promise<Compile> {
  const { Environment, ParseError } = await import("@marcbachmann/cel-js");
  const environment = new Environment({
    unlistedVariablesAreDyn: true,
    enableOptionalTypes: true,
    limits: { maxAstNodes: MOST_NODES },
  });
  const parse = (text: string): Parsed => parseWith(environment, text, ParseError);
  return (expression, variables, release) => {
    const { tree, fault, unknown } = parse(expression);
    const nothing = { fault, unknown, type: ERROR, reads: new Set<string>() };
    return tree === undefined ? nothing : compileTree(tree, variables, vocabularyOf(release));
  };
}

/** Rules of more parts are left to the server: a walk through them takes too deep a stack. */
const MOST_NODES = 3_000;

interface Parsed {
  readonly tree?: ASTNode;
  readonly fault?: string;
  readonly unknown?: string;
}

function parseWith(
  environment: Environment,
  text: string,
  ParseError: new (message: string) => Error & { readonly code: string },
): Parsed {
  try {
    return { tree: environment.parse(text).ast };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const fault = error.message.split("\n")[0] ?? "";
    return error.code === "limit_exceeded" || UNREAD.test(withoutTexts(text))
      ? { unknown: `it cannot be read here (${fault})` }
      : { fault: `Syntax error: ${fault}` };
  }
}

/**
 * What is legal and the library does not read: optional members, objects, names in backticks, absolute names, numbers
 * that begin with a dot, raw bytes, and raw texts that end in a backslash.
 */
const UNREAD =
  /[[{,]\s*\?|`|(?:^|[^\w)\]}"\s])\s*\.\s*\w|[A-Za-z_]\s*\{|[rR][bB]["']|[bB][rR]["']|[rR](?:"[^"]*\\"|'[^']*\\')/;
const withoutTexts = (text: string): string =>
  text.replace(/(?<![rR])(?:"(?:[^"\\]|\\.?)*(?:"|$)|'(?:[^'\\]|\\.?)*(?:'|$))/g, '""');

function compileTree(tree: ASTNode, variables: Scope, vocabulary: CelVocabulary): Compiled {
  const context: Context = {
    types: new OpenTypes(),
    vocabulary,
    variables,
    reads: new Set(),
    faults: [],
    unknown: [],
    literals: [],
    formats: 0,
  };
  const type = context.types.known(typeOf(context, tree, variables), true);
  for (const literal of context.literals) {
    const [first, ...rest] = literal.map((each) => context.types.known(each, true));
    const other = rest.find((each) => first !== undefined && !isSameType(first, each));
    if (first !== undefined && other !== undefined)
      fault(context, `expected type '${formatType(first)}' but found '${formatType(other)}'`);
  }
  const { faults, unknown, reads } = context;
  return { fault: faults[0], unknown: unknown[0], type, reads };
}

function fault(context: Context, text: string): CelType {
  context.faults.push(text);
  return ERROR;
}

function typeOf(context: Context, node: ASTNode, scope: Scope): CelType {
  const of = (each: ASTNode): CelType => typeOf(context, each, scope);
  switch (node.op) {
    case "value":
      return literalType(node.args);
    case "id":
      return nameType(context, node.args, scope);
    case ".": {
      const [operand, field] = node.args;
      return typeName(context, node, scope) ?? selected(context, of(operand), field, false);
    }
    case ".?": {
      const [operand, field] = node.args;
      return context.vocabulary.functions.has("_?._")
        ? selected(context, of(operand), field, true)
        : fault(context, "unsupported syntax '.?'");
    }
    case "[]":
      return called(context, "_[_]", false, node.args.map(of));
    case "[?]":
      return called(context, "_[?_]", false, node.args.map(of));
    case "call": {
      const [name, args] = node.args;
      return name === "has" && args.length === 1
        ? presence(context, args, scope)
        : plainCall(context, name, args, scope);
    }
    case "rcall": {
      const [name, receiver, args] = node.args;
      return (
        macroType(context, name, receiver, args, scope) ?? memberCall(context, name, receiver, args, scope)
      );
    }
    case "list":
      return listOf(joined(context, node.args.map(of)));
    case "map":
      return mapOf(
        joined(
          context,
          node.args.map(([key]) => of(key)),
        ),
        joined(
          context,
          node.args.map(([, value]) => of(value)),
        ),
      );
    case "?:":
      return called(context, "_?_:_", false, node.args.map(of));
    case "&&":
    case "||":
      for (const each of node.args.map(of)) needBool(context, each);
      return BOOL;
    case "!_":
    case "-_":
      return called(context, node.op, false, [of(node.args)]);
    case "in":
      return called(context, "@in", false, node.args.map(of));
    default:
      return called(context, `_${node.op}_`, false, node.args.map(of));
  }
}

function literalType(value: unknown): CelType {
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
      return value instanceof Uint8Array ? BYTES : parseType("uint");
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

/** `a.b.c`, where the expression is nothing but names. */
function dottedName(node: ASTNode): string | undefined {
  if (node.op === "id") return node.args;
  if (node.op !== ".") return undefined;
  const [operand, field] = node.args;
  const before = dottedName(operand);
  return before === undefined ? undefined : `${before}.${field}`;
}

/** The type that a dotted name such as google.protobuf.Timestamp stands for. */
function typeName(context: Context, node: ASTNode, scope: Scope): CelType | undefined {
  const name = dottedName(node);
  if (name === undefined || scope.has(name.slice(0, name.indexOf(".")))) return undefined;
  const type = TYPE_NAMES.get(name);
  if (type !== undefined) return typeOfType(type);
  if (!/^(?:google|kubernetes|net)\./.test(name)) return undefined;
  context.unknown.push(`whether ${name} is a type is not known here`);
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
  else if (target !== DYN && target !== ERROR)
    return fault(context, `type '${formatType(target)}' does not support field selection`);
  return DYN;
}

function presence(context: Context, [argument]: readonly ASTNode[], scope: Scope): CelType {
  if (argument?.op !== ".") return fault(context, "invalid argument to has() macro");
  const [operand, field] = argument.args;
  selected(context, typeOf(context, operand, scope), field, false);
  return BOOL;
}

// ---- calls ----

function plainCall(context: Context, name: string, args: readonly ASTNode[], scope: Scope): CelType {
  const types = args.map((each) => typeOf(context, each, scope));
  if (!context.vocabulary.functions.has(name)) return undeclared(context, name);
  literalArgument(context, name, args);
  return called(context, name, false, types);
}

function memberCall(
  context: Context,
  name: string,
  receiver: ASTNode,
  args: readonly ASTNode[],
  scope: Scope,
): CelType {
  const prefix = dottedName(receiver);
  const qualified = prefix === undefined ? name : `${prefix}.${name}`;
  if (prefix !== undefined && context.vocabulary.functions.has(qualified))
    return plainCall(context, qualified, args, scope);
  const isFormat = name === "format";
  if (isFormat) context.formats++;
  const types = [receiver, ...args].map((each) => typeOf(context, each, scope));
  if (isFormat) context.formats--;
  if (!context.vocabulary.functions.has(name)) return undeclared(context, name);
  literalArgument(context, name, args);
  if (isFormat) formatArguments(context, receiver, args);
  return called(context, name, true, types);
}

/** The result of a function: that of the signature that fits, dynamic where several fit whose results differ. */
function called(context: Context, name: string, isMethod: boolean, args: readonly CelType[]): CelType {
  let result: CelType | undefined;
  for (const overload of context.vocabulary.functions.get(name) ?? []) {
    if (overload.isMethod !== isMethod) continue;
    const own = new Map<string, CelType>();
    const wanted = overload.args.map((each) => instance(context, each, own));
    if (!context.types.fits(args, wanted)) continue;
    const given = context.types.known(instance(context, overload.result, own));
    if (result === undefined || result === DYN) result ??= given;
    else if (!isSameType(result, given)) result = DYN;
  }
  if (result !== undefined) return result;
  const [first, ...rest] = args.map((each) => formatType(context.types.known(each)));
  const applied = isMethod ? `${first}.(${rest.join(", ")})` : `(${[first, ...rest].join(", ")})`;
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
  if (context.formats === 0) context.literals.push(types);
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

/** Texts that are written out as a time, a number or a pattern are read when the rule is compiled. */
function literalArgument(context: Context, name: string, [first]: readonly ASTNode[]): void {
  const check = LITERALS.get(name);
  if (check === undefined || first?.op !== "value" || typeof first.args !== "string") return;
  if (!check(first.args)) fault(context, `invalid ${name} argument`);
}

/** Compiling longer patterns is not worth it; they are taken. */
const isPattern = (text: string): boolean => text.length > 1_000 || compileGoPattern(text) !== undefined;
const fits =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text);

/** What Go reads, and more where its form is wide: what is taken here and wrong is told by the server alone. */
const LITERALS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["duration", fits(/^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/)],
  [
    "timestamp",
    fits(/^\d{4}-(?:0\d|1[0-2])-[0-3]\dT[0-2]?\d:[0-5]\d:[0-5]\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)$/),
  ],
  ["matches", isPattern],
  ["find", isPattern],
  ["findAll", isPattern],
  ["bool", fits(/^(?:1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$/)],
  ["int", fits(/^[-+]?\d+$/)],
  ["uint", fits(/^\d+$/)],
  [
    "double",
    fits(/^[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?|inf(?:inity)?|nan|0x[\da-f_.]+(?:p[-+]?\d+)?)$/i),
  ],
]);

/** A text that is written out and takes another number of values than the list that is written out behind it. */
function formatArguments(context: Context, text: ASTNode, [list]: readonly ASTNode[]): void {
  if (text.op !== "value" || typeof text.args !== "string" || list?.op !== "list") return;
  const wanted = text.args.replaceAll("%%", "").split("%").length - 1;
  if (wanted !== list.args.length)
    fault(context, `arguments supplied to string.format: expected ${wanted}, got ${list.args.length}`);
}

// ---- macros ----

function macroType(
  context: Context,
  name: string,
  receiver: ASTNode,
  args: readonly ASTNode[],
  scope: Scope,
): CelType | undefined {
  if (!context.vocabulary.macros.has(`${name}/${args.length}`) || name === "has") return undefined;
  const macro = MACROS.get(name);
  if (macro === undefined) return undefined;
  const count = macro.names ?? (args.length === macro.most ? 2 : 1);
  const names = args.slice(0, count).map((each) => (each.op === "id" ? each.args : undefined));
  const given = names.filter((each) => each !== undefined);
  if (given.length < count) return fault(context, "argument must be a simple name");
  const range = typeOf(context, receiver, scope);
  return macro.type(
    context,
    range,
    args.slice(count),
    (types) => {
      const inner = new Map([
        ...scope,
        ...given.map((each, i): [string, CelType] => [each, types[i] ?? DYN]),
      ]);
      return (node) => (node === undefined ? ERROR : typeOf(context, node, inner));
    },
    count,
  );
}

type Inner = (types: readonly CelType[]) => (node: ASTNode | undefined) => CelType;

interface Macro {
  /** How many names come first; where one or two may, two when there are `most` arguments. */
  readonly names?: number;
  readonly most?: number;
  /** @param body what stands behind the names; `inner` gives its types where the names have some */
  readonly type: (
    context: Context,
    range: CelType,
    body: readonly ASTNode[],
    inner: Inner,
    names: number,
  ) => CelType;
}

const quantifier = (most: number, each: (context: Context, type: CelType) => void): Macro => ({
  most,
  type: (context, range, [predicate], inner, names) => {
    each(context, inner(itemTypes(context, range, names))(predicate));
    return BOOL;
  },
});

/** For a condition of `_?_:_`, which is told as a call. */
const needCondition = (context: Context, type: CelType): void => {
  called(context, "_?_:_", false, [type, INT, INT]);
};

const transform = (
  names: 1 | 2,
  result: (context: Context, key: CelType, value: CelType) => CelType,
): Macro => ({
  names,
  type: (context, range, body, inner) => {
    const types = itemTypes(context, range, names);
    const of = inner(types);
    const [predicate, value] = body.length === 2 ? body : [undefined, body[0]];
    if (predicate !== undefined) needCondition(context, of(predicate));
    return result(context, types[0] ?? DYN, of(value));
  },
});

const MACROS: ReadonlyMap<string, Macro> = new Map([
  ["all", quantifier(3, needBool)],
  ["exists", quantifier(3, needBool)],
  ["exists_one", quantifier(3, needCondition)],
  ["existsOne", quantifier(3, needCondition)],
  [
    "filter",
    {
      names: 1,
      type: (context, range, [predicate], inner) => {
        const [item = DYN] = itemTypes(context, range, 1);
        needCondition(context, inner([item])(predicate));
        return listOf(item);
      },
    },
  ],
  ["map", transform(1, (_, __, value) => listOf(value))],
  ["transformList", transform(2, (_, __, value) => listOf(value))],
  ["transformMap", transform(2, (_, key, value) => mapOf(key, value))],
  [
    "transformMapEntry",
    transform(2, (context, _, value) => {
      const empty = mapOf(context.types.fresh(), context.types.fresh());
      return called(context, "cel.@mapInsert", false, [empty, value]);
    }),
  ],
  [
    "sortBy",
    {
      names: 1,
      type: (context, range, [key], inner) => {
        const [item = DYN] = itemTypes(context, range, 1);
        return called(context, "@sortByAssociatedKeys", true, [range, listOf(inner([item])(key))]);
      },
    },
  ],
  ["optMap", optionalMacro(optionalOf)],
  ["optFlatMap", optionalMacro((type) => type)],
]);

function optionalMacro(result: (type: CelType) => CelType): Macro {
  return {
    names: 1,
    type: (context, range, [body], inner) => {
      called(context, "hasValue", true, [range]);
      const given = result(inner([called(context, "value", true, [range])])(body));
      return called(context, "_?_:_", false, [BOOL, given, optionalOf(context.types.fresh())]);
    },
  };
}

/** The types of what a macro goes through: items, or index and item; keys, or key and value. */
function itemTypes(context: Context, given: CelType, names: number): readonly CelType[] {
  const range = context.types.known(given);
  const [first = DYN, second = DYN] = range.of;
  if (range.name === "list") return names === 1 ? [first] : [INT, first];
  if (range.name === "map") return names === 1 ? [first] : [first, second];
  if (range === DYN || range === ERROR || range.name.startsWith("?")) {
    context.types.fits([DYN], [range]);
    return [DYN, DYN];
  }
  fault(
    context,
    `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
  );
  return [ERROR, ERROR];
}
