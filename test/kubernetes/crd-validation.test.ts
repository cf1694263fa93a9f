/** Answers about whole definitions that were compared with apiextensions-apiserver 0.37.2, one by one. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Json, JsonObject } from "../../src/core/json.js";
import { judgeCrd } from "../../src/kubernetes/crd-validation.js";

const test = suite("definitions as the server judges them");

/** Two versions, each with a member in the schema of `spec.a`; the selectable field stands in both. */
const definition = (first: JsonObject, second: JsonObject, more: JsonObject = {}): JsonObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com", ...more },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget" },
    versions: [first, second].map((schema, i) => ({
      name: `v${i + 1}`,
      served: true,
      storage: i === 0,
      selectableFields: [{ jsonPath: ".spec.size" }],
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: {
            spec: {
              type: "object",
              properties: { size: { type: "integer" }, a: { type: "string", ...schema } },
            },
          },
        },
      },
    })),
  },
});
const messages = (crd: JsonObject): string[] =>
  judgeCrd(crd).errors.map(({ field, message }) => `${field}: ${message}`);

const APART = 'spec.selectableFields: Invalid value: "": may only be set when validations.schema is included';

test("what a server reads as nothing makes no difference between versions", () => {
  for (const nothing of [
    { required: [] },
    { pattern: "" },
    { nullable: false },
    { enum: [] },
    { default: null },
  ])
    assert.equal(messages(definition({}, nothing)), [], JSON.stringify(nothing));
});

test("what a server tells from nothing does", () => {
  const defaults: readonly JsonObject[] = [
    { default: "" },
    { example: "" },
    { $ref: "" },
    { "x-kubernetes-list-type": "" },
  ];
  for (const own of defaults) assert.ok(messages(definition({}, own)).includes(APART), JSON.stringify(own));
});

test("annotations have room for 256 KiB together", () => {
  const annotations = (size: number): JsonObject => ({ annotations: { a: "x".repeat(size - 2), b: "" } });
  assert.equal(messages(definition({}, {}, annotations(262_144))), []);
  assert.equal(messages(definition({}, {}, annotations(262_145))), [
    "metadata.annotations: Too long: may not be more than 262144 bytes",
  ]);
});

const NO_URL = "Required value: url must be a valid URL; desired format: https://host[/path]";
const URLS: readonly (readonly [url: string, fault: string | undefined])[] = [
  ["https://a.example.com/#", undefined],
  ["https://a.example.com:/x", undefined],
  ["https://[::1]:8443/x", undefined],
  [
    "https://a.example.com/#part",
    'Invalid value: "part": fragments are not permitted in the URL; desired format: https://host[/path]',
  ],
  ["https://a.example.com:port/x", NO_URL],
  ["https://[::1/x", NO_URL],
  ["https://[::1]x/", NO_URL],
];
test("the address of a conversion webhook", () => {
  for (const [url, fault] of URLS) {
    const crd = definition({}, {});
    const conversion: Json = {
      strategy: "Webhook",
      webhook: { clientConfig: { url }, conversionReviewVersions: ["v1"] },
    };
    const spec = crd["spec"];
    const found = messages({ ...crd, spec: { ...(typeof spec === "object" ? spec : {}), conversion } });
    assert.is(found.length, fault === undefined ? 0 : 1, `${url} ${found.join()}`);
    if (fault !== undefined)
      assert.match(found[0] ?? "", `spec.conversion.webhookClientConfig.url: ${fault.split(";")[0] ?? ""}`);
  }
});

test.run();
