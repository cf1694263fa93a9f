import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonObject } from "../../src/core/json.js";
import {
  base64,
  controlPlane,
  filesOf,
  manifest,
  NAMESPACE,
  PICK,
  planOf,
  STATE_TEXT,
  secret,
  selecting,
  stateSecret,
} from "../helpers/reconstruct.js";

const test = suite("reconstruct: plan");

const json = (...objects: readonly JsonObject[]): string[] => objects.map((each) => JSON.stringify(each));
const codes = (texts: readonly string[], choice = {}): string[] =>
  planOf(texts, choice).diagnostics.map(({ code }) => code);
const sound = json(
  selecting(PICK),
  stateSecret(),
  manifest("manifests", "a.yaml"),
  manifest("openshift", "b.json"),
);
const SOUND_FILES = {
  "manifests/a.yaml": "# manifests a.yaml\n",
  "openshift/b.json": "# openshift b.json\n",
};

test("state and selected files come out as they were wrapped", () => {
  const { plan, diagnostics } = planOf(sound);
  assert.equal(diagnostics, []);
  assert.is(Buffer.from(plan?.state ?? []).toString(), STATE_TEXT);
  assert.equal(filesOf(plan), SOUND_FILES);
});

test("a cluster with assisted-service is named as one that is not reconstructed", () => {
  const other = {
    apiVersion: "controlplane.cluster.x-k8s.io/v1alpha3",
    kind: "OpenshiftAssistedControlPlane",
    metadata: { name: "tern", namespace: NAMESPACE },
  };
  const { plan, diagnostics } = planOf(json(other, stateSecret()));
  assert.is(plan, undefined);
  assert.equal(
    diagnostics.map(({ code, kind }) => `${code} ${kind}`),
    ["REC002 NotSupported"],
  );
  assert.equal(codes([...sound, ...json(other)]), []);
});

const forms: Readonly<Record<string, readonly string[]>> = {
  "JSON objects one behind the other": [sound.join(""), `  ${sound.join("\n")}\n`],
  "indented JSON objects one behind the other": [
    sound.map((text) => JSON.stringify(JSON.parse(text), null, 2)).join("\n"),
  ],
  "any order": [...sound].reverse(),
  "one text of several documents": [`---\n${sound.join("\n---\n")}\n---\n# nothing\n`],
  "a List": json({ apiVersion: "v1", kind: "List", items: sound.map((text) => JSON.parse(text)) }),
  "lists in a list": json({
    apiVersion: "v1",
    kind: "List",
    items: [{ apiVersion: "v1", kind: "List", items: sound.map((text) => JSON.parse(text)) }],
  }),
  "lists as the API answers them, whose items name no kind": [
    JSON.stringify({
      apiVersion: "v1",
      kind: "SecretList",
      metadata: { resourceVersion: "1" },
      items: sound.slice(1).map((text) => ({ ...JSON.parse(text), apiVersion: undefined, kind: undefined })),
    }),
    JSON.stringify({
      apiVersion: "cluster.openshift.io/v1alpha1",
      kind: "OpenShiftControlPlaneList",
      items: [{ ...JSON.parse(sound[0] ?? ""), apiVersion: undefined, kind: undefined }],
    }),
  ],
  "other objects between": [
    sound.slice(0, 2).join("\n---\n"),
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n---\n- a list\n---\njust: data\n",
    ...sound.slice(2),
    "not: [readable",
  ],
  "a dump with what the server adds, and a file of the same": [
    ...sound,
    JSON.stringify({
      ...manifest("manifests", "a.yaml"),
      metadata: {
        ...Object(manifest("manifests", "a.yaml")["metadata"]),
        uid: "1",
        resourceVersion: "7",
        creationTimestamp: "2026-01-01T00:00:00Z",
        managedFields: [{ manager: "kubectl", fieldsV1: { "f:data": {} } }],
      },
      type: "Opaque",
    }),
  ],
  stringData: json(
    selecting(PICK),
    secret("state", { stringData: { ".openshift_install_state.json": STATE_TEXT } }),
    {
      ...manifest("manifests", "a.yaml"),
      data: { "a.yaml": base64("old") },
      stringData: { "a.yaml": "# manifests a.yaml\n" },
    },
    manifest("openshift", "b.json"),
  ),
};
for (const [name, texts] of Object.entries(forms))
  test(`read from ${name}`, () => {
    const { plan, diagnostics } = planOf(texts);
    assert.equal(
      diagnostics.filter(({ severity }) => severity === "error"),
      [],
    );
    assert.is(Buffer.from(plan?.state ?? []).toString(), STATE_TEXT);
    assert.equal(filesOf(plan), SOUND_FILES);
  });

test("places in JSON objects one behind the other are those in the file", () => {
  const texts = [`{"a": "}{\\""}\n${JSON.stringify(controlPlane(), null, 1)}\n{"kind": "Secret"}\n`];
  assert.equal(
    planOf(texts).diagnostics.map(({ code, line, field }) => [code, line, field]),
    [["REC005", 11, "spec.installStateSecretRef.name"]],
  );
  for (const broken of ["{} x {}", "{}{", "{}}", '{"a": "Secret}{}', "{a: Secret}{}"])
    assert.ok(
      planOf([...sound, broken]).diagnostics.every(({ code }) => code.startsWith("YAML")),
      broken,
    );
});

test("a text that is cut off in a long string is told at once, whatever its strings hold", () => {
  for (const start of ['{"kind": "Secret"}', '{"kind": "Secret", "data": {"a": "b"'])
    for (const piece of ["0123456789", "a\\n", '\\"', "\\\\", "{}"])
      assert.ok(
        planOf([...sound, `${start}{"long": "${piece.repeat(5000)}`]).diagnostics.some(
          ({ code, severity }) => code === "YAML001" && severity === "error",
        ),
        `${start} ${piece}`,
      );
});

test("an unreadable text in which a Secret may stand is an error", () => {
  const { plan, diagnostics } = planOf([...sound, "kind: Secret\ndata: [broken\n"]);
  assert.is(plan, undefined);
  assert.is(diagnostics[0]?.code, "YAML001");
  assert.is(diagnostics[0]?.file, "4.yaml");
});

test("files that were joined without a line between them are an error, for one of two objects is lost", () => {
  const yaml = (name: string): string =>
    `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}, namespace: ${NAMESPACE}}\n`;
  const joined = `apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n${yaml("b")}`;
  const listed = `kind: List\napiVersion: v1\nitems:\n- ${joined.trim().replaceAll("\n", "\n  ")}\n`;
  for (const text of [joined, listed]) {
    const { plan, diagnostics } = planOf([...sound, text]);
    assert.is(plan, undefined, text);
    assert.equal(
      diagnostics.map(({ code }) => code),
      ["YAML002"],
    );
    assert.match(diagnostics[0]?.hint ?? "", /line ---/);
    assert.is(diagnostics[0]?.severity ?? "error", "error");
  }
  // A key twice deeper in an object that does not count, and in a text without anything of ours, stops nothing.
  const deeper = `kind: ConfigMap\napiVersion: v1\nmetadata: {name: Secret}\ndata: {a: b, a: c}\n`;
  for (const text of [deeper, "a: 1\na: 2\n"]) assert.ok(planOf([...sound, text]).plan !== undefined, text);
});

test("objects of another namespace do not count", () => {
  const other = {
    ...manifest("manifests", "c.yaml"),
    metadata: { name: "c", namespace: "other", labels: { pick: "yes" } },
  };
  const strangeState = { ...stateSecret({}), metadata: { name: "state", namespace: "other" } };
  const { plan, diagnostics } = planOf([...sound, ...json(other, strangeState)]);
  assert.equal(diagnostics, []);
  assert.equal(filesOf(plan), SOUND_FILES);
});

const bare = (object: JsonObject): JsonObject => {
  const { namespace: _, ...metadata } = Object(object["metadata"]);
  return { ...object, metadata };
};
test("objects without a namespace are in the one that --namespace names", () => {
  const texts = json(...sound.map((text) => bare(JSON.parse(text))));
  assert.equal(filesOf(planOf(texts).plan), SOUND_FILES, "all without");
  assert.equal(filesOf(planOf(texts, { namespace: "any" }).plan), SOUND_FILES);
  const mixed = json(
    selecting(PICK),
    stateSecret(),
    bare(manifest("manifests", "a.yaml")),
    manifest("openshift", "b.json"),
  );
  assert.equal(codes(mixed), ["REC016"]);
  assert.equal(filesOf(planOf(mixed, { namespace: NAMESPACE }).plan), SOUND_FILES);
  assert.equal(codes(mixed, { namespace: "other" }), ["REC002"]);
});

test("one control plane of several has to be chosen", () => {
  const second = controlPlane({}, { name: "second" });
  const third = controlPlane({}, { name: "second", namespace: "other" });
  const texts = [...sound, ...json(second, third)];
  const { plan, diagnostics } = planOf(texts);
  assert.is(plan, undefined);
  assert.equal(
    diagnostics.map(({ code, file, line }) => `${code} ${file}:${line}`),
    ["REC003 0.yaml:1", "REC003 4.yaml:1", "REC003 5.yaml:1"],
  );
  for (const controlPlane of [NAMESPACE, `${NAMESPACE}/${NAMESPACE}`])
    assert.equal(filesOf(planOf(texts, { controlPlane }).plan), SOUND_FILES);
  assert.equal(codes(texts, { controlPlane: "second" }), ["REC003", "REC003"]);
  assert.equal(codes(texts, { controlPlane: "third" }), ["REC002"]);
  assert.ok(planOf(texts, { controlPlane: `${NAMESPACE}/second` }).plan !== undefined);
});

test("two documents of one object are refused where they differ", () => {
  const again = secret("state", { data: { ".openshift_install_state.json": base64("{}") } });
  const { plan, diagnostics } = planOf([...sound, ...json(again)]);
  assert.is(plan, undefined);
  assert.equal(
    diagnostics.map(({ code, file }) => [code, file]),
    [["REC013", "4.yaml"]],
  );
  assert.match(diagnostics[0]?.message ?? "", /1\.yaml:1/);
  assert.equal(codes([...sound, ...json(controlPlane({ manifestsSelector: {} }))]), ["REC013"]);
});

const REFUSED: readonly [string, readonly JsonObject[], readonly string[]][] = [
  ["no control plane", [stateSecret()], ["REC002"]],
  [
    "another version",
    [{ ...controlPlane(), apiVersion: "cluster.openshift.io/v1" }, stateSecret()],
    ["REC004"],
  ],
  ["no reference", [{ ...controlPlane(), spec: {} }, stateSecret()], ["REC004"]],
  ["no spec", [{ ...controlPlane(), spec: null }, stateSecret()], ["REC004"]],
  [
    "an illegal reference",
    [controlPlane({ installStateSecretRef: { name: "A/b" } }), stateSecret()],
    ["REC004"],
  ],
  ["no state Secret", [controlPlane()], ["REC005"]],
  ["a state Secret elsewhere", [controlPlane(), secret("state", {}, { namespace: "other" })], ["REC005"]],
  ["an empty state Secret", [controlPlane(), stateSecret({})], ["REC006"]],
  ["a selector that is none", [selecting([]), stateSecret()], ["REC004"]],
  [
    "an unknown operator",
    [selecting({ matchExpressions: [{ key: "a", operator: "Is" }] }), stateSecret()],
    ["REC007"],
  ],
  [
    "In without values",
    [selecting({ matchExpressions: [{ key: "a", operator: "In", values: [] }] }), stateSecret()],
    ["REC007"],
  ],
  [
    "Exists with values",
    [selecting({ matchExpressions: [{ key: "a", operator: "Exists", values: ["b"] }] }), stateSecret()],
    ["REC007"],
  ],
  ["an illegal key", [selecting({ matchLabels: { "a//b": "c" } }), stateSecret()], ["REC007"]],
  ["nothing selected", [selecting({ matchLabels: { a: "b" } }), stateSecret()], ["REC008"]],
  [
    "a path twice, by annotation and by label",
    [
      selecting(PICK),
      stateSecret(),
      manifest("manifests", "a.yaml"),
      {
        ...manifest("manifests", "a.yaml"),
        metadata: {
          name: "again",
          namespace: NAMESPACE,
          labels: { pick: "yes" },
          annotations: { "cluster.openshift.io/manifest-path": "manifests/a.yaml" },
        },
      },
    ],
    ["REC011"],
  ],
  [
    "one name in both folders",
    [selecting(PICK), stateSecret(), manifest("manifests", "a.yaml"), manifest("openshift", "a.yaml")],
    ["REC012"],
  ],
  ["another folder", [selecting(PICK), stateSecret(), manifest("tls", "a.yaml")], ["REC010"]],
  ["no manifest's ending", [selecting(PICK), stateSecret(), manifest("manifests", "a.txt")], ["REC010"]],
  [
    "no folder",
    [selecting(PICK), stateSecret(), secret("x", { data: { "a.yaml": "" } }, { labels: { pick: "yes" } })],
    ["REC009"],
  ],
  [
    "a digest for a key, and no annotation",
    [selecting(PICK), stateSecret(), manifest("manifests", "_h_0a")],
    ["REC009"],
  ],
  [
    "a value that is not base64",
    [selecting(PICK), stateSecret(), { ...manifest("manifests", "a.yaml"), data: { "a.yaml": "%" } }],
    ["KUB002"],
  ],
  [
    "more than a Secret may hold",
    [selecting(PICK), stateSecret(), manifest("manifests", "a.yaml", "x".repeat(1_048_577))],
    ["KUB002"],
  ],
];
for (const [name, objects, expected] of REFUSED)
  test(`refused: ${name}`, () => {
    const { plan, diagnostics } = planOf(json(...objects));
    assert.is(plan, undefined);
    assert.equal(
      diagnostics.map(({ code }) => code),
      expected,
      JSON.stringify(diagnostics, null, 1),
    );
    for (const each of diagnostics) if (each.code !== "REC002") assert.ok(each.line > 0, "has a place");
  });

const ANNOTATION = "cluster.openshift.io/manifest-path";
const FOLDER = "cluster.openshift.io/manifest-folder";
const marked = (path: string, labels: JsonObject, data: JsonObject): JsonObject =>
  secret("x", { data }, { labels: { pick: "yes", ...labels }, annotations: { [ANNOTATION]: path } });
const WRAPS: readonly [string, JsonObject, Record<string, string> | string][] = [
  ["the annotation alone", marked("manifests/a.yaml", {}, { "a.yaml": "eA==" }), { "manifests/a.yaml": "x" }],
  [
    "an encoded key",
    marked("openshift/a b.yaml", { [FOLDER]: "openshift" }, { "_x_a_20b.yaml": "eA==" }),
    { "openshift/a b.yaml": "x" },
  ],
  [
    "an encoded key and the label",
    manifest("openshift", "_x_a_20b.yaml", "x"),
    { "openshift/a b.yaml": "x" },
  ],
  [
    "an encoded path",
    secret("x", { data: { "_x_manifests_2Fa.yaml": "eA==" } }, { labels: { pick: "yes" } }),
    { "manifests/a.yaml": "x" },
  ],
  ["an empty file", marked("manifests/a.yaml", {}, { "a.yaml": "" }), { "manifests/a.yaml": "" }],
  ["a null value", marked("manifests/a.yaml", {}, { "a.yaml": null }), { "manifests/a.yaml": "" }],
  [
    "base64 over several lines",
    marked("manifests/a.yaml", {}, { "a.yaml": "eHh4\n eHh4".replace(" ", "") }),
    { "manifests/a.yaml": "xxxxxx" },
  ],
  [
    "keys that are paths, several in one Secret",
    secret(
      "x",
      { data: { "manifests/a.yaml": "eA==", "openshift/b.yml": "eQ==" } },
      { labels: { pick: "yes" } },
    ),
    { "manifests/a.yaml": "x", "openshift/b.yml": "y" },
  ],
  [
    "several base names below one label",
    secret(
      "x",
      { data: { "a.yaml": "eA==", "b.yml": "eQ==" } },
      { labels: { pick: "yes", [FOLDER]: "openshift" } },
    ),
    { "openshift/a.yaml": "x", "openshift/b.yml": "y" },
  ],
  [
    "label and annotation disagree",
    marked("manifests/a.yaml", { [FOLDER]: "openshift" }, { "a.yaml": "eA==" }),
    "REC009",
  ],
  ["key and annotation disagree", marked("manifests/a.yaml", {}, { "b.yaml": "eA==" }), "REC009"],
  [
    "two keys and one annotation",
    marked("manifests/a.yaml", {}, { "a.yaml": "eA==", "b.yaml": "" }),
    "REC009",
  ],
  [
    "a path in the annotation that leads out",
    marked("manifests/../a.yaml", {}, { "a.yaml": "eA==" }),
    "REC010",
  ],
  ["an absolute path", marked("/manifests/a.yaml", {}, { "a.yaml": "eA==" }), "REC010"],
  ["a sub-folder", marked("manifests/b/a.yaml", {}, { "a.yaml": "eA==" }), "REC010"],
  ["a backslash", marked("manifests/a\\b.yaml", {}, { "_x_a_5Cb.yaml": "eA==" }), "REC010"],
  [
    "a key that is a path elsewhere",
    secret("x", { data: { "tls/a.yaml": "eA==" } }, { labels: { pick: "yes" } }),
    "REC010",
  ],
  [
    "a path key against the label",
    secret("x", { data: { "manifests/a.yaml": "eA==" } }, { labels: { pick: "yes", [FOLDER]: "openshift" } }),
    "REC009",
  ],
  ["no key", marked("manifests/a.yaml", {}, {}), "REC009"],
  [
    "an annotation that excludes it",
    secret(
      "x",
      { data: { "a.yaml": "eA==" } },
      {
        labels: { pick: "yes", [FOLDER]: "openshift" },
        annotations: { "cluster.openshift.io/include-in-ignition": "false" },
      },
    ),
    "REC009",
  ],
];
for (const [name, object, expected] of WRAPS)
  test(`a Secret with ${name}`, () => {
    const { plan, diagnostics } = planOf(json(selecting(PICK), stateSecret(), object));
    if (typeof expected === "string")
      assert.equal([...new Set(diagnostics.map(({ code }) => code))], [expected]);
    else {
      assert.equal(diagnostics, []);
      assert.equal(filesOf(plan), expected);
    }
  });

test("without a selector the default manifests count, and wrapped files that are left out are named", () => {
  for (const spec of [{}, { manifestsSelector: null }]) {
    const { plan, diagnostics } = planOf(json(controlPlane(spec), stateSecret()));
    assert.equal(diagnostics, []);
    assert.ok(plan !== undefined && plan.files === undefined);
  }
  const left = manifest("manifests", "a.yaml", "x", { "cluster.openshift.io/ignition": "include" });
  assert.equal(
    planOf(json(controlPlane(), stateSecret(), left)).diagnostics.map(({ code, severity }) => [
      code,
      severity,
    ]),
    [["REC008", "warning"]],
  );
});

test("an empty selector selects every Secret; what is not a manifest is left out and named", () => {
  const token = secret(
    "token",
    { data: { token: "eA==" }, type: "kubernetes.io/service-account-token" },
    { annotations: { "kubernetes.io/service-account.name": "default" } },
  );
  const { plan, diagnostics } = planOf([...sound.slice(1), ...json(selecting({}), token)]);
  assert.equal(filesOf(plan), SOUND_FILES);
  assert.equal(
    diagnostics.map(({ code, severity, file }) => [code, severity, file]),
    [["REC015", "warning", "4.yaml"]],
  );
});

test("cluster and release image are read from the control plane", () => {
  const metadata = {
    labels: { "cluster.x-k8s.io/cluster-name": "egret" },
    annotations: { "cluster.openshift.io/release-image": "registry.example.com/a@sha256:0" },
  };
  const { plan } = planOf(json(controlPlane({}, metadata), stateSecret()));
  assert.is(plan?.controlPlane.cluster, "egret");
  assert.is(plan?.controlPlane.releaseImage, "registry.example.com/a@sha256:0");
});

test("no value of a Secret is in any message", () => {
  const texts = json(selecting(PICK), stateSecret({ x: base64("PLANTED-bearer-token") }), {
    ...manifest("tls", "a.yaml"),
    data: { "a.yaml": "PLANTED-bearer-token" },
  });
  const said = JSON.stringify(planOf(texts).diagnostics);
  assert.ok(!said.includes("PLANTED") && !said.includes(base64("PLANTED-bearer-token")));
});

test.run();
