/** The compiled repair: rights, requests, order, arming, and what is never planned. */

import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { emittedCheck } from "../../src/text/render.js";
import { slipway } from "../helpers/cli.js";
import { readTree, tempFolder } from "../helpers/temp.js";
import { envelope, field, snapshot, type TestRecord } from "./copies.js";
import { aescbc, aesgcm, keyOf, kmsV2 } from "./values.js";

const test = suite("etcd plan");

const OWN = keyOf("own");
const LOST = keyOf("lost");
const CONFIG = {
  apiVersion: "apiserver.config.k8s.io/v1",
  kind: "EncryptionConfiguration",
  resources: [
    {
      resources: ["secrets", "configmaps", "persistentvolumes", "widgets.example.com"],
      providers: [
        { aesgcm: { keys: [{ name: "own", secret: OWN.toString("base64") }] } },
        { kms: { apiVersion: "v2", name: "plug", endpoint: "unix:///plug" } },
        { identity: {} },
      ],
    },
  ],
};

const json = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);
const lost = (key: string, plain: Buffer): TestRecord => ({ key, value: aescbc("lost", LOST, plain, key) });
const secret = (namespace: string, name: string): Buffer => envelope("v1", "Secret", { name, namespace });
const NAMESPACE_TERMINATING = field(3, field(1, "Terminating"));

const RECORDS: readonly TestRecord[] = [
  { key: "/registry/namespaces/app", value: envelope("v1", "Namespace", { name: "app" }) },
  {
    key: "/registry/namespaces/going",
    value: envelope("v1", "Namespace", { name: "going" }, NAMESPACE_TERMINATING),
  },
  lost("/registry/secrets/app/one", secret("app", "one")),
  lost("/registry/secrets/app/two", secret("app", "two")),
  lost("/registry/configmaps/app/one", envelope("v1", "ConfigMap", { name: "one", namespace: "app" })),
  lost("/registry/secrets/other/one", secret("other", "one")),
  lost("/registry/secrets/going/stuck", secret("going", "stuck")),
  lost("/registry/persistentvolumes/disk", envelope("v1", "PersistentVolume", { name: "disk" })),
  {
    key: "/registry/secrets/app/readable",
    value: aesgcm("own", OWN, secret("app", "readable"), "/registry/secrets/app/readable"),
  },
  { key: "/registry/secrets/app/plain", value: secret("app", "plain") },
  // Once readable, with finalizers and an owner; then written with the lost key.
  {
    key: "/registry/secrets/app/known",
    value: envelope("v1", "Secret", {
      name: "known",
      finalizers: ["example.com/keep"],
      owners: [{ apiVersion: "example.com/v1", kind: "Widget", name: "w" }],
    }),
  },
  lost("/registry/secrets/app/known", secret("app", "known")),
  // Readable in another life only, which says nothing.
  {
    key: "/registry/secrets/app/reborn",
    value: envelope("v1", "Secret", { name: "reborn", finalizers: ["x/y"] }),
  },
  { key: "/registry/secrets/app/reborn", value: undefined },
  lost("/registry/secrets/app/reborn", secret("app", "reborn")),
  {
    key: "/registry/configmaps/app/child",
    value: envelope("v1", "ConfigMap", {
      name: "child",
      namespace: "app",
      owners: [{ apiVersion: "v1", kind: "Secret", name: "known" }],
    }),
  },
  { key: "/registry/secrets/app/damaged", value: secret("app", "damaged").subarray(0, 30) },
  {
    key: "/registry/secrets/app/unanswered",
    value: kmsV2(
      { provider: "plug", keyID: "k", wrapped: keyOf("w"), source: OWN, seed: true },
      secret("app", "unanswered"),
      "/registry/secrets/app/unanswered",
    ),
  },
  lost("/registry/secrets/Not A Namespace/x", secret("x", "x")),
  { key: "/registry/namespaces/other", value: envelope("v1", "Namespace", { name: "other" }) },
  lost("/registry/orphan.example.org/gadgets/app/g", json({})),
  {
    key: "/registry/priorityclasses/old",
    value: envelope("scheduling.k8s.io/v1alpha1", "PriorityClass", { name: "old" }),
  },
  {
    key: "/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com",
    value: json({
      apiVersion: "apiextensions.k8s.io/v1beta1",
      kind: "CustomResourceDefinition",
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        names: { plural: "widgets", kind: "Widget" },
        scope: "Namespaced",
        versions: [{ name: "v1", served: true, storage: true }],
      },
      status: { storedVersions: ["v1alpha1", "v1"] },
    }),
  },
  {
    key: "/registry/example.com/widgets/app/w",
    value: json({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w", namespace: "app" } }),
  },
  {
    key: "/registry/example.com/widgets/app/gone",
    value: json({
      apiVersion: "example.com/v1alpha1",
      kind: "Widget",
      metadata: { name: "gone", namespace: "app" },
    }),
  },
  {
    key: "/registry/ingress/app/web",
    value: envelope("extensions/v1beta1", "Ingress", { name: "web", namespace: "app" }),
  },
  {
    key: "/registry/clusterroles/admin",
    value: envelope(
      "rbac.authorization.k8s.io/v1",
      "ClusterRole",
      { name: "admin" },
      Buffer.from("12090a012a12012a1a012a", "hex"),
    ),
  },
];

interface Plan {
  readonly folder: string;
  readonly out: string;
  readonly code: number | null;
  readonly stderr: string;
  readonly plan: JsonObject;
  readonly deletions: readonly JsonObject[];
}

const parse = (text: string): JsonObject => {
  const value: Json = JSON.parse(text);
  if (!isObject(value)) throw new Error("not an object");
  return value;
};
const listOf = (object: JsonObject | undefined, name: string): JsonObject[] => {
  const value = object?.[name];
  return isList(value) ? value.filter(isObject) : [];
};
const partOf = (object: JsonObject | undefined, name: string): JsonObject => {
  const value = object?.[name];
  return isObject(value) ? value : {};
};

function compile(
  args: readonly string[] = [],
  folder = tempFolder(),
  records: readonly TestRecord[] = RECORDS,
): Plan {
  writeFileSync(join(folder, "etcd.db"), snapshot(records));
  writeFileSync(join(folder, "config.json"), JSON.stringify(CONFIG));
  const target = args.includes("--target") ? [] : ["--target", "1.36"];
  const { code, stderr } = slipway(
    [
      "etcd",
      "plan",
      "--snapshot",
      "etcd.db",
      "--encryption-config",
      "config.json",
      "--out",
      "out",
      ...target,
      ...args,
    ],
    { cwd: folder },
  );
  const out = join(folder, "out");
  const file = join(out, "plan.json");
  const plan = existsSync(file) ? parse(readFileSync(file, "utf8")) : {};
  return { folder, out, code, stderr, plan, deletions: listOf(plan, "deletions") };
}

/** Every Kubernetes object of a plan, by file. */
function objects(out: string): Map<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  for (const [path, data] of readTree(out)) {
    if (!/\.(yaml|json)$/.test(path) || path === "plan.json") continue;
    const value: unknown = load(data.toString("utf8"));
    if (!isJson(value)) throw new Error(`${path} is not JSON`);
    if (isObject(value)) found.set(path, value);
  }
  return found;
}

const keysOf = (list: readonly JsonObject[]): string[] => list.map(({ key }) => String(key));

/** RBAC as the authorizer evaluates it: what may the subject do with which object. */
function mayDo(
  all: Iterable<JsonObject>,
  subject: JsonObject,
  verb: string,
  at: { group: string; resource: string; namespace?: string; name: string },
): boolean {
  const list = [...all];
  const texts = (rule: JsonObject, name: string): readonly Json[] => (isList(rule[name]) ? rule[name] : []);
  const same = (each: JsonObject): boolean =>
    each["kind"] === subject["kind"] &&
    each["name"] === subject["name"] &&
    each["namespace"] === subject["namespace"];
  return list.some((binding) => {
    if (binding["kind"] !== "RoleBinding" && binding["kind"] !== "ClusterRoleBinding") return false;
    if (!listOf(binding, "subjects").some(same)) return false;
    const inside = partOf(binding, "metadata")["namespace"];
    if (binding["kind"] === "RoleBinding" && inside !== at.namespace) return false;
    const ref = partOf(binding, "roleRef");
    return list.some(
      (role) =>
        role["kind"] === ref["kind"] &&
        partOf(role, "metadata")["name"] === ref["name"] &&
        (role["kind"] === "ClusterRole" || partOf(role, "metadata")["namespace"] === inside) &&
        listOf(role, "rules").some(
          (rule) =>
            (texts(rule, "verbs").includes(verb) || texts(rule, "verbs").includes("*")) &&
            (texts(rule, "apiGroups").includes(at.group) || texts(rule, "apiGroups").includes("*")) &&
            (texts(rule, "resources").includes(at.resource) || texts(rule, "resources").includes("*")) &&
            (rule["resourceNames"] === undefined || texts(rule, "resourceNames").includes(at.name)),
        ),
    );
  });
}

test("what is deleted, and what is left alone for which reason", () => {
  const { code, plan, deletions, stderr } = compile();
  assert.is(code, 0, stderr);
  assert.equal(keysOf(deletions), [
    "/registry/configmaps/app/one",
    "/registry/persistentvolumes/disk",
    "/registry/priorityclasses/old",
    "/registry/secrets/app/damaged",
    "/registry/secrets/app/known",
    "/registry/secrets/app/one",
    "/registry/secrets/app/reborn",
    "/registry/secrets/app/two",
    "/registry/secrets/going/stuck",
    "/registry/secrets/other/one",
  ]);
  assert.equal(
    listOf(plan, "leftAlone").map(({ key, why }) => `${String(key)} ${String(why)}`),
    [
      "/registry/example.com/widgets/app/gone version",
      "/registry/orphan.example.org/gadgets/app/g unaddressable",
      "/registry/secrets/Not A Namespace/x unaddressable",
      "/registry/secrets/app/unanswered undetermined",
    ],
  );
  // Only what the user says is refused counts as refused.
  const all = compile(["--unanswered-is-lost"]);
  assert.ok(keysOf(all.deletions).includes("/registry/secrets/app/unanswered"));
});

test("what no server deletes unsafely is left alone", () => {
  const keys = ["/registry/namespaces/x"];
  const { deletions, plan } = compile(
    [],
    tempFolder(),
    [...keys, "/registry/pods/app/x"].map((key) => ({ key, value: Buffer.from("k8s\0") })),
  );
  assert.equal(keysOf(deletions), ["/registry/pods/app/x"]);
  const left = listOf(plan, "leftAlone");
  assert.equal(keysOf(left), [...keys].sort());
  for (const each of left) {
    assert.is(each["why"], "unaddressable");
    assert.match(String(each["reason"]), /no unsafe deleter provided/);
  }
});

test("what makes API servers exit is saved and removed from etcd first", () => {
  const cut = Buffer.from("k8s\0");
  const exits = [
    "/registry/clusterrolebindings/x",
    "/registry/clusterroles/x",
    "/registry/ipaddresses/10.0.0.1",
    "/registry/priorityclasses/system-cluster-critical",
    "/registry/rolebindings/app/x",
    "/registry/roles/app/x",
    "/registry/services/specs/app/x",
  ];
  const others = ["/registry/priorityclasses/own", "/registry/storageclasses/x"];
  const { plan, deletions, out, stderr } = compile(
    [],
    tempFolder(),
    [...exits, ...others].map((key) => ({ key, value: cut })),
  );
  assert.equal(keysOf(listOf(plan, "removals")), exits);
  assert.equal(keysOf(deletions), others);
  assert.equal(listOf(plan, "leftAlone"), []);
  assert.match(stderr, /ETC060: 7 objects make API servers exit/);
  const list = readFileSync(join(out, "15_remove-from-etcd.txt"), "utf8");
  assert.equal(
    list
      .trim()
      .split("\n")
      .map((line) => line.replace(/^[0-9]+ /, "")),
    exits,
  );
  // Before the first step that restarts a server or sends a request.
  const steps = readFileSync(join(out, "RUNBOOK.md"), "utf8").match(/^## \d+\. .*$/gm) ?? [];
  const at = steps.findIndex((step) => step.includes("make API servers exit"));
  assert.ok(
    at > 0 && at < steps.findIndex((step) => step.includes("Configure the API servers")),
    steps.join(),
  );
});

test("a custom resource without metadata makes the server exit that reads it; one with empty metadata does not", () => {
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "kites.sky.example", uid: "u" },
    spec: {
      group: "sky.example",
      names: { plural: "kites", singular: "kite", kind: "Kite", listKind: "KiteList" },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true }],
    },
    status: { storedVersions: ["v1"] },
  };
  const kite = (more: object): Buffer =>
    Buffer.from(JSON.stringify({ apiVersion: "sky.example/v1", kind: "Kite", ...more }));
  const key = (name: string): string => `/registry/sky.example/kites/app/${name}`;
  const { plan } = compile([], tempFolder(), [
    {
      key: "/registry/apiextensions.k8s.io/customresourcedefinitions/kites.sky.example",
      value: Buffer.from(JSON.stringify(definition)),
    },
    { key: key("bare"), value: kite({ spec: {} }) },
    { key: key("empty"), value: kite({ metadata: {} }) },
    { key: key("null"), value: kite({ metadata: null }) },
    { key: key("whole"), value: kite({ metadata: { name: "whole", namespace: "app" } }) },
  ]);
  const [removal, ...more] = listOf(plan, "removals");
  assert.equal(more, []);
  assert.equal([removal?.["key"], removal?.["exits"], removal?.["recoverable"]], [key("bare"), "read", true]);
  assert.equal(keysOf(listOf(plan, "misplaced")), [key("empty"), key("null")]);
});

test("one plan is for one API server", () => {
  const records = ["/registry", "/kubernetes.io"].map((prefix) =>
    lost(`${prefix}/secrets/app/one`, secret("app", "one")),
  );
  const both = compile([], tempFolder(), records);
  assert.is(both.code, 1);
  assert.match(both.stderr, /ETC054/);
  assert.not.ok(existsSync(both.out));
  const one = compile(["--prefix", "/registry"], tempFolder(), records);
  assert.is(one.code, 0, one.stderr);
  assert.equal(keysOf(one.deletions), ["/registry/secrets/app/one"]);
});

test("plan.json is written as JSON.stringify writes it", () => {
  const sound = {
    key: "/registry/configmaps/app/a",
    value: envelope("v1", "ConfigMap", { name: "a", namespace: "app" }),
  };
  for (const records of [RECORDS, [sound]]) {
    const { out } = compile([], tempFolder(), records);
    const text = readFileSync(join(out, "plan.json"), "utf8");
    assert.is(text, `${JSON.stringify(JSON.parse(text), null, 2)}\n`);
  }
});

test("without a configuration nothing encrypted is planned for deletion", () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "etcd.db"), snapshot(RECORDS));
  const { code } = slipway(["etcd", "plan", "--snapshot", "etcd.db", "--out", "out", "--target", "1.36"], {
    cwd: folder,
  });
  assert.is(code, 0);
  const plan = parse(readFileSync(join(folder, "out/plan.json"), "utf8"));
  assert.equal(keysOf(listOf(plan, "deletions")), [
    "/registry/priorityclasses/old",
    "/registry/secrets/app/damaged",
  ]);
});

test("servers with different configurations: what one of them reads is not lost", () => {
  const folder = tempFolder();
  const first = CONFIG.resources[0];
  const other = {
    ...CONFIG,
    resources: [
      {
        ...first,
        providers: [
          { aescbc: { keys: [{ name: "lost", secret: LOST.toString("base64") }] } },
          ...(first?.providers ?? []),
        ],
      },
    ],
  };
  writeFileSync(join(folder, "other.json"), JSON.stringify(other));
  const { plan, deletions } = compile(["--encryption-config", "other.json"], folder);
  assert.equal(keysOf(deletions), ["/registry/priorityclasses/old", "/registry/secrets/app/damaged"]);
  assert.ok(listOf(plan, "leftAlone").some(({ why }) => why === "split"));
});

test("the subject may do exactly the planned deletions", () => {
  for (const subject of [undefined, "User:jane", "ServiceAccount:ops/deleter"]) {
    const { out, plan, deletions } = compile(subject === undefined ? [] : ["--subject", subject]);
    const all = [...objects(out).values()];
    const named = partOf(plan, "subject");
    const planned = new Set(
      deletions.filter(({ by }) => by === "subject").map(({ request }) => String(request)),
    );
    assert.is(planned.size, 9);
    const namespaces = [undefined, "app", "other", "going", "default", "kube-system", "slipway-etcd-repair"];
    const names = [
      "one",
      "two",
      "known",
      "reborn",
      "damaged",
      "disk",
      "old",
      "stuck",
      "readable",
      "plain",
      "x",
    ];
    const resources = [
      ["", "v1", "secrets"],
      ["", "v1", "configmaps"],
      ["", "v1", "persistentvolumes"],
      ["", "v1", "pods"],
      ["scheduling.k8s.io", "v1", "priorityclasses"],
    ] as const;
    let allowed = 0;
    for (const namespace of namespaces)
      for (const name of names)
        for (const [group, version, resource] of resources) {
          const clusterScoped = resource === "persistentvolumes" || resource === "priorityclasses";
          if (clusterScoped !== (namespace === undefined)) continue;
          const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
          const request = `DELETE ${root}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${resource}/${name}`;
          const at = { group, resource, name, ...(namespace === undefined ? {} : { namespace }) };
          for (const verb of ["delete", "unsafe-delete-ignore-read-errors"]) {
            assert.is(mayDo(all, named, verb, at), planned.has(request), `${verb} ${request}`);
            if (planned.has(request)) allowed++;
          }
          for (const verb of ["get", "list", "watch", "create", "update", "patch", "deletecollection", "*"])
            assert.is(mayDo(all, named, verb, at), false, `${verb} ${request}`);
          assert.is(mayDo(all, { kind: "User", name: "somebody" }, "delete", at), false);
        }
    assert.is(allowed, 18);
    // What was given is taken away again, and nothing else.
    const removal = listOf(partOf(objects(out).get("90_remove-access.yaml"), "spec"), "objects").map(
      ({ kind, namespace = "", name }) => `${String(kind)} ${String(namespace)}/${String(name)}`,
    );
    const made = all
      .filter(
        ({ kind }) =>
          /Role|Namespace|ServiceAccount|Job|ConfigMap/.test(String(kind)) && kind !== "AccessRemoval",
      )
      .map(
        (each) =>
          `${String(each["kind"])} ${String(partOf(each, "metadata")["namespace"] ?? "")}/${String(partOf(each, "metadata")["name"])}`,
      );
    assert.equal([...removal].sort(), [...made].sort());
  }
});

test("for a damaged value no key is to be put back, and no configuration waited for", () => {
  const damaged = { key: "/registry/secrets/app/cut", value: Buffer.from("k8s:enc:aesgcm:v1:own:cut") };
  const titles = (records: readonly TestRecord[]): string => {
    const { out } = compile([], tempFolder(), records);
    const runbook = readFileSync(join(out, "RUNBOOK.md"), "utf8");
    return runbook
      .split("\n")
      .filter((line) => line.startsWith("#"))
      .join("\n");
  };
  const alone = titles([damaged]);
  assert.match(alone, "Note the values that no key makes readable");
  assert.not.match(alone, /Restore lost keys|Wait until every API server uses the configuration/);
  const both = titles([damaged, ...RECORDS]);
  assert.match(both, "Restore lost keys");
  assert.match(both, "Wait until every API server uses the configuration");
});

test("every object fits its schema, and carries both warnings where it grants or sends", async () => {
  const checkEmitted = await emittedCheck(["etcd", "storage"]);
  for (const target of ["1.32", "1.36", "1.37"]) {
    const { out } = compile(["--target", target]);
    const all = objects(out);
    assert.ok(all.size > 12);
    for (const [path, object] of all) {
      assert.is(checkEmitted(object), undefined, path);
      if (
        !/Role|Binding|Job|ConfigMap|ServiceAccount/.test(String(object["kind"])) ||
        object["kind"] === "AccessRemoval"
      )
        continue;
      const annotations = partOf(partOf(object, "metadata"), "annotations");
      assert.match(String(annotations["slipway.dev/warning-cluster"]), /can break the cluster/, path);
      assert.match(String(annotations["slipway.dev/warning-support"]), /support/, path);
    }
    const runbook = readFileSync(join(out, "RUNBOOK.md"), "utf8");
    assert.match(runbook, /can break the cluster/);
    assert.match(runbook, /Vendors may end their support/);
  }
});

test("the Job starts only for a plan that was confirmed by its digest", () => {
  const folder = tempFolder();
  const first = compile([], folder);
  const job = (): JsonObject => partOf(objects(first.out).get("45_job.yaml"), "spec");
  assert.is(job()["suspend"], true);
  assert.is(first.plan["armed"], false);
  assert.match(first.stderr, /ETC045/);
  const digest = String(first.plan["digest"]);
  assert.match(digest, /^sha256:[0-9a-f]{64}$/);
  // The digest alone is not enough without an image.
  const bare = compile(["--confirm", digest], folder);
  assert.is(bare.code, 1);
  assert.is(job()["suspend"], true);
  // The command of the runbook, from the plan's folder.
  const printed = /^slipway (etcd plan .*--confirm.*)$/m.exec(
    readFileSync(join(first.out, "RUNBOOK.md"), "utf8"),
  );
  const words = (printed?.[1] ?? "").replace("IMAGE", "registry.example.com/kubectl:1").split(" ");
  const again = slipway(words, { cwd: first.out });
  assert.is(again.code, 0, again.stderr);
  assert.is(job()["suspend"], false);
  const armed = compile(["--confirm", digest, "--job-image", "registry.example.com/kubectl:1"], folder);
  assert.is(armed.code, 0, armed.stderr);
  assert.is(job()["suspend"], false);
  assert.is(armed.plan["armed"], true);
  // Whatever becomes of the Job, the runbook does not wait for what will not come.
  const block =
    /^\(\nfor job in [\s\S]*?^\)$/m.exec(readFileSync(join(armed.out, "RUNBOOK.md"), "utf8"))?.[0] ?? "";
  const bin = tempFolder();
  for (const [state, status] of [
    ["True/", 0],
    ["/True", 1],
  ] as const) {
    const kubectl = `#!/bin/sh\ncase "$1" in get) echo ${state} ;; logs) echo "FAILED: /api" ;; esac\n`;
    writeFileSync(join(bin, "kubectl"), kubectl, { mode: 0o755 });
    const waited = spawnSync("sh", ["-c", block], {
      encoding: "utf8",
      env: { PATH: `${bin}:${process.env["PATH"]}` },
      timeout: 60_000,
    });
    assert.is(waited.status, status, state);
    assert.match(waited.stdout, "FAILED: /api");
  }
  // Another copy, or another subject, is another plan.
  const changed = compile(["--confirm", digest, "--job-image", "i"], tempFolder(), [
    ...RECORDS,
    lost("/registry/secrets/app/three", secret("app", "three")),
  ]);
  assert.is(changed.code, 3);
  assert.match(changed.stderr, /ETC042/);
  assert.not.ok(existsSync(changed.out));
  assert.is(compile(["--confirm", digest, "--subject", "User:jane"]).code, 3);
});

test("the same inputs give the same bytes", () => {
  const [a, b] = [compile(), compile()];
  assert.equal([...readTree(a.out)], [...readTree(b.out)]);
});

test("what is known of an object that cannot be read", () => {
  const { deletions } = compile();
  const warning = (name: string): JsonObject =>
    partOf(
      deletions.find((each) => each["key"] === `/registry/secrets/app/${name}`),
      "warning",
    );
  const known = warning("known");
  assert.is(known["knownFrom"], "12");
  assert.equal(known["finalizers"], ["example.com/keep"]);
  assert.equal(known["owners"], [{ apiVersion: "example.com/v1", kind: "Widget", name: "w" }]);
  assert.equal(known["dependents"], ["/registry/configmaps/app/child"]);
  for (const name of ["one", "reborn", "damaged"]) {
    assert.is(warning(name)["finalizers"], "unknown", name);
    assert.is(warning(name)["owners"], "unknown", name);
  }
  const [disk] = deletions.filter(({ name }) => name === "disk");
  assert.match(JSON.stringify(partOf(disk, "warning")["text"]), /its storage is not released/);
  for (const each of deletions) {
    assert.match(String(each["modRevision"]), /^[0-9]+$/);
    assert.ok(isObject(partOf(each, "recheck")["expect"]));
    assert.is(partOf(each, "watchEvent")["type"], "ERROR");
  }
});

test("a namespace that is not there gets no role either, where the copy would show it", () => {
  const left = lost("/registry/secrets/vanished/left", secret("vanished", "left"));
  const { out, deletions, stderr, code } = compile(["--namespace", "vanished"], undefined, [
    ...RECORDS,
    left,
  ]);
  assert.is(code, 0, stderr);
  assert.equal(
    deletions.map(({ key, by }) => `${String(key)} ${String(by)}`),
    ["/registry/secrets/vanished/left administrator"],
  );
  assert.match(stderr, /ETC047.*no role can be created in namespace vanished, which does not exist/);
  const runbook = readFileSync(join(out, "RUNBOOK.md"), "utf8");
  assert.match(runbook, /Delete the objects in the namespace that accepts no new objects/);
  assert.not.match(runbook, /kubectl (?:delete|wait --for=delete) namespace/);
  // A copy without any namespace is one of a part of the store.
  const part = compile([], undefined, [left]);
  assert.equal(
    part.deletions.map(({ by }) => by),
    ["subject"],
  );
  // One whose object cannot be read is there.
  const unread = { key: "/registry/namespaces/vanished", value: Buffer.from("k8s\0damaged") };
  const there = compile(["--namespace", "vanished"], undefined, [...RECORDS, unread, left]);
  assert.equal(
    there.deletions.map(({ by }) => by),
    ["subject"],
  );
});

test("a namespace that is being deleted gets no role, since nothing can be created in it", () => {
  const { out, deletions, stderr, code } = compile(["--namespace", "going"]);
  assert.is(code, 0, stderr);
  assert.equal(
    deletions.map(({ key, by }) => `${String(key)} ${String(by)}`),
    ["/registry/secrets/going/stuck administrator"],
  );
  const paths = [...readTree(out).keys()];
  assert.equal(
    paths.filter((path) => /role|job|configmap|account/.test(path)),
    [],
  );
  assert.match(
    readFileSync(join(out, "43_requests-for-an-administrator.txt"), "utf8"),
    /^\/api\/v1\/namespaces\/going\/secrets\/stuck$/m,
  );
  assert.match(stderr, /ETC047/);
  assert.match(readFileSync(join(out, "RUNBOOK.md"), "utf8"), /kubectl wait --for=delete namespace\/going/);
  // One that is not going is cleared by the account of the plan.
  const app = compile(["--namespace", "app"]);
  assert.ok(
    app.deletions.length === 6 &&
      app.deletions.every(({ by, namespace }) => by === "subject" && namespace === "app"),
  );
  assert.equal(
    [...objects(app.out).values()].filter(({ kind }) => kind === "StorageVersionMigration"),
    [],
  );
  assert.is(compile(["--namespace", "nowhere"]).code, 1);
});

test("settings, bodies and migrations of each release", () => {
  const of = (
    target: string,
  ): { settings: string; files: string[]; migrations: Map<string, JsonObject>; plan: JsonObject } => {
    // With an object that no plan can repair, its resource is not migrated.
    const repairable = RECORDS.filter(({ key }) => !key.includes("Not A Namespace"));
    const { out, plan } = compile(["--target", target, "--unanswered-is-lost"], tempFolder(), repairable);
    const all = objects(out);
    const settings = listOf(partOf(all.get("20_server-settings.yaml"), "spec"), "before").map(
      ({ component, setting }) => `${String(component)} ${String(setting)}`,
    );
    const migrations = new Map([...all].filter(([path]) => path.startsWith("50_")));
    return { settings: settings.join("\n"), files: [...all.keys()], migrations, plan };
  };
  const old = of("1.36");
  assert.match(old.settings, /kube-apiserver --feature-gates=AllowUnsafeMalformedObjectDeletion=true/);
  assert.match(old.settings, /kube-apiserver --feature-gates=StorageVersionMigrator=true/);
  assert.match(old.settings, /kube-controller-manager --feature-gates=StorageVersionMigrator=true/);
  assert.match(old.settings, /--runtime-config=storagemigration.k8s.io\/v1beta1=true/);
  assert.not.ok(old.files.includes("40_delete-options-dry-run.json"));
  assert.equal(
    [...old.migrations.keys()],
    [
      "50_storageversionmigration-configmaps.yaml",
      "50_storageversionmigration-ingresses.networking.k8s.io.yaml",
      "50_storageversionmigration-secrets.yaml",
      "50_storageversionmigration-widgets.example.com.yaml",
    ],
  );
  assert.is(
    old.migrations.get("50_storageversionmigration-secrets.yaml")?.["apiVersion"],
    "storagemigration.k8s.io/v1beta1",
  );
  const newer = of("1.37");
  assert.not.match(newer.settings, /--feature-gates=AllowUnsafe.*=true/);
  assert.ok(newer.files.includes("40_delete-options-dry-run.json"));
  assert.is(
    newer.migrations.get("50_storageversionmigration-secrets.yaml")?.["apiVersion"],
    "storagemigration.k8s.io/v1",
  );
  assert.is(
    of("1.33").migrations.get("50_storageversionmigration-secrets.yaml")?.["apiVersion"],
    "storagemigration.k8s.io/v1alpha1",
  );
  // Before the feature there is no such deletion, and so no migration of what cannot be listed.
  const before = of("1.31");
  assert.equal(listOf(before.plan, "deletions"), []);
  assert.not.ok(before.files.some((path) => path.startsWith("3") || path.startsWith("4")));
  assert.ok(listOf(before.plan, "leftAlone").some(({ why }) => why === "unsupported"));
  assert.not.ok(before.migrations.has("50_storageversionmigration-secrets.yaml"));
  // A migration waits for ever while an object of the resource stays unreadable.
  const blocked = compile();
  assert.not.ok(existsSync(join(blocked.out, "50_storageversionmigration-secrets.yaml")));
  assert.match(blocked.stderr, /ETC044: secrets/);
});

test("what the release before the upgrade still reads is migrated there, and not deleted", () => {
  const { out, deletions, plan } = compile(["--from", "1.35"]);
  assert.not.ok(keysOf(deletions).includes("/registry/priorityclasses/old"));
  assert.ok(
    listOf(plan, "leftAlone").some(
      ({ why, key }) => why === "before-upgrade" && key === "/registry/priorityclasses/old",
    ),
  );
  assert.ok(existsSync(join(out, "05_before-upgrade-priorityclasses.scheduling.k8s.io.yaml")));
  assert.match(
    readFileSync(join(out, "20_server-settings.yaml"), "utf8"),
    /every server of 1.35, before the upgrade/,
  );
});

test("definitions: versions made known, storedVersions brought in line", () => {
  const patch = (out: string, path: string): JsonObject[] => {
    const value: Json = JSON.parse(readFileSync(join(out, path), "utf8"));
    return isList(value) ? value.filter(isObject) : [];
  };
  const { out } = compile(["--target", "1.35"]);
  assert.equal(patch(out, "21_restore-versions-widgets.example.com.json"), [
    // By what it rests on: any write of the definition would change its resourceVersion.
    { op: "test", path: "/spec/versions/0/name", value: "v1" },
    {
      op: "add",
      path: "/spec/versions/1",
      value: {
        name: "v1alpha1",
        served: false,
        storage: false,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    },
  ]);
  assert.equal(patch(out, "60_stored-versions-widgets.example.com.json"), [
    { op: "test", path: "/status/storedVersions", value: ["v1alpha1", "v1"] },
    { op: "replace", path: "/status/storedVersions", value: ["v1"] },
  ]);
  assert.equal(patch(out, "61_drop-versions-widgets.example.com.json"), [
    { op: "test", path: "/spec/versions/1/name", value: "v1alpha1" },
    { op: "remove", path: "/spec/versions/1" },
  ]);
  // From 1.36 on the server prunes the list itself.
  const pruned = compile();
  assert.not.ok(existsSync(join(pruned.out, "60_stored-versions-widgets.example.com.json")));
  assert.match(readFileSync(join(pruned.out, "RUNBOOK.md"), "utf8"), /even if the migration failed/);
});

test("an output folder with another plan's files is left as it is", () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "out"));
  writeFileSync(join(folder, "out/32_role-elsewhere.yaml"), "old");
  const { code, stderr, out } = compile([], folder);
  assert.is(code, 1);
  assert.match(stderr, /ETC052/);
  assert.equal([...readTree(out).keys()], ["32_role-elsewhere.yaml"]);
  // The command of the message makes the way free, more than once.
  for (const name of ["out-former", "out-former-2"]) {
    const [, command = ""] = /applied by mistake: (mv \S+ \S+); then/.exec(compile([], folder).stderr) ?? [];
    assert.is(command, `mv out ${name}`);
    assert.is(spawnSync("sh", ["-c", command], { cwd: folder }).status, 0);
    assert.is(compile([], folder).code, 0);
    writeFileSync(join(folder, "out/32_role-elsewhere.yaml"), "old");
  }
});

test("a damaged copy gives no plan", () => {
  const folder = tempFolder();
  const data = snapshot(RECORDS);
  data[9000] = (data[9000] ?? 0) ^ 1;
  const run = (args: readonly string[]): { code: number | null; stderr: string } => {
    writeFileSync(join(folder, "etcd.db"), data);
    writeFileSync(join(folder, "config.json"), JSON.stringify(CONFIG));
    return slipway(
      [
        "etcd",
        "plan",
        "--snapshot",
        "etcd.db",
        "--encryption-config",
        "config.json",
        "--out",
        "out",
        "--target",
        "1.36",
        ...args,
      ],
      { cwd: folder },
    );
  };
  for (const args of [[], ["--hash", "skip"]]) {
    const { code, stderr } = run(args);
    assert.is(code, 1);
    assert.match(stderr, /ETC004/);
    assert.not.ok(existsSync(join(folder, "out")));
  }
});

test("subjects that are nobody, everybody or ill-formed", () => {
  for (const subject of [
    "jane",
    "User:",
    "Robot:x",
    "ServiceAccount:x",
    "ServiceAccount:a/b/c",
    "ServiceAccount:A/b",
    "Group:system:authenticated",
  ]) {
    const { code, stderr } = compile(["--subject", subject]);
    assert.is(code, 1, subject);
    assert.match(stderr, /ETC048/, subject);
  }
});

test("nothing to repair", () => {
  const { code, out, plan } = compile([], tempFolder(), [
    {
      key: "/registry/secrets/app/plain",
      value: aesgcm("own", OWN, secret("app", "plain"), "/registry/secrets/app/plain"),
    },
  ]);
  assert.is(code, 0);
  assert.equal([...readTree(out).keys()], ["RUNBOOK.md", "plan.json"]);
  assert.equal(plan["deletions"], []);
  assert.match(readFileSync(join(out, "RUNBOOK.md"), "utf8"), /nothing to repair/);
});

/** A kubectl that answers by the name of the object and records how it was called. */
const FAKE = `#!/bin/sh
echo "$@" >> "$LOG"
case "$3" in
  */refused) echo 'Error from server (Forbidden): not permitted to do "unsafe-delete-ignore-read-errors"' >&2; exit 1 ;;
  */readable) echo 'Error from server (Conflict): decodable' >&2; exit 1 ;;
  */gone) echo 'Error from server (NotFound): gone' >&2; exit 1 ;;
  */never) echo 'The secrets "never" is invalid: ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: is exclusively used to delete corrupt object(s), try again by removing this option' >&2; exit 1 ;;
  */illformed) echo 'The DeleteOptions "" is invalid: gracePeriodSeconds: Invalid value: 1: cannot be set together' >&2; exit 1 ;;
esac
echo '{"kind":"Status","status":"Success"}'
`;

test("the script sends every path, keeps what is readable, and stops at a refusal in the dry run", () => {
  const send = (
    target: string,
    names: readonly string[],
  ): { status: number | null; output: string; calls: string[] } => {
    const { out, folder } = compile(["--target", target]);
    const bin = join(folder, "bin");
    rmSync(bin, { recursive: true, force: true });
    mkdirSync(bin);
    writeFileSync(join(bin, "kubectl"), FAKE);
    chmodSync(join(bin, "kubectl"), 0o755);
    const log = join(folder, "log");
    writeFileSync(log, "");
    writeFileSync(
      join(folder, "requests.txt"),
      `# a comment\n\n${names.map((name) => `/api/v1/namespaces/n/secrets/${name}\n`).join("")}`,
    );
    const { status, stdout, stderr } = spawnSync(
      "/bin/sh",
      [join(out, "41_send.sh"), join(folder, "requests.txt")],
      {
        encoding: "utf8",
        env: { PATH: `${bin}:${process.env["PATH"] ?? ""}`, LOG: log },
      },
    );
    return { status, output: stdout + stderr, calls: readFileSync(log, "utf8").trim().split("\n") };
  };
  const good = send("1.36", ["a", "readable", "gone", "b"]);
  assert.is(good.status, 0, good.output);
  assert.is(good.calls.length, 4);
  assert.match(
    good.calls[0] ?? "",
    /^delete --raw \/api\/v1\/namespaces\/n\/secrets\/a -f .*\/40_delete-options\.json$/,
  );
  assert.match(good.output, /deleted: .*\/a\n/);
  assert.match(good.output, /not changed: .*\/readable\n/);
  // What kubectl prints for the 422 of releases up to 1.36, when the object is readable or gone.
  const older = send("1.36", ["a", "never", "b"]);
  assert.is(older.status, 0, older.output);
  assert.match(older.output, /not changed: .*\/never\n/);
  assert.is(send("1.36", ["illformed"]).status, 1, "another 422 is a failure");
  const bad = send("1.36", ["a", "refused", "b"]);
  assert.is(bad.status, 1);
  assert.is(bad.calls.length, 3);
  const dry = send("1.37", ["a", "b"]);
  assert.is(dry.status, 0, dry.output);
  assert.equal(
    dry.calls.map((each) => each.includes("dry-run")),
    [true, true, false, false],
  );
  const stopped = send("1.37", ["a", "refused", "b"]);
  assert.is(stopped.status, 1);
  assert.ok(
    stopped.calls.every((each) => each.includes("dry-run")),
    "nothing was deleted",
  );
});

test("modes: nothing in a plan is secret", () => {
  const { out } = compile();
  for (const path of readTree(out).keys()) assert.is(statSync(join(out, path)).mode & 0o777, 0o644, path);
});

test.run();
