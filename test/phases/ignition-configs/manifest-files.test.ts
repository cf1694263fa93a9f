import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import {
  errorCodes,
  type IgnitionGiven,
  type IgnitionRun,
  listOf,
  objectOf,
  runIgnition,
  textOnNode as textOf,
} from "../../helpers/ignition.js";
import { baseConfig, runManifests } from "../../helpers/manifests.js";
import { runs } from "../../helpers/runs.js";

const test = suite("manifests in bootstrap.ign");

const ROOT = "/opt/openshift";
const CVO = "manifests/cvo-overrides.yaml";
const CONFIG_MAP = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: kube-system\n`;

const run = (given: Partial<IgnitionGiven> = {}): Promise<IgnitionRun> =>
  runIgnition({ config: baseConfig(), ...given });

test("manifests and user files as they are on disk; the cluster version leaves their objects alone", async () => {
  const bare = await run();
  const before = listOf(overridesOf(bare));
  const done = await run({
    files: {
      "manifests/a.yml": CONFIG_MAP("a"),
      "manifests/notes.txt": "no manifest\n",
      "manifests/sub/b.yaml": CONFIG_MAP("b"),
      "openshift/c.json": '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"c"}}',
      "openshift/empty.yaml": "# nothing\n",
      "openshift/99_openshift-machineconfig_mine.yaml": CONFIG_MAP("machine"),
      "openshift/99_openshift-cluster-api_master-machines-0.yaml": CONFIG_MAP("machine"),
      "openshift/99_openshift-etcd_fencing-credentials-secrets-0.yaml": CONFIG_MAP("fence"),
      "openshift/99_feature-gate.yaml": undefined,
    },
  });
  assert.is(textOf(done, `${ROOT}/manifests/a.yml`), CONFIG_MAP("a"));
  assert.is(done.nodeFiles.get(`${ROOT}/openshift/c.json`)?.mode, 0o644);
  assert.is(
    done.nodeFiles.get(`${ROOT}/openshift/99_openshift-etcd_fencing-credentials-secrets-0.yaml`)?.mode,
    0o600,
  );
  for (const absent of ["manifests/notes.txt", "manifests/sub/b.yaml", "openshift/99_feature-gate.yaml"])
    assert.not(done.nodeFiles.has(`${ROOT}/${absent}`), absent);
  const named = listOf(overridesOf(done)).map((each) => {
    const { group, kind, name, namespace, unmanaged } = objectOf(each);
    return [group, kind, name, namespace, unmanaged].join("|");
  });
  assert.is(named.length, before.length - 1 + 3);
  for (const entry of ["|ConfigMap|a|kube-system|true", "apps|Deployment|c||true", "||||true"])
    assert.ok(named.includes(entry), entry);
  assert.not(named.some((entry) => /machine\||fence|FeatureGate/.test(entry)));
  assert.equal(errorCodes(done), []);
});

const overridesOf = (done: IgnitionRun) =>
  objectOf(objectOf(parseYaml(textOf(done, `${ROOT}/manifests/cvo-overrides.yaml`)))["spec"])["overrides"];

test("only the first document counts, be it empty", async () => {
  const files = {
    "openshift/a.yaml": `---\n---\n${CONFIG_MAP("hidden")}`,
    "openshift/b.yaml": `---\n${CONFIG_MAP("first")}---\n${CONFIG_MAP("second")}`,
  };
  const done = await run({ files });
  const names = listOf(overridesOf(done)).map((each) => objectOf(each)["name"]);
  assert.equal(
    ["hidden", "first", "second", ""].map((name) => names.includes(name)),
    [false, true, false, true],
  );
});

test("before 4.20 a file named like a fencing secret is like any other", async () => {
  const name = "openshift/99_openshift-etcd_fencing-credentials-secrets-0.yaml";
  for (const [release, mode, listed] of [
    ["4.19", 0o644, true],
    ["4.20", 0o600, false],
  ] as const) {
    const done = await run({ release, files: { [name]: CONFIG_MAP("fence") } });
    assert.is(done.nodeFiles.get(`${ROOT}/${name}`)?.mode, mode);
    const names = listOf(overridesOf(done)).map((each) => objectOf(each)["name"]);
    assert.is(names.includes("fence"), listed);
  }
});

test("the user's own overrides stand last, and the patch brings them back", async () => {
  const bare = await run();
  assert.is(textOf(bare, `${ROOT}/original_cvo_overrides.patch`), '{"spec":{"overrides":null}}');
  const own = "{kind: A, name: b<c>, group: z, namespace: '', unmanaged: false}";
  const file = `apiVersion: config.openshift.io/v1\nkind: ClusterVersion\nmetadata: {name: version}\nspec:\n  clusterID: x\n  overrides: [${own}]\n`;
  const done = await run({ files: { "manifests/cvo-overrides.yaml": file } });
  assert.is(
    textOf(done, `${ROOT}/original_cvo_overrides.patch`),
    '{"spec":{"overrides":[{"group":"z","kind":"A","name":"b\\u003cc\\u003e","namespace":"","unmanaged":false}]}}',
  );
  assert.is(objectOf(listOf(overridesOf(done)).at(-1))["name"], "b<c>");
  const empty = file.replace(/ {2}overrides.*\n/, "  overrides: []\n");
  const none = await run({ files: { "manifests/cvo-overrides.yaml": empty } });
  assert.is(textOf(none, `${ROOT}/original_cvo_overrides.patch`), '{"spec":{"overrides":[]}}');
});

const CVO_HEAD = "apiVersion: config.openshift.io/v1\nkind: ClusterVersion\nmetadata: {name: version}\n";
const FAULTS: readonly (readonly [
  name: string,
  files: { readonly [path: string]: string | undefined },
  expected: readonly string[],
])[] = [
  ["the cluster version is missing", { [CVO]: undefined }, [`IGN004 ${CVO}`]],
  ["its spec is null", { [CVO]: `${CVO_HEAD}spec:\n` }, [`IGN005 ${CVO}`]],
  ["its overrides are a text", { [CVO]: `${CVO_HEAD}spec: {overrides: x}\n` }, [`IGN005 ${CVO}`]],
  ["it has no spec", { [CVO]: CVO_HEAD }, []],
  [
    "an object twice",
    { "manifests/a.yaml": CONFIG_MAP("a"), "openshift/b.yaml": CONFIG_MAP("a") },
    ["IGN002 openshift/b.yaml"],
  ],
  [
    "an object twice in two versions",
    {
      "manifests/a.yaml": "apiVersion: x/v1\nkind: A\nmetadata: {name: a}\n",
      "manifests/b.yaml": "apiVersion: x/v2\nkind: A\nmetadata: {name: a}\n",
    },
    ["IGN002 manifests/b.yaml"],
  ],
  [
    "a kind in two groups",
    {
      "manifests/a.yaml": "apiVersion: x/v1\nkind: A\nmetadata: {name: a}\n",
      "manifests/b.yaml": "apiVersion: y/v1\nkind: A\nmetadata: {name: a}\n",
    },
    [],
  ],
  [
    "two empty documents",
    { "manifests/a.yaml": "", "openshift/b.yaml": "---\n" },
    ["IGN002 openshift/b.yaml"],
  ],
  ["no YAML", { "openshift/a.yaml": "a: [\n" }, ["IGN003 openshift/a.yaml"]],
  ["no YAML in a second document", { "openshift/a.yaml": `${CONFIG_MAP("a")}---\na: [\n` }, []],
  ["a key twice", { "openshift/a.yaml": `${CONFIG_MAP("a")}kind: Secret\n` }, ["IGN003 openshift/a.yaml"]],
  ["a list", { "openshift/a.yaml": "- a\n" }, ["IGN003 openshift/a.yaml"]],
  ["no kind", { "openshift/a.yaml": "apiVersion: v1\n" }, ["IGN003 openshift/a.yaml"]],
  [
    "an apiVersion of three parts",
    { "openshift/a.yaml": "apiVersion: a/b/c\nkind: X\n" },
    ["IGN003 openshift/a.yaml"],
  ],
  ["infinity", { "openshift/a.yaml": `${CONFIG_MAP("a")}x: [.inf]\n` }, ["IGN003 openshift/a.yaml"]],
  [
    "a kind that is a number",
    { "openshift/a.yaml": "apiVersion: v1\nkind: 5\n" },
    ["IGN003 openshift/a.yaml"],
  ],
  [
    "several faults at once",
    { "openshift/a.yaml": "- a\n", "openshift/b.yaml": "a: [\n", [CVO]: undefined },
    ["IGN003 openshift/a.yaml", "IGN003 openshift/b.yaml", `IGN004 ${CVO}`],
  ],
];

for (const [name, files, expected] of FAULTS)
  test(`manifests: ${name}`, async () => {
    assert.equal(errorCodes(await run({ files })), expected);
  });

test("faults stand at their place in their own file", async () => {
  const done = await run({ files: { "openshift/a.yaml": "a: b\nc: [\n" } });
  const [fault] = done.diagnostics.filter(({ code }) => code === "IGN003");
  assert.is(fault?.file, "openshift/a.yaml");
  assert.ok((fault?.line ?? 0) >= 2);
});

test("whatever a file holds, the bootstrap node gets the same bytes", async () => {
  const { files: manifests } = await runManifests({ config: baseConfig() });
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (data) => {
      const path = "openshift/99_openshift-machineconfig_any.yaml";
      const done = await run({ manifestFiles: [...manifests, { path, data, secret: false }] });
      const all = listOf(objectOf(done.bootstrap["storage"])["files"]).map(objectOf);
      const file = all.find((each) => each["path"] === `${ROOT}/${path}`);
      const source = String(objectOf(file?.["contents"])["source"]);
      assert.ok(Buffer.from(source.split(",")[1] ?? "", "base64").equals(Buffer.from(data)));
    }),
    { numRuns: runs(25) },
  );
});

test.run();
