import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, isObject, type JsonObject } from "../../src/core/json.js";
import { checkCustomResource, loadCel, readCrd } from "../../src/crd/schema.js";
import { crdFindings } from "../../src/crd/validation.js";
import { withShared } from "../helpers/shared.js";

const test = suite("custom resources against their definition");

const text = { type: "string" };
const DEFINITION: JsonObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Widget", listKind: "WidgetList", plural: "widgets", singular: "widget" },
    versions: [
      { name: "v1alpha1", served: false, storage: false, schema: { openAPIV3Schema: { type: "object" } } },
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            required: ["spec"],
            properties: {
              apiVersion: text,
              kind: text,
              metadata: { type: "object" },
              spec: {
                type: "object",
                required: ["mode", "size"],
                properties: {
                  mode: { type: "string", default: "fast", enum: ["fast", "slow"] },
                  size: { type: "integer", minimum: 1, maximum: 10, format: "int32" },
                  ratio: { type: "number", minimum: 0, exclusiveMinimum: true, multipleOf: 0.25 },
                  name: { type: "string", minLength: 2, maxLength: 3, pattern: "^[[:lower:]]+$" },
                  address: { type: "string", format: "ipv4" },
                  moment: { type: "string", format: "date-time" },
                  id: { type: "string", format: "uuid" },
                  port: {
                    "x-kubernetes-int-or-string": true,
                    anyOf: [{ type: "integer" }, { type: "string" }],
                  },
                  maybe: { type: "string", nullable: true },
                  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                  labels: { type: "object", maxProperties: 1, minProperties: 1, additionalProperties: text },
                  tags: { type: "array", maxItems: 3, "x-kubernetes-list-type": "set", items: text },
                  parts: {
                    type: "array",
                    minItems: 1,
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: { name: text, weight: { type: "integer", default: 1 } },
                    },
                  },
                  choice: {
                    type: "object",
                    properties: { a: text, b: text },
                    oneOf: [{ required: ["a"] }, { required: ["b"] }],
                  },
                  range: {
                    type: "object",
                    properties: {
                      low: { type: "integer" },
                      high: { type: "integer" },
                      "x-y": { type: "boolean" },
                    },
                    "x-kubernetes-validations": [
                      { rule: "!has(self.low) || self.low <= self.high", message: "low is above high" },
                      { rule: "!has(self.x__dash__y) || self.x__dash__y", reason: "FieldValueForbidden" },
                      { rule: "self == oldSelf", message: "immutable" },
                      { rule: "self.unknownFunction()", message: "never said" },
                    ],
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

const crd = readCrd(DEFINITION);
if (crd === undefined) throw new Error("the definition cannot be read");
const cel = await loadCel();
const check = (spec: JsonObject, apiVersion = "example.com/v1"): string[] =>
  checkCustomResource(
    crd,
    { apiVersion, kind: "Widget", metadata: { name: "x", anything: 1 }, spec: { size: 1, ...spec } },
    cel,
  )
    .filter(({ severity }) => severity !== "info")
    .map(({ code, kind, field }) => `${code} ${kind} ${field}`);

test("the definition itself is structural", () => assert.equal(crdFindings(DEFINITION), []));

const CASES: readonly [name: string, spec: JsonObject, expected: readonly string[]][] = [
  ["a default satisfies required", {}, []],
  ["null takes the default", { mode: null }, []],
  ["null without a default counts as absent", { size: null }, ["KUB003 Required spec.size"]],
  ["a nullable null stays", { maybe: null }, []],
  ["unknown members are dropped", { zebra: 1 }, ["KUB004 Invalid spec.zebra"]],
  ["preserved members are kept", { free: { a: { b: [1, null] } } }, []],
  ["enum", { mode: "medium" }, ["KUB003 NotSupported spec.mode"]],
  ["wrong type", { size: "1" }, ["KUB003 Invalid spec.size"]],
  ["whole numbers only", { size: 1.5 }, ["KUB003 Invalid spec.size"]],
  ["minimum", { size: 0 }, ["KUB003 Invalid spec.size"]],
  ["maximum", { size: 11 }, ["KUB003 Invalid spec.size"]],
  ["exclusive minimum", { ratio: 0 }, ["KUB003 Invalid spec.ratio"]],
  ["multipleOf", { ratio: 0.3 }, ["KUB003 Invalid spec.ratio"]],
  ["an integer is a number", { ratio: 1 }, []],
  ["minLength counts characters", { name: "é" }, ["KUB003 Invalid spec.name"]],
  ["maxLength", { name: "abcd" }, ["KUB003 TooLong spec.name"]],
  ["pattern of Go", { name: "aB" }, ["KUB003 Invalid spec.name"]],
  ["format ipv4", { address: "1.2.3" }, ["KUB003 Invalid spec.address"]],
  ["format date-time", { moment: "2026-02-30T00:00:00Z" }, ["KUB003 Invalid spec.moment"]],
  ["format date-time, good", { moment: "2026-02-28T23:59:59.5+01:00" }, []],
  ["format uuid", { id: "x" }, ["KUB003 Invalid spec.id"]],
  ["int or string: int", { port: 80 }, []],
  ["int or string: string", { port: "http" }, []],
  ["int or string: neither", { port: 1.5 }, ["KUB003 Invalid spec.port", "KUB003 Invalid spec.port"]],
  ["minProperties", { labels: {} }, ["KUB003 Invalid spec.labels"]],
  ["maxProperties", { labels: { a: "", b: "" } }, ["KUB003 TooMany spec.labels"]],
  ["values of a map", { labels: { a: 1 } }, ["KUB003 Invalid spec.labels.a"]],
  ["maxItems", { tags: ["a", "b", "c", "d"] }, ["KUB003 TooMany spec.tags"]],
  ["a set repeats nothing", { tags: ["a", "b", "a"] }, ["KUB003 Duplicate spec.tags[2]"]],
  [
    "a list map repeats no key",
    { parts: [{ name: "a" }, { name: "a", weight: 2 }] },
    ["KUB003 Duplicate spec.parts[1]"],
  ],
  ["minItems", { parts: [] }, ["KUB003 Invalid spec.parts"]],
  ["required in items", { parts: [{ weight: 1 }] }, ["KUB003 Required spec.parts[0].name"]],
  ["oneOf: none", { choice: {} }, ["KUB003 Invalid spec.choice"]],
  ["oneOf: both", { choice: { a: "", b: "" } }, ["KUB003 Invalid spec.choice"]],
  ["oneOf: one", { choice: { a: "" } }, []],
  ["a rule holds", { range: { low: 1, high: 1 } }, []],
  ["a rule is broken", { range: { low: 2, high: 1 } }, ["KUB005 Invalid spec.range"]],
  ["a rule reads a missing member", { range: { low: 2 } }, ["KUB005 Invalid spec.range"]],
  ["an escaped name, with a reason", { range: { "x-y": false } }, ["KUB005 Forbidden spec.range"]],
  [
    "rules wait until the types are right",
    { range: { low: 2, high: 1 }, size: "x" },
    ["KUB003 Invalid spec.size"],
  ],
];
for (const [name, spec, expected] of CASES) test(name, () => assert.equal(check(spec), expected));

test("versions that are unknown or not served are named", () => {
  assert.equal(check({}, "example.com/v2"), ["KUB003 NotSupported apiVersion"]);
  assert.equal(check({}, "example.com/v1alpha1"), ["KUB003 NotSupported apiVersion"]);
});

test("a rule that cannot be evaluated is an info, one about a former value is silent", () => {
  const findings = checkCustomResource(
    crd,
    { apiVersion: "example.com/v1", kind: "Widget", metadata: {}, spec: { size: 1, range: {} } },
    cel,
  );
  assert.equal(
    findings.map(({ code, severity, message }) => `${severity} ${code} ${message}`),
    ["info KUB006 rule cannot be checked: self.unknownFunction()"],
  );
});

test("without CEL only the schema is looked at", () => {
  const object = {
    apiVersion: "example.com/v1",
    kind: "Widget",
    spec: { size: 1, range: { low: 2, high: 1 } },
  };
  assert.equal(checkCustomResource(crd, object), []);
});

const BROKEN: readonly [name: string, path: string, value: unknown, field: string][] = [
  ["plural and group make the name", "metadata.name", "widget.example.com", "metadata.name"],
  ["the group has a dot", "spec.group", "example", "spec.group"],
  ["the scope is one of two", "spec.scope", "Global", "spec.scope"],
  ["the plural is in lower case", "spec.names.plural", "Widgets", "spec.names.plural"],
  ["kind and listKind differ", "spec.names.listKind", "Widget", "spec.names.listKind"],
  ["one storage version", "spec.versions.0.storage", true, "spec.versions"],
  ["no version twice", "spec.versions.0.name", "v1", "spec.versions"],
  ["every version has a schema", "spec.versions.0.schema", {}, "openAPIV3Schema"],
  ["the root is an object", "S.type", "string", "openAPIV3Schema.type"],
  [
    "root metadata is left alone",
    "S.properties.metadata.properties",
    { labels: { type: "object" } },
    "[metadata]",
  ],
  ["kind is a string", "S.properties.kind.type", "object", "[kind].type"],
  ["every node has a type", "S.properties.spec.properties.mode.type", undefined, "[mode].type"],
  ["lists have items", "S.properties.spec.properties.tags.items", undefined, "[tags].items"],
  ["patterns compile", "S.properties.spec.properties.name.pattern", "(", "[name].pattern"],
  ["defaults fit", "S.properties.spec.properties.mode.default", "medium", "[mode].default"],
  ["no references", "S.properties.spec.properties.mode.$ref", "#/x", "[mode].$ref"],
  ["no uniqueItems", "S.properties.spec.properties.tags.uniqueItems", true, "uniqueItems"],
  [
    "list keys exist",
    "S.properties.spec.properties.parts.x-kubernetes-list-map-keys",
    ["zebra"],
    "[parts].x-kubernetes-list-map-keys",
  ],
  [
    "list keys are required",
    "S.properties.spec.properties.parts.items.required",
    [],
    "[parts].items.properties[name].default",
  ],
  [
    "list types are for lists",
    "S.properties.spec.properties.mode.x-kubernetes-list-type",
    "set",
    "[mode].type",
  ],
  [
    "alternatives restrict only",
    "S.properties.spec.properties.choice.oneOf.0.description",
    "x",
    "oneOf[0].description",
  ],
  [
    "alternatives at the root name known members",
    "S.oneOf",
    [{ properties: { zebra: {} } }],
    "openAPIV3Schema.properties[zebra]",
  ],
  [
    "properties or additionalProperties",
    "S.properties.spec.additionalProperties",
    text,
    "[spec].additionalProperties",
  ],
];
const replaced = (path: string, value: unknown): JsonObject => {
  const copy: unknown = structuredClone(DEFINITION);
  const steps = path.replace(/^S\./, "spec.versions.1.schema.openAPIV3Schema.").split(".");
  let at: unknown = copy;
  for (const step of steps.slice(0, -1))
    at = typeof at === "object" && at !== null ? Reflect.get(at, step) : undefined;
  if (typeof at !== "object" || at === null) throw new Error(`no ${path}`);
  const last = steps.at(-1) ?? "";
  if (value === undefined) Reflect.deleteProperty(at, last);
  else Reflect.set(at, last, value);
  if (!isJson(copy) || !isObject(copy)) throw new Error("not an object");
  return copy;
};
test("what a server tells apart: an empty enum restricts nothing, an empty list beside the types of an int-or-string does", () => {
  assert.equal(crdFindings(replaced("S.properties.spec.properties.mode.enum", [])), []);
  const alternatives = [{ type: "integer" }, { type: "string" }];
  const port = "S.properties.spec.properties.port.anyOf";
  assert.equal(crdFindings(replaced(port, alternatives)), []);
  assert.equal(
    crdFindings(replaced(port, [{ type: "integer", required: [] }, { type: "string" }])).map(
      ({ message }) => message,
    ),
    ["Forbidden: must be empty to be structural", "Forbidden: must be empty to be structural"],
  );
});

test("labels are judged as labels", () => {
  const labelled = (labels: JsonObject): string[] =>
    crdFindings(replaced("metadata.labels", labels)).map(({ field }) => field);
  assert.equal(labelled({ "example.com/team": "a" }), []);
  assert.equal(labelled({ "a b": "a", team: ".x" }), ["metadata.labels", "metadata.labels"]);
});

for (const [name, path, value, field] of BROKEN)
  test(`a definition is refused: ${name}`, () => {
    const fields = crdFindings(replaced(path, value)).map((finding) => finding.field);
    assert.ok(
      fields.some((each) => each.endsWith(field)),
      `${field} is not in ${fields.join(" ")}`,
    );
  });

withShared(test, "data/crds", "every definition of the providers is structural and can be read", (folder) => {
  const files = readdirSync(folder).filter((file) => file.endsWith(".yaml"));
  assert.ok(files.length > 20);
  for (const file of files) {
    const definition: unknown = load(readFileSync(join(folder, file), "utf8"));
    if (!isJson(definition) || !isObject(definition)) throw new Error(file);
    assert.equal(crdFindings(definition), [], file);
    assert.ok(readCrd(definition) !== undefined, file);
  }
});

test("functions of rules read addresses more strictly than formats do", () => {
  const holds = (rule: string): string => cel.judge(rule, {});
  for (const taken of ["isIP('::1')", "isIP('1.2.3.4')", "isCIDR('::/0')", "isCIDR('10.0.0.0/8')"])
    assert.is(holds(taken), "holds", taken);
  for (const refused of [
    "isIP('01.2.3.4')",
    "isIP('fe80::1%eth0')",
    "isIP('::ffff:1.2.3.4')",
    "isCIDR('010.0.0.0/8')",
    "isCIDR('10.0.0.0/08')",
    "isCIDR('10.0.0.0/33')",
    "isCIDR('::1')",
  ])
    assert.is(holds(refused), "broken", refused);
});

test.run();
