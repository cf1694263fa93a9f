/** Copies that hold a part of a store: what is not in them is not gone; and migrations that would take fields. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";
import { dump, envelope, snapshot, type TestRecord } from "./copies.js";
import { aesgcm, keyOf } from "./values.js";

const test = suite("etcd partial copies");

const json = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);
const object = (plural: string, version: string, name: string): TestRecord => ({
  key: `/registry/example.com/${plural}/app/${name}`,
  value: json({ apiVersion: `example.com/${version}`, kind: "Thing", metadata: { name, namespace: "app" } }),
});
type Version = readonly [name: string, served: boolean, fields: readonly string[]];
const TEXT = { type: "string" };
const definition = (
  plural: string,
  storage: string,
  stored: readonly string[],
  versions: readonly Version[] = [["v1", true, ["a"]]],
): TestRecord => ({
  key: `/registry/apiextensions.k8s.io/customresourcedefinitions/${plural}.example.com`,
  value: json({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      names: { plural, kind: "Thing" },
      scope: "Namespaced",
      versions: versions.map(([name, served, fields]) => ({
        name,
        served,
        storage: name === storage,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties: Object.fromEntries(fields.map((each) => [each, TEXT])) },
            },
          },
        },
      })),
    },
    status: { storedVersions: stored },
  }),
});
const NAMESPACE: TestRecord = {
  key: "/registry/namespaces/app",
  value: envelope("v1", "Namespace", { name: "app" }),
};
const THING = object("things", "v1", "one");

/** Writes copies and answers the flags that name them. */
function copies(folder: string, all: Readonly<Record<string, readonly TestRecord[]>>): string[] {
  return Object.entries(all).flatMap(([name, records]) => {
    const form = name.endsWith(".db") ? "snapshot" : "dump";
    writeFileSync(join(folder, name), form === "dump" ? dump(records) : snapshot(records));
    return [`--${form}`, name];
  });
}

function ask(command: string, all: Parameters<typeof copies>[1], ...more: readonly string[]) {
  const folder = tempFolder();
  const flags = copies(folder, all);
  const args = ["etcd", command, ...flags, ...more, "--output", "json"];
  const { code, stdout, stderr } = slipway(command === "inventory" ? args : [...args, "--target", "1.37"], {
    cwd: folder,
  });
  return { folder, code, stderr, answer: JSON.parse(stdout) };
}

const verdicts = (all: Parameters<typeof copies>[1]): string[] =>
  ask("audit", all).answer.objects.flatMap(
    ({ key, verdict }: { key: string; verdict: { server: string } }) =>
      key.includes("/things/") ? [verdict.server] : [],
  );

const OTHER = definition("others", "v1", ["v1"]);
for (const [what, all, verdict] of [
  ["a dump of the objects alone", { "a.json": [THING] }, "unknown"],
  ["a dump without any definition", { "a.json": [THING, NAMESPACE] }, "unknown"],
  ["a snapshot without any definition", { "a.db": [THING, NAMESPACE] }, "unknown"],
  ["a dump of one definition beside it", { "a.json": [THING], "b.json": [OTHER] }, "unknown"],
  [
    "a dump of all definitions beside it",
    { "a.json": [THING], "b.json": [OTHER, definition("widgets", "v1", ["v1"])] },
    "orphaned",
  ],
  ["a dump of everything", { "a.json": [THING, NAMESPACE, OTHER] }, "orphaned"],
  ["a snapshot", { "a.db": [THING, OTHER] }, "orphaned"],
  [
    "a snapshot whose definition cannot be read",
    { "a.db": [THING, OTHER, { ...definition("things", "v1", ["v1"]), value: Buffer.from("{") }] },
    "unknown",
  ],
] as const)
  test(`an object whose definition is not there is ${verdict}: ${what}`, () => {
    assert.equal(verdicts(all), [verdict]);
    const { orphans } = ask("inventory", all).answer;
    assert.is(orphans.length, verdict === "orphaned" ? 1 : 0);
    const { diagnostics } = ask("audit", all).answer;
    const codes = diagnostics.map(({ code }: { code: string }) => code);
    assert.is(codes.includes("ETC057"), verdict === "unknown");
  });

test("nothing is planned for unreadable objects whose definition is not in the copy", () => {
  const key = "/registry/example.com/things/app/lost";
  const lost = { key, value: aesgcm("gone", keyOf("gone"), json({}), key) };
  const config = {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "EncryptionConfiguration",
    resources: [{ resources: ["things.example.com"], providers: [{ identity: {} }] }],
  };
  const folder = tempFolder();
  writeFileSync(join(folder, "c.json"), JSON.stringify(config));
  const flags = copies(folder, { "a.json": [lost, THING] });
  const { code, stderr } = slipway(
    ["etcd", "plan", ...flags, "--encryption-config", "c.json", "--target", "1.37", "--out", "out"],
    { cwd: folder },
  );
  assert.is(code, 0, stderr);
  assert.not.match(stderr, "etcdctl del");
  const plan = JSON.parse(readFileSync(join(folder, "out/plan.json"), "utf8"));
  assert.equal(plan.deletions, []);
  assert.is(plan.leftAlone[0].why, "no-definition");
});

test("a version stays listed where the copy does not show that no object is in it", () => {
  const listed = definition(
    "things",
    "v1",
    ["v1alpha1", "v1"],
    [
      ["v1alpha1", true, ["a"]],
      ["v1", true, ["a"]],
    ],
  );
  const files = (all: Parameters<typeof copies>[1]): string[] => {
    const { folder, code, stderr } = ask("plan", all, "--out", "out");
    assert.is(code, 0, stderr);
    const out = join(folder, "out");
    return (existsSync(out) ? readdirSync(out) : []).filter((each) => each.includes("things"));
  };
  assert.equal(files({ "a.json": [listed, OTHER] }), []);
  assert.equal(files({ "a.db": [listed, OTHER] }), ["60_stored-versions-things.example.com.json"]);
  const { definitions } = ask("inventory", { "a.json": [listed, OTHER] }).answer;
  assert.equal(definitions[1].onlyListed, []);
});

test("a part of a store shows of no key that nothing needs it, and is no evidence for a count", () => {
  const folder = tempFolder();
  const secret = { aesgcm: { keys: [{ name: "old", secret: keyOf("old").toString("base64") }] } };
  const config = {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "EncryptionConfiguration",
    resources: [{ resources: ["secrets"], providers: [{ identity: {} }, secret] }],
  };
  writeFileSync(join(folder, "c.json"), JSON.stringify(config));
  const safe = (records: readonly TestRecord[]): readonly [boolean, boolean] => {
    const flags = copies(folder, { "a.json": records });
    const { stdout } = slipway(
      ["etcd", "inventory", ...flags, "--encryption-config", "c.json", "--output", "json"],
      { cwd: folder },
    );
    const { encryptionKeys, scope } = JSON.parse(stdout);
    const key = encryptionKeys.find(({ keyName }: { keyName?: string }) => keyName === "old");
    return [key.safeToDrop, scope.complete];
  };
  assert.equal(safe([NAMESPACE, OTHER]), [true, true]);
  assert.equal(safe([NAMESPACE]), [false, false]);
});

test("an older revision shows of no key that nothing needs it, and of no version that nothing is stored in it", () => {
  const folder = tempFolder();
  const versions: readonly Version[] = [
    ["v1alpha1", true, ["a"]],
    ["v1", true, ["a"]],
  ];
  const provider = { aesgcm: { keys: [{ name: "old", secret: keyOf("old").toString("base64") }] } };
  writeFileSync(
    join(folder, "c.json"),
    JSON.stringify({
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "EncryptionConfiguration",
      resources: [{ resources: ["secrets"], providers: [{ identity: {} }, provider] }],
    }),
  );
  const key = "/registry/secrets/app/one";
  const secret = envelope("v1", "Secret", { name: "one", namespace: "app" });
  const records: readonly TestRecord[] = [
    NAMESPACE,
    definition("things", "v1", ["v1alpha1", "v1"], versions),
    THING,
    // Written since.
    object("things", "v1alpha1", "two"),
    { key, value: aesgcm("old", keyOf("old"), secret, key) },
  ];
  const flags = [...copies(folder, { "a.db": records }), "--encryption-config", "c.json"];
  const now = (args: readonly string[]) => {
    const { stdout, stderr, code } = slipway([...args, "--output", "json"], { cwd: folder });
    assert.is(code, 0, stderr);
    return JSON.parse(stdout);
  };
  // The first record has revision 2; the state of the copy without the last two is that of 4.
  for (const [revision, values] of [
    [[], 1],
    [["--revision", "4"], 0],
  ] as const) {
    const { encryptionKeys, definitions, scope } = now(["etcd", "inventory", ...flags, ...revision]);
    const old = encryptionKeys.find(({ keyName }: { keyName?: string }) => keyName === "old");
    assert.equal([old.values, old.safeToDrop], [values, false]);
    assert.is(/written later/.test(old.why), values === 0);
    assert.is(scope.complete, values === 1);
    assert.equal(definitions[0].onlyListed, []);
    const out = `out${values}`;
    now(["etcd", "plan", ...flags, ...revision, "--target", "1.35", "--out", out]);
    const patch = "60_stored-versions-things.example.com.json";
    assert.is(readdirSync(join(folder, out)).includes(patch), values === 1, "the migration comes before");
  }
});

test("lines of a part of the objects say so, and are no evidence", () => {
  const versions: readonly Version[] = [["v1", true, ["a"]]];
  // One that is stored as JSON is rewritten by the target: it is among the problems, and the objects are not.
  const listed = definition("things", "v1", ["v1"], versions);
  const records = { "a.db": [NAMESPACE, listed, THING] };
  for (const [flags, told] of [
    [[], false],
    [["--problems-only"], true],
    [["--namespace", "app"], true],
    [["--prefix", "/registry"], true],
    [["--revision", "3"], true],
    [["--revision", "4"], false],
  ] as const) {
    const { folder } = ask("audit", records, "--objects-out", "lines", ...flags);
    const lines = readFileSync(join(folder, "lines"), "utf8").trim().split("\n");
    for (const line of lines) assert.is(JSON.parse(line).scope?.complete === false, told, flags.join(" "));
    if (flags[0] === "--problems-only") assert.not.ok(lines.some((line) => line.includes("/things/app/one")));
    writeFileSync(join(folder, "crd.json"), listed.value ?? "");
    const { stderr } = slipway(
      ["storage", "crd-guard", "crd.json", "crd.json", "--storage-counts", "lines"],
      {
        cwd: folder,
      },
    );
    assert.is(/STO036/.test(stderr), told, flags.join(" "));
  }
});

const BOTH = ["a", "b"];
const through = (...versions: readonly Version[]): TestRecord[] => [
  definition("things", "v1beta1", ["v1alpha1", "v1beta1"], versions),
  object("things", "v1alpha1", "one"),
];
for (const [what, versions, migrated, flags] of [
  [
    "the preferred version lacks a field",
    [
      ["v1alpha1", true, BOTH],
      ["v1beta1", true, BOTH],
      ["v1", true, ["a"]],
    ],
    false,
    [],
  ],
  [
    "that version is not served",
    [
      ["v1alpha1", true, BOTH],
      ["v1beta1", true, BOTH],
      ["v1", false, ["a"]],
    ],
    true,
    [],
  ],
  [
    "the migration names its version",
    [
      ["v1alpha1", true, BOTH],
      ["v1beta1", true, BOTH],
      ["v1", true, ["a"]],
    ],
    true,
    ["--migrator", "standalone"],
  ],
  [
    "the storage version lacks a field",
    [
      ["v1alpha1", true, BOTH],
      ["v1beta1", true, ["a"]],
    ],
    false,
    [],
  ],
  [
    "a version is made known again, and the preferred one lacks a field of the storage version",
    [
      ["v1beta1", true, BOTH],
      ["v1", true, ["a"]],
    ],
    false,
    [],
  ],
] as const)
  test(`a migration of a custom resource is ${migrated ? "planned" : "refused"}: ${what}`, () => {
    const { folder, code, stderr, answer } = ask(
      "plan",
      { "a.db": through(...versions) },
      "--out",
      "out",
      ...flags,
    );
    assert.is(code, 0, stderr);
    const names = readdirSync(join(folder, "out"));
    assert.is(
      names.some((each) => each.startsWith("50_") && each.includes("things")),
      migrated,
    );
    const codes = answer.diagnostics.map((each: { code: string }) => each.code);
    assert.is(codes.includes("ETC058"), !migrated);
    const runbook = readFileSync(join(folder, "out/RUNBOOK.md"), "utf8");
    if (migrated) return;
    // What is not rewritten stays listed and known.
    assert.not.ok(names.some((each) => /^6[01]_/.test(each)));
    assert.match(runbook, "spec.b is pruned");
    assert.not.match(runbook, "Update status.storedVersions");
  });

test.run();
