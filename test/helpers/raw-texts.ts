/**
 * Finds what goes into an emitted text as it is. A part of a template is fine where it was written by slipway: a
 * number, one of some fixed words, a constant, or what one of the functions made that every text passes on its way out.
 * Anything else is raw: what it holds may come from an input.
 */
import { ts } from "ts-morph";

/** How a text is looked at: the functions that make a text harmless in what is being written. */
export interface Judge {
  readonly checker: ts.TypeChecker;
  readonly passing: ReadonlySet<string>;
}

const SAFE_FLAGS =
  ts.TypeFlags.NumberLike | ts.TypeFlags.BooleanLike | ts.TypeFlags.BigIntLike | ts.TypeFlags.StringLiteral;
const NOTHING = ts.TypeFlags.Undefined | ts.TypeFlags.Null | ts.TypeFlags.Never;

/** A number, or one of some fixed words; lists of them too. */
function isFixed(type: ts.Type, checker: ts.TypeChecker): boolean {
  if (type.isUnion()) return type.types.every((each) => isFixed(each, checker));
  if ((type.flags & (SAFE_FLAGS | NOTHING)) !== 0) return true;
  const item = checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference)[0] : undefined;
  return item !== undefined && isFixed(item, checker);
}

/** Methods whose result holds nothing but what the text or list held, or what is given. */
const KEEPING = new Set(
  "join map flatMap filter sort toSorted slice at trim trimEnd trimStart repeat padEnd padStart concat reverse split replace replaceAll toUpperCase toLowerCase flat".split(
    " ",
  ),
);

/** True where nothing of an input is in the value, but what passed. */
export function isSafe(node: ts.Node, judge: Judge, open: ReadonlySet<ts.Node> = new Set()): boolean {
  const { checker, passing } = judge;
  if (open.has(node)) return true;
  const within = new Set([...open, node]);
  const safe = (each: ts.Node): boolean => isSafe(each, judge, within);
  if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node) || ts.isRegularExpressionLiteral(node))
    return true;
  if (ts.isTaggedTemplateExpression(node)) return passing.has(node.tag.getText());
  if (ts.isTemplateExpression(node)) return node.templateSpans.every(({ expression }) => safe(expression));
  if (ts.isParenthesizedExpression(node) || ts.isSpreadElement(node) || ts.isAsExpression(node))
    return safe(node.expression);
  if (ts.isConditionalExpression(node)) return safe(node.whenTrue) && safe(node.whenFalse);
  if (ts.isArrayLiteralExpression(node)) return node.elements.every(safe);
  if (ts.isArrowFunction(node) || ts.isFunctionDeclaration(node)) return returned(node).every(safe);
  if (ts.isExpression(node) && isFixed(checker.getTypeAtLocation(node), checker)) return true;
  if (ts.isBinaryExpression(node)) return safe(node.left) && safe(node.right);
  if (ts.isCallExpression(node)) {
    const { expression: callee } = node;
    const name = ts.isPropertyAccessExpression(callee) ? callee.name.text : callee.getText();
    if (passing.has(name)) return true;
    if (ts.isPropertyAccessExpression(callee) && KEEPING.has(name))
      // What is made of each item counts, not the item.
      return name === "map" || name === "flatMap"
        ? node.arguments.every(safe)
        : safe(callee.expression) && (name === "filter" || name === "sort" || node.arguments.every(safe));
    const made = declarationOf(callee, checker);
    return made !== undefined && safe(made);
  }
  if (ts.isIdentifier(node)) {
    if (passing.has(node.text)) return true;
    const made = declarationOf(node, checker);
    return made !== undefined && safe(made);
  }
  return false;
}

/** What a function gives back. */
function returned(node: ts.ArrowFunction | ts.FunctionDeclaration): ts.Node[] {
  if (node.body === undefined) return [node];
  if (!ts.isBlock(node.body)) return [node.body];
  const found: ts.Node[] = [];
  const visit = (each: ts.Node): void => {
    if (ts.isReturnStatement(each)) {
      if (each.expression !== undefined) found.push(each.expression);
    } else if (!ts.isFunctionLike(each)) ts.forEachChild(each, visit);
  };
  visit(node.body);
  return found;
}

/** The value of a constant or the function behind a name; undefined for parameters and members. */
function declarationOf(node: ts.Node, checker: ts.TypeChecker): ts.Node | undefined {
  const symbol = checker.getSymbolAtLocation(node);
  if (symbol === undefined) return undefined;
  const own = (symbol.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(symbol) : symbol;
  const { valueDeclaration } = own;
  if (valueDeclaration === undefined) return undefined;
  if (ts.isFunctionDeclaration(valueDeclaration)) return valueDeclaration;
  return ts.isVariableDeclaration(valueDeclaration) && ts.isIdentifier(valueDeclaration.name)
    ? valueDeclaration.initializer
    : undefined;
}

/** Parts of a template that are raw. */
export const rawParts = (template: ts.TemplateExpression, judge: Judge): ts.Expression[] =>
  template.templateSpans.map(({ expression }) => expression).filter((each) => !isSafe(each, judge));

/** Tags that quote what they are given. */
const QUOTING = new Set(["shell", "words"]);

/** Every template of a file, those that stand in other templates too, but for those whose tag quotes each value. */
export function templatesIn(file: ts.SourceFile): ts.TemplateExpression[] {
  const found: ts.TemplateExpression[] = [];
  const visit = (node: ts.Node): void => {
    const isQuoted = ts.isTaggedTemplateExpression(node.parent) && QUOTING.has(node.parent.tag.getText());
    if (ts.isTemplateExpression(node) && !isQuoted) found.push(node);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(file, visit);
  return found;
}

/** The text of a template with a blank for each part. */
export const shapeOf = ({ head, templateSpans }: ts.TemplateExpression): string =>
  head.text + templateSpans.map(({ literal }) => `\u0000${literal.text}`).join("");
