import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("storage crd-guard");

interface State {
  /** In the order written: `v1` served, `v1!` served and stored, `v1-` not served, `v1-!` stored only. */
  readonly versions: string;
  /** Undefined for a definition without status. */
  readonly stored?: string;
}

function definition({ versions, stored }: State, name = "widgets.example.com"): string {
  const list = versions.split(" ").filter(Boolean);
  return [
    "apiVersion: apiextensions.k8s.io/v1",
    "kind: CustomResourceDefinition",
    "metadata:",
    `  name: ${name}`,
    '  resourceVersion: "77"',
    "spec:",
    "  group: example.com",
    "  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}",
    "  scope: Namespaced",
    list.length === 0 ? "  versions: []" : "  versions:",
    ...list.map(
      (each) =>
        `  - {name: ${each.replace(/[-!]/g, "")}, served: ${!each.includes("-")}, storage: ${each.includes("!")}, schema: {openAPIV3Schema: {type: object}}}`,
    ),
    ...(stored === undefined
      ? []
      : ["status:", `  storedVersions: [${stored.split(" ").filter(Boolean).join(", ")}]`]),
    "",
  ].join("\n");
}

interface Guarded {
  readonly code: number | null;
  readonly allowed: boolean;
  readonly refusal: string | null;
  readonly storedVersions: readonly string[];
  readonly plan: readonly {
    readonly action: string;
    readonly manifest?: unknown;
    readonly patch?: unknown;
    readonly command: string;
  }[];
  readonly diagnostics: readonly {
    readonly code: string;
    readonly file: string;
    readonly line: number;
    readonly message: string;
  }[];
  readonly folder: string;
}

function guard(
  old: State | string,
  next: State | string,
  args: readonly string[] = [],
  files: Readonly<Record<string, string>> = {},
): Guarded {
  const folder = tempFolder();
  const text = (state: State | string): string => (typeof state === "string" ? state : definition(state));
  writeFileSync(join(folder, "old.yaml"), text(old));
  writeFileSync(join(folder, "new.yaml"), text(next));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const { code, stdout } = slipway(
    ["storage", "crd-guard", "old.yaml", "new.yaml", "--output", "json", ...args],
    { cwd: folder },
  );
  return { ...JSON.parse(stdout), code, folder };
}

const MISSING = {
  "1.32": (version: string) => `Invalid value: "${version}": must appear in spec.versions`,
  "1.33": (version: string) =>
    `Invalid value: "${version}": missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`,
};
type TextOf = (version: string) => string;
const one = (i: number, version: string) => (text: TextOf) => `status.storedVersions[${i}]: ${text(version)}`;
const ONE_STORAGE =
  "spec.versions: Invalid value: ...: must have exactly one version marked as storage version";

const CASES: readonly {
  readonly name: string;
  readonly old: State;
  readonly next: State;
  /** Undefined when the server accepts it. */
  readonly refusal?: (text: TextOf) => string;
  readonly after: string;
  readonly plan: string;
}[] = [
  {
    name: "nothing changes",
    old: { versions: "v1!", stored: "v1" },
    next: { versions: "v1!" },
    after: "v1",
    plan: "",
  },
  {
    name: "a version is added",
    old: { versions: "v1!", stored: "v1" },
    next: { versions: "v1! v2" },
    after: "v1",
    plan: "",
  },
  {
    name: "the storage version changes",
    old: { versions: "v1beta1! v1", stored: "v1beta1" },
    next: { versions: "v1beta1 v1!" },
    after: "v1beta1 v1",
    plan: "apply migrate patch-status",
  },
  {
    name: "a version that was never stored goes",
    old: { versions: "v1! v2", stored: "v1" },
    next: { versions: "v1!" },
    after: "v1",
    plan: "",
  },
  {
    name: "a stored version goes",
    old: { versions: "v1alpha1 v1!", stored: "v1alpha1 v1" },
    next: { versions: "v1!" },
    refusal: one(0, "v1alpha1"),
    after: "v1alpha1 v1",
    plan: "apply migrate patch-status apply",
  },
  {
    name: "the storage version is replaced at once",
    old: { versions: "v1alpha1!", stored: "v1alpha1" },
    next: { versions: "v1!" },
    refusal: one(0, "v1alpha1"),
    after: "v1alpha1 v1",
    plan: "apply migrate patch-status apply",
  },
  {
    name: "a stored version is no longer served, and stays",
    old: { versions: "v1alpha1 v1!", stored: "v1alpha1 v1" },
    next: { versions: "v1alpha1- v1!" },
    after: "v1alpha1 v1",
    plan: "apply migrate patch-status",
  },
  {
    name: "no storage version is left",
    old: { versions: "v1!", stored: "v1" },
    next: { versions: "v1" },
    refusal: () => ONE_STORAGE,
    after: "v1",
    plan: "edit",
  },
  {
    name: "two storage versions",
    old: { versions: "v1! v2", stored: "v1" },
    next: { versions: "v1! v2!" },
    refusal: () =>
      `[${ONE_STORAGE}, status.storedVersions: Invalid value: ["v1"]: must have the storage version v2]`,
    after: "v1",
    plan: "edit",
  },
  {
    name: "the status of the new definition counts for nothing",
    old: { versions: "v1alpha1 v1!", stored: "v1alpha1 v1" },
    next: { versions: "v1!", stored: "v1" },
    refusal: one(0, "v1alpha1"),
    after: "v1alpha1 v1",
    plan: "apply migrate patch-status apply",
  },
  {
    name: "a version that was migrated and taken off the list goes",
    old: { versions: "v1alpha1 v1!", stored: "v1" },
    next: { versions: "v1!" },
    after: "v1",
    plan: "",
  },
  {
    name: "two stored versions go",
    old: { versions: "v1alpha1 v1beta1 v1!", stored: "v1alpha1 v1beta1 v1" },
    next: { versions: "v1!" },
    refusal: (text) => `[${one(0, "v1alpha1")(text)}, ${one(1, "v1beta1")(text)}]`,
    after: "v1alpha1 v1beta1 v1",
    plan: "apply migrate patch-status apply",
  },
  {
    name: "the place in the list is told",
    old: { versions: "v1 v1beta1!", stored: "v1 v1beta1" },
    next: { versions: "v1!" },
    refusal: one(1, "v1beta1"),
    after: "v1 v1beta1",
    plan: "apply migrate patch-status apply",
  },
  {
    name: "the order of versions changes",
    old: { versions: "v1! v2", stored: "v1" },
    next: { versions: "v2 v1!" },
    after: "v1",
    plan: "",
  },
  {
    name: "an empty list gets the storage version",
    old: { versions: "v1!", stored: "" },
    next: { versions: "v1!" },
    after: "v1",
    plan: "",
  },
  {
    name: "the same name twice",
    old: { versions: "v1!", stored: "v1" },
    next: { versions: "v1! v1" },
    refusal: () => "spec.versions: Invalid value: ...: must contain unique version names",
    after: "v1",
    plan: "edit",
  },
  {
    name: "the storage version twice",
    old: { versions: "v1!", stored: "v1" },
    next: { versions: "v1! v1!" },
    refusal: () =>
      `[spec.versions: Invalid value: ...: must contain unique version names, ${ONE_STORAGE}, status.storedVersions: Invalid value: ["v1"]: must have the storage version v1]`,
    after: "v1",
    plan: "edit edit",
  },
  {
    name: "an empty list counts as the old storage version",
    old: { versions: "v1! v2", stored: "" },
    next: { versions: "v2!" },
    refusal: one(0, "v1"),
    after: "v1 v2",
    plan: "apply migrate patch-status apply",
  },
  {
    name: "both at once",
    old: { versions: "v1alpha1!", stored: "v1alpha1" },
    next: { versions: "v1" },
    refusal: (text) => `[${ONE_STORAGE}, ${one(0, "v1alpha1")(text)}]`,
    after: "v1alpha1",
    plan: "edit",
  },
];

for (const { name, old, next, refusal, after, plan } of CASES)
  for (const [release, family] of [
    ["1.25", "1.32"],
    ["1.32", "1.32"],
    ["1.33", "1.33"],
    ["1.36", "1.33"],
  ] as const)
    test(`${name}, ${release}`, () => {
      const answer = guard(old, next, ["--target", release]);
      assert.is(answer.refusal, refusal?.(MISSING[family]) ?? null);
      assert.is(answer.allowed, refusal === undefined);
      assert.is(answer.code, refusal === undefined ? 0 : 3);
      assert.is(answer.storedVersions.join(" "), after);
      assert.is(answer.plan.map(({ action }) => action).join(" "), plan);
    });

test("scope and kind are fixed once the definition is established", () => {
  const old = (status: string): string =>
    `${definition({ versions: "v1!", stored: "v1" })}  conditions: [{type: Established, status: "${status}"}]\n`;
  const next = definition({ versions: "v1!" })
    .replace("scope: Namespaced", "scope: Cluster")
    .replace("kind: Widget,", "kind: Gadget,");
  assert.is(guard(old("False"), next).allowed, true);
  const refused = guard(old("True"), next);
  assert.is(
    refused.refusal,
    '[spec.scope: Invalid value: "Cluster": field is immutable, spec.names.kind: Invalid value: "Gadget": field is immutable]',
  );
  assert.is(refused.code, 3);
  assert.equal(
    refused.plan.map(({ action }) => action),
    ["edit", "edit"],
  );
});

const DROP = [{ versions: "v1alpha1 v1!", stored: "v1alpha1 v1" }, { versions: "v1!" }] as const;

test("every step of the plan is a change that the server accepts", () => {
  const { folder } = guard(...DROP, ["--out", "plan", "--target", "1.36"]);
  const files = readdirSync(join(folder, "plan")).sort();
  assert.equal(files, ["10-definition.yaml", "20-migrate.yaml", "30-patch-status.sh", "40-definition.yaml"]);
  const read = (name: string): string => readFileSync(join(folder, "plan", name), "utf8");
  assert.is(guard(definition(DROP[0]), read("10-definition.yaml")).allowed, true);
  // After the patch the status lists the storage version alone.
  const patched = `${read("10-definition.yaml")}status:\n  storedVersions: [v1]\n`;
  assert.is(guard(patched, read("40-definition.yaml")).allowed, true);
  assert.equal(load(read("20-migrate.yaml")), {
    apiVersion: "storagemigration.k8s.io/v1beta1",
    kind: "StorageVersionMigration",
    metadata: { name: "widgets.example.com-v1" },
    spec: { resource: { group: "example.com", resource: "widgets" } },
  });
});

test("the script patches exactly the state that it read", () => {
  const { folder } = guard(...DROP, ["--out", "plan"]);
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const kubectl = `#!/bin/sh
case "$*" in
  *storedVersions}*) echo '["v1alpha1","v1"]' ;;
  *resourceVersion}*) echo 4711 ;;
  *) for last; do :; done; echo "$last" ;;
esac
`;
  writeFileSync(join(bin, "kubectl"), kubectl, { mode: 0o755 });
  const output = execFileSync("sh", [join(folder, "plan/30-patch-status.sh")], {
    encoding: "utf8",
    env: { PATH: `${bin}:${process.env["PATH"]}` },
  });
  assert.equal(JSON.parse(output), [
    { op: "test", path: "/metadata/resourceVersion", value: "4711" },
    { op: "test", path: "/status/storedVersions", value: ["v1alpha1", "v1"] },
    { op: "replace", path: "/status/storedVersions", value: ["v1"] },
  ]);
});

test("the migration is in the API of the target", () => {
  for (const [release, apiVersion] of [
    ["1.29", "migration.k8s.io/v1alpha1"],
    ["1.30", "storagemigration.k8s.io/v1alpha1"],
    ["1.34", "storagemigration.k8s.io/v1alpha1"],
    ["1.35", "storagemigration.k8s.io/v1beta1"],
    ["1.37", "storagemigration.k8s.io/v1"],
  ] as const) {
    const migrate = guard(...DROP, ["--target", release]).plan.find(({ action }) => action === "migrate");
    assert.match(JSON.stringify(migrate?.manifest), `"apiVersion":"${apiVersion}"`);
  }
});

const counts = (...rows: readonly (readonly [string, number])[]): string =>
  `apiVersion: slipway.dev/v1alpha1\nkind: StorageCounts\ncounts:\n${rows
    .map(
      ([version, count]) =>
        `- {group: example.com, resource: widgets, version: ${version}, count: ${count}}\n`,
    )
    .join("")}`;

test("what etcd holds: nothing of the version makes the migration needless", () => {
  const { plan, code } = guard(...DROP, ["--storage-counts", "counts.yaml"], {
    "counts.yaml": counts(["v1", 4], ["v1alpha1", 0]),
  });
  assert.is(plan.map(({ action }) => action).join(" "), "apply patch-status apply");
  assert.is(code, 3);
});

test("what etcd holds: a version that no list names is found, and the answer is no", () => {
  const old = { versions: "v1alpha1 v1!", stored: "v1" };
  for (const [file, text] of [
    ["counts.yaml", counts(["v1", 4], ["v1alpha1", 2])],
    [
      "objects.jsonl",
      ["v1alpha1", "v1", "v1alpha1"]
        .map(
          (version, i) =>
            `${JSON.stringify({ key: `/registry/example.com/widgets/a/${i}`, apiVersion: `example.com/${version}`, kind: "Widget", result: "ok" })}\n`,
        )
        .join(""),
    ],
    [
      "audit.json",
      JSON.stringify({
        target: "1.36",
        objects: [0, 1].map((i) => ({
          key: `/registry/example.com/widgets/a/${i}`,
          apiVersion: "example.com/v1alpha1",
          kind: "Widget",
        })),
      }),
    ],
  ] as const) {
    const { allowed, code, plan, diagnostics } = guard(old, { versions: "v1!" }, ["--storage-counts", file], {
      [file]: text,
    });
    assert.is(allowed, true);
    assert.is(code, 3);
    assert.is(plan.map(({ action }) => action).join(" "), "apply migrate patch-status apply");
    assert.match(
      diagnostics.map(({ code: each, message }) => `${each} ${message}`).join(),
      "STO035 C6 unlisted: etcd holds 2 objects in v1alpha1",
    );
  }
});

test("a version that neither definition has is asked for; the others are put back", () => {
  const { plan } = guard(
    { versions: "v1beta1 v1!", stored: "v1" },
    { versions: "v1!" },
    ["--storage-counts", "c.yaml"],
    {
      "c.yaml": counts(["v1alpha1", 1], ["v1beta1", 1]),
    },
  );
  assert.is(plan.map(({ action }) => action).join(" "), "edit apply migrate patch-status apply");
  assert.match(JSON.stringify(plan[0]), "Add v1alpha1 with its schema");
  assert.match(JSON.stringify(plan[1]?.manifest), '"name":"v1beta1"');
});

test("a copy says nothing about a version that is still written", () => {
  const { plan } = guard(
    { versions: "v1alpha1! v1", stored: "v1alpha1" },
    { versions: "v1!" },
    ["--storage-counts", "c.yaml"],
    {
      "c.yaml": counts(["v1alpha1", 0]),
    },
  );
  assert.is(plan.map(({ action }) => action).join(" "), "apply migrate patch-status apply");
});

test("the release inside an OpenShift release; one that is not known is refused", () => {
  const openshift = guard(...DROP, ["--target", "4.22"]);
  assert.is(openshift.refusal, guard(...DROP, ["--target", "1.35"]).refusal);
  const unknown = guard(...DROP, ["--target", "1.50"]);
  assert.is(unknown.code, 1);
  assert.is(unknown.diagnostics[0]?.code, "STO042");
});

test("bad input: position and rule name, exit 1", () => {
  const good = definition({ versions: "v1!", stored: "v1" });
  for (const [old, next, expected] of [
    [
      good,
      "kind: Pod\napiVersion: v1\n",
      "STO030 new.yaml:1 C1 one-definition: no CustomResourceDefinition here",
    ],
    [good, `${good}---\n${good}`, "STO030 new.yaml:15 C1 one-definition: a second CustomResourceDefinition"],
    [good, good.replace("io/v1", "io/v1beta1"), "STO030 new.yaml:1 C1 one-definition"],
    [good, definition({ versions: "v1!" }, "gadgets.example.com"), "STO031 new.yaml:1 C2 same-definition"],
    [good, good.replace("served: true, ", ""), "TAB003 new.yaml:11 served is missing"],
    ["a: [", good, "YAML001 old.yaml:1"],
  ] as const) {
    const { code, diagnostics } = guard(old, next);
    assert.is(code, 1, expected);
    assert.match(
      diagnostics.map((each) => `${each.code} ${each.file}:${each.line} ${each.message}`).join("\n"),
      expected,
    );
  }
  assert.match(guard({ versions: "v1!" }, { versions: "v1!" }).diagnostics[0]?.message ?? "", "C3 status");
  const badCounts = guard(...DROP, ["--storage-counts", "c.yaml"], { "c.yaml": counts(["v1", -1]) });
  assert.is(badCounts.code, 1);
  assert.match(badCounts.diagnostics[0]?.message ?? "", "C5 counts");
});

test.run();
