import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonObject } from "../../src/core/json.js";
import { objectFindings } from "../../src/kubernetes/object-rules.js";
import { decodeBase64, encodeBase64, secretData } from "../../src/kubernetes/secrets.js";

const test = suite("rules of the API server for core objects");

const object = (kind: string, more: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "a", ...(kind === "Namespace" ? {} : { namespace: "b" }), ...metadata },
  ...more,
});
const b64 = (text: string): string => Buffer.from(text).toString("base64");
const zeros = (bytes: number): string => Buffer.alloc(bytes).toString("base64");

const CASES: readonly [name: string, given: JsonObject, expected: readonly string[]][] = [
  ["a Namespace", object("Namespace", {}), []],
  [
    "a Namespace in a namespace",
    object("Namespace", {}, { namespace: "b" }),
    ["KUB001 Forbidden metadata.namespace"],
  ],
  ["a Namespace with a dot", object("Namespace", {}, { name: "a.b" }), ["KUB001 Invalid metadata.name"]],
  ["a Secret with a dot", object("Secret", {}, { name: "a.b" }), []],
  ["no name", { apiVersion: "v1", kind: "Secret", metadata: {} }, ["KUB001 Required metadata.name"]],
  ["no metadata", { apiVersion: "v1", kind: "Secret" }, ["KUB001 Required metadata.name"]],
  [
    "metadata that is a list",
    { apiVersion: "v1", kind: "Secret", metadata: [] },
    ["KUB001 Invalid metadata"],
  ],
  ["a name that is a number", object("Secret", {}, { name: 5 }), ["KUB001 Invalid metadata.name"]],
  [
    "a namespace with capitals",
    object("Secret", {}, { namespace: "B" }),
    ["KUB001 Invalid metadata.namespace"],
  ],
  [
    "a label that is true",
    object("Secret", {}, { labels: { a: true } }),
    ["KUB001 Invalid metadata.labels[a]"],
  ],
  [
    "a label key with a blank",
    object("Secret", {}, { labels: { "a b": "" } }),
    ["KUB001 Invalid metadata.labels[a b]"],
  ],
  [
    "a label value with a slash",
    object("Secret", {}, { labels: { a: "b/c" } }),
    ["KUB001 Invalid metadata.labels[a]"],
  ],
  ["labels that are a list", object("Secret", {}, { labels: [] }), ["KUB001 Invalid metadata.labels"]],
  ["any annotation value", object("Secret", {}, { annotations: { "x.y/z": "\n{{a}}\u0000" } }), []],
  ["annotations of 256 KiB", object("Secret", {}, { annotations: { a: "x".repeat(262_143) } }), []],
  [
    "annotations of more",
    object("Secret", {}, { annotations: { a: "x".repeat(262_144) } }),
    ["KUB001 TooLong metadata.annotations"],
  ],
  [
    "rules of metadata hold for any kind",
    { apiVersion: "x/v1", kind: "Y", metadata: { name: "A" } },
    ["KUB001 Invalid metadata.name"],
  ],
  ["data in base64", object("Secret", { data: { a: b64("x"), b: "", c: null } }), []],
  ["data in plain text", object("Secret", { data: { a: "plain text" } }), ["KUB002 Invalid data[a]"]],
  ["base64 without padding", object("Secret", { data: { a: "eA" } }), ["KUB002 Invalid data[a]"]],
  ["base64 of URLs", object("Secret", { data: { a: "_-8=" } }), ["KUB002 Invalid data[a]"]],
  ["a key with a slash", object("Secret", { data: { "a/b": "" } }), ["KUB002 Invalid data[a/b]"]],
  ["a key of two dots", object("Secret", { stringData: { "..": "" } }), ["KUB002 Invalid stringData[..]"]],
  ["a value that is a number", object("Secret", { stringData: { a: 5 } }), ["KUB002 Invalid stringData[a]"]],
  ["data that is a text", object("Secret", { data: "x" }), ["KUB002 Invalid data"]],
  ["exactly 1 MiB", object("Secret", { data: { a: zeros(1_048_570), b: zeros(6) } }), []],
  [
    "one byte more",
    object("Secret", { data: { a: zeros(1_048_570), b: zeros(7) } }),
    ["KUB002 TooLong data"],
  ],
  [
    "stringData takes the place of data",
    object("Secret", { data: { a: zeros(1_048_576) }, stringData: { a: "x" } }),
    [],
  ],
  [
    "stringData is counted in bytes",
    object("Secret", { stringData: { a: "é".repeat(524_289) } }),
    ["KUB002 TooLong data"],
  ],
  [
    "a TLS Secret without its key",
    object("Secret", { type: "kubernetes.io/tls", data: { "tls.crt": "" } }),
    ["KUB002 Required data[tls.key]"],
  ],
  ["immutable is a boolean", object("Secret", { immutable: "yes" }), ["KUB002 Invalid immutable"]],
  [
    "a ConfigMap in plain text",
    object("ConfigMap", { data: { a: "plain text" }, binaryData: { b: "eA==" } }),
    [],
  ],
  [
    "a key in both maps",
    object("ConfigMap", { data: { a: "" }, binaryData: { a: "" } }),
    ["KUB002 Duplicate binaryData[a]"],
  ],
  [
    "binaryData in plain text",
    object("ConfigMap", { binaryData: { a: "plain text" } }),
    ["KUB002 Invalid binaryData[a]"],
  ],
  [
    "a ConfigMap of more than 1 MiB",
    object("ConfigMap", { data: { a: "x".repeat(1_048_577) } }),
    ["KUB002 TooLong data"],
  ],
];
for (const [name, given, expected] of CASES)
  test(name, () =>
    assert.equal(
      objectFindings(given).map(({ code, kind, field }) => `${code} ${kind} ${field}`),
      expected,
    ),
  );

test("base64 is read as Go reads it", () => {
  const table: readonly [string, string | undefined][] = [
    ["", ""],
    ["eA==", "x"],
    ["eHl6\r\nYWJj\n", "xyzabc"],
    ["eB==", "x"],
    ["eA=", undefined],
    ["e A=", undefined],
    ["====", undefined],
    ["eA==eA==", undefined],
  ];
  for (const [text, expected] of table) {
    const bytes = decodeBase64(text);
    assert.is(bytes === undefined ? undefined : Buffer.from(bytes).toString("latin1"), expected, text);
  }
  const view = new Uint8Array([1, 2, 3, 4]).subarray(1, 3);
  assert.equal([...(decodeBase64(encodeBase64(view)) ?? [])], [2, 3]);
});

test("stringData lies over data", () => {
  const data = secretData({ data: { a: "eA==", b: "eQ==", c: "!" }, stringData: { b: "new" } });
  assert.equal(
    [...data].map(([key, value]) => [key, Buffer.from(value).toString()]),
    [
      ["a", "x"],
      ["b", "new"],
    ],
  );
});

test.run();
