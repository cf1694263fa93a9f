import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonObject } from "../../src/core/json.js";
import { release } from "../../src/core/minor.js";
import { loadCompile } from "../../src/crd/cel/compile.js";
import { ruleErrors } from "../../src/crd/rules.js";

/** Expected answers are those of apiextensions-apiserver 0.37.2. */
const test = suite("validation rules of definitions");

/** Bounded, so that what rules cost is no matter here. */
const TEXT = { type: "string", maxLength: 20 };
const SPEC = {
  type: "object",
  properties: {
    name: TEXT,
    count: { type: "integer" },
    ratio: { type: "number" },
    on: { type: "boolean" },
    port: { "x-kubernetes-int-or-string": true, maxLength: 5 },
    since: { type: "string", format: "date-time" },
    day: { type: "string", format: "date" },
    wait: { type: "string", format: "duration" },
    raw: { type: "string", format: "byte", maxLength: 20 },
    "max-size": { type: "integer" },
    "x.y/z__a": TEXT,
    namespace: TEXT,
    "9lives": TEXT,
    untyped: { "x-kubernetes-preserve-unknown-fields": true },
    tags: { type: "array", maxItems: 5, items: TEXT },
    labels: { type: "object", maxProperties: 5, additionalProperties: { type: "integer" } },
    parts: {
      type: "array",
      maxItems: 5,
      items: { type: "object", properties: { id: TEXT, size: { type: "integer" } } },
    },
    left: { type: "object", properties: { a: TEXT } },
    right: { type: "object", properties: { a: TEXT } },
    pod: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    },
  },
};

const compile = await loadCompile();
const NEW = { expressions: new Set<string>(), isUnchanged: false };

const faultsOf = (schema: JsonObject, minor = "1.36"): string[] =>
  ruleErrors(schema, "S", { compile, release: release(minor) }, NEW, []).errors.map(
    ({ field, message }) => `${field.replace(/x-kubernetes-validations/, "rules")}: ${message}`,
  );
/** What is wrong with a rule of the object above; empty where nothing is. */
function fault(rule: string, rest: JsonObject = {}, minor = "1.36"): string {
  const [first = ""] = faultsOf(
    { type: "object", properties: { spec: { ...SPEC, "x-kubernetes-validations": [{ rule, ...rest }] } } },
    minor,
  );
  return first.replace(
    /^S\.properties\[spec\]\.rules\[0\]\.(rule: Invalid value: \.\.\.: )?((?:compilation|program instantiation) failed: )?/,
    "",
  );
}

const SOUND = [
  "self.name.size() > 1 && self.count < 3",
  "self.count < self.ratio",
  "self.port == 'http' || self.port > 80",
  "self.since < timestamp('2030-01-01T00:00:00Z') && self.day == self.since",
  "self.wait <= duration('1h30m') && self.since + self.wait > self.day",
  "self.raw.size() < 10 && self.raw != b'abc'",
  "self.max__dash__size > 0 && self.x__dot__y__slash__z__underscores__a == self.__namespace__",
  "self.tags.all(t, t.matches('^[a-z]+$')) && self.tags[0] in ['a', 'b']",
  "self.tags.isSorted() && self.tags.map(t, t.size()).sum() < 10",
  "self.tags.exists_one(t, t == self.name) && self.tags.filter(t, t != '').size() > 0",
  "self.labels.all(k, self.labels[k] > 0) && 'a' in self.labels && self.labels.a == 1",
  "self.parts.exists(p, has(p.id) && p.size > 1) && self.parts.map(p, p.size).max() < 9",
  "has(self.left) && self.left.a == self.right.a && self.left != null",
  "self.?left.a.orValue('') == self.name && self.?tags[?0].hasValue()",
  "self.pod.kind == 'Pod' && self.pod.metadata.name.startsWith('x')",
  "self.on ? self.count == 1 : self.count in [2, 3]",
  "type(self.port) == int || type(self.port) == string",
  "dyn(self.name) == 1 || [].size() == 0 || {} == {}",
  "quantity(self.name).isLessThan(quantity('1Gi')) && isURL(self.name) && url(self.name).getScheme() == 'https'",
  "ip(self.name).family() == 4 && cidr('10.0.0.0/8').containsIP(self.name) && ip.isCanonical(self.name)",
  "!format.dns1123Label().validate(self.name).hasValue() && isSemver(self.name)",
  "self.parts.all(i, p, p.size > i) && self.labels.transformMap(k, v, v + 1).size() > 0",
  "self.parts.sortBy(p, p.size)[0].id == 'a' && sets.contains(self.tags, ['a'])",
  "self.name.find('[0-9]+') == self.name.lowerAscii().split(',')[0] && '%s %d'.format([self.name, self.count]) != ''",
  "self.name == oldSelf.name",
];
for (const rule of SOUND) test(`compiles: ${rule}`, () => assert.is(fault(rule), ""));

const FAULTY: readonly (readonly [string, string])[] = [
  ["self.nam == ''", "undefined field 'nam'"],
  ["has(self.nam)", "undefined field 'nam'"],
  ["has(self.left.b)", "undefined field 'b'"],
  ["self.max-size > 1", "undefined field 'max'"],
  ["self.untyped == 1", "undefined field 'untyped'"],
  ["self.pod.spec == ''", "undefined field 'spec'"],
  ["self.parts.exists(p, p.sise > 1)", "undefined field 'sise'"],
  ["self.name.a == ''", "type 'string' does not support field selection"],
  ["spec.name == ''", "undeclared reference to 'spec' (in container '')"],
  ["self.name.sizeof() > 1", "undeclared reference to 'sizeof' (in container '')"],
  ["self.count == 1.0", "found no matching overload for '_==_' applied to '(int, double)'"],
  ["self.name == null", "found no matching overload for '_==_' applied to '(string, null)'"],
  ["self.left == self.right", "found no matching overload for '_==_' applied to '(object, object)'"],
  ["self.labels[1] == 2", "found no matching overload for '_[_]' applied to '(map(string, int), int)'"],
  ["self.left['a'] == ''", "found no matching overload for '_[_]' applied to '(object, string)'"],
  ["self.name.startsWith(1)", "found no matching overload for 'startsWith' applied to 'string.(int)'"],
  ["self.tags.sum() > 0", "found no matching overload for 'sum' applied to 'list(string).()'"],
  ["self.name && true", "expected type 'bool' but found 'string'"],
  ["self.on ? 1 : 'a'", "found no matching overload for '_?_:_' applied to '(bool, int, string)'"],
  [
    "self.count.all(c, c > 0)",
    "expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
  ],
  ["self.tags.all(t, t)", "expected type 'bool' but found 'string'"],
  ["self.parts.all(i, 't', true)", "argument must be a simple name"],
  ["self.count in [1, 'a']", "expected type 'int' but found 'string'"],
  ["self.count in [1, dyn(2)]", "expected type 'int' but found 'dyn'"],
  ["self.name.matches('[')", "invalid matches argument"],
  ["self.wait < duration('1 hour')", "invalid duration argument"],
  ["self.since < timestamp('today')", "invalid timestamp argument"],
  ["int('a') == self.count", "invalid int argument"],
  ["'%s'.format([]) == self.name", "index 0 out of range"],
  ["has(self)", "invalid argument to has() macro"],
  ["self.count", "cel expression must evaluate to a bool"],
  ["self.port", "cel expression must evaluate to a bool"],
];
for (const [rule, expected] of FAULTY)
  test(`does not compile: ${rule}`, () => assert.is(fault(rule), expected));

test("a message is a text, by the same variables", () => {
  const at = "messageExpression: Invalid value: ...: messageExpression ";
  assert.is(fault("true", { messageExpression: "'name is ' + self.name" }), "");
  assert.is(fault("true", { messageExpression: "self.count" }), `${at}must evaluate to a string`);
  assert.is(
    fault("true", { messageExpression: "self.nam" }),
    `${at}compilation failed: undefined field 'nam'`,
  );
});

test("a former value that may be missing is asked for as such, and its flag by rules that read it alone", () => {
  assert.is(fault("oldSelf.orValue(self).name == self.name", { optionalOldSelf: true }), "");
  assert.is(fault("oldSelf.hasValue() || true", { optionalOldSelf: true }), "");
  assert.match(fault("oldSelf.hasValue()"), "found no matching overload for 'hasValue'");
  const useless = (flag: boolean) =>
    `optionalOldSelf: Invalid value: ${flag}: may not be set if oldSelf is not used in rule`;
  assert.is(fault("self.on", { optionalOldSelf: false }), useless(false));
  // A name of the same spelling is no former value.
  assert.is(fault("self.tags.all(oldSelf, oldSelf != '')", { optionalOldSelf: true }), useless(true));
});

test("items have a former value in lists whose items are told apart by keys alone", () => {
  const rules = [{ rule: "self.id == oldSelf.id" }];
  const items = { type: "object", properties: { id: TEXT }, "x-kubernetes-validations": rules };
  const list = (rest: JsonObject): string[] =>
    faultsOf({ type: "object", properties: { spec: { type: "array", maxItems: 5, items, ...rest } } });
  const refusal = `S.properties[spec].items.rules[0].rule: Invalid value: "self.id == oldSelf.id": oldSelf cannot be used on the uncorrelatable portion of the schema within S.properties[spec]`;
  assert.equal(list({}), [refusal]);
  assert.equal(list({ "x-kubernetes-list-type": "atomic" }), [refusal]);
  assert.equal(list({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"] }), []);
  // The list that is further up is named, and values of maps are told apart.
  const values = { type: "object", maxProperties: 5, additionalProperties: items };
  assert.equal(faultsOf(values), []);
  assert.match(
    faultsOf({ type: "object", properties: { spec: { type: "array", maxItems: 5, items: values } } })[0] ??
      "",
    /within S\.properties\[spec\]$/,
  );
});

test("rules at the root of a resource see its name, and nothing else of its metadata", () => {
  const root = (rule: string, properties: JsonObject = {}): string =>
    (faultsOf({ type: "object", properties, "x-kubernetes-validations": [{ rule }] })[0] ?? "").replace(
      /^.*failed: /,
      "",
    );
  assert.is(root("self.metadata.name.size() < 9 && self.kind != self.apiVersion"), "");
  assert.is(root("has(self.metadata.labels)"), "undefined field 'labels'");
  const metadata = (members: JsonObject): JsonObject => ({
    metadata: { type: "object", properties: members },
  });
  const labels = { type: "object", additionalProperties: TEXT };
  assert.is(root("has(self.metadata.labels)", metadata({ name: TEXT, labels })), "undefined field 'labels'");
  const all = { kind: TEXT, apiVersion: TEXT, ...metadata({ name: TEXT, generateName: TEXT, labels }) };
  assert.is(root("has(self.metadata.labels)", all), "");
});

test("a rule of a value without a type has nothing to be compiled by", () => {
  const untyped = {
    "x-kubernetes-preserve-unknown-fields": true,
    "x-kubernetes-validations": [{ rule: "true" }],
  };
  assert.equal(faultsOf({ type: "object", properties: { spec: untyped } }), [
    "S.properties[spec].rules: Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations",
  ]);
});

test("rules know what their release has", () => {
  const since: readonly (readonly [string, string])[] = [
    ["self.namespace == ''", "1.31"],
    ["self.?name.hasValue()", "1.28"],
    ["self.tags.exists_one(t, t == '') && sets.contains(self.tags, [])", "1.29"],
    ["isIP(self.name)", "1.30"],
    ["format.named('uri').hasValue()", "1.31"],
    ["self.parts.all(i, p, i > 0)", "1.32"],
    ["isSemver(self.name)", "1.33"],
    ["self.tags.distinct().size() > 0", "1.34"],
    ["self.tags.includes('a')", "1.37"],
  ];
  for (const [rule, first] of since) {
    const before = `1.${Number(first.slice(2)) - 1}`;
    assert.is(fault(rule, {}, first), "", rule);
    assert.is.not(fault(rule, {}, before), "", `${rule} at ${before}`);
  }
});

test("what is not read here is not called wrong, and what is wrong beside it is", () => {
  const unknown = (rule: string) =>
    ruleErrors({ type: "object", "x-kubernetes-validations": [{ rule }] }, "S", { compile }, NEW, []);
  for (const rule of [
    "[?self.?kind].size() > 0",
    "{?'a': self.?kind}.size() > 0",
    ".self.kind == ''",
    "1 > .5",
    String.raw`self.kind != r"\"`,
    "google.protobuf.Any{} == self",
    "self.`kind` == ''",
    // The server refuses it, but no tree is made of so many nodes here.
    `${"1 + ".repeat(24_000)}1 > self.kind`,
    `${"[".repeat(900)}1${"]".repeat(900)} == []`,
    `${"(".repeat(5_000)}1${")".repeat(5_000)} > self.kind`,
  ]) {
    const { errors, unknown: open } = unknown(rule);
    assert.equal(errors, [], rule);
    assert.equal(
      open.map((each) => each.rule),
      [rule],
    );
  }
  // As deep as a walk through it is taken.
  for (const part of ["true && ", "1 + 1 == 2 && "])
    assert.equal(unknown(`${part.repeat(390)}self.kind.size() > 0`), { errors: [], last: [], unknown: [] });
  // What cel-go 0.26 says of these.
  for (const [count, message] of [
    [50_000, /code point size exceeds limit: size: 200005, limit 100000$/],
    [1_480, /max recursion depth exceeded$/],
    [250, /max recursion depth exceeded$/],
  ] as const)
    assert.match(unknown(`${"1 + ".repeat(count)}1 > 0`).errors[0]?.message ?? "", message, String(count));
  assert.equal(unknown(`${"1 + ".repeat(249)}1 > self.kind.size()`), { errors: [], last: [], unknown: [] });
  assert.is(unknown("self.kind == ").errors.length, 1);
  assert.is(unknown("type(self) == kubernetes.Quantity && self.kinds == ''").errors.length, 1);
});

test("rules of a node are left out where something else is wrong at it or below it", () => {
  const schema = {
    type: "object",
    properties: { spec: { ...SPEC, "x-kubernetes-validations": [{ rule: "1" }] } },
  };
  const told = (field: string): number =>
    ruleErrors(schema, "S", { compile }, NEW, [{ field, kind: "Invalid", message: "", exact: true }]).errors
      .length;
  assert.equal(
    [
      "S",
      "S.properties[spec]",
      "S.properties[spec].properties[name].pattern",
      "S.properties[specs].type",
    ].map(told),
    [1, 0, 0, 1],
  );
});

test.run();
