import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ApiTable } from "../../src/compatibility/api-table.js";
import { commandLineFlag } from "../../src/compatibility/flags.js";
import { readApiTable } from "../../src/compatibility/read/api-table.js";
import { readStoragePins } from "../../src/compatibility/read/storage-pins.js";
import { KEP, SHIPPED } from "../../src/compatibility/rules.js";
import {
  ruleOf,
  type StoragePins,
  type StorageRule,
  type StorageVersion,
  storageVersions,
} from "../../src/compatibility/storage-versions.js";
import { createReporter, type Diagnostic } from "../../src/core/diagnostics.js";
import { abstractBehaviors } from "../../src/storage/verify.js";
import { apis, codes, HEAD, kube, minor, mustRead } from "../helpers/compat.js";
import { withShared } from "../helpers/shared.js";

const test = suite("storage versions");
const DATA = "data/api-lifecycle";

interface Options {
  readonly binary?: string;
  readonly emulated?: string;
  readonly minimum?: string;
  readonly rule?: StorageRule;
  readonly pins?: StoragePins;
  readonly config?: string;
}

function ask(
  table: ApiTable,
  options: Options,
): { stored: StorageVersion[]; diagnostics: readonly Diagnostic[] } {
  const { report, diagnostics } = createReporter();
  const rules = options.rule === "kep" ? KEP : SHIPPED;
  const stored = storageVersions(
    {
      table,
      versions: kube(options.binary ?? "1.37", options.emulated, options.minimum, rules),
      rules,
      rule: options.rule,
      pins: options.pins,
      runtimeConfig:
        options.config === undefined ? [] : [commandLineFlag("--runtime-config", options.config)],
    },
    report,
  );
  return { stored, diagnostics };
}

const versionOf = (table: ApiTable, resource: string, options: Options): string | null | undefined =>
  ask(table, options).stored.find((each) => each.resource === resource)?.version;

const SYNTHETIC = apis(`${HEAD}kind: APILifecycle
kinds:
- {group: g, version: v1alpha1, kind: K, resource: ks, introduced: "1.31", removed: "1.36"}
- {group: g, version: v1beta1, kind: K, resource: ks, introduced: "1.33"}
- {group: g, version: v1, kind: K, resource: ks, introduced: "1.35", replacement: {group: h, version: v1, kind: K}}
- {group: g, version: v2, kind: Other, resource: others, introduced: "1.36"}
- {group: nn, version: v1alpha1, kind: New, resource: news, introduced: "1.36"}
- {group: nn, version: v1, kind: Old, resource: olds}
- {group: q, version: v1beta1, kind: Question, resource: questions, introduced: "1.36"}
`);

test("the rules on a table of our own (docs/reference/compatibility-versions.md §7)", () => {
  const ks = (rule: StorageRule, emulated: string, minimum: string) =>
    versionOf(SYNTHETIC, "ks", { rule, emulated, minimum });
  assert.is(ks("1.31", "1.37", "1.36"), "v1");
  assert.is(ks("1.31", "1.35", "1.34"), "v1beta1");
  assert.is(ks("1.37", "1.35", "1.34"), "v1beta1");
  assert.is(ks("1.32", "1.37", "1.36"), "v1beta1", "a kind with a replacement is passed over");
  assert.is(ks("kep", "1.37", "1.36"), "v1");
  assert.is(ks("kep", "1.35", "1.34"), "v1beta1", "the newest that 1.34, 1.35 and 1.36 serve");
});

test("1.37 never prefers alpha, and falls back on the emulated version", () => {
  const early = (rule: StorageRule) =>
    versionOf(SYNTHETIC, "ks", { rule, binary: "1.34", emulated: "1.33", minimum: "1.32" });
  assert.is(early("1.31"), "v1alpha1");
  assert.is(early("1.37"), "v1beta1");
  assert.is(early("kep"), "v1alpha1");
});

test("a kind that nobody knows yet takes the group's preferred version, even one that it does not have", () => {
  const news = ask(SYNTHETIC, { rule: "1.31", emulated: "1.36", minimum: "1.35" }).stored.find(
    ({ resource }) => resource === "news",
  );
  assert.is(news?.version, "v1");
  assert.match(news?.reason ?? "", /does not contain this kind/);
  assert.is(versionOf(SYNTHETIC, "news", { rule: "1.37", emulated: "1.36", minimum: "1.35" }), "v1alpha1");
  const kep = ask(SYNTHETIC, { rule: "kep", emulated: "1.36", minimum: "1.35" });
  assert.is(kep.stored.find(({ resource }) => resource === "news")?.version, null);
  assert.ok(codes(kep.diagnostics, "warning").includes("API020"));
});

test("a resource that no release in question serves is left out", () => {
  assert.is(versionOf(SYNTHETIC, "questions", { emulated: "1.35" }), undefined);
  assert.is(versionOf(SYNTHETIC, "questions", { emulated: "1.36" }), "v1beta1");
});

test("each release has its rule", () => {
  assert.equal(
    ["1.31", "1.32", "1.33", "1.34", "1.35", "1.36", "1.37", "1.40"].map((binary) =>
      ruleOf(minor(binary), SYNTHETIC),
    ),
    ["1.31", "1.32", "1.32", "1.32", "1.31", "1.31", "1.37", "1.37"],
  );
});

function pinsOf(text: string): { pins: StoragePins; diagnostics: readonly Diagnostic[] } {
  const { report, diagnostics } = createReporter();
  return { pins: mustRead({ value: readStoragePins(text, "pins.yaml", report), diagnostics }), diagnostics };
}

test("pins win, by the newest snapshot that is not newer than the binary, and must name what exists", () => {
  const { pins } = pinsOf(`${HEAD}kind: StoragePins
snapshots:
- {at: "1.35-dev", pins: [{group: g, resource: ks, version: v1alpha1}]}
- {at: "1.37.1", pins: [{group: g, resource: ks, version: v1beta1}, {group: g, resource: kz, version: v1}, {group: q, resource: questions, version: v9}]}
`);
  assert.is(versionOf(SYNTHETIC, "ks", { binary: "1.36", pins }), "v1alpha1");
  const answer = ask(SYNTHETIC, { binary: "1.37", pins });
  assert.is(answer.stored.find(({ resource }) => resource === "ks")?.version, "v1beta1");
  assert.equal(codes(answer.diagnostics, "warning").sort(), ["API021", "API022"]);
  assert.is(answer.diagnostics[0]?.line, 5);
});

test("cohabiting resources are stored under the first group with anything enabled", () => {
  const table = apis(`${HEAD}kind: APILifecycle
kinds:
- {group: "", version: v1, kind: Event, resource: events}
- {group: events.k8s.io, version: v1, kind: Event, resource: events, introduced: "1.19"}
`);
  const stored = (config?: string): string[] =>
    ask(table, config === undefined ? {} : { config }).stored.map(
      (each) => `${each.group} ${each.storedGroup} ${each.version}`,
    );
  assert.equal(stored(), ["  v1", "events.k8s.io  v1"]);
  assert.equal(stored("/v1=false"), [" events.k8s.io v1", "events.k8s.io events.k8s.io v1"]);
});

const realTable = (folder: string): ApiTable => {
  const { report, diagnostics } = createReporter();
  const name = "api-lifecycle.yaml";
  return mustRead({
    value: readApiTable(readFileSync(join(folder, name), "utf8"), name, report),
    diagnostics,
  });
};

withShared(test, DATA, "real kinds by three rules", (folder) => {
  const table = realTable(folder);
  const rows: readonly (readonly [string, string, string, string, string, string, string | null])[] = [
    ["mutatingadmissionpolicies", "1.34", "1.34", "1.33", "v1alpha1", "v1beta1", "v1alpha1"],
    ["mutatingadmissionpolicies", "1.36", "1.36", "1.35", "v1beta1", "v1beta1", "v1beta1"],
    ["mutatingadmissionpolicies", "1.37", "1.37", "1.36", "v1", "v1", "v1"],
    ["leasecandidates", "1.34", "1.33", "1.32", "v1alpha2", "v1beta1", "v1alpha2"],
    ["clustertrustbundles", "1.34", "1.34", "1.32", "v1alpha1", "v1beta1", "v1alpha1"],
    ["podcertificaterequests", "1.37", "1.35", "1.34", "v1", "v1beta1", null],
    ["storageversionmigrations", "1.37", "1.37", "1.34", "v1", "v1", null],
    ["devicetaintrules", "1.37", "1.37", "1.35", "v1alpha3", "v1", "v1alpha3"],
    ["resourceclaims", "1.34", "1.33", "1.31", "v1", "v1beta2", null],
    ["endpoints", "1.34", "1.34", "1.33", "v1", "v1", "v1"],
    ["customresourcedefinitions", "1.37", "1.37", "1.36", "v1beta1", "v1beta1", "v1"],
  ];
  for (const [resource, binary, emulated, minimum, old, now, kep] of rows)
    for (const [rule, expected] of [
      ["1.31", old],
      ["1.37", now],
      ["kep", kep],
    ] as const)
      assert.is(
        versionOf(table, resource, { rule, binary, emulated, minimum }),
        expected,
        `${resource} ${emulated} ${rule}`,
      );
  assert.is(versionOf(table, "endpoints", { rule: "1.32", binary: "1.34" }), "v1");
  const events = ask(table, {}).stored.filter(({ resource }) => resource === "events");
  assert.equal(
    events.map((each) => `${each.group}: ${each.storedGroup}/${each.version}`),
    [": /v1", "events.k8s.io: /v1"],
  );
});

interface Expectation {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly storedAs: { readonly group: string; readonly version: string } | null;
}

withShared(test, DATA, "what the storage test of 1.37 expects, for 91 of its 94 entries", async (folder) => {
  const { load } = await import("js-yaml");
  const fixture: unknown = load(readFileSync(join(folder, "etcd-storage-expectations.yaml"), "utf8"));
  if (!Array.isArray(fixture)) throw new Error("no list");
  const stored = new Map(
    ask(realTable(folder), { binary: "1.37" }).stored.map((each) => [`${each.group}/${each.resource}`, each]),
  );
  const different = fixture.flatMap((entry: Expectation) => {
    const wanted = entry.storedAs ?? entry;
    const got = stored.get(`${entry.group}/${entry.resource}`);
    const same = got?.storedGroup === wanted.group && got.version === wanted.version;
    return same ? [] : [`${entry.group}/${entry.version}/${entry.resource}`];
  });
  assert.is(fixture.length, 94);
  // A leftover that every emulated release drops, and two kinds that got v1beta1 days after the fixture was written.
  assert.equal(different, [
    "certificates.k8s.io/v1alpha1/podcertificaterequests",
    "scheduling.k8s.io/v1alpha3/workloads",
    "scheduling.k8s.io/v1alpha3/podgroups",
  ]);
});

test("a version that has lost preference, by how far one jump leads (KEP-3166)", () => {
  const { behavior } = abstractBehaviors({ supported: 1, migrated: 3, maxUpgrade: 5, maxDowngrade: 1 });
  assert.equal(
    [0, 1, 2, 3, 4, 5].map((jump) => behavior(0, jump)),
    ["preferred", "supported", "actively-migrated", "actively-migrated", "actively-migrated", "ignored"],
  );
});

withShared(test, DATA, "the pins of three releases, one of which never applied", (folder) => {
  const { pins } = pinsOf(readFileSync(join(folder, "storage-version-pins.yaml"), "utf8"));
  const table = realTable(folder);
  const unknown = (binary: string): string[] =>
    ask(table, { binary, pins })
      .diagnostics.filter(({ code }) => code === "API021")
      .map(({ field }) => field);
  assert.equal(unknown("1.32"), ["storagemigrations.storagemigration.k8s.io"]);
  assert.equal(unknown("1.36"), ["storagemigrations.storagemigration.k8s.io"]);
  assert.equal(unknown("1.37"), []);
  assert.is(versionOf(table, "devicetaintrules", { binary: "1.37", pins }), "v1beta2");
});

test.run();
