import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonObject } from "../../src/core/json.js";
import { matchesSelector, readSelector } from "../../src/kubernetes/selectors.js";

const test = suite("label selectors");
const LABELS = new Map([
  ["a", "1"],
  ["b", ""],
]);
const expression = (key: string, operator: string, ...values: string[]): JsonObject => ({
  matchExpressions: [values.length > 0 ? { key, operator, values } : { key, operator }],
});

const MATCHES: readonly [string, JsonObject, boolean][] = [
  ["an empty one matches everything", {}, true],
  ["null members count as absent", { matchLabels: null, matchExpressions: null }, true],
  ["all labels", { matchLabels: { a: "1", b: "" } }, true],
  ["another value", { matchLabels: { a: "2" } }, false],
  ["a missing label", { matchLabels: { c: "1" } }, false],
  ["In", expression("a", "In", "0", "1"), true],
  ["In, missing", expression("c", "In", "1"), false],
  ["NotIn", expression("a", "NotIn", "1"), false],
  ["NotIn, missing label", expression("c", "NotIn", "1"), true],
  ["Exists with an empty value", expression("b", "Exists"), true],
  ["DoesNotExist", expression("b", "DoesNotExist"), false],
  ["both must hold", { matchLabels: { a: "1" }, ...expression("c", "Exists") }, false],
];
for (const [name, selector, expected] of MATCHES)
  test(name, () => {
    const read = readSelector(selector);
    assert.equal(read.problems, []);
    assert.is(matchesSelector(read, LABELS), expected);
  });

const BROKEN: readonly [JsonObject, string][] = [
  [{ matchlabels: {} }, "matchlabels"],
  [{ matchLabels: [] }, "matchLabels"],
  [{ matchLabels: { a: 1 } }, "matchLabels[a]"],
  [{ matchLabels: { "a b": "1" } }, ""],
  [{ matchLabels: { a: "x y" } }, ""],
  [{ matchExpressions: {} }, "matchExpressions"],
  [{ matchExpressions: ["a"] }, "matchExpressions[0]"],
  [{ matchExpressions: [{ operator: "In" }] }, "matchExpressions[0].key"],
  [expression("a", "in", "1"), "matchExpressions[0].operator"],
  [expression("a", "In"), "matchExpressions[0].values"],
  [expression("a", "Exists", "1"), "matchExpressions[0].values"],
  [{ matchExpressions: [{ key: "a", operator: "In", values: [1] }] }, "matchExpressions[0].values"],
];
test("what is malformed is reported at its field", () => {
  for (const [selector, field] of BROKEN)
    assert.equal(
      readSelector(selector).problems.map((problem) => problem.field),
      [field],
      JSON.stringify(selector),
    );
});

test.run();
