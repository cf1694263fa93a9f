/** What each release decodes, serves and stores: the table against the recorded data, and the verdicts built on it. */
import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { groupVersion } from "../../src/compatibility/api-table.js";
import { kubernetesApis } from "../../src/compatibility/kubernetes.js";
import { isJson, isList, isObject, type JsonObject } from "../../src/core/json.js";
import { formatMinor, release as minorOf, minorsBetween } from "../../src/core/minor.js";
import { NO_ANSWERS } from "../../src/etcd/encryption/answers.js";
import { KeyLayout, restOf } from "../../src/etcd/key-layout.js";
import { openCopy } from "../../src/etcd/read/copies.js";
import {
  BUILT_INS,
  findVersion,
  isRegistered,
  parseTarget,
  servedVersion,
  storageVersion,
} from "../../src/etcd/releases.js";
import { scan } from "../../src/etcd/scan.js";
import { Judge } from "../../src/etcd/verdict.js";
import { deriveTable } from "../../src/storage/derive.js";
import type { VersionRow } from "../../src/storage/model.js";
import { presetPolicy } from "../../src/storage/policy.js";
import { withShared } from "../helpers/shared.js";
import { envelope, memoryFile, snapshot } from "./copies.js";
import { cbor } from "./values.js";

const test = suite("etcd releases");

const rows = (file: string): Record<string, string>[] => {
  const [head = "", ...lines] = readFileSync(file, "utf8").trim().split("\n");
  const names = head.split("\t");
  return lines.map((line) => Object.fromEntries(line.split("\t").map((cell, i) => [names[i] ?? "", cell])));
};
const group = (text: string | undefined): string => (text === "core" ? "" : (text ?? ""));
const builtIn = (of: string, resource: string): (typeof BUILT_INS)[number] | undefined =>
  BUILT_INS.find(
    (each) =>
      each.internal !== true &&
      each.resource === resource &&
      each.versions.some(({ apiVersion }) =>
        apiVersion.includes("/") ? apiVersion.startsWith(`${of}/`) : of === "",
      ),
  );

withShared(test, "data/etcd/storage-paths-1.36.tsv", "keys and stored versions of 1.36", (file) => {
  let seen = 0;
  for (const row of rows(file)) {
    // Left over in that fixture: dropped at every release from 1.35 on.
    if (row["version"] === "v1alpha1" && row["resource"] === "podcertificaterequests") continue;
    const found = builtIn(group(row["group"]), row["resource"] ?? "");
    if (found === undefined) throw new Error(`${row["group"]} ${row["resource"]} is not in the table`);
    const scope = found.namespaced ? "<namespace>/<name>" : "<name>";
    assert.is(`${found.path}/${scope}`, row["key_under_prefix"]);
    assert.is(storageVersion(found, minorOf("1.36")), row["stored_as"], `${row["group"]} ${row["resource"]}`);
    seen++;
  }
  assert.ok(seen >= 88);
});

withShared(
  test,
  "data/api-lifecycle/etcd-storage-expectations.yaml",
  "keys and stored versions of 1.37",
  (file) => {
    const list = load(readFileSync(file, "utf8"));
    if (!isJson(list) || !isList(list)) throw new Error("not a list");
    const entries = list.filter(isObject);
    assert.is(entries.length, 94);
    for (const entry of entries) {
      if (entry["version"] === "v1alpha1" && entry["resource"] === "podcertificaterequests") continue;
      // Recorded before these kinds got a beta version, as which the release stores them.
      if (entry["group"] === "scheduling.k8s.io" && entry["version"] === "v1alpha3") continue;
      const found = builtIn(String(entry["group"]), String(entry["resource"]));
      if (found === undefined) throw new Error(`${String(entry["resource"])} is not in the table`);
      assert.is(`/registry/${found.path}`, entry["etcdPrefix"]);
      assert.is(found.namespaced, entry["namespaced"]);
      const as = isObject(entry["storedAs"]) ? entry["storedAs"] : entry;
      const apiVersion =
        as["group"] === "" ? String(as["version"]) : `${String(as["group"])}/${String(as["version"])}`;
      assert.is(storageVersion(found, minorOf("1.37")), apiVersion, String(entry["resource"]));
    }
  },
);

withShared(test, "data/etcd/api-kinds-by-release.tsv", "which releases register a kind", (file) => {
  const known = new Map(
    BUILT_INS.flatMap((each) =>
      each.versions.map((version) => [`${version.apiVersion} ${each.kind}`, version] as const),
    ),
  );
  let seen = 0;
  for (const { group: of, version, kind, first_release: first = "", last_release: last = "" } of rows(file)) {
    const found = known.get(`${of === "core" ? "" : `${of}/`}${version} ${kind}`);
    if (found === undefined) continue;
    seen++;
    const from = first === "<=1.8" ? 8 : minorOf(first.replace("-dev", "")).minor;
    const to = last === "still" ? 37 : minorOf(last.replace("-dev", "")).minor;
    for (let minor = 8; minor <= 37; minor++)
      assert.is(
        isRegistered(found, { major: 1, minor }),
        minor >= from && minor <= to,
        `${kind} ${version} in 1.${minor}`,
      );
  }
  assert.ok(seen > 170);
});

test("releases that are data, and releases that are not", () => {
  for (const [text, target] of [
    ["1.36", "1.36"],
    ["v1.36.2", "1.36"],
    ["4.22", "1.35"],
  ] as const)
    assert.equal(parseTarget(text), minorOf(target));
  for (const text of ["1.15", "1.38", "4.25", "2.1", "36", "1.36-rc", ""])
    assert.is(parseTarget(text), undefined, text);
});

test("the version through which a resource is asked for", () => {
  const served = (of: string, resource: string, minor: number): string | undefined => {
    const found = builtIn(of, resource);
    return found === undefined ? undefined : servedVersion(found, { major: 1, minor })?.apiVersion;
  };
  assert.is(served("autoscaling", "horizontalpodautoscalers", 36), "autoscaling/v2");
  assert.is(served("autoscaling", "horizontalpodautoscalers", 22), "autoscaling/v1");
  assert.is(served("policy", "podsecuritypolicies", 24), "policy/v1beta1");
  assert.is(served("policy", "podsecuritypolicies", 25), undefined);
  assert.is(
    served("flowcontrol.apiserver.k8s.io", "flowschemas", 28),
    "flowcontrol.apiserver.k8s.io/v1beta3",
  );
  // Off by default, and still the only one.
  assert.is(
    served("storagemigration.k8s.io", "storageversionmigrations", 36),
    "storagemigration.k8s.io/v1beta1",
  );
});

for (const [key, prefixes, family, resource, rest] of [
  ["/registry/secrets/ns/name", [], "builtin", "secrets", "ns name"],
  ["/registry/services/specs/ns/svc", [], "builtin", "services", "ns svc"],
  ["/registry/services/endpoints/ns/svc", [], "builtin", "endpoints", "ns svc"],
  ["/registry/minions/node-1", [], "builtin", "nodes", "node-1"],
  ["/registry/controllers/ns/rc", [], "builtin", "replicationcontrollers", "ns rc"],
  ["/registry/ingress/ns/web", [], "builtin", "ingresses", "ns web"],
  ["/registry/podsecuritypolicy/old", [], "builtin", "podsecuritypolicies", "old"],
  ["/registry/ranges/serviceips", [], "builtin", "ranges", "serviceips"],
  ["/registry/masterleases/192.0.2.1", [], "builtin", "masterleases", "192.0.2.1"],
  ["/registry/clusterroles/system:node", [], "builtin", "clusterroles", "system:node"],
  [
    "/registry/apiextensions.k8s.io/customresourcedefinitions/a.b",
    [],
    "builtin",
    "customresourcedefinitions",
    "a.b",
  ],
  ["/registry/example.com/widgets/ns/w", [], "custom", "widgets", "ns w"],
  ["/registry/example.com/clusters/w", [], "custom", "clusters", "w"],
  ["/registry/newthings/ns/x", [], "unknown", "newthings", "ns x"],
  ["/registry/secrets/only-two", [], "unknown", "secrets", "only-two"],
  ["/registry/secrets/ns/too/deep", [], "unknown", "secrets", "ns too deep"],
  ["/registry/secrets//name", [], "unknown", "secrets", " name"],
  ["/registry/secrets/ns/", [], "unknown", "secrets", "ns "],
  ["/kubernetes.io/configmaps/ns/c", [], "builtin", "configmaps", "ns c"],
  ["/kubernetes.io/config.openshift.io/networks/cluster", [], "custom", "networks", "cluster"],
  ["/openshift.io/routes/ns/r", [], "foreign", "routes", "ns r"],
  ["/openshift.io/oauth/accesstokens/sha256~x", [], "foreign", "oauthaccesstokens", "sha256~x"],
  ["/my/own/prefix/secrets/ns/name", [], "builtin", "secrets", "ns name"],
  ["/my/own/prefix/secrets/ns/name", ["/registry"], "none", "", "/my/own/prefix/secrets/ns/name"],
  ["/my/own/prefix/secrets/ns/name", ["/my/own/prefix"], "builtin", "secrets", "ns name"],
  ["compact_rev_key", [], "none", "", "compact_rev_key"],
  ["/registryish/x", [], "none", "", "/registryish/x"],
] as const)
  test(`place of ${key}${prefixes.length > 0 ? ` below ${prefixes.join()}` : ""}`, () => {
    const layout = new KeyLayout(prefixes);
    // Twice: the second time a resource is known by what its keys start with.
    for (let i = 0; i < 2; i++) {
      const place = layout.place(key);
      assert.is(place.resource.family, family);
      assert.is(place.resource.resource, resource);
      assert.is(restOf(key, place).join(" "), family === "none" ? rest.replaceAll("/", " ") : rest);
    }
    assert.is(layout.place(key).resource, layout.place(key).resource);
  });

const CRD = {
  apiVersion: "apiextensions.k8s.io/v1beta1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    names: { plural: "widgets", kind: "Widget" },
    scope: "Namespaced",
    versions: [
      { name: "v1", served: true, storage: true },
      { name: "v1beta1", served: true, storage: false },
    ],
  },
  status: { storedVersions: ["v1beta1", "v1"] },
};
const json = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);
const widget = (version: string, name: string): JsonObject => ({
  apiVersion: `example.com/${version}`,
  kind: "Widget",
  metadata: { name, namespace: "ns" },
});

/** Key → value; then verdicts in releases: `server kep3166`. */
const CASES: readonly (readonly [string, Buffer, Readonly<Record<string, string>>])[] = [
  [
    "/registry/secrets/ns/s",
    envelope("v1", "Secret", { name: "s", namespace: "ns" }),
    { "1.16": "ok preferred", "1.37": "ok preferred" },
  ],
  // docs/reference/storage-and-encryption.md §4.4: the resource is gone, the keys stay.
  [
    "/registry/podsecuritypolicy/p",
    envelope("policy/v1beta1", "PodSecurityPolicy", { name: "p" }),
    { "1.24": "ok preferred", "1.25": "not-served ignored", "1.36": "not-served ignored" },
  ],
  // The version is gone and the resource lives on.
  [
    "/registry/priorityclasses/p",
    envelope("scheduling.k8s.io/v1alpha1", "PriorityClass", { name: "p" }),
    { "1.35": "rewritten supported", "1.36": "fails-list ignored" },
  ],
  [
    "/registry/horizontalpodautoscalers/ns/a",
    envelope("autoscaling/v2beta2", "HorizontalPodAutoscaler", { name: "a", namespace: "ns" }),
    { "1.25": "rewritten actively-migrated", "1.35": "rewritten ignored", "1.36": "fails-list ignored" },
  ],
  [
    "/registry/horizontalpodautoscalers/ns/b",
    envelope("autoscaling/v1", "HorizontalPodAutoscaler", { name: "b", namespace: "ns" }),
    { "1.36": "rewritten supported" },
  ],
  [
    "/registry/endpointslices/ns/e",
    envelope("discovery.k8s.io/v1alpha1", "EndpointSlice", { name: "e", namespace: "ns" }),
    { "1.20": "rewritten ignored", "1.21": "fails-list ignored" },
  ],
  [
    "/registry/flowschemas/f",
    envelope("flowcontrol.apiserver.k8s.io/v1alpha1", "FlowSchema", { name: "f" }),
    { "1.28": "rewritten ignored", "1.29": "fails-list ignored" },
  ],
  // Not served any more, and still decodable.
  [
    "/registry/ingress/ns/i",
    envelope("extensions/v1beta1", "Ingress", { name: "i", namespace: "ns" }),
    { "1.36": "rewritten ignored", "1.37": "rewritten ignored" },
  ],
  [
    "/registry/poddisruptionbudgets/ns/d",
    envelope("policy/v1beta1", "PodDisruptionBudget", { name: "d", namespace: "ns" }),
    { "1.22": "ok supported", "1.27": "rewritten ignored", "1.37": "rewritten ignored" },
  ],
  // Stored as v1beta1 for ever.
  [
    "/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com",
    json(CRD),
    { "1.36": "ok preferred", "1.37": "ok preferred" },
  ],
  ["/registry/example.com/widgets/ns/new", json(widget("v1", "new")), { "1.36": "ok preferred" }],
  [
    "/registry/example.com/widgets/ns/old",
    json(widget("v1beta1", "old")),
    { "1.36": "rewritten actively-migrated" },
  ],
  [
    "/registry/example.com/widgets/ns/gone",
    json(widget("v1alpha1", "gone")),
    { "1.36": "fails-list forbidden" },
  ],
  [
    "/registry/example.com/widgets/ns/cbor",
    cbor(widget("v1", "cbor") as { [key: string]: string }),
    { "1.31": "fails-list ignored", "1.32": "ok preferred" },
  ],
  [
    "/registry/example.com/widgets/scope-changed",
    json(widget("v1", "scope-changed")),
    { "1.36": "orphaned ignored" },
  ],
  [
    "/registry/orphan.example.org/gadgets/ns/g",
    json({ apiVersion: "orphan.example.org/v1", kind: "Gadget", metadata: { name: "g", namespace: "ns" } }),
    { "1.36": "orphaned ignored" },
  ],
  [
    "/registry/newthings/ns/x",
    envelope("new.k8s.io/v1", "NewThing", { name: "x", namespace: "ns" }),
    { "1.36": "unknown unknown" },
  ],
  [
    "/openshift.io/routes/ns/r",
    envelope("route.openshift.io/v1", "Route", { name: "r" }),
    { "1.36": "unknown unknown" },
  ],
  ["/registry/masterleases/192.0.2.1", envelope("v1", "Endpoints", { name: "" }), { "1.36": "ok preferred" }],
  [
    "/registry/secrets/ns/damaged",
    Buffer.from("k8s\0\x0a\x7f", "latin1"),
    { "1.36": "unreadable unreadable" },
  ],
  [
    "/registry/deployments/ns/future",
    envelope("apps/v2", "Deployment", { name: "future", namespace: "ns" }),
    { "1.36": "fails-list ignored" },
  ],
  ["compact_rev_key", Buffer.from("12"), { "1.36": "not-an-object not-an-object" }],
];

const surveyOf = (records: readonly { readonly key: string; readonly value: Buffer }[]) =>
  scan({
    copies: [openCopy(memoryFile("cases.db", snapshot(records)), "snapshot", () => {})],
    prefixes: [],
    configs: [],
    answers: NO_ANSWERS,
    report: () => {},
  });

test("verdicts by release", async () => {
  const survey = await surveyOf(CASES.map(([key, value]) => ({ key, value })));
  const byKey = new Map([...survey.order()].map((row) => [survey.table.key(row), row]));
  for (const [key, , releases] of CASES)
    for (const [release, expected] of Object.entries(releases)) {
      const judge = new Judge(survey.cluster, minorOf(release));
      const row = byKey.get(key) ?? -1;
      const { server, kep3166, reason } = judge.of(survey.table, row);
      assert.is(`${server} ${kep3166}`, expected, `${key} in ${release}: ${reason}`);
    }
  const row = byKey.get("/registry/secrets/ns/s") ?? -1;
  // Four up and one down is as far as the design goes.
  for (const [from, expected] of [
    ["1.32", "preferred"],
    ["1.31", "unknown"],
    ["1.37", "preferred"],
  ] as const)
    assert.is(
      new Judge(survey.cluster, minorOf("1.36"), minorOf(from)).of(survey.table, row).kep3166,
      expected,
    );
  assert.is(
    new Judge(survey.cluster, minorOf("1.35"), minorOf("1.37")).of(survey.table, row).kep3166,
    "unknown",
  );
  assert.ok(
    findVersion(
      BUILT_INS[0] ?? { path: "", group: "", resource: "", kind: "", namespaced: false, versions: [] },
      "x/v0",
    ) === undefined,
  );
});

test("the design's behaviour of an object is the one of its version's row, in every release", async () => {
  const rows = new Map<string, VersionRow["behaviors"]>(
    deriveTable(kubernetesApis(), presetPolicy("kep")).resources.flatMap(({ resource, versions }) =>
      versions.map((row) => [`${resource} ${groupVersion(row)}`, row.behaviors] as const),
    ),
  );
  const ids = new Map<string, string>();
  const records = BUILT_INS.filter(({ internal }) => internal !== true).flatMap(
    ({ path, resource, kind, namespaced, versions }) =>
      versions.map(({ apiVersion }, i) => {
        const key = `/registry/${path}/${namespaced ? "ns/" : ""}o${i}`;
        ids.set(key, `${resource} ${apiVersion}`);
        const place = namespaced ? { namespace: "ns" } : {};
        return { key, value: envelope(apiVersion, kind, { name: `o${i}`, ...place }) };
      }),
  );
  const survey = await surveyOf(records);
  let cells = 0;
  for (const at of minorsBetween(minorOf("1.16"), minorOf("1.37"))) {
    const judge = new Judge(survey.cluster, at);
    for (const row of survey.order()) {
      const id = ids.get(survey.table.key(row)) ?? "";
      const expected = rows.get(id)?.get(formatMinor(at));
      if (expected === undefined) continue;
      const { server, kep3166 } = judge.of(survey.table, row);
      assert.is(kep3166, expected, `${id} in ${formatMinor(at)}: ${server}`);
      cells++;
    }
  }
  assert.ok(cells > 2000, `${cells} cells`);
});

test.run();
