/** What two schemas make of stored objects; every answer was compared with what a kube-apiserver 1.37.2 leaves in etcd. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonObject } from "../../src/core/json.js";
import { schemaChanges, versionSchema } from "../../src/storage/crd-schema-changes.js";

const test = suite("changes between schemas");

const TEXT: JsonObject = { type: "string" };
const NULLABLE: JsonObject = { type: "string", nullable: true };
const ANYTHING: JsonObject = { "x-kubernetes-preserve-unknown-fields": true };
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
const free = (more: JsonObject = {}): JsonObject => ({ type: "object", ...ANYTHING, ...more });
const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "array", items, ...more });
const map = (additionalProperties: JsonObject | boolean): JsonObject => ({
  type: "object",
  additionalProperties,
});
const resource = (properties: JsonObject): JsonObject =>
  object(properties, { "x-kubernetes-embedded-resource": true });

function changes(from: JsonObject, to: JsonObject, preserves = false): string[] {
  const of = (schema: JsonObject, preserveUnknownFields: boolean) => {
    const openAPIV3Schema = { type: "object", properties: { a: schema } };
    const definition = {
      spec: { preserveUnknownFields, versions: [{ name: "v1", schema: { openAPIV3Schema } }] },
    };
    const found = versionSchema(definition, "v1");
    if (found === undefined) throw new Error("no such version");
    return found;
  };
  return schemaChanges(of(from, false), of(to, preserves)).map(({ effect, field }) => `${effect} ${field}`);
}

/** What stored objects had, what they are written by, and what is lost of them. */
const LOSSES: readonly (readonly [string, JsonObject, JsonObject, readonly string[]])[] = [
  ["a list becomes an object", list(object({ x: TEXT })), object({ x: TEXT }), ["a[].x"]],
  ["a list becomes a text", list(object({ x: TEXT })), TEXT, ["a[].x"]],
  ["an object becomes a text", object({ x: TEXT }), TEXT, ["a.x"]],
  ["an object of any members becomes a text", free(), TEXT, ["a.*"]],
  ["anything becomes a number", ANYTHING, { type: "integer" }, ["a"]],
  [
    "members of any name are kept, what is in them is not",
    object({ x: object({ y: TEXT }) }),
    map(true),
    ["a.x.y"],
  ],
  ["of a map, too", map(object({ y: TEXT })), map(true), ["a.*.y"]],
  ["of an object of any members, too", free(), map(true), ["a.*.*"]],
  ["a member gets a schema where all were kept", free(), free({ properties: { t: object({}) } }), ["a.t.*"]],
  [
    "an entry of a map gets a schema",
    map(object({ y: TEXT, z: TEXT })),
    free({ properties: { x: object({ y: TEXT }) } }),
    ["a.x.z"],
  ],
  [
    "a list keeps what its items do not name, and not what is below",
    list(object({ x: object({ y: TEXT, z: TEXT }) })),
    list(object({ x: object({ y: TEXT }) }), ANYTHING),
    ["a[].x.z"],
  ],
  [
    "a list kept what its items do not name",
    list(object({ x: TEXT }), ANYTHING),
    list(object({ x: TEXT })),
    ["a[].*"],
  ],
  [
    "an object stops to be a resource",
    resource({ spec: TEXT }),
    object({ spec: TEXT }),
    ["a.apiVersion", "a.kind", "a.metadata"],
  ],
  ["a null is dropped", NULLABLE, TEXT, ["a"]],
  ["a null of a map is dropped", map(NULLABLE), map(TEXT), ["a.*"]],
  ["a null gives way to a default", NULLABLE, { type: "string", default: "d" }, ["a"]],
];
for (const [what, from, to, lost] of LOSSES)
  test(`lost: ${what}`, () => {
    const found = changes(from, to).filter((each) => each.startsWith("pruned"));
    assert.equal(
      found,
      lost.map((field) => `pruned ${field}`),
    );
    // A definition that prunes nothing loses nothing.
    assert.equal(
      changes(from, to, true).filter((each) => each.startsWith("pruned")),
      [],
    );
  });

const KEPT: readonly (readonly [string, JsonObject, JsonObject])[] = [
  ["a map becomes an object of any members", map(object({ y: TEXT })), free()],
  ["items become free", list(object({ y: TEXT })), list(free())],
  ["a list becomes anything", list(object({ x: TEXT })), ANYTHING],
  ["anything becomes an object of any members", ANYTHING, free()],
  ["a map of anything stays one", map(true), map(true)],
  ["a map of anything becomes free", map(true), free()],
  ["a resource becomes free", resource({ spec: TEXT }), free()],
  ["a resource names what it always has", resource({ spec: TEXT }), resource({ spec: TEXT, kind: TEXT })],
  [
    "a member named below becomes free",
    free({ properties: { x: object({ y: TEXT }) } }),
    free({ properties: { x: free() } }),
  ],
  ["a null in a list", list(NULLABLE), list(TEXT)],
  ["a text becomes a number", TEXT, { type: "integer" }],
];
for (const [what, from, to] of KEPT)
  test(`kept: ${what}`, () =>
    assert.equal(
      changes(from, to).filter((each) => each.startsWith("pruned")),
      [],
    ));

test("what a member must be is named where members of any name were kept", () =>
  assert.equal(changes(free(), free({ properties: { t: object({}, { required: ["x"] }) } })), [
    "refused a.t",
    "pruned a.t.*",
    "required a.t.x",
  ]));

test.run();
