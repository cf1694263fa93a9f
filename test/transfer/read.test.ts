import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Problem } from "../../src/core/diagnostics.js";
import type { JsonObject } from "../../src/core/json.js";
import { type Changes, changed, pairObjects, readObjects, summary, textOf } from "../helpers/transfer.js";

const test = suite("reading transfer objects");
const [REQUEST, APPROVAL] = pairObjects({ from: "source/foo", to: "target/bar" });

const problemsOf = (object: JsonObject): string[] => {
  const problems: Problem[] = [];
  readObjects(textOf([object]), problems);
  return problems.map(({ severity = "error", code, kind, field }) => `${severity} ${code} ${kind} ${field}`);
};
const request = (changes: Changes): string[] => problemsOf(changed(REQUEST, changes));
const approval = (changes: Changes): string[] => problemsOf(changed(APPROVAL, changes));

test("the design's own form is read, with a note that no server takes it", () => {
  assert.equal(request({ apiVersion: "v1alpha1" }), ["info TRF004 Invalid apiVersion"]);
  assert.equal(request({ apiVersion: "transfer.example.com/v1alpha1" }), []);
  assert.equal(request({ apiVersion: "transfer.slipway.dev/v1" }), ["error TRF004 NotSupported apiVersion"]);
  assert.equal(request({ apiVersion: undefined }), ["error TRF004 Required apiVersion"]);
});

test("an empty or null group and v1 are the core group; anything else is refused", () => {
  for (const source of [{ apiGroup: "" }, { apiGroup: null }, { apiVersion: "v1" }])
    assert.equal(request({ spec: { source } }), []);
  for (const source of [{ apiGroup: "" }, { apiGroup: null }])
    assert.equal(approval({ spec: { source } }), []);
  assert.equal(request({ spec: { source: { apiGroup: "apps" } } }), [
    "error TRF003 NotSupported spec.source.apiGroup",
  ]);
  assert.equal(request({ spec: { source: { apiVersion: "apps/v1" } } }), [
    "error TRF003 NotSupported spec.source.apiVersion",
  ]);
  assert.equal(approval({ spec: { source: { apiGroup: "apps" } } }), [
    "error TRF003 NotSupported spec.source.apiGroup",
  ]);
});

test("members that would be ignored are errors: uid, fieldPath, resourceVersion, a namespace of an approval's source", () => {
  for (const member of ["uid", "fieldPath", "resourceVersion", "subPath"])
    assert.equal(request({ spec: { source: { [member]: "x" } } }), [
      `error TRF003 Forbidden spec.source.${member}`,
    ]);
  for (const member of ["uid", "fieldPath", "namespace"])
    assert.equal(approval({ spec: { source: { [member]: "x" } } }), [
      `error TRF003 Forbidden spec.source.${member}`,
    ]);
  // A slip of the pen in targetName would move the claim to another name.
  assert.equal(request({ spec: { targetname: "x" } }), ["error TRF003 Forbidden spec.targetname"]);
});

test("fields are required, texts and legal names", () => {
  const required: readonly (readonly [Changes, string])[] = [
    [{ metadata: { name: undefined } }, "metadata.name"],
    [{ metadata: { namespace: undefined } }, "metadata.namespace"],
    [{ spec: { approvalName: undefined } }, "spec.approvalName"],
    [{ spec: { source: { name: undefined } } }, "spec.source.name"],
    [{ spec: { source: { namespace: undefined } } }, "spec.source.namespace"],
    [{ spec: { source: { kind: undefined } } }, "spec.source.kind"],
    [{ spec: { approvalName: "" } }, "spec.approvalName"],
  ];
  for (const [changes, field] of required) assert.equal(request(changes), [`error TRF002 Required ${field}`]);
  assert.equal(approval({ spec: { requestName: undefined } }), ["error TRF002 Required spec.requestName"]);
  assert.equal(approval({ spec: { targetNamespace: null } }), ["error TRF002 Required spec.targetNamespace"]);
  assert.equal(request({ spec: { approvalName: 7 } }), ["error TRF002 Invalid spec.approvalName"]);
  assert.equal(request({ spec: { source: { name: "Foo" } } }), ["error TRF002 Invalid spec.source.name"]);
  assert.equal(request({ spec: { source: { namespace: "a.b" } } }), [
    "error TRF002 Invalid spec.source.namespace",
  ]);
  assert.equal(request({ spec: { source: ["x"] } }), [
    "error TRF002 Required spec.source.kind",
    "error TRF002 Required spec.source.name",
    "error TRF002 Invalid spec.source",
    "error TRF002 Required spec.source.namespace",
  ]);
  assert.equal(request({ spec: { targetName: null } }), []);
});

test("lists are read, of any kind and of one kind whose items leave the kind out", () => {
  const list = { apiVersion: "v1", kind: "List", items: [REQUEST, APPROVAL] };
  assert.is(readObjects(textOf([list])).length, 2);
  const { kind: _, apiVersion: __, ...bare } = REQUEST;
  const own = {
    apiVersion: "transfer.slipway.dev/v1alpha1",
    kind: "StorageTransferRequestList",
    items: [{ ...bare, apiVersion: "transfer.slipway.dev/v1alpha1" }],
  };
  assert.equal(
    readObjects(textOf([own])).map(({ type }) => type),
    ["request"],
  );
});

test("files about something else are not read, whatever they hold", () => {
  const problems: Problem[] = [];
  assert.equal(readObjects("{{- if .Values.x }}\n: : :\n\t", problems), []);
  assert.equal(problems, []);
  readObjects("kind: StorageTransferRequest\n{{- if .Values.x }}\n", problems);
  assert.ok(problems.length > 0);
});

test("summaries name file and line", () => {
  const problems: Problem[] = [];
  readObjects("kind: StorageTransferRequest\napiVersion: v9\n", problems, "x/y.yaml");
  assert.ok(problems.every(({ file, line }) => file === "x/y.yaml" && (line ?? 0) > 0));
  assert.ok(summary(problems).length > 3);
});

test.run();
