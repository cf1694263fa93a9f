/** Reading dumps: the big ones item by item, with the same answer as in one piece; what is none is told. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Problem } from "../../src/core/diagnostics.js";
import type { JsonObject } from "../../src/core/json.js";
import { readYaml, toJson, type YamlNode } from "../../src/text/yaml-read.js";
import { writeYaml } from "../../src/text/yaml-write.js";
import { readDump } from "../../src/transfer/dump.js";
import { takeItems } from "../../src/transfer/dump-items.js";
import { objectAt } from "../../src/transfer/object.js";
import { readState } from "../../src/transfer/state.js";
import { runs } from "../helpers/runs.js";
import { claim, pod, summary, volume } from "../helpers/transfer.js";

const test = suite("dumps");

interface Taken {
  readonly value: unknown;
  readonly line: number;
  readonly column: number;
}

/** What cutting finds; undefined when the text is left to the reader of whole texts. */
function cut(text: string): Taken[] | undefined {
  const taken: Taken[] = [];
  const done = takeItems(
    text,
    "dump.yaml",
    ({ items }) => {
      for (const { root, line, column } of items) taken.push({ value: toJson(root), line, column });
    },
    0,
  );
  return done ? taken : undefined;
}

function whole(text: string): Taken[] {
  const itemsOf = (root: YamlNode | undefined): readonly YamlNode[] => {
    if (root?.type !== "mapping") return [];
    const items = root.entries.find(({ name }) => name === "items")?.value;
    return items?.type === "sequence" ? items.items : [];
  };
  return readYaml(text, "dump.yaml")
    .documents.flatMap(({ root }) => itemsOf(root))
    .map((item) => ({ value: toJson(item), line: item.line, column: item.column }));
}

const objects: readonly JsonObject[] = [
  claim("prod", "db", "pv-1"),
  volume("pv-1", "prod", "db"),
  pod("prod", "a", "db"),
];
const list = (items: readonly JsonObject[]): JsonObject => ({
  apiVersion: "v1",
  kind: "List",
  items: [...items],
  metadata: { resourceVersion: "" },
});
/** As kubectl writes it: items at the margin. */
const kubectl = (items: readonly JsonObject[]): string =>
  `apiVersion: v1\nitems:\n${items
    .map((item) =>
      writeYaml(item)
        .split("\n")
        .map((line, index) => (line === "" ? "" : `${index === 0 ? "- " : "  "}${line}`))
        .join("\n"),
    )
    .join("")}kind: List\nmetadata:\n  resourceVersion: ""\n`;

const nasty: JsonObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "odd", annotations: { "last-applied": '{"items":[{"a":"- b\\n"}],"kind":"List"}' } },
  data: { text: "items:\n- no: item\n---\nkind: List\n", quote: 'a " b \\" c', dash: "- - -", empty: "" },
};

for (const [name, text] of Object.entries({
  "YAML of kubectl": kubectl([...objects, nasty]),
  "YAML with indented items": writeYaml(list([...objects, nasty])),
  "two lists": `${kubectl(objects)}---\n${kubectl([nasty])}`,
  "a marker first": `---\n${kubectl([nasty, ...objects])}`,
  CRLF: kubectl([...objects, nasty]).replaceAll("\n", "\r\n"),
  "comments and blank lines": kubectl([...objects, nasty])
    .replaceAll("\n- ", "\n\n# next\n- ")
    .replace("items:\n\n# next\n", "items:\n"),
  "JSON of kubectl": JSON.stringify(list([...objects, nasty]), null, 4),
  "JSON on one line": JSON.stringify(list([nasty, ...objects])),
  "a list that is empty": JSON.stringify(list([])),
}))
  test(`${name}: item by item and in one piece are the same, places too`, () => {
    assert.equal(cut(text), whole(text));
  });

for (const [name, text] of Object.entries({
  "an alias from one item to another": "items:\n- &a\n  kind: Pod\n- *a\nkind: List\n",
  "a document that is no list": `${kubectl(objects)}---\nkind: Pod\n`,
  "items in flow form": "items: [{kind: Pod}]\nkind: List\n",
  "a fault in an item": "items:\n- kind: Pod\n- kind: [\nkind: List\n",
  "items twice": "items:\n- kind: Pod\nkind: List\nitems:\n- kind: Pod\n",
  "JSON without a comma": '{"items":[{"kind":"Pod"} {"kind":"Pod"}],"kind":"List"}',
  "JSON that is cut off": '{"items":[{"kind":"Pod"},{"kind":"Po',
  "items of something else first": '{"metadata":{"items":[{}]},"items":[{"kind":"Pod"}],"kind":"List"}',
}))
  test(`${name}: left to the reader of whole texts`, () => {
    assert.is(cut(text), undefined);
  });

test("whatever stands in items, cutting finds what reading the whole finds, or leaves it", () => {
  const word = fc.constantFrom(
    "- a",
    "items:",
    "---",
    "...",
    "# x",
    "a: b",
    '"',
    "'",
    "\\",
    "{",
    "]",
    "\n",
    "\n- ",
    " ",
    "|",
    "kind: List",
    "&x",
    "*x",
    "\t",
  );
  const value = fc.array(word, { maxLength: 6 }).map((words) => words.join(""));
  const item = fc.dictionary(fc.constantFrom("kind", "a", "items", "- b", "c:d"), value, { maxKeys: 4 });
  fc.assert(
    fc.property(fc.array(item, { maxLength: 5 }), fc.boolean(), (items, json) => {
      const text = json ? JSON.stringify(list(items), null, 2) : kubectl(items);
      const found = cut(text);
      if (found !== undefined) assert.equal(found, whole(text));
    }),
    { numRuns: runs(500) },
  );
  // Broken texts, too: never an item that the whole does not have.
  fc.assert(
    fc.property(fc.array(fc.oneof(word, fc.constant("\nitems:\n- ")), { maxLength: 14 }), (words) => {
      const text = `kind: List${words.join("")}`;
      const found = cut(text);
      if (found !== undefined) assert.equal(found, whole(text), JSON.stringify(text));
    }),
    { numRuns: runs(3000) },
  );
});

const read = (text: string): { kinds: string[]; told: string[] } => {
  const problems: Problem[] = [];
  const observed = readDump(
    text,
    "dump.yaml",
    () => true,
    (each) => void problems.push(each),
  );
  return { kinds: observed.map(({ object }) => String(object["kind"])), told: summary(problems) };
};

test("a page of a list and a refusal are no evidence that something is absent", () => {
  const page = (next: string, items: string): string =>
    `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"${next}},"items":[${items}]}`;
  const going = ["error TRF057 the list is incomplete: it contains only one page"];
  assert.equal(read(page(',"continue":"abc","remainingItemCount":4', "")).told, going);
  assert.equal(read(`{"kind":"List","items":[${page(',"continue":"abc"', "")}]}`).told, going);
  assert.equal(read(page(',"continue":""', "")).told, []);
  for (const items of ["", ',"items":null'])
    assert.equal(read(`{"kind":"PodList","metadata":{"continue":"abc"}${items}}`).told, going);
  const pods = Array.from(
    { length: 2000 },
    (_, i) => `{"metadata":{"name":"pod-${i}","namespace":"a"}}`,
  ).join();
  assert.equal(read(page(',"continue":"abc"', pods)).told, going);
  const refusal =
    '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"pods is forbidden","code":403}';
  assert.equal(read(`kind: PodList\napiVersion: v1\nitems: []\n---\n${refusal}\n`).told, [
    "error TRF057 part of the dump is missing because the API server denied the request: pods is forbidden",
  ]);
  // Both streams of kubectl in one file: its error reads as a member of what stands beside it.
  const missing = 'the server doesn\'t have a resource type "volumesnapshots"';
  const told = [
    `error TRF057 part of the dump is missing because the API server denied the request: ${missing}`,
  ];
  const big = Array.from({ length: 2000 }, (_, index) => pod("x", `p-${index}`, "c"));
  for (const text of [kubectl(objects), kubectl(big)]) {
    assert.equal(read(`error: ${missing}\n${text}`).told, told);
    assert.equal(read(`${text}error: ${missing}\n`).told, told);
    assert.equal(read(`Error from server (NotFound): ${missing}\n${text}`).told, told);
  }
});

test("one object in two states is told, with resourceVersion or without", () => {
  const told = (...states: JsonObject[]): string[] => {
    const problems: Problem[] = [];
    readState([{ file: "d.yaml", text: kubectl(states) }], (each) => void problems.push(each));
    return problems.map(({ code }) => code);
  };
  const bare = (policy: string): JsonObject => {
    const made = volume("pv-1", "prod", "db", { spec: { persistentVolumeReclaimPolicy: policy } });
    const { resourceVersion: _, ...metadata } = objectAt(made, "metadata");
    return { ...made, metadata };
  };
  assert.equal(told(bare("Retain"), bare("Delete")), ["TRF005"]);
  assert.equal(told(bare("Retain"), bare("Retain")), []);
});

test("a dump that was cut off is told, and so is what is not a dump", () => {
  const text = kubectl(objects);
  const cutOff = text.slice(0, text.indexOf("kind: List"));
  assert.equal(read(cutOff).told, ["error TRF057 the list has no kind: the dump is truncated"]);
  const padding = Array.from({ length: 300 }, (_, index) => pod("x", `p-${index}`, "c"));
  const big = kubectl([...objects, ...padding]);
  assert.ok(big.length > 100_000 || cut(big) !== undefined);
  assert.equal(read(big.slice(0, big.indexOf("kind: List"))).told, [
    "error TRF057 the list has no kind: the dump is truncated",
  ]);
  for (const other of [
    "NAME  STATUS  VOLUME\ndb  Bound  pv-1\n",
    "replicas: 3\n",
    "kind: List\nitems:\n- name: x\n",
  ])
    assert.equal(read(other).told, ["error TRF057 not an object from a cluster: it has no kind"], other);
  assert.equal(read(""), { kinds: [], told: [] });
  assert.equal(read("---\n---\n# nothing\n"), { kinds: [], told: [] });
  assert.equal(read("kind: List\napiVersion: v1\nitems: []\n"), { kinds: [], told: [] });
  assert.equal(read("kind: List\napiVersion: v1\nitems: null\n"), { kinds: [], told: [] });
});

test("lists in lists, and lists of one kind whose items leave it out", () => {
  const { kind: _, apiVersion: __, ...bare } = claim("prod", "db", "pv-1");
  const nested = list([
    { apiVersion: "v1", kind: "PersistentVolumeClaimList", items: [bare] },
    list([volume("pv-1", "prod", "db"), list([pod("prod", "a", "db")])]),
  ]);
  for (const text of [JSON.stringify(nested), writeYaml(nested)])
    assert.equal(read(text), { kinds: ["PersistentVolumeClaim", "PersistentVolume", "Pod"], told: [] });
});

test("of a pod only what counts is kept, of nothing the managed fields", () => {
  const managedFields = [{ manager: "kubectl", fieldsV1: { "f:spec": {} } }];
  const text = JSON.stringify(
    list([
      pod("prod", "a", "db", { metadata: { managedFields }, spec: { containers: [{ name: "c" }] } }),
      claim("prod", "db", "pv-1", { metadata: { managedFields } }),
    ]),
  );
  const [first, second] = readDump(
    text,
    "dump.yaml",
    () => true,
    () => {},
  );
  assert.equal(Object.keys(first?.object["spec"] ?? {}), ["volumes"]);
  for (const each of [first, second]) assert.not.match(JSON.stringify(each), /managedFields/);
});

test("a member of another form than an API server's is told with its place, whatever the object", () => {
  for (const [path, value, form] of [
    [["metadata", "labels"], "x", "mapping"],
    [["metadata", "annotations"], ["x"], "mapping"],
    [["metadata", "finalizers"], "x", "list"],
    [["spec", "volumes"], { data: {} }, "list"],
    [["spec", "claimRef"], "prod/db", "mapping"],
    [["status"], "Bound", "mapping"],
  ] as const)
    for (const object of objects) {
      const [first, second] = path;
      const spoilt: JsonObject =
        second === undefined
          ? { ...object, [first]: value }
          : { ...object, [first]: { ...objectAt(object, first), [second]: value } };
      const problems: Problem[] = [];
      readDump(
        kubectl([claim("a", "b", "c"), spoilt]),
        "dump.yaml",
        () => true,
        (problem) => void problems.push(problem),
      );
      assert.equal(
        problems.map(({ code, field }) => `${code} ${field}`),
        [`TRF057 ${path.join(".")}`],
      );
      assert.match(problems[0]?.message ?? "", `must be a ${form}`);
      assert.ok((problems[0]?.line ?? 0) > 10, "the place of the member");
    }
  // null is left out.
  const nulls: Problem[] = [];
  readDump(
    kubectl([{ ...claim("a", "b", "c"), status: null }]),
    "dump.yaml",
    () => true,
    (problem) => void nulls.push(problem),
  );
  assert.equal(nulls, []);
});

test.run();
