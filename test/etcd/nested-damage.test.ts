/** Damage inside nested messages of built-in kinds, judged as the decoders that Kubernetes generates judge it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decodeValue } from "../../src/etcd/decode/decode.js";
import { JsonForm } from "../../src/etcd/decode/json-form.js";
import { quantityFault } from "../../src/etcd/decode/quantity-fault.js";
import { TypedBodies } from "../../src/etcd/decode/typed-body.js";
import messages from "../../tables/kubernetes-messages.json" with { type: "json" };
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";
import { envelope, field, snapshot } from "./copies.js";

const test = suite("etcd nested damage");

const bodies = new TypedBodies(new JsonForm(messages));
const bytes = (...parts: (number | Uint8Array)[]): Buffer =>
  Buffer.concat(parts.map((each) => (typeof each === "number" ? Buffer.from([each]) : each)));

/** Error, or the words for JSON, or nothing of an object with `rest` behind its metadata. */
function judged(apiVersion: string, kind: string, rest: Uint8Array): string {
  const decoded = decodeValue(
    envelope(apiVersion, kind, { name: "a", namespace: "b" }, rest),
    "typed",
    undefined,
    bodies,
  );
  if (!decoded.ok) return decoded.error;
  assert.is(decoded.objectName, "a");
  assert.is(decoded.objectNamespace, "b");
  return decoded.jsonFault ?? "";
}
const pod = (spec: Uint8Array): string => judged("v1", "Pod", field(2, spec));
const container = (inner: Uint8Array): string => pod(field(2, inner));
const TEN = Buffer.alloc(10, 0xff);

/** Errors are those of generated.pb.go of k8s.io/api 0.37. */
const CASES: readonly (readonly [string, string, string])[] = [
  ["a sound container", container(field(1, "web")), ""],
  ["an unknown field", container(field(99, "web")), ""],
  ["a group that nobody knows", container(bytes(0x9b, 0x06, 0x08, 0x01, 0x9c, 0x06)), ""],
  ["a group that does not end", container(bytes(0x9b, 0x06, 0x08, 0x01)), "unexpected EOF"],
  ["another wire type", container(bytes(0x08, 1)), "proto: wrong wireType = 0 for field Name"],
  ["a name of its own", pod(bytes(0x48, 1)), "proto: wrong wireType = 0 for field DeprecatedServiceAccount"],
  ["a length beyond the message", container(bytes(0x0a, 5, 0x61)), "unexpected EOF"],
  [
    "a negative length",
    container(bytes(0x0a, TEN.subarray(0, 9), 1)),
    "proto: negative length found during unmarshaling",
  ],
  ["a number of eleven bytes", pod(bytes(0x20, TEN, 1)), "proto: integer overflow"],
  ["a number of ten bytes", pod(bytes(0x20, TEN.subarray(0, 9), 1)), ""],
  ["field zero", container(bytes(0x02, 0)), "proto: Container: illegal tag 0 (wire type 2)"],
  ["the end of a group", container(bytes(0x0c)), "proto: Container: wiretype end group for non-group"],
  ["wire type 6 of an unknown field", container(bytes(0x9e, 0x06)), "proto: illegal wireType 6"],
  // Wire types of keys and values of maps are not looked at.
  ["a key of another wire type", judged("v1", "ConfigMap", field(2, bytes(0x08, 1, 0x61))), ""],
  ["a cut map", judged("v1", "ConfigMap", field(2, bytes(0x0a, 9, 0x61))), "unexpected EOF"],
  ["bytes that are no UTF-8", container(bytes(0x0a, 2, 0xff, 0xfe)), ""],
  [
    "an odd quantity",
    container(field(8, field(1, Buffer.concat([field(1, "cpu"), field(2, field(1, "1x"))])))),
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  [
    "an IntOrString of neither",
    judged("policy/v1", "PodDisruptionBudget", field(2, field(1, bytes(0x08, 2)))),
    "json: error calling MarshalJSON for type intstr.IntOrString: impossible IntOrString.Type",
  ],
  ["packed numbers", pod(field(14, field(4, bytes(1, 2, 3)))), ""],
];

for (const [what, found, expected] of CASES) test(what, () => assert.is(found, expected));

test("managed fields that are no JSON decode and cannot be written", () => {
  const withFields = (text: string | Buffer): Buffer => bytes(field(1, field(17, field(7, field(1, text)))));
  assert.is(judged("v1", "ConfigMap", withFields('{"f:data":{}}')), "");
  assert.is(judged("v1", "ConfigMap", withFields("")), "");
  assert.is(
    judged("v1", "ConfigMap", withFields(bytes(Buffer.from('{"f:'), 0xff, Buffer.from('":{}}')))),
    "",
  );
  assert.match(judged("v1", "ConfigMap", withFields('{"f:data"+{}}')), /MarshalJSON for type \*v1.FieldsV1/);
});

test("quantities fail as in Go", () => {
  for (const text of ["1", "+.5", "500m", "1Gi", ".", "Ki", "1e-300", "e-9", "-0.1e+2"])
    assert.is(quantityFault(text), undefined, text);
  for (const [text, fault] of [
    ["", /regular expression/],
    ["1 ", /regular expression/],
    ["1ki", /suffix/],
    ["1e99999999999999999999", /suffix/],
    ["Ei", /numeric part/],
    ["e-10", /numeric part/],
  ] as const)
    assert.match(quantityFault(text) ?? "", fault, text);
});

test("the audit names both, and does not end well", () => {
  const folder = tempFolder();
  const value = (rest: Uint8Array): Buffer =>
    envelope("v1", "ConfigMap", { name: "a", namespace: "b" }, rest);
  const audit = (rest: Uint8Array): { code: number | null; text: string } => {
    writeFileSync(
      join(folder, "etcd.db"),
      snapshot([{ key: "/registry/configmaps/b/a", value: value(rest) }]),
    );
    const { code, stdout, stderr } = slipway(
      ["etcd", "audit", "--snapshot", "etcd.db", "--release", "1.37"],
      {
        cwd: folder,
      },
    );
    return { code, text: (stdout + stderr).replace(/\s+/g, " ") };
  };
  const undecodable = audit(field(1, field(17, bytes(0x09, 1))));
  assert.is(undecodable.code, 3);
  assert.match(
    undecodable.text,
    /object not decodable revision=[0-9]+: proto: wrong wireType = 1 for field Manager/,
  );
  const unwritable = audit(field(1, field(17, field(7, field(1, "{,}")))));
  assert.is(unwritable.code, 3);
  assert.match(unwritable.text, /ETC059/);
  assert.match(
    unwritable.text,
    /1 object unwritable: .* configmaps 1 \/registry\/configmaps\/b\/a remedy 1: extract the content/,
  );
  assert.not.match(unwritable.text, /All objects are readable/);
});

test.run();
