import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { HOSTILE } from "../helpers/hostile.js";
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
    readonly summary: string;
    readonly manifest?: unknown;
    readonly patch?: unknown;
    readonly command: string;
  }[];
  readonly diagnostics: readonly {
    readonly code: string;
    readonly file: string;
    readonly line: number;
    readonly field: string;
    readonly message: string;
  }[];
  readonly folder: string;
  readonly definitions?: readonly {
    readonly definition: string;
    readonly allowed: boolean;
    readonly plan: readonly unknown[];
  }[];
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
  assert.equal(files, [
    "10-definition.yaml",
    "20-migrate.sh",
    "20-migrate.yaml",
    "30-patch-status.sh",
    "40-definition.yaml",
  ]);
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

/** Runs the script that sets the status, beside a kubectl that answers these. */
function patchStatus(answers: { changed: string; began: string; succeeded?: string }) {
  const { folder } = guard(...DROP, ["--out", "plan"]);
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const kubectl = `#!/bin/sh
case "$*" in
  *storedVersions}*) echo '["v1alpha1","v1"]' ;;
  *resourceVersion}*) echo 4711 ;;
  *creationTimestamp}*) echo ${answers.began} ;;
  *Succeeded*) echo ${answers.succeeded ?? "True"} ;;
  *managedFields*) printf '2024-01-01T00:00:00Z \\n${answers.changed} \\n2030-01-01T00:00:00Z status\\n' ;;
  *) for last; do :; done; echo "$last" ;;
esac
`;
  writeFileSync(join(bin, "kubectl"), kubectl, { mode: 0o755 });
  return spawnSync("sh", [join(folder, "plan/30-patch-status.sh")], {
    encoding: "utf8",
    env: { PATH: `${bin}:${process.env["PATH"]}` },
  });
}

test("the script patches exactly the state that it read", () => {
  const { stdout } = patchStatus({ changed: "2024-01-02T00:00:00Z", began: "2024-01-02T00:00:00Z" });
  assert.equal(JSON.parse(stdout), [
    { op: "test", path: "/metadata/resourceVersion", value: "4711" },
    { op: "test", path: "/status/storedVersions", value: ["v1alpha1", "v1"] },
    { op: "replace", path: "/status/storedVersions", value: ["v1"] },
  ]);
});

test("the script stops where the definition was changed after the migration began, or that did not succeed", () => {
  for (const [answers, said] of [
    [{ changed: "2024-01-02T00:00:01Z", began: "2024-01-02T00:00:00Z" }, "after the migration was started"],
    [
      { changed: "2024-01-01T00:00:00Z", began: "2024-01-02T00:00:00Z", succeeded: "''" },
      "has not succeeded",
    ],
  ] as const) {
    const { status, stdout, stderr } = patchStatus(answers);
    assert.is(status, 1);
    assert.is(stdout, "");
    assert.match(stderr, said);
  }
});

test("rules that do not compile are refused; where nobody can tell, the answer is conditional", () => {
  const ruled = (state: State) =>
    definition(state).replaceAll(
      "{type: object}",
      '{type: object, x-kubernetes-validations: [{rule: "self.size > &&"}]}',
    );
  const folder = tempFolder();
  writeFileSync(join(folder, "old.yaml"), definition({ versions: "v1!", stored: "v1" }));
  writeFileSync(join(folder, "new.yaml"), ruled({ versions: "v1!" }));
  const ask = () => {
    const words = ["storage", "crd-guard", "old.yaml", "new.yaml", "--target", "1.37"];
    const { stdout, ...rest } = slipway(words, { cwd: folder });
    return { ...rest, stdout: stdout.replace(/\s+/g, " ") };
  };
  const asked = (rule: string) => {
    writeFileSync(join(folder, "new.yaml"), ruled({ versions: "v1!" }).replace("self.size > &&", rule));
    return ask();
  };
  const refused =
    "Rejected by the API server of 1.37\\..*x-kubernetes-validations\\[0\\].rule: .*compilation failed: ";
  const edit =
    "1. Correct spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule of the new definition";
  const broken = ask();
  assert.is(broken.code, 3);
  assert.match(broken.stdout, new RegExp(`${refused}Syntax error`));
  assert.match(broken.stdout, edit);
  assert.match(asked("self.size > 1").stdout, new RegExp(`${refused}undefined field 'size'`));
  const open = asked("[?self.?kind].size() > 0");
  assert.is(open.code, 0);
  assert.match(open.stdout, "Allowed if its validation rules compile: the API server of 1.37 accepts");
  assert.match(open.stdout, /not checked .*a validation rule \(CEL\) is not compiled/);
  assert.match(open.stderr, "STO044: x-kubernetes-validations: C11 rules: cannot determine whether ");
  const sound = asked("self.kind.size() > 1 && self.?metadata.hasValue()");
  assert.match(sound.stdout, "Allowed: the API server of 1.37 accepts");
  assert.not.match(sound.stdout, "(CEL)");
  assert.not.match(sound.stderr, "STO044");
  assert.match(open.stdout, /not checked .*the cost of a validation rule \(CEL\)/);
  const dear = asked("self.kind.contains(self.apiVersion)");
  assert.is(dear.code, 3);
  assert.match(dear.stdout, "estimated rule cost exceeds budget by factor of more than 100x");
});

test("new rules are compiled with what the release before has, and stored ones with everything", () => {
  const folder = tempFolder();
  const ruled = (rule: string) =>
    definition({ versions: "v1!", stored: "v1" }).replace(
      "{type: object}",
      `{type: object, x-kubernetes-validations: [{rule: "${rule}"}]}`,
    );
  const answer = (old: string, next: string, target: string) => {
    writeFileSync(join(folder, "old.yaml"), ruled(old));
    writeFileSync(join(folder, "new.yaml"), ruled(next));
    return slipway(["storage", "crd-guard", "old.yaml", "new.yaml", "--target", target], { cwd: folder })
      .code;
  };
  const semver = "isSemver(self.kind)";
  assert.equal(
    ["1.33", "1.34"].map((target) => answer("true", semver, target)),
    [3, 0],
  );
  assert.is(answer(semver, semver, "1.33"), 0);
});

test("the wait for a migration ends when it has failed, or is gone", () => {
  for (const [condition, gets, expected] of [
    ["Succeeded", "exit 0", 0],
    ["Failed", "exit 0", 1],
    ["Running", "exit 1", 2],
  ] as const) {
    const { folder } = guard(...DROP, ["--out", "plan"]);
    const bin = join(folder, "bin");
    mkdirSync(bin);
    const kubectl = `#!/bin/sh
case "$*" in
  *'"${condition}"'*) echo True ;;
  *jsonpath*) ;;
  "get "*) ${gets} ;;
esac
`;
    writeFileSync(join(bin, "kubectl"), kubectl, { mode: 0o755 });
    const { status } = spawnSync("sh", [join(folder, "plan/20-migrate.sh")], {
      env: { PATH: `${bin}:${process.env["PATH"]}` },
    });
    assert.is(status, expected, condition);
  }
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

/** Rows of an audit: the definition itself, and an object in each version. */
const rows = (versions: readonly string[]) => [
  {
    key: "/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com",
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    result: "ok",
  },
  ...versions.map((version, i) => ({
    key: `/registry/example.com/widgets/a/${i}`,
    apiVersion: `example.com/${version}`,
    kind: "Widget",
    result: "ok",
  })),
];

test("what etcd holds: a version that no list names is found, and the answer is no", () => {
  const old = { versions: "v1alpha1 v1!", stored: "v1" };
  for (const [file, text] of [
    ["counts.yaml", counts(["v1", 4], ["v1alpha1", 2])],
    [
      "objects.jsonl",
      rows(["v1alpha1", "v1", "v1alpha1"])
        .map((row) => `${JSON.stringify(row)}\n`)
        .join(""),
    ],
    ["audit.json", JSON.stringify({ target: "1.36", objects: rows(["v1alpha1", "v1alpha1"]) })],
  ] as const) {
    const { allowed, code, plan, diagnostics } = guard(old, { versions: "v1!" }, ["--storage-counts", file], {
      [file]: text,
    });
    assert.is(allowed, true);
    assert.is(code, 3);
    assert.is(plan.map(({ action }) => action).join(" "), "apply migrate patch-status apply");
    assert.match(
      diagnostics.map(({ code: each, message }) => `${each} ${message}`).join(),
      "STO035 C6 unlisted: etcd contains 2 objects in v1alpha1",
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

const audit = (objects: readonly unknown[], scope?: unknown): string =>
  JSON.stringify({ target: "1.36", ...(scope === undefined ? {} : { scope }), objects });

test("evidence about a part, from another store, or about nothing is refused", () => {
  const all = rows(["v1", "v1"]);
  for (const [name, text] of [
    ["the definition is not among the objects", audit(all.slice(1))],
    [
      "the same as lines",
      all
        .slice(1)
        .map((row) => `${JSON.stringify(row)}\n`)
        .join(""),
    ],
    [
      "lines of a part",
      all.map((row) => `${JSON.stringify({ ...row, scope: { complete: false } })}\n`).join(""),
    ],
    ["an older revision", audit(all, { complete: false, revision: "4" })],
    ["no object of the resource", audit(all.slice(0, 1))],
    [
      "objects of another resource alone",
      audit([...all.slice(0, 1), { key: "/registry/example.com/gadgets/a/x", apiVersion: "example.com/v1" }]),
    ],
    ["a namespace", audit(all, { namespace: "a", complete: false })],
    ["a prefix", audit(all, { prefix: "/registry/example.com/widgets/a" })],
    ["a part that is not named", audit(all, { complete: false })],
    ["no counts", "apiVersion: slipway.dev/v1alpha1\nkind: StorageCounts\ncounts: []\n"],
    ["counts of another resource", counts(["v1", 1]).replace("widgets", "gadgets")],
  ] as const) {
    const { code, diagnostics, plan } = guard(...DROP, ["--storage-counts", "evidence"], { evidence: text });
    assert.is(code, 1, name);
    assert.is(diagnostics.map((each) => each.code).join(), "STO036", name);
    assert.equal(plan, [], name);
  }
});

test("a whole audit is taken, and a version that counts do not name is migrated", () => {
  const whole = guard(...DROP, ["--storage-counts", "audit.json"], {
    "audit.json": audit(rows(["v1", "v1"]), { namespace: null, complete: true }),
  });
  assert.is(whole.plan.map(({ action }) => action).join(" "), "apply patch-status apply");
  const newest = guard(...DROP, ["--storage-counts", "audit.json"], {
    "audit.json": audit(rows(["v1", "v1"]), { complete: true, revision: "9" }),
  });
  assert.is(newest.plan.map(({ action }) => action).join(" "), "apply patch-status apply");
  const silent = guard(...DROP, ["--storage-counts", "counts.yaml"], { "counts.yaml": counts(["v1", 4]) });
  assert.is(silent.plan.map(({ action }) => action).join(" "), "apply migrate patch-status apply");
});

test("what the server refuses beside versions is refused, and nothing is planned", () => {
  const old = `${definition({ versions: "v1!", stored: "v1" })}  conditions: [{type: Established, status: "True"}]\n`;
  const next = definition({ versions: "v1!" });
  for (const [from, to, expected] of [
    [
      "schema: {openAPIV3Schema: {type: object}}",
      "schema: {}",
      "spec.versions[0].schema.openAPIV3Schema: Required value",
    ],
    [
      "type: object}",
      "type: array, items: {type: string}}",
      'spec.validation.openAPIV3Schema.type: Invalid value: "array": must be object at the root',
    ],
    [
      "scope:",
      "preserveUnknownFields: true\n  scope:",
      "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    ],
    [
      "scope:",
      "conversion: {strategy: Webhook}\n  scope:",
      "spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook",
    ],
    ["plural: widgets", "plural: wids", 'spec.names.plural: Invalid value: "wids": field is immutable'],
    [
      "group: example.com",
      "group: example.org",
      'spec.group: Invalid value: "example.org": field is immutable',
    ],
    [
      "served: true",
      'served: true, deprecationWarning: "old"',
      'spec.versions[0].deprecationWarning: Invalid value: "old": can only be set for deprecated versions',
    ],
    [
      "name: v1,",
      "name: V1,",
      'spec.versions[0].name: Invalid value: "V1": a DNS-1035 label must consist of lower case',
    ],
  ] as const) {
    const { code, refusal, plan } = guard(old, next.replace(from, to));
    assert.is(code, 3, to);
    assert.match(refusal ?? "", expected);
    assert.ok(
      plan.every(({ action }) => action === "edit"),
      to,
    );
  }
});

const withSchemas = (
  { versions, stored }: State,
  schemas: Readonly<Record<string, string>>,
  more = "",
): string => {
  let text = definition(stored === undefined ? { versions } : { versions, stored }).replace(
    "  scope:",
    `${more}  scope:`,
  );
  for (const [version, schema] of Object.entries(schemas))
    text = text.replace(
      new RegExp(`(name: ${version}, .*schema: ).*`),
      `$1{openAPIV3Schema: {type: object, properties: {spec: ${schema}}}}}`,
    );
  return text;
};

test("a rewrite that would prune or break objects is not planned, and says what it would do", () => {
  const old = withSchemas(
    { versions: "v1alpha1!", stored: "v1alpha1" },
    { v1alpha1: "{type: object, properties: {host: {type: string}}}" },
  );
  const next = withSchemas(
    { versions: "v1!" },
    { v1: "{type: object, required: [hosts], properties: {hosts: {type: array, items: {type: string}}}}" },
  );
  const { code, plan, diagnostics } = guard(old, next);
  assert.is(code, 3);
  assert.equal(
    diagnostics.map((each) => `${each.code} ${each.message}`),
    [
      "STO038 C9 schemas: written in v1 instead of v1alpha1: spec.host is pruned: it is not in the schema",
      "STO038 C9 schemas: written in v1 instead of v1alpha1: spec.hosts is required but missing in every object",
    ],
  );
  assert.equal(
    plan.map(({ action }) => action),
    ["edit", "export"],
  );
  assert.match(JSON.stringify(plan[1]), "keep widgets.v1alpha1.example.com widgets-v1alpha1.yaml");
});

test("the change is allowed, and a stored version that stays would lose fields: exit 3", () => {
  const schemas = {
    v1beta1: "{type: object, properties: {a: {type: string}, b: {type: string}}}",
    v1: "{type: object, properties: {a: {type: string}}}",
  };
  const answer = guard(
    withSchemas({ versions: "v1beta1! v1", stored: "v1beta1" }, schemas),
    withSchemas({ versions: "v1beta1 v1!" }, schemas),
  );
  assert.is(answer.allowed, true);
  assert.is(answer.code, 3);
  assert.equal(
    answer.plan.map(({ action }) => action),
    ["edit", "export"],
  );
});

test("a migration through a version that lacks fields of what is stored is not planned", () => {
  const both = "{type: object, properties: {a: {type: string}, b: {type: string}}}";
  const schemas = { v1alpha1: both, v1beta1: both, v1: "{type: object, properties: {a: {type: string}}}" };
  const old = withSchemas({ versions: "v1alpha1!", stored: "v1alpha1" }, schemas);
  const actions = (next: string, flags: readonly string[] = []): string[] =>
    guard(old, next, flags).plan.map(({ action }) => action);
  const next = withSchemas({ versions: "v1beta1! v1" }, schemas);
  const { code, plan, diagnostics } = guard(old, next);
  assert.is(code, 3);
  assert.equal(
    diagnostics.map(({ message }) => message),
    [
      "C9 schemas: a migration writes objects stored in v1alpha1 through v1: spec.b is pruned: it is not in the schema",
    ],
  );
  assert.equal(
    plan.map(({ action }) => action),
    ["edit"],
  );
  assert.match(plan[0]?.summary ?? "", "set served: false for v1 in the new definition");
  // What the step asks for has a plan.
  const unserved = withSchemas({ versions: "v1beta1! v1-" }, schemas);
  assert.equal(actions(unserved), ["apply", "migrate", "patch-status", "apply"]);
  // Where spec.resource names a version, it is the storage version.
  assert.equal(actions(next, ["--target", "1.34"]), ["apply", "migrate", "patch-status", "apply"]);
});

test("an export that was cut off leaves no file that looks like one, and can be run again", () => {
  const old = withSchemas(
    { versions: "v1alpha1!", stored: "v1alpha1" },
    { v1alpha1: "{type: object, properties: {host: {type: string}}}" },
  );
  const { folder } = guard(
    old,
    withSchemas({ versions: "v1!" }, { v1: "{type: object, properties: {hosts: {type: string}}}" }),
    ["--out", "plan"],
  );
  const plan = join(folder, "plan");
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const name = "widgets-v1alpha1.yaml";
  const run = (answer: string, status: number) => {
    const kubectl = `#!/bin/sh\necho ${answer}\nexit ${status}\n`;
    writeFileSync(join(bin, "kubectl"), kubectl, { mode: 0o755 });
    return spawnSync("sh", [join(plan, "20-export.sh")], {
      encoding: "utf8",
      env: { PATH: `${bin}:${process.env["PATH"]}` },
    }).status;
  };
  assert.is.not(run("cut", 1), 0);
  assert.not.ok(readdirSync(plan).includes(name), "half an export has not its name");
  assert.is(run("whole", 0), 0);
  assert.is(readFileSync(join(plan, name), "utf8"), "whole\n");
  // The objects may be gone by now.
  assert.is(run("empty", 0), 0);
  assert.is(readFileSync(join(plan, name), "utf8"), "whole\n");
  assert.is(statSync(join(plan, name)).mode & 0o777, 0o600);
  assert.not.ok(readdirSync(plan).some((each) => each.endsWith(".part")));
});

test("in one version: a removed field is a loss, a narrower one is a warning", () => {
  const state = { versions: "v1!", stored: "v1" };
  const old = withSchemas(state, {
    v1: "{type: object, properties: {a: {type: string}, b: {type: string}}}",
  });
  const removed = guard(old, withSchemas(state, { v1: "{type: object, properties: {a: {type: string}}}" }));
  assert.is(removed.code, 3);
  const narrower = guard(
    old,
    withSchemas(state, {
      v1: "{type: object, properties: {a: {type: string, maxLength: 3}, b: {type: string}}}",
    }),
  );
  assert.is(narrower.code, 0);
  assert.equal(
    narrower.diagnostics.map(({ message }) => message),
    ["C9 schemas: written in v1, whose schema has changed: spec.a must satisfy maxLength 3"],
  );
  const wider = guard(
    old,
    withSchemas(state, {
      v1: "{type: object, properties: {a: {type: string}, b: {type: string}, c: {type: string}}}",
    }),
  );
  assert.equal([wider.code, wider.diagnostics], [0, []]);
});

const WEBHOOK =
  "  conversion: {strategy: Webhook, webhook: {clientConfig: {service: {name: hooks, namespace: widgets}}, conversionReviewVersions: [v1]}}\n";

test("with a webhook the plan goes on, and asks for it before the migration", () => {
  const schemas = {
    v1alpha1: "{type: object, properties: {host: {type: string}}}",
    v1: "{type: object, properties: {hosts: {type: array, items: {type: string}}}}",
  };
  const old = withSchemas({ versions: "v1alpha1! v1", stored: "v1alpha1" }, schemas, WEBHOOK);
  for (const conversion of [WEBHOOK, ""]) {
    const { plan } = guard(old, withSchemas({ versions: "v1!" }, schemas, conversion));
    assert.equal(
      plan.map(({ action }) => action),
      ["apply", "gate", "migrate", "patch-status", "apply"],
    );
    assert.match(JSON.stringify(plan[0]?.manifest), '"strategy":"Webhook"');
    assert.match(JSON.stringify(plan[1]), "kubectl get widgets.v1alpha1.example.com --all-namespaces");
  }
  // The webhook is given up although nothing is dropped: it has to stay until everything is rewritten.
  const given = guard(old, withSchemas({ versions: "v1alpha1 v1!" }, schemas));
  assert.equal(
    given.plan.map(({ action }) => action),
    ["apply", "gate", "migrate", "patch-status", "apply"],
  );
});

test("a narrower schema is no loss where the server ratchets", () => {
  const old = withSchemas(
    { versions: "v1alpha1!", stored: "v1alpha1" },
    { v1alpha1: "{type: object, properties: {size: {type: integer}, color: {type: string}}}" },
  );
  const next = withSchemas(
    { versions: "v1!" },
    {
      v1: "{type: object, required: [size], properties: {size: {type: integer, maximum: 9}, color: {type: string, enum: [red]}}}",
    },
  );
  const actions = (target: string): string[] =>
    guard(old, next, ["--target", target]).plan.map(({ action }) => action);
  assert.equal(actions("1.33"), ["apply", "migrate", "patch-status", "apply"]);
  assert.equal(actions("1.32"), ["edit", "export"]);
  assert.ok(guard(old, next).diagnostics.some(({ message }) => message.includes("spec.size is required")));
});

test("a webhook that is gone for good: strategy None where the schemas keep every field", () => {
  const gate = (v1: string): string => {
    const schemas = { v1alpha1: "{type: object, properties: {host: {type: string}}}", v1 };
    const old = withSchemas({ versions: "v1alpha1! v1", stored: "v1alpha1" }, schemas, WEBHOOK);
    const { plan } = guard(old, withSchemas({ versions: "v1!" }, schemas));
    return plan.find(({ action }) => action === "gate")?.summary ?? "";
  };
  assert.match(
    gate("{type: object, properties: {host: {type: string}, port: {type: integer}}}"),
    `kubectl patch customresourcedefinition widgets.example.com --type=merge --patch '{"spec":{"conversion":{"strategy":"None","webhook":null}}}'`,
  );
  const lossy = gate("{type: object, properties: {port: {type: integer}}}");
  assert.match(lossy, "slipway etcd extract");
  assert.match(lossy, "spec.host is pruned");
  assert.not.match(lossy, "kubectl patch");
});

test("names that no API takes are refused, and reach no command", () => {
  for (const hostile of HOSTILE.map((text) => JSON.stringify(`x${text}`))) {
    const good = definition({ versions: "v1alpha1 v1!", stored: "v1alpha1 v1" });
    const next = definition({ versions: "v1!" });
    for (const [old, then, expected] of [
      [good.replace("storedVersions: [v1alpha1,", `storedVersions: [${hostile},`), next, 1],
      [good.replaceAll("widgets.example.com", hostile), next.replaceAll("widgets.example.com", hostile), 1],
      [
        good.replace("group: example.com", `group: ${hostile}`),
        next.replace("group: example.com", `group: ${hostile}`),
        1,
      ],
      [
        good.replace("plural: widgets", `plural: ${hostile}`),
        next.replace("plural: widgets", `plural: ${hostile}`),
        1,
      ],
      [good, next.replace("name: v1,", `name: ${hostile},`), 3],
    ] as const) {
      const { code, plan } = guard(old, then, ["--out", "plan"]);
      assert.is(code, expected, then);
      assert.ok(
        plan.every(({ command }) => command === ""),
        then,
      );
    }
  }
});

test("bundles and Lists: every definition of both is answered", () => {
  const gadget = (text: string): string => text.replaceAll("widget", "gadget").replaceAll("Widget", "Gadget");
  const old = definition({ versions: "v1alpha1 v1!", stored: "v1alpha1 v1" });
  const fine = definition({ versions: "v1!", stored: "v1" });
  const next = definition({ versions: "v1!" });
  const list = (texts: readonly string[], kind = "List"): string =>
    JSON.stringify({ apiVersion: "v1", kind, items: texts.map((text) => load(text)) });
  for (const [before, after] of [
    [`${old}---\n${gadget(fine)}`, `${gadget(next)}---\n${next}`],
    [list([old, gadget(fine)]), list([next, gadget(next)])],
    [
      `{"apiVersion": "v1", "kind": "List", "items": [${list([old, gadget(fine)])}]}`,
      list([next, gadget(next)]),
    ],
  ] as const) {
    const { code, folder, definitions = [] } = guard(before, after, ["--out", "plan"]);
    assert.is(code, 3);
    assert.equal(
      definitions.map((each) => `${each.definition} ${each.allowed} ${each.plan.length}`),
      ["widgets.example.com false 4", "gadgets.example.com true 0"],
    );
    assert.equal(readdirSync(join(folder, "plan")), ["widgets.example.com"]);
  }
});

test("bad input: position and rule name, exit 1", () => {
  const good = definition({ versions: "v1!", stored: "v1" });
  for (const [old, next, expected] of [
    [
      good,
      "kind: Pod\napiVersion: v1\n",
      "STO030 new.yaml:1 C1 one-definition: the file contains no CustomResourceDefinition",
    ],
    [
      good,
      `${good}---\n${good}`,
      "STO030 new.yaml:15 C1 one-definition: widgets.example.com is defined twice",
    ],
    [good, good.replace("io/v1", "io/v1beta1"), "STO030 new.yaml:1 C1 one-definition"],
    [good, definition({ versions: "v1!" }, "gadgets.example.com"), "STO031 new.yaml:1 C2 same-definition"],
    [
      good,
      good.replace("served: true, ", ""),
      "TAB003 new.yaml:11 required value is missing (spec.versions[0].served)",
    ],
    ["a: [", good, "YAML001 old.yaml:1"],
  ] as const) {
    const { code, diagnostics } = guard(old, next);
    assert.is(code, 1, expected);
    assert.match(
      diagnostics
        .map((each) => `${each.code} ${each.file}:${each.line} ${each.message} (${each.field})`)
        .join("\n"),
      expected,
    );
  }
  assert.match(guard({ versions: "v1!" }, { versions: "v1!" }).diagnostics[0]?.message ?? "", "C3 status");
  const badCounts = guard(...DROP, ["--storage-counts", "c.yaml"], { "c.yaml": counts(["v1", -1]) });
  assert.is(badCounts.code, 1);
  assert.match(badCounts.diagnostics[0]?.message ?? "", "C5 counts");
});

test.run();
