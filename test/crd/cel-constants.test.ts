import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonObject } from "../../src/core/json.js";
import { release } from "../../src/core/minor.js";
import { loadCompile } from "../../src/crd/cel/compile.js";
import { ruleErrors } from "../../src/crd/rules.js";

/** Expected answers are those of apiextensions-apiserver 0.37.2. */
const test = suite("constants in validation rules");

const compile = await loadCompile();
const NEW = { expressions: new Set<string>(), isUnchanged: false };
const SHORT = { type: "string", maxLength: 5 };
const SPEC: JsonObject = {
  type: "object",
  properties: {
    name: { type: "string", maxLength: 10 },
    count: { type: "integer" },
    port: { "x-kubernetes-int-or-string": true, maxLength: 5 },
    tags: { type: "array", maxItems: 5, items: SHORT },
    labels: { type: "object", maxProperties: 5, additionalProperties: SHORT },
    parts: {
      type: "array",
      maxItems: 5,
      items: { type: "object", properties: { id: SHORT, size: { type: "integer" } } },
    },
    since: { type: "string", format: "date-time" },
    wait: { type: "string", format: "duration" },
    raw: { type: "string", format: "byte", maxLength: 4 },
    on: { type: "boolean" },
  },
};

const told = (rule: string): string[] =>
  ruleErrors(
    { type: "object", properties: { spec: { ...SPEC, "x-kubernetes-validations": [{ rule }] } } },
    "S",
    { compile, release: release("1.36") },
    NEW,
    [],
  ).errors.map(({ message }) => message.replace(/^Invalid value: \.\.\.: /, ""));

const SOUND = [
  "uint(3) == uint(self.count)",
  "int('-9223372036854775808') == 1",
  "int(1e18) == 1",
  "int(-0.5) == 0",
  "uint(18446744073709551615u) == 0u",
  "double('1_000') > 1.0",
  "double('Infinity') > 1.0",
  "double('0x1p-2') > 1.0",
  "bool('T')",
  "string(b'abc') == ''",
  "bytes('abc') == b'abc'",
  "duration('1h1h') == self.wait",
  "duration('2562047h') == self.wait",
  "duration('-1.5h') == self.wait",
  "timestamp('2024-02-29T00:00:00Z') == self.since",
  "timestamp('2023-02-28T23:59:59+24:00') == self.since",
  "timestamp('2023-02-28T23:59:59+23:60') == self.since",
  "timestamp('0001-01-01T00:00:00Z') == self.since",
  "timestamp('2023-02-28T3:59:59Z') == self.since",
  "timestamp('2023-02-28T23:59:59.123456789Z') == self.since",
  "timestamp('2023-02-28T23:59:59,5Z') == self.since",
  "timestamp(253402300799) == self.since",
  "self.name.matches('(?<n>a)')",
  "self.name.matches('(?P<n>a)')",
  "matches('a', self.name)",
  "'%d'.format([1]) == ''",
  "'%d'.format([self.port]) == ''",
  "'%s'.format([self.parts]) == ''",
  "'%s'.format([null]) == ''",
  "'%f'.format([1.0]) == ''",
  "'%.3f'.format([1.0]) == ''",
  "'%.3d'.format([1]) == ''",
  "'%e'.format(['NaN']) == ''",
  "'%b'.format([true]) == ''",
  "'%x'.format(['a']) == ''",
  "'%X'.format([b'a']) == ''",
  "'%o'.format([1u]) == ''",
  "'%%'.format([]) == ''",
  "'%s'.format(self.tags) == ''",
  "'%s'.format([type(self.count)]) == ''",
  "'%s'.format([timestamp('2020-01-01T00:00:00Z')]) == ''",
  "-9223372036854775808 == self.count",
  "int(string(5)) == 5",
  "int(dyn(self.port)) == 5",
  "int(['1'][0]) == 1",
  "string(int('1') + 1) == ''",
  "self.port[1.5] == 1",
  "self.port[true] == 1",
  "self.since - self.since > duration('1s')",
  "string(ip('1.2.3.4')) == ''",
];
for (const rule of SOUND) test(`taken: ${rule}`, () => assert.equal(told(rule), []));

const REFUSED = [
  "uint(-3) == uint(self.count)",
  "int('9223372036854775808') == 1",
  "int(1e19) == 1",
  "int(9.3e18) == 1",
  "uint(-0.5) == 0u",
  "uint(1e20) == 0u",
  "int(18446744073709551615u) == 0",
  "double('1e400') > 1.0",
  "bool('yes')",
  "uint(dyn(true)) == 1u",
  "string(b'\\xff') == ''",
  "duration('300000000h') == self.wait",
  "duration('2562048h') == self.wait",
  "duration('') == self.wait",
  "duration('1') == self.wait",
  "duration('1d') == self.wait",
  "duration('1.5.h') == self.wait",
  "timestamp('2023-02-29T00:00:00Z') == self.since",
  "timestamp('2023-02-28T24:00:00Z') == self.since",
  "timestamp('2023-02-28T23:59:60Z') == self.since",
  "timestamp('2023-02-28T23:59:59+25:00') == self.since",
  "timestamp('0000-02-28T23:59:59Z') == self.since",
  "timestamp('0001-01-01T00:00:00+01:00') == self.since",
  "timestamp('2023-02-28 23:59:59Z') == self.since",
  "timestamp(253402300800) == self.since",
  "timestamp(-62135596801) == self.since",
  "self.name.matches('[')",
  "self.name.matches('a{1001}')",
  "self.name.matches('a(?=b)')",
  "self.name.find('[') == ''",
  "self.name.findAll('[a') == []",
  "self.name.findAll('[a', 1) == []",
  "matches('[', 'a')",
  "matches(self.name, '[')",
  "self.name.matches(string('['))",
  "self.name.matches(string(b'['))",
  "[1, 2].exists(x, x == int('a'))",
  "true || int('a') == 1",
  "self.count > 5 ? int('z') == 1 : true",
  "'%d'.format(['a']) == ''",
  "'%s'.format([self.parts[0]]) == ''",
  "'%s'.format([[self.parts[0]]]) == ''",
  "'%s'.format([{'a': self.parts[0]}]) == ''",
  "'%s'.format([quantity('1')]) == ''",
  "'%s'.format([self.?name]) == ''",
  "'%f'.format([1]) == ''",
  "'%.f'.format([1.0]) == ''",
  "'%.3'.format([1.0]) == ''",
  "'%.99999999999999999999f'.format([1.0]) == ''",
  "'%b'.format(['a']) == ''",
  "'%X'.format([1.0]) == ''",
  "'%q'.format([1u]) == ''",
  "'%'.format([1u]) == ''",
  "'a%'.format([1u]) == ''",
  "'%%'.format([1]) == ''",
  "'%s'.format([1, 2]) == ''",
  "'%s %s'.format([1]) == ''",
  "9223372036854775808 == self.count",
  "-9223372036854775809 == self.count",
  "18446744073709551616u == 1u",
  "0xFFFFFFFFFFFFFFFFF == self.count",
  "int(string('x')) == 5",
  "int(dyn('x')) == 5",
  "bool(dyn(5))",
  "double(dyn(true)) == 1.0",
  "type(int('x')) == int",
  "[uint(-1)] == [1u]",
  "{'a': uint(-1)}.size() == 1",
  "self.port[b'a'] == 1",
  "self.port[null] == 1",
  "self.port[[1]] == 1",
  "dyn(self.labels)[duration('1s')] == 'a'",
  "type(self.since) == timestamp",
];
for (const rule of REFUSED) test(`refused: ${rule}`, () => assert.is(told(rule).length, 1));

test("what makes no program of a sound expression is told as that", () => {
  assert.equal(told("int('a') == 1"), ["program instantiation failed: invalid int argument"]);
  assert.equal(told("self.port[null] == 1"), ["program instantiation failed: invalid qualifier type"]);
  assert.equal(told("'%d'.format(['a']) == ''"), [
    "compilation failed: error during formatting: %d was given string",
  ]);
});

test("a rule without a program has shown what it reads, one that does not compile has not", () => {
  const of = (rule: string, optionalOldSelf: boolean): number =>
    ruleErrors(
      { type: "object", "x-kubernetes-validations": [{ rule, optionalOldSelf }] },
      "S",
      { compile },
      NEW,
      [],
    ).errors.length;
  assert.is(of("!oldSelf.hasValue() || int('a') == 1", true), 1);
  assert.is(of("!oldSelf.hasValue() || self.nam == ''", true), 2);
});

test.run();
