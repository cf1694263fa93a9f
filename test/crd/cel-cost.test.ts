import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonObject } from "../../src/core/json.js";
import { release } from "../../src/core/minor.js";
import { loadCompile } from "../../src/crd/cel/compile.js";
import { judgeCrd } from "../../src/crd/validation.js";

/**
 * Expected answers are those of apiextensions-apiserver 0.32.0, 0.34.0 and 0.37.2, asked for the definitions below: the
 * largest bound with which each takes the rule was searched for.
 */
const test = suite("cost of validation rules");

const compile = await loadCompile();

const COST = /exceeds budget by factor of/;
/** Taken with each bound that was tried, up to a million. */
const MORE = 1_000_000;
/** Refused however small the bound is. */
const NEVER = -1;
/** The release cannot compile it. */
const NONE = undefined;

const words = (most?: number): JsonObject =>
  most === undefined ? { type: "string" } : { type: "string", maxLength: most };
const listOf = (items: JsonObject, most?: number): JsonObject =>
  most === undefined ? { type: "array", items } : { type: "array", maxItems: most, items };
const objectOf = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...rest,
});

const spec = (most: number): JsonObject => ({
  text: words(most),
  texts: listOf(words(most), 10),
  list: listOf(words(10), most),
  nested: listOf(listOf(words(10), most), 10),
  map: { type: "object", maxProperties: most, additionalProperties: words(10) },
  parts: listOf(objectOf({ id: words(10), size: { type: "integer" } }), most),
  bytes: { ...words(most), format: "byte" },
  port: { "x-kubernetes-int-or-string": true, maxLength: most },
  kind: { type: "string", enum: ["Always", "Never"] },
  since: { type: "string", format: "date-time" },
  wait: { type: "string", format: "duration" },
  count: { type: "integer" },
  on: { type: "boolean" },
  namespace: words(most),
  deep: objectOf({ a: objectOf({ b: objectOf({ c: listOf(words(10), most) }) }) }),
});

const definition = (...schemas: JsonObject[]): JsonObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "as.x.example.com" },
  spec: {
    group: "x.example.com",
    scope: "Namespaced",
    names: { plural: "as", singular: "a", kind: "A", listKind: "AList" },
    versions: schemas.map((openAPIV3Schema, i) => ({
      name: `v${i + 1}`,
      served: true,
      storage: i === 0,
      schema: { openAPIV3Schema },
    })),
  },
  status: { storedVersions: ["v1"], conditions: [{ type: "Established", status: "True" }] },
});

/** What a server of the release says; an update where there is an old definition. */
function answer(next: JsonObject, minor = "1.37", old?: JsonObject) {
  const server = release(minor);
  return judgeCrd(next, old, {
    compiler: { compile, server, release: { ...server, minor: server.minor - 1 } },
  });
}
const told = (...given: Parameters<typeof answer>): string[] =>
  answer(...given).errors.map(
    ({ field, message }) =>
      `${field.replace("spec.validation.openAPIV3Schema", "S").replaceAll("x-kubernetes-validations", "rules")}: ${message.replace(/ \(try simplifying.*/, "")}`,
  );
const ruled = (schema: JsonObject, ...rules: (string | JsonObject)[]): JsonObject => ({
  ...schema,
  "x-kubernetes-validations": rules.map((rule) => (typeof rule === "string" ? { rule } : rule)),
});
const withSpec = (schema: JsonObject): JsonObject => definition(objectOf({ spec: schema }));

const BOUNDS: readonly (readonly [string, number | undefined, number | undefined, number | undefined])[] = [
  ["self.list.all(x, x == 'a')", MORE, MORE, MORE],
  ["self.list.all(x, x.matches('^[a-z]+$'))", 714285, 714285, 714285],
  ["self.list.all(x, matches(x, '^[a-z]+$'))", MORE, MORE, 714285],
  ["self.list.all(x, self.list.all(y, x == y))", 1053, 1053, 1053],
  ["self.list.all(x, self.list.exists_one(y, x == y))", 1117, 1117, 1117],
  ["self.list.all(x, self.list.exists(y, y.contains(x)))", 674, 674, 674],
  ["self.texts.all(x, x.contains(self.text))", 2497, 2497, 2497],
  ["self.texts.map(x, x.lowerAscii()).all(x, x in self.texts)", MORE, MORE, MORE],
  ["self.list.filter(x, x != 'a').map(y, y.size()).sum() > 5", 333332, 333332, 333332],
  ["self.list.map(x, x.size() > 1, x + 'a').all(x, x.startsWith(self.text))", 4965, 4965, 4965],
  ["self.list.exists(x, x in self.list)", 3158, 3158, 3158],
  ["self.list.all(x, self.map.exists(k, k == x))", 1290, 1290, 1290],
  ["self.map.all(k, self.map[k].matches('a'))", 833333, 833333, 833333],
  ["self.map.all(k, self.map.exists(j, self.map[j] == self.map[k]))", 790, 790, 790],
  ["self.map.all(k, v, v.matches('^[a-z]*$') && k != v)", NONE, 624999, 624999],
  ["self.list.all(i, v, i > 0 || v.endsWith(self.text))", NONE, 4990, 4990],
  ["self.list.transformList(i, v, v + self.text).all(x, x.matches('a'))", NONE, 4970, 4970],
  ["self.map.transformMap(k, v, v + self.text).all(k, v, v.matches('a'))", NONE, 4980, 4980],
  ["self.parts.all(p, has(p.id) && p.id.size() > 1 && p.size > 5)", 909090, 909090, 909090],
  ["self.parts.all(p, self.parts.exists_one(q, q.id == p.id))", 999, 999, 999],
  ["self.parts.all(p, self.parts.all(q, q.id != p.id || q.size == p.size))", 816, 816, 816],
  ["self.parts.all(p, p.id.matches('^[a-z]*$'))", 666666, 666666, 666666],
  ["self.parts.map(p, p.id).all(x, x in self.list)", 3152, 3152, 3152],
  ["self.parts.exists(p, p.?id.orValue('').matches('a'))", 0, 0, 0],
  ["self.text.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')", MORE, MORE, MORE],
  ["self.text.find('[a-z]+') == self.text", MORE, MORE, MORE],
  ["self.text.findAll('[a-z]+').all(x, x.matches('[a-z]+'))", 403225, 403225, 403225],
  ["self.text.split(',').all(x, x.size() > 1)", 403225, 403225, 403225],
  ["self.text.split(',').all(x, x == 'a')", 595237, 595237, 595237],
  ["self.text.split(',', 5).all(x, x.matches('a'))", MORE, MORE, MORE],
  ["self.text.replace('a', 'bb').matches('^[a-z]+$')", MORE, MORE, MORE],
  ["self.text.replace(self.text, 'bb').matches('a')", MORE, MORE, MORE],
  ["(self.text + self.text).contains(self.text)", 5587, 5587, 5587],
  ["self.text.lowerAscii().contains(self.text.upperAscii())", 7902, 7902, 7902],
  ["self.texts.join(',').contains(self.text)", 2497, 2497, 2497],
  ["self.texts.join().matches('^[a-z]+$')", 833333, 833333, 833333],
  ["string(bytes(self.text)).contains(self.text)", 3950, 3950, 3950],
  ["strings.quote(self.text).contains(self.text)", 5588, 5588, 5588],
  ["'%s'.format([self.text]).size() > 1", MORE, MORE, MORE],
  ["self.text.substring(1).contains(self.text.trim())", 7902, 7902, 7902],
  ["self.text.charAt(0) == 'a' && self.text.indexOf(self.text) > 1", MORE, MORE, MORE],
  ["self.list.isSorted() && self.list.indexOf('a') > 0", 999999, 999999, 999999],
  ["self.texts.max() == self.texts.min()", NEVER, NEVER, NEVER],
  ["sets.contains(self.list, self.list)", 3162, 3162, 3162],
  ["sets.intersects(self.list, self.texts)", 999999, 999999, 999999],
  ["sets.equivalent(self.list, self.list)", 2236, 2236, 2236],
  ["self.list.distinct().size() == self.list.size()", NONE, NONE, 2236],
  ["self.list.sort() == self.list", NONE, NONE, 2182],
  ["self.list.reverse() == self.list", NONE, NONE, MORE],
  ["self.list.slice(0, 5).all(x, x.matches('a'))", NONE, NONE, MORE],
  ["self.parts.sortBy(p, p.size)[0].id == 'a'", NONE, NONE, 2232],
  ["self.parts.sortBy(p, p.id)[0].id.matches('a')", NONE, NONE, NEVER],
  ["lists.range(100).all(i, self.list[i].contains(self.text))", NONE, NONE, 62492],
  ["[self.list, self.texts].flatten().all(x, x == 'a')", NONE, NONE, MORE],
  ["(self.list + self.texts).all(x, x.contains(self.text))", MORE, MORE, MORE],
  ["(self.on ? self.list : self.texts).all(x, x.matches('a'))", MORE, MORE, MORE],
  ["[self.text, 'a'].all(x, x.matches('a'))", MORE, MORE, MORE],
  ["{'a': self.text}.all(k, v, v.contains(self.text))", NONE, MORE, MORE],
  ["{'a': self.text}['a'].contains(self.text)", MORE, 7905, 7905],
  ["[self.text][0].contains(self.text)", MORE, 7905, 7905],
  ["self.map['a'].contains(self.text)", MORE, MORE, MORE],
  ["self.texts[0].contains(self.text)", 7905, 7905, 7905],
  ["self.?text.orValue('').contains(self.text)", 0, 0, 0],
  ["self.?text.optMap(t, t + 'a').orValue('').matches('^[a-z]+$')", NEVER, NEVER, NEVER],
  ["self.?list.orValue([]).all(x, x.matches('a'))", NEVER, NEVER, NEVER],
  ["self.?list.optMap(l, l.all(x, x.matches('a'))).orValue(true)", MORE, NEVER, NEVER],
  ["self.?text.optFlatMap(t, optional.of(t + t)).orValue('').contains(self.text)", 0, NEVER, NEVER],
  ["dyn(self.text) == self.text", MORE, MORE, MORE],
  ["dyn(self.list).all(x, x == 'a')", NEVER, MORE, MORE],
  ["type(self.port) == string ? self.port.matches('^[0-9]+%$') : self.port > 5", MORE, MORE, MORE],
  ["self.port.contains(self.text)", 77, 7905, 7905],
  ["string(self.port).contains(self.text)", 75, 7902, 7902],
  ["self.list.all(x, isIP(x) || isCIDR(x))", 769230, 769230, 769230],
  ["self.list.all(x, ip(x) == ip(self.text))", 4985, 4985, 4985],
  ["self.list.all(x, ip(x).family() == 4)", 999999, 999999, 999999],
  ["self.list.all(x, cidr(x).containsIP(self.text))", 4982, 4982, 4982],
  ["self.list.all(x, cidr(x).containsCIDR(cidr(self.text)))", 4977, 4977, 4977],
  ["self.list.all(x, quantity(x).isLessThan(quantity(self.text)))", 4985, 4985, 4985],
  ["self.list.all(x, quantity(x) == quantity('1Gi'))", 999999, 999999, 999999],
  ["self.list.all(x, url(x) == url(self.text))", 3528, 3528, 3528],
  ["self.list.all(x, url(x).getHost() == 'a')", 999999, 999999, 999999],
  ["self.list.all(x, isURL(x))", MORE, MORE, MORE],
  ["self.list.all(x, !format.dns1123Label().validate(x).hasValue())", 74074, 74074, 74074],
  ["self.list.all(x, semver(x).isLessThan(semver(self.text)))", NONE, 4985, 4985],
  ["self.bytes == b'abc' || self.bytes < self.bytes", MORE, MORE, MORE],
  ["string(self.bytes).contains(self.text)", 15810, 15810, 15810],
  ["self.list.all(x, self.bytes.size() > 1 && string(self.bytes) == x)", 9930, 9930, 9930],
  [
    "self.since > timestamp('2020-01-01T00:00:00Z') && self.list.all(x, string(self.since) == x)",
    909090,
    909090,
    909090,
  ],
  ["self.list.all(x, string(self.wait) == x)", 909090, 909090, 909090],
  ["self.kind in ['Always', 'Never'] && self.list.all(x, x == self.kind)", MORE, MORE, MORE],
  ["self == oldSelf || self.list.all(x, x in oldSelf.list)", 3159, 3159, 3159],
  ["self.list == self.texts", MORE, MORE, MORE],
  ["self.parts == self.parts", MORE, MORE, MORE],
  ["self.map == self.map", MORE, MORE, MORE],
  ["self.list.all(x, self.namespace.contains(x))", 0, 0, 0],
  ["self.list.all(x, !(!(x == self.text)) && -(-self.count) > 0)", 588235, 588235, 588235],
  ["self.list.includes(self.text)", NONE, NONE, NONE],
  ["self.list.all(x, x != self.text ? x.contains(self.text) : x.endsWith(x))", 2495, 2495, 2495],
  ["self.nested.all(l, l.all(x, x.matches('a')))", 111110, 111110, 111110],
  ["self.nested.exists(l, l.exists(x, self.nested[0].exists(y, x == y)))", 315, 315, 315],
  ["self.nested.map(l, l.size()).sum() < 10", MORE, MORE, MORE],
  ["self.deep.a.b.c.all(x, self.deep.a.b.c.all(y, x == y))", 1053, 1053, 1053],
];
const RELEASES = ["1.32", "1.34", "1.37"];

for (const [rule, ...bounds] of BOUNDS)
  test(`bound of: ${rule}`, () => {
    for (const [i, minor] of RELEASES.entries()) {
      const most = bounds[i];
      const at = (bound: number): string[] => told(withSpec(ruled(objectOf(spec(bound)), rule)), minor);
      if (most === undefined) {
        assert.match(at(1).join(), /compilation failed/, minor);
        continue;
      }
      if (most !== NEVER) assert.equal(at(most), [], `${minor} at ${most}`);
      if (most === MORE) continue;
      const [first = ""] = at(most + 1);
      assert.match(first, COST, `${minor} at ${most + 1}`);
      assert.ok(first.startsWith("S.properties[spec].rules[0].rule: Forbidden: estimated rule cost"), first);
    }
  });

const SQUARE = "self.all(x, self.all(y, x == y))";
const total =
  "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of";
const named = (field: string): string =>
  `${field}: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`;
const dear = (field: string, factor: string): string =>
  `${field}: Forbidden: estimated rule cost exceeds budget by factor of ${factor}x`;

test("a factor is told with one digit, with six below one and a half, and not above a hundred", () => {
  const items = (most: number): string[] => told(withSpec(listOf(ruled(words(), "self.size() > 0"), most)));
  const at = "S.properties[spec].items.rules[0].rule";
  assert.equal(items(3_333_333), []);
  assert.equal(items(3_333_334), [dear(at, "1.000000")]);
  assert.equal(items(4_999_999), [dear(at, "1.500000")]);
  assert.equal(items(5_000_000), [dear(at, "1.5")]);
  // What lies in the middle gets an even digit.
  assert.equal(items(7_500_000), [dear(at, "2.2")]);
  assert.equal(items(9_166_667), [dear(at, "2.8")]);
  assert.equal(items(333_333_333).slice(0, 1), [dear(at, "100.0")]);
  assert.equal(items(333_333_334).slice(0, 1), [dear(at, "more than 100")]);
});

test("all rules together have a limit of their own, and the four that cost most are named", () => {
  const list = (most: number): JsonObject => ruled(listOf(words(10), most), SQUARE);
  const five = [900, 1_000, 1_000, 1_000, 1_000].map((most, i) => [`l${i}`, list(most)] as const);
  assert.equal(told(definition(objectOf({ spec: objectOf(Object.fromEntries(five)) }))), []);
  const many = Array.from({ length: 12 }, (_, i) => [`l${i}`, list(900 + i * 13)] as const);
  const at = (i: number): string => `S.properties[spec].properties[l${i}].rules[0].rule`;
  assert.equal(told(withSpec(objectOf(Object.fromEntries(many)))), [
    ...[11, 10, 9, 8].map((i) => named(at(i))),
    `S: Forbidden: ${total} 1.022075x`,
  ]);
});

test("a rule counts as often as its value may be there, and without a bound as often as a request holds it", () => {
  const rule = "self.matches('^[a-z]+$')";
  const value = ruled(words(10), rule);
  const mapOf = (most?: number): JsonObject => ({
    type: "object",
    additionalProperties: value,
    ...(most === undefined ? {} : { maxProperties: most }),
  });
  const below = "S.properties[spec].additionalProperties.rules[0].rule";
  assert.equal(told(withSpec(mapOf())), [dear(below, "1.153434")]);
  assert.equal(told(withSpec(mapOf(769_231))), []);
  assert.equal(told(withSpec(listOf(mapOf(1_000), 900))), []);
  assert.equal(told(withSpec(listOf(mapOf(1_000), 910))), [
    dear("S.properties[spec].items.additionalProperties.rules[0].rule", "1.001000"),
  ]);
  // A bound further up says nothing where one below is missing.
  assert.equal(told(withSpec(listOf(mapOf(), 2))), [
    dear("S.properties[spec].items.additionalProperties.rules[0].rule", "1.153434"),
  ]);
  const long = ruled(words(200), rule);
  assert.equal(told(withSpec(listOf(long))), [
    dear("S.properties[spec].items.rules[0].rule", "17.1"),
    named("S.properties[spec].items.rules[0].rule"),
    `S: Forbidden: ${total} 1.7x`,
  ]);
  // What is needed takes room in a request, and so fewer have room in it.
  const needed = objectOf({ id: words(5), long: words(200) }, { required: ["id", "long"] });
  assert.equal(told(withSpec(listOf(ruled(needed, "self.long.matches('^[a-z]+$')")))), [
    dear("S.properties[spec].items.rules[0].rule", "2.5"),
  ]);
});

test("a message counts once", () => {
  const message = (most: number): JsonObject =>
    withSpec(
      listOf(
        ruled(objectOf({ t: words(most) }), { rule: "true", messageExpression: "self.t + self.t" }),
        100,
      ),
    );
  assert.equal(told(message(12_499_995)), []);
  assert.equal(told(message(12_499_997)), [
    "S.properties[spec].items.rules[0].messageExpression: Forbidden: estimated messageExpression cost exceeds budget by factor of 1.000000x",
  ]);
});

test("names of objects are bounded by servers from 1.37 on", () => {
  const root = ruled(objectOf({}), "self.metadata.name.contains(self.metadata.generateName)");
  assert.equal(told(definition(root)), []);
  assert.match(told(definition(root), "1.36").join(), COST);
  const short = ruled(
    objectOf({ metadata: objectOf({ name: words(5) }) }),
    "self.metadata.name.contains(self.kind)",
  );
  assert.equal(told(definition(short)), []);
  assert.match(told(definition(short), "1.36").join(), COST);
});

test("what a stored schema costs in one rule is not held against it again, unless the schema changes", () => {
  const schema = objectOf({ spec: ruled(listOf(words(10), 1_200), SQUARE) });
  const old = definition(schema);
  const at = "S.properties[spec].rules[0].rule";
  assert.equal(told(old), [dear(at, "1.296600")]);
  assert.equal(told(old, "1.37", old), []);
  assert.equal(told(definition({ ...schema, required: [], title: "", nullable: false }), "1.37", old), []);
  assert.equal(told(definition({ ...schema, description: "new" }), "1.37", old), [dear(at, "1.296600")]);
  const second = definition(schema, { ...schema, description: "another" });
  assert.equal(told(second, "1.37", old), [
    dear(`spec.versions[1].schema.openAPIV3Schema.properties[spec].rules[0].rule`, "1.296600"),
  ]);
  // All together they are.
  const dearer = definition(objectOf({ spec: ruled(listOf(words(10), 4_000), SQUARE) }));
  assert.equal(told(dearer, "1.37", dearer), [named(at), `S: Forbidden: ${total} 1.440200x`]);
});

test("what is not estimated is said", () => {
  const [, , dear = ""] = BOUNDS[3] ?? [];
  assert.is(dear, 1_053);
  const rule = "self.list.all(x, self.list.all(y, x == y))";
  const next = withSpec(ruled(objectOf(spec(2_000)), rule, "[?self.?kind].size() > 0"));
  const cost = (minor: string): string[] => answer(next, minor).unchecked.filter((each) => /cost/.test(each));
  assert.equal(cost("1.31"), [
    "the cost of a validation rule (CEL); an API server rejects rules that cost too much",
  ]);
  assert.equal(cost("1.30"), [
    "the cost of 2 validation rules (CEL); an API server rejects rules that cost too much",
  ]);
  assert.match(told(next, "1.31").join(), COST);
  assert.equal(told(next, "1.30"), []);
  assert.equal(
    answer(withSpec(ruled(objectOf(spec(1)), rule))).unchecked.filter((each) => /CEL/.test(each)),
    [],
  );
});

test("an estimate takes a time that grows with the length of the rule", () => {
  const chain = `self.?text${".optMap(t, t)".repeat(200)}.hasValue()`;
  assert.match(told(withSpec(ruled(objectOf(spec(1)), chain))).join(), COST);
  const nested = (depth: number): string =>
    depth === 0 ? "true" : `self.list.all(x${depth}, ${nested(depth - 1)})`;
  assert.equal(told(withSpec(ruled(objectOf(spec(1)), nested(60)))), []);
  assert.match(told(withSpec(ruled(objectOf(spec(2)), nested(60))))[0] ?? "", /more than 100/);
});

test.run();
