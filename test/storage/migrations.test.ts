import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { HEAD } from "../helpers/compat.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("storage migrations");

const LIFECYCLE = `${HEAD}kind: APILifecycle
kinds:
- {group: example.com, version: v1beta1, kind: Widget, resource: widgets, introduced: "1.20", registered: {first: "1.30", last: "1.37"}}
- {group: example.com, version: v1, kind: Widget, resource: widgets, introduced: "1.32", registered: {first: "1.32", last: "1.37"}}
- {group: example.com, version: v1alpha1, kind: Gadget, resource: gadgets, introduced: "1.30", registered: {first: "1.30", last: "1.33"}}
- {group: example.com, version: v1beta1, kind: Gadget, resource: gadgets, introduced: "1.32", registered: {first: "1.32", last: "1.37"}}
- {group: "", version: v1, kind: Event, resource: events, introduced: "1.0", registered: {first: "1.30", last: "1.37"}}
- {group: coordination.k8s.io, version: v1beta1, kind: Lease, resource: leases, introduced: "1.20", registered: {first: "1.30", last: "1.37"}}
- {group: coordination.k8s.io, version: v1, kind: Lease, resource: leases, introduced: "1.32", registered: {first: "1.32", last: "1.37"}}
`;

function run(...args: readonly string[]) {
  const folder = tempFolder();
  writeFileSync(join(folder, "apis.yaml"), LIFECYCLE);
  const { code, stdout, stderr } = slipway(["storage", "migrations", ...args], { cwd: folder });
  return { code, stderr, objects: code === 0 ? loadAll(stdout) : [] };
}

const between = (from: string, to: string, ...more: readonly string[]) =>
  run("--lifecycle", "apis.yaml", "--from", from, "--to", to, ...more);

test("what changed its storage version on the way, in the API of the target", () => {
  const spec = { resource: { group: "example.com", resource: "widgets" } };
  const versioned = { resource: { ...spec.resource, version: "v1" } };
  const metadata = { name: "widgets.example.com-v1" };
  for (const [to, apiVersion, expected, more] of [
    ["1.34", "storagemigration.k8s.io/v1alpha1", versioned, []],
    ["1.35", "storagemigration.k8s.io/v1beta1", spec, []],
    ["1.36", "storagemigration.k8s.io/v1beta1", spec, []],
    ["1.37", "storagemigration.k8s.io/v1", spec, []],
    ["1.37", "migration.k8s.io/v1alpha1", versioned, ["--standalone"]],
  ] as const) {
    const { objects } = between("1.31", to, ...more);
    assert.equal(objects, [{ apiVersion, kind: "StorageVersionMigration", metadata, spec: expected }], to);
  }
});

test("of what no release on the way rewrites, an export is advised, and no migration that there is not", () => {
  const folder = tempFolder();
  const gone = LIFECYCLE.replace(
    'introduced: "1.32", registered: {first: "1.32", last: "1.37"}}\n- {group: "",',
    'introduced: "1.34", registered: {first: "1.34", last: "1.37"}}\n- {group: "",',
  );
  assert.is.not(gone, LIFECYCLE);
  writeFileSync(join(folder, "apis.yaml"), gone);
  const way = ["storage", "migrations", "--lifecycle", "apis.yaml", "--from", "1.31", "--to"];
  const { stderr } = slipway([...way, "1.36"], { cwd: folder });
  assert.match(stderr, /while 1\.33 runs, export .*kubectl get gadgets\.example\.com /);
  assert.not.match(stderr, "--to 1.33");
});

test("each release that is advised for Kubernetes' own kinds has a migration of the resource", () => {
  const way = ["storage", "migrations", "--lifecycle", "kubernetes", "--from", "1.30", "--to"];
  const told = [...slipway([...way, "1.37"]).stderr.matchAll(/STO040: (\S+): .*--to (\S+)/g)];
  assert.ok(told.length > 0);
  for (const release of new Set(told.map(([, , to = ""]) => to))) {
    const { stdout } = slipway([...way, release]);
    for (const [, name = "", to] of told)
      if (to === release) assert.match(stdout, `# ${name}: `, `${name} at ${release}`);
  }
});

test("what the target can no longer read is said, with the release that still can", () => {
  const { objects, stderr } = between("1.31", "1.36");
  assert.is(objects.length, 1);
  assert.match(
    stderr,
    /warning STO040: gadgets\.example\.com: .*1\.36 cannot read objects stored as v1alpha1.*--to 1\.33/,
  );
  assert.equal(
    between("1.31", "1.33").objects.map((each) => JSON.stringify(each).match(/"name":"([^"]*)"/)?.[1]),
    ["gadgets.example.com-v1beta1", "widgets.example.com-v1"],
  );
});

test("what the API needs is said; nothing to migrate prints nothing", () => {
  assert.match(
    between("1.31", "1.36").stderr,
    /gate StorageVersionMigrator \(beta, off by default in 1\.36\)/,
  );
  assert.not.match(between("1.31", "1.37").stderr, /gate/);
  const none = between("1.35", "1.36");
  assert.is(none.code, 0);
  assert.equal(none.objects, []);
  assert.match(none.stderr, "nothing to migrate");
});

test("a command line or a release that cannot be", () => {
  assert.is(run("--to", "1.36").code, 2);
  assert.is(run("--to", "1.36", "--lifecycle", "apis.yaml").code, 2);
  assert.is(between("1.36", "1.31").code, 2);
  assert.is(between("1.31", "1.50").code, 1);
  assert.is(run("--crd", "missing.yaml").code, 1);
});

test("what the migration of a definition would take from objects is told, by the version that its API goes through", () => {
  const folder = tempFolder();
  const version = (name: string, storage: boolean, fields: string): string =>
    `{name: ${name}, served: true, storage: ${storage}, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {${fields}}}}}}}`;
  const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - ${version("v1alpha1", false, "a: {type: string}, b: {type: string}")}
  - ${version("v1beta1", true, "a: {type: string}, b: {type: string}")}
  - ${version("v1", false, "a: {type: string}")}
status: {storedVersions: [v1alpha1, v1beta1]}
`;
  writeFileSync(join(folder, "crd.yaml"), definition);
  const told = (...more: readonly string[]): readonly unknown[] => {
    const args = ["storage", "migrations", "--crd", "crd.yaml", ...more, "--output", "json"];
    const { code, stdout } = slipway(args, { cwd: folder });
    assert.is(code, 0);
    const { diagnostics } = JSON.parse(stdout);
    return diagnostics.map((each: { code: string; message: string }) => `${each.code} ${each.message}`);
  };
  const through = (from: string): string =>
    `STO038 C9 schemas: a migration writes objects stored in ${from} through v1: spec.b is pruned: it is not in the schema`;
  assert.equal(
    told("--to", "1.37").filter((each) => String(each).startsWith("STO038")),
    [through("v1alpha1"), through("v1beta1")],
  );
  for (const more of [
    ["--to", "1.34"],
    ["--to", "1.37", "--standalone"],
  ])
    assert.not.match(told(...more).join(), "STO038");
});

test.run();
