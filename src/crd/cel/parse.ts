/**
 * Reads expressions in CEL into the tree that a server has of them. The library that parses leaves macros as calls, and
 * signs and negations as they are written; both are brought into the server's form here.
 */
import type { ASTNode, Environment } from "@marcbachmann/cel-js";
import {
  type CelConstant,
  type CelExpression,
  call,
  listOfItems,
  literal,
  memberCall,
  nameOf,
} from "./expressions.js";
import { expandHas, expandMacro } from "./macros.js";

export interface Parsed {
  readonly tree?: CelExpression;
  readonly fault?: string;
  /** Why nobody here can read it, though a server may. */
  readonly unknown?: string;
}

/** @param macros those that the expression may use, as `exists/2`: a name with the number of its arguments */
export type Parse = (text: string, macros: ReadonlySet<string>) => Parsed;

/** Expressions of more parts are left to the server. */
const MOST_NODES = 3_000;
/** So are those that are deeper: a walk through them takes too deep a stack. A server's own limit is below, but for && and ||. */
const MOST_DEPTH = 400;
/** A server's own limits (google/cel-go parser/parser.go: expressionSizeCodePointLimit, maxRecursionDepth). */
const MOST_CODE_POINTS = 100_000;
const MOST_STEPS = 250;
/** What a server does not count as a step down. */
const WITHOUT_STEP: ReadonlySet<ASTNode["op"]> = new Set([
  "value",
  "id",
  "call",
  "list",
  "map",
  "!_",
  "-_",
  "&&",
  "||",
]);
const TOO_MANY_STEPS = "max recursion depth exceeded";
const TOO_DEEP = "slipway cannot parse it (it is nested too deeply)";

export async function loadParse(): Promise<Parse> {
  const { Environment, ParseError } = await import("@marcbachmann/cel-js");
  const options = { unlistedVariablesAreDyn: true, enableOptionalTypes: true };
  const environment = new Environment({ ...options, limits: { maxAstNodes: MOST_NODES } });
  // The library has a limit of its own, which is reached before a server's; this one reads on, to count as a server does.
  const further = new Environment({ ...options, limits: { maxAstNodes: MOST_NODES, maxDepth: MOST_NODES } });
  return (text, macros) => {
    const parsed = parseWith(environment, text, macros, ParseError);
    return parsed.unknown !== undefined && isTooDeepForServer(further, text)
      ? { fault: TOO_MANY_STEPS }
      : parsed;
  };
}

function isTooDeepForServer(environment: Environment, text: string): boolean {
  try {
    return depthOf(environment.parse(text).ast).steps > MOST_STEPS;
  } catch {
    // What cannot be read is told already.
    return false;
  }
}

function parseWith(
  environment: Environment,
  text: string,
  macros: ReadonlySet<string>,
  ParseError: new (message: string) => Error & { readonly code: string },
): Parsed {
  const size = text.length > MOST_CODE_POINTS ? [...text].length : 0;
  if (size > MOST_CODE_POINTS)
    return {
      fault: `expression code point size exceeds limit: size: ${size}, limit ${MOST_CODE_POINTS}`,
    };
  try {
    const { ast } = environment.parse(text);
    const { depth, steps } = depthOf(ast);
    if (steps > MOST_STEPS) return { fault: TOO_MANY_STEPS };
    return depth > MOST_DEPTH ? { unknown: TOO_DEEP } : { tree: treeOf(ast, macros) };
  } catch (error) {
    // The library goes down a step for each sign, parenthesis and bracket before it counts any.
    if (error instanceof RangeError) return { unknown: TOO_DEEP };
    if (!(error instanceof ParseError)) throw error;
    const fault = error.message.split("\n")[0] ?? "";
    return error.code === "limit_exceeded" || UNREAD.test(withoutTexts(text))
      ? { unknown: `slipway cannot parse it (${fault})` }
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

/** How deep a tree is, and how deep a server counts it: operators, members, indexes and calls of methods. */
function depthOf(tree: ASTNode): { readonly depth: number; readonly steps: number } {
  let [depth, steps] = [0, 0];
  for (let level = [{ node: tree, above: 0 }]; level.length > 0; depth++)
    level = level.flatMap(({ node, above }) => {
      const own = above + (WITHOUT_STEP.has(node.op) ? 0 : 1);
      steps = Math.max(steps, own);
      return partsOf(node).map((part) => ({ node: part, above: own }));
    });
  return { depth, steps };
}

function partsOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case "value":
    case "id":
      return [];
    case ".":
    case ".?":
      return [node.args[0]];
    case "call":
      return node.args[1];
    case "rcall":
      return [node.args[1], ...node.args[2]];
    case "map":
      return node.args.flat();
    case "!_":
    case "-_":
      return [node.args];
    default:
      return node.args;
  }
}

function treeOf(node: ASTNode, macros: ReadonlySet<string>): CelExpression {
  const of = (each: ASTNode): CelExpression => treeOf(each, macros);
  switch (node.op) {
    case "value":
      return literal(constantOf(node.args));
    case "id":
      return nameOf(node.args);
    case ".":
      return { kind: "select", operand: of(node.args[0]), field: node.args[1], isTest: false };
    case ".?":
      return call("_?._", of(node.args[0]), literal(node.args[1]));
    case "[]":
      return call("_[_]", ...node.args.map(of));
    case "[?]":
      return call("_[?_]", ...node.args.map(of));
    case "call": {
      const [name, args] = node.args;
      return name === "has" && args.length === 1 ? expandHas(args.map(of)[0]) : call(name, ...args.map(of));
    }
    case "rcall": {
      const [name, receiver, args] = node.args;
      const target = of(receiver);
      const given = args.map(of);
      const macro = macros.has(`${name}/${args.length}`) ? expandMacro(name, target, given) : undefined;
      return macro ?? memberCall(target, name, ...given);
    }
    case "list":
      return listOfItems(...node.args.map(of));
    case "map":
      return { kind: "map", entries: node.args.map(([key, value]) => [of(key), of(value)] as const) };
    case "?:":
      return call("_?_:_", ...node.args.map(of));
    case "!_":
    case "-_":
      return negated(node, of);
    case "in":
      return call("@in", ...node.args.map(of));
    default:
      return call(`_${node.op}_`, ...node.args.map(of));
  }
}

type Negation = Extract<ASTNode, { op: "!_" | "-_" }>;

/** Two signs that stand side by side are none, and one before a number is a part of it. */
function negated(node: Negation, of: (node: ASTNode) => CelExpression): CelExpression {
  const inner = node.args;
  const isBeside = node.input.slice(node.start + 1, inner.start).trim() === "";
  if (isBeside && inner.op === node.op) return of(inner.args);
  if (isBeside && node.op === "-_" && inner.op === "value") {
    if (typeof inner.args === "bigint" || typeof inner.args === "number") return literal(-inner.args);
  }
  return call(node.op, of(inner));
}

function constantOf(value: Extract<ASTNode, { op: "value" }>["args"]): CelConstant {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  return { unsigned: value.value };
}
