/** Answers about whole definitions that were compared with apiextensions-apiserver 0.37.2, one by one. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Json, JsonObject } from "../../src/core/json.js";
import { judgeCrd } from "../../src/crd/validation.js";
import { ROOT as CERTIFICATE } from "../etcd/every-kind.js";

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

/** Of every format texts that the server takes, and texts that it refuses as a default. */
const FORMATS: readonly (readonly [format: string, taken: readonly string[], refused: readonly string[]])[] =
  [
    ["isbn", ["0306406152", "978-0-306-40615-7", "080442957X"], ["0306406153", "080442957x", "a", ""]],
    ["isbn10", ["0 306 40615 2"], ["9780306406157", "X306406152"]],
    ["isbn13", ["978 0306406157"], ["0306406152", "9780306406158"]],
    ["creditcard", ["4111-1111 1111a1111", "340000000000009"], ["4111111111111112", "9999999999999995", ""]],
    ["rgbcolor", ["rgb(1,2,3)", "rgb( 255 ,\t0, 99 )"], ["rgb(256,0,0)", "rgb(01,0,0)", "RGB(1,2,3)"]],
    ["hexcolor", ["#fff", "FFffFF"], ["#ffff", "ggg"]],
    ["ssn", ["123-45-6789", "123 45-6789"], ["123456789", "123-456789"]],
    ["byte", ["YQ=="], ["", "YQ", "-_=="]],
    ["ipv4", ["1.2.3.4", "01.002.3.4", "::ffff:01.2.3.4"], ["1.2.3", "::1", "256.1.1.1"]],
    ["ipv6", ["::1", "::ffff:1.2.3.4"], ["fe80::1%eth0", "::ffff:01.2.3.4", "1.2.3.4"]],
    ["cidr", ["010.0.0.0/08", "00fe80::/10"], ["10.0.0.0/33", "::1", "/8"]],
    [
      "mac",
      ["aa-bb-cc-dd-ee-ff", "0000.0000.fe80.0000.0000.0000.0200.5e10.0000.0001"],
      ["aa:bb-cc:dd-ee:ff"],
    ],
    ["hostname", ["a-", "münchen.de"], ["-a.com", "a_b.com", `${"ä".repeat(32)}.com`]],
    [
      "uri",
      ["/a", "http://[fe80::1%25en0]/", "urn:x", "http://ä/#b", "ftp://a:b:80"],
      ["a", "http://a:b:80", "http://a b"],
    ],
    [
      "email",
      ["a@b", "A B <a@b>", '"a b"@c (d)', "a@[::1]", "g: a@b;"],
      ["a..b@c", "a@b, c@d", "a b", "a@", "A <a> b@c", "(a)"],
    ],
    ["date", ["2024-02-29", "0000-01-01"], ["2023-02-29", "2020-1-01"]],
    [
      "date-time",
      ["2020-01-01t00:00:00x5z", "2020-01-01T00:00:00+99:99Tx"],
      ["2020-01-01T24:00:00Z", "2020-02-30T00:00:00Z"],
    ],
    [
      "duration",
      ["1.5h", "in 5 days or so", "6 Weeks", "3 nanoseconds", "P1D"],
      ["5", "5 foo", "99999999999999999999h"],
    ],
    ["password", [""], []],
    ["k8s-short-name", ["a-b"], ["a.b", "A", "a".repeat(64)]],
    ["k8s-long-name", [`${"a".repeat(100)}.b`], ["a..b", "a".repeat(254)]],
    ["no-such-format", ["a"], []],
  ];
for (const [format, taken, refused] of FORMATS)
  test(`a default of the format ${format}`, () => {
    const ask = (text: string): string[] => messages(definition({ format, default: text }, {}));
    for (const text of taken)
      assert.not.ok(
        ask(text).some((each) => each.includes(".default:")),
        text,
      );
    for (const text of refused)
      assert.ok(
        ask(text).some((each) => each.includes(".default:")),
        text,
      );
  });

/** Whether the server takes the members of a schema with a default in it. */
const DEFAULTS: readonly (readonly [members: JsonObject, isTaken: boolean])[] = [
  [{ type: "string", format: "date-time", default: [] }, true],
  [{ type: "string", format: "no-such-format", default: ["a"] }, true],
  [{ type: "string", default: [] }, false],
  [{ type: "string", format: "date-time", default: {} }, false],
  [{ type: "string", format: "date-time", default: 5 }, false],
  [{ type: "boolean", format: "date", default: "2020-01-01" }, true],
  [{ type: "boolean", format: "date", default: "no" }, false],
  [{ type: "integer", format: "int32", default: "5" }, false],
  [{ type: "integer", default: 1e300 }, false],
  [{ type: "boolean", "x-kubernetes-int-or-string": true, default: true }, true],
  [{ type: "boolean", "x-kubernetes-int-or-string": true, default: 5 }, false],
];
test("a default of another type than its schema", () => {
  for (const [members, isTaken] of DEFAULTS) {
    const found = messages(definition(members, {})).filter((each) => each.includes(".default"));
    assert.is(found.length === 0, isTaken, `${JSON.stringify(members)} ${found.join()}`);
  }
});

const EMBEDDED: JsonObject = {
  type: "object",
  "x-kubernetes-embedded-resource": true,
  "x-kubernetes-preserve-unknown-fields": true,
};
const WHOLE: JsonObject = { apiVersion: "v1", kind: "Pod", metadata: { labels: { a: "b" } } };
const OBJECTS: readonly (readonly [value: JsonObject, faults: readonly string[]])[] = [
  [WHOLE, []],
  [{ ...WHOLE, metadata: null }, []],
  [{}, [".apiVersion: Required value", ".kind: Required value"]],
  [{ ...WHOLE, kind: 5 }, [".kind: Invalid value"]],
  [{ ...WHOLE, kind: "a b" }, ["is not a legal kind"]],
  [{ ...WHOLE, apiVersion: "a/b/c" }, ["is not a legal apiVersion"]],
  [{ ...WHOLE, metadata: { labels: { a: 1 } } }, [".metadata.labels[a]"]],
  [{ ...WHOLE, metadata: { name: "a/b" } }, [".metadata.name"]],
];
test("a default that is an object of Kubernetes, at the root too", () => {
  for (const [value, faults] of OBJECTS) {
    const inside = messages(definition({ ...EMBEDDED, default: value }, {}));
    const crd = definition({}, {});
    const text = JSON.stringify(crd).replaceAll(
      '"openAPIV3Schema":{',
      `"openAPIV3Schema":{"x-kubernetes-preserve-unknown-fields":true,"default":${JSON.stringify(value)},`,
    );
    for (const found of [inside, messages(JSON.parse(text))]) {
      const own = found.filter((each) => each.includes(".default"));
      assert.is(own.length, faults.length, `${JSON.stringify(value)} ${own.join()}`);
      faults.forEach((fault, i) => void assert.ok(own[i]?.includes(fault), own[i]));
    }
  }
});

test("members that a server does not read make no difference between versions", () => {
  for (const dropped of [{ readOnly: true }, { "x-foo": 1 }, { properties: { default: { "x-foo": 1 } } }])
    assert.not.ok(
      messages(
        definition({ properties: { default: {} } }, { properties: { default: {} }, ...dropped }),
      ).includes(APART),
    );
  assert.ok(messages(definition({ properties: { readOnly: {} } }, {})).includes(APART));
});

test("metadata at the root may say nothing that the server reads", () => {
  const found = (members: JsonObject): string[] => {
    const metadata = JSON.stringify({ type: "object", ...members });
    return messages(
      JSON.parse(
        JSON.stringify(definition({}, {})).replaceAll(
          '"properties":{"spec"',
          `"properties":{"metadata":${metadata},"spec"`,
        ),
      ),
    );
  };
  for (const taken of [{}, { deprecated: true }, { pattern: "" }, { enum: [] }, { description: "" }])
    assert.equal(found(taken), [], JSON.stringify(taken));
  for (const refused of [{ required: [] }, { "x-kubernetes-list-map-keys": [] }, { pattern: "a" }])
    assert.match(found(refused).join(), /implicitly specified/, JSON.stringify(refused));
});

test("a definition whose name the server is to make", () => {
  assert.equal(messages(definition({}, {}, { generateName: "widgets.example.com" })), []);
  assert.equal(messages(definition({}, {}, { generateName: "a-" })), [
    'metadata.generateName: Invalid value: "a-": must be spec.names.plural+"."+spec.group',
  ]);
});

test("certificates of a conversion webhook that is established", () => {
  const old = definition({}, {});
  const established = { conditions: [{ type: "Established", status: "True" }], storedVersions: ["v1"] };
  const found = (pem: string): string[] => {
    const spec = old["spec"];
    const conversion: Json = {
      strategy: "Webhook",
      webhook: {
        clientConfig: { url: "https://a.example.com/", caBundle: Buffer.from(pem).toString("base64") },
        conversionReviewVersions: ["v1"],
      },
    };
    const next: JsonObject = { ...old, spec: { ...(typeof spec === "object" ? spec : {}), conversion } };
    return judgeCrd(next, { ...old, status: established }).errors.map(({ field }) => field);
  };
  const REFUSED = ["spec.conversion.webhookClientConfig.caBundle"];
  for (const taken of [CERTIFICATE, `a\n${CERTIFICATE}b`, CERTIFICATE.replaceAll("\n", "\r\n")])
    assert.equal(found(taken), [], taken);
  for (const refused of [
    "a",
    CERTIFICATE.replace(/\n[A-Za-z0-9+/=]+\n/, "\n"),
    CERTIFICATE.replace("BEGIN CERTIFICATE-----\n", "BEGIN CERTIFICATE-----\nA: b\n\n"),
    CERTIFICATE.replaceAll("CERTIFICATE", "PUBLIC KEY"),
    "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
    "-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n",
    CERTIFICATE.replace("-----END CERTIFICATE-----", ""),
  ])
    assert.equal(found(refused), REFUSED, refused);
});

test.run();
