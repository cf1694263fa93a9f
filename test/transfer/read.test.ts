import fc from "fast-check";
import { dump } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Problem } from "../../src/core/diagnostics.js";
import type { JsonObject } from "../../src/core/json.js";
import { readYaml } from "../../src/text/yaml-read.js";
import { type Document, TreeDocument } from "../../src/transfer/document.js";
import { readFlatDocuments } from "../../src/transfer/flat-document.js";
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

/** Every path of a document with what is there. */
function flattened(document: Document, path: readonly string[] = []): unknown[] {
  return (document.members(...path) ?? []).flatMap(({ name, isNull, line, column }) => {
    const own = [...path, name];
    return [
      [own, isNull, line, column, document.at(...own), document.value(...own)],
      ...flattened(document, own),
    ];
  });
}

test("the fast reader sees what the YAML reader sees, or gives up", () => {
  const plain = fc.constantFrom(
    "a",
    "true",
    "yes",
    "0644",
    "1_000",
    "1:30",
    "sha256:0a",
    "x-1",
    "1e3",
    "0x1f",
    "2030-01-01T00:00:00Z",
    "no",
    "a/b.c",
  );
  const odd = fc.constantFrom("~", "a b", "x#y", "it's", 'q"q', "- a", "", "\u00e9", null, true, 7);
  const scalar = fc.oneof({ weight: 20, arbitrary: plain }, { weight: 1, arbitrary: odd });
  const key = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom("kind", "spec", "name", "a.b/c", "x-1") },
    { weight: 1, arbitrary: fc.constantFrom("on", "y", "__proto__", "1a", "a b") },
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.dictionary(
      key,
      fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        { weight: 5, arbitrary: scalar },
        { weight: 4, arbitrary: tie("tree") },
      ),
      { minKeys: 1, maxKeys: 4 },
    ),
  }));
  let compared = 0;
  fc.assert(
    fc.property(fc.array(tree, { minLength: 1, maxLength: 3 }), fc.nat(3), (documents, style) => {
      const text = documents
        .map((each) => dump(each, { indent: 2 + (style % 2), ...(style > 1 ? { quotingType: '"' } : {}) }))
        .join("---\n");
      const flat = readFlatDocuments(text);
      if (flat === undefined) return;
      const { documents: read, problems } = readYaml(text, "f");
      assert.equal(problems, []);
      const trees = read.flatMap(({ root }) => (root === undefined ? [] : [new TreeDocument(root)]));
      assert.is(flat.length, trees.length);
      flat.forEach((own, index) => {
        const other = trees[index];
        if (other === undefined) throw new Error("a document is missing");
        assert.equal(
          [own.line, own.column, ...flattenedRoot(own, text)],
          [other.line, other.column, ...flattenedRoot(other, text)],
        );
      });
      compared++;
    }),
    { numRuns: 400 },
  );
  assert.ok(compared > 20, `only ${compared} texts were simple`);
});

/** From every key of the text at the root, since a flat document has no root to list. */
function flattenedRoot(document: Document, text: string): unknown[] {
  const names = [...new Set([...text.matchAll(/^([^\s:#-][^:\n]*):/gm)].map(([, name]) => name ?? ""))];
  return names.flatMap((name) => [
    [name, document.at(name), document.value(name)],
    ...flattened(document, [name]),
  ]);
}

test("texts at the edge of the fast reader", () => {
  const odd = [
    "a: 1\na: 2\n",
    "a:\nb: 1\n",
    "a:\n  b: 1\n   c: 2\n",
    "a: |\n  x\n",
    "a: [x]\n",
    "a: &x y\n",
    "a: x # y\n",
    " a: 1\n",
    "a: 1\n b: 2\n",
    "a: x\n  y\n",
    "--- \na: 1\n",
    "%YAML 1.1\n---\na: 1\n",
    "a: 1\n...\n",
    "a:b\n",
    "? a\n",
    "a:\tb\n",
    "on: 1\n",
    "a: 'it''s'\n",
    'a: "\\n"\n',
    "a: 1\r\n",
  ];
  for (const text of odd) assert.is(readFlatDocuments(text), undefined, JSON.stringify(text));
  const plain = readFlatDocuments("# c\na:\n  b: 'x y'\n\n  c: \"\"\n---\n---\nd: e:f\n") ?? [];
  assert.is(plain.length, 2);
  assert.equal(plain[0]?.value("a"), { b: "x y", c: "" });
  assert.equal([plain[1]?.line, plain[1]?.at("d")?.text], [8, "e:f"]);
});

test("summaries name file and line", () => {
  const problems: Problem[] = [];
  readObjects("kind: StorageTransferRequest\napiVersion: v9\n", problems, "x/y.yaml");
  assert.ok(problems.every(({ file, line }) => file === "x/y.yaml" && (line ?? 0) > 0));
  assert.ok(summary(problems).length > 3);
});

test.run();
