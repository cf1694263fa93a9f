/**
 * Macros of CEL, written out as a server does it when it parses an expression (google/cel-go parser/macro.go,
 * cel/library.go, ext/comprehensions.go, ext/lists.go). Which of them a release has is in the vocabulary.
 */
import {
  type CelConstant,
  type CelExpression,
  type CelFold,
  call,
  listOfItems,
  literal,
  memberCall,
  nameOf,
} from "./expressions.js";

/** The name of what loops accumulate, which no expression can write. */
export const ACCUMULATOR = "@result";

/** @param args those of the call; the macro is only asked for with as many as the vocabulary names */
type Macro = (target: CelExpression, args: readonly CelExpression[]) => CelExpression;

/** What the call of a macro stands for; undefined for a name that is none. */
export function expandMacro(
  name: string,
  target: CelExpression,
  args: readonly CelExpression[],
): CelExpression | undefined {
  return MACROS.get(name)?.(target, args);
}

/** has(): whether a member is there. */
export const expandHas = (argument: CelExpression | undefined): CelExpression =>
  argument?.kind === "select" && !argument.isTest
    ? { ...argument, isTest: true }
    : { kind: "fault", fault: "invalid argument to has() macro" };

const accumulated = (): CelExpression => nameOf(ACCUMULATOR);

type Loop = Omit<CelFold, "kind" | "range" | "names" | "accumulator">;

/** A loop over the target; the arguments begin with one or two names. */
function loop(
  target: CelExpression,
  args: readonly CelExpression[],
  count: number,
  parts: (names: readonly string[], rest: readonly CelExpression[]) => Loop,
): CelExpression {
  const given = args.slice(0, count);
  const names = given.flatMap((each) => (each.kind === "name" ? [each.name] : []));
  if (names.length < count) return { kind: "fault", fault: "argument must be a simple name" };
  if (names.some((each) => each === "__result__"))
    return { kind: "fault", fault: "iteration variable overwrites accumulator variable" };
  if (count === 2 && names[0] === names[1])
    return { kind: "fault", fault: `duplicate variable name: ${names[0]}` };
  const own = parts(names, args.slice(count));
  return { kind: "fold", range: target, names, accumulator: ACCUMULATOR, ...own };
}

const NONE: CelExpression = { kind: "fault", fault: "an argument is missing" };

/** One that goes by a predicate: of one name where there are two arguments, else of two. */
const quantifier =
  (parts: (predicate: CelExpression) => Loop): Macro =>
  (target, args) =>
    loop(target, args, args.length - 1, (_, [predicate = NONE]) => parts(predicate));

/** As many names as given; then a value to make of each item, before it a filter where there is one. */
const transform =
  (
    count: number,
    start: () => CelExpression,
    next: (value: CelExpression, names: readonly string[]) => CelExpression,
  ): Macro =>
  (target, args) =>
    loop(target, args, count, (names, rest) => {
      const step = next(rest.at(-1) ?? NONE, names);
      const [filter] = rest.length > 1 ? rest : [];
      return {
        start: start(),
        condition: literal(true),
        step: filter === undefined ? step : call("_?_:_", filter, step, accumulated()),
        result: accumulated(),
      };
    });

const emptyMap = (): CelExpression => ({ kind: "map", entries: [] });
const appended = (value: CelExpression): CelExpression => call("_+_", accumulated(), listOfItems(value));

const counting = (start: CelConstant, one: CelConstant): Macro =>
  quantifier((predicate) => ({
    start: literal(start),
    condition: literal(true),
    step: call("_?_:_", predicate, call("_+_", accumulated(), literal(one)), accumulated()),
    result: call("_==_", accumulated(), literal(one)),
  }));
const exactlyOne = counting(0n, 1n);

/** Names a value for an expression: a loop that never turns. */
const bound = (name: string, value: CelExpression, result: CelExpression): CelExpression => ({
  kind: "fold",
  range: listOfItems(),
  names: ["#unused"],
  accumulator: name,
  start: value,
  condition: literal(false),
  step: nameOf(name),
  result,
});

const optional =
  (wrap: (value: CelExpression) => CelExpression): Macro =>
  (target, [name, value = NONE]) =>
    name?.kind === "name"
      ? call(
          "_?_:_",
          memberCall(target, "hasValue"),
          wrap(bound(name.name, memberCall(target, "value"), value)),
          call("optional.none"),
        )
      : { kind: "fault", fault: "variable name must be a simple identifier" };

const SORTED = "@__sortBy_input__";
const map = transform(1, listOfItems, appended);

const MACROS: ReadonlyMap<string, Macro> = new Map([
  [
    "all",
    quantifier((predicate) => ({
      start: literal(true),
      condition: call("@not_strictly_false", accumulated()),
      step: call("_&&_", accumulated(), predicate),
      result: accumulated(),
    })),
  ],
  [
    "exists",
    quantifier((predicate) => ({
      start: literal(false),
      condition: call("@not_strictly_false", call("!_", accumulated())),
      step: call("_||_", accumulated(), predicate),
      result: accumulated(),
    })),
  ],
  ["exists_one", exactlyOne],
  ["existsOne", exactlyOne],
  ["map", map],
  [
    "filter",
    (target, args) =>
      loop(target, args, 1, ([name = ""], [predicate = NONE]) => ({
        start: listOfItems(),
        condition: literal(true),
        step: call("_?_:_", predicate, appended(nameOf(name)), accumulated()),
        result: accumulated(),
      })),
  ],
  ["transformList", transform(2, listOfItems, appended)],
  [
    "transformMap",
    transform(2, emptyMap, (value, [key = ""]) => call("cel.@mapInsert", accumulated(), nameOf(key), value)),
  ],
  ["transformMapEntry", transform(2, emptyMap, (value) => call("cel.@mapInsert", accumulated(), value))],
  [
    "sortBy",
    (target, args) =>
      target.kind === "literal" || target.kind === "map"
        ? {
            kind: "fault",
            fault:
              "sortBy can only be applied to a list, identifier, comprehension, call or select expression",
          }
        : bound(
            SORTED,
            target,
            memberCall(nameOf(SORTED), "@sortByAssociatedKeys", map(nameOf(SORTED), args)),
          ),
  ],
  ["optMap", optional((value) => call("optional.of", value))],
  ["optFlatMap", optional((value) => value)],
]);
