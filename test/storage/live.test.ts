/** Plans of crd-guard, run to their end as they are printed, against a real API server with its migrator. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dump, load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { slipway } from "../helpers/cli.js";
import { type KubeServers, kubeTests } from "../helpers/kube-servers.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("storage, live");
const withKube = kubeTests(test, {
  gates: ["StorageVersionMigrator=true"],
  apiServer: ["--runtime-config=storagemigration.k8s.io/v1=true"],
  controllers: ["storage-version-migrator-controller", "garbage-collector-controller"],
});

type Version = readonly [name: string, storage: boolean, spec: JsonObject];
const SIZE: JsonObject = { type: "object", properties: { size: { type: "integer" } } };

function definition(name: string, versions: readonly Version[], conversion?: JsonObject): JsonObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${name}s.example.com`, labels: { team: "a" } },
    spec: {
      group: "example.com",
      names: { kind: `K${name}`, listKind: `K${name}List`, plural: `${name}s`, singular: name },
      scope: "Namespaced",
      ...(conversion === undefined ? {} : { conversion }),
      versions: versions.map(([version, storage, spec]) => ({
        name: version,
        served: true,
        storage,
        schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
      })),
    },
  };
}

const text = (object: JsonObject): string => JSON.stringify(object);

/** How people bring a definition into a cluster. */
const WAYS: readonly (readonly [name: string, create: (kube: KubeServers, crd: JsonObject) => void])[] = [
  ["create", (kube, crd) => void kube.kubectlOk(["create", "-f", "-"], text(crd))],
  ["apply", (kube, crd) => void kube.kubectlOk(["apply", "-f", "-"], text(crd))],
  ["server", (kube, crd) => void kube.kubectlOk(["apply", "--server-side", "-f", "-"], text(crd))],
  [
    "argo",
    (kube, crd) =>
      void kube.kubectlOk(
        ["apply", "--server-side", "--force-conflicts", "--field-manager=argocd-controller", "-f", "-"],
        text(crd),
      ),
  ],
  ["helm", (kube, crd) => void kube.kubectlOk(["create", "--field-manager=helm", "-f", "-"], text(crd))],
];

function established(kube: KubeServers, name: string): void {
  kube.kubectlOk(["wait", "--for=condition=Established", "--timeout=600s", `crd/${name}s.example.com`]);
}

function createObject(kube: KubeServers, name: string, version: string, spec: JsonObject): void {
  const object = {
    apiVersion: `example.com/${version}`,
    kind: `K${name}`,
    metadata: { name: "one", namespace: "default" },
    spec,
  };
  let last = "";
  for (let i = 0; i < 50; i++) {
    const { code, stderr } = kube.kubectl(["create", "-f", "-"], text(object));
    if (code === 0) return;
    last = stderr;
    execFileSync("sleep", ["0.2"]);
  }
  throw new Error(last);
}

/** What etcd holds of the object. */
function stored(kube: KubeServers, name: string, object = "one"): JsonObject {
  const value: unknown = JSON.parse(
    execFileSync(
      "etcdctl",
      ["get", "--print-value-only", `/registry/example.com/${name}s/default/${object}`],
      {
        encoding: "utf8",
        env: { ...process.env, ETCDCTL_API: "3", ETCDCTL_ENDPOINTS: kube.etcdUrl },
      },
    ),
  );
  if (typeof value !== "object" || value === null) throw new Error("not an object");
  return Object.fromEntries(Object.entries(value));
}

interface Answer {
  readonly code: number | null;
  readonly folder: string;
  readonly plan: readonly { readonly action: string; readonly command: string; readonly summary: string }[];
}

/** Asks with the definition as it is in the cluster. */
function ask(kube: KubeServers, name: string, next: JsonObject): Answer {
  const folder = tempFolder();
  writeFileSync(
    join(folder, "old.yaml"),
    kube.kubectlOk(["get", "crd", `${name}s.example.com`, "-o", "yaml"]),
  );
  writeFileSync(join(folder, "new.yaml"), dump(next));
  const { code, stdout } = slipway(
    ["storage", "crd-guard", "old.yaml", "new.yaml", "--target", "1.37", "--output", "json", "--out", "plan"],
    { cwd: folder },
  );
  const { plan } = JSON.parse(stdout);
  return { code, plan, folder: join(folder, "plan") };
}

/** Runs every command as it is printed. */
function follow(kube: KubeServers, { plan, folder }: Answer): void {
  for (const { command, action } of plan) {
    if (command === "") continue;
    const { code, stdout, stderr } = kube.shell(command, folder);
    assert.is(code, 0, `${action}: ${command}: ${stdout}${stderr}`);
  }
}

const crdOf = (kube: KubeServers, name: string): JsonObject => {
  const value: unknown = load(kube.kubectlOk(["get", "crd", `${name}s.example.com`, "-o", "yaml"]));
  if (typeof value !== "object" || value === null) throw new Error("not an object");
  return Object.fromEntries(Object.entries(value));
};
const at = (value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined =>
  path.reduce<Json | undefined>(
    (each, key) =>
      isObject(each) ? each[key] : isList(each) && typeof key === "number" ? each[key] : undefined,
    value,
  );

for (const [way, create] of WAYS)
  withKube(`a version is dropped, of a definition made by ${way}`, (kube) => {
    const old = definition(way, [
      ["v1alpha1", true, SIZE],
      ["v1", false, SIZE],
    ]);
    const next = definition(way, [["v1", true, SIZE]]);
    create(kube, old);
    established(kube, way);
    createObject(kube, way, "v1alpha1", { size: 3 });
    assert.is(stored(kube, way)["apiVersion"], "example.com/v1alpha1");
    const answer = ask(kube, way, next);
    assert.equal(
      answer.plan.map(({ action }) => action),
      ["apply", "migrate", "patch-status", "apply"],
    );
    follow(kube, answer);
    const object = stored(kube, way);
    assert.equal([object["apiVersion"], object["spec"]], ["example.com/v1", { size: 3 }]);
    const after = crdOf(kube, way);
    assert.equal(at(after, "status", "storedVersions"), ["v1"]);
    assert.is(at(after, "spec", "versions", 0, "name"), "v1");
    assert.is(at(after, "spec", "versions", 1), undefined);
    assert.is(at(after, "metadata", "labels", "team"), "a");
    // A second run finds everything done, and the owner's next delivery meets no conflict.
    follow(kube, answer);
    if (way !== "create" && way !== "helm") create(kube, next);
  });

withKube("fields that the next schema lacks are pruned for good, as the refusal says", (kube) => {
  const old = definition("prune", [
    ["v1alpha1", true, { type: "object", properties: { host: { type: "string" } } }],
  ]);
  const next = definition("prune", [
    [
      "v1",
      true,
      {
        type: "object",
        required: ["hosts"],
        properties: { hosts: { type: "array", items: { type: "string" } } },
      },
    ],
  ]);
  kube.kubectlOk(["create", "-f", "-"], text(old));
  established(kube, "prune");
  createObject(kube, "prune", "v1alpha1", { host: "a" });
  const answer = ask(kube, "prune", next);
  assert.is(answer.code, 3);
  assert.equal(
    answer.plan.map(({ action }) => action),
    ["edit", "export"],
  );
  follow(kube, answer);
  assert.match(readFileSync(join(answer.folder, "prunes-v1alpha1.yaml"), "utf8"), "host: a");
  // What the refusal is about: the server takes both versions, and a write without a change loses the field.
  const both = definition("prune", [
    ["v1alpha1", false, { type: "object", properties: { host: { type: "string" } } }],
    [
      "v1",
      true,
      {
        type: "object",
        required: ["hosts"],
        properties: { hosts: { type: "array", items: { type: "string" } } },
      },
    ],
  ]);
  kube.kubectlOk(["apply", "--server-side", "--force-conflicts", "-f", "-"], text(both));
  // The server goes on writing the old version until it has seen the change.
  let object = stored(kube, "prune");
  for (let i = 0; i < 30 && object["apiVersion"] !== "example.com/v1"; i++) {
    const migration = {
      apiVersion: "storagemigration.k8s.io/v1",
      kind: "StorageVersionMigration",
      metadata: { name: `prunes-${i}` },
      spec: { resource: { group: "example.com", resource: "prunes" } },
    };
    kube.kubectlOk(["create", "-f", "-"], text(migration));
    kube.kubectlOk([
      "wait",
      "--for=condition=Succeeded",
      "--timeout=600s",
      `storageversionmigration/prunes-${i}`,
    ]);
    object = stored(kube, "prune");
  }
  assert.equal([object["apiVersion"], at(object, "spec", "host")], ["example.com/v1", undefined]);
});

withKube(
  "a migration through a version that lacks fields is not planned, and would lose them",
  async (kube) => {
    const whole: JsonObject = {
      type: "object",
      properties: { size: { type: "integer" }, host: { type: "string" } },
    };
    const old = definition("through", [["v1alpha1", true, whole]]);
    const next = definition("through", [
      ["v1beta1", true, whole],
      ["v1", false, SIZE],
    ]);
    kube.kubectlOk(["create", "-f", "-"], text(old));
    established(kube, "through");
    createObject(kube, "through", "v1alpha1", { size: 3, host: "a" });
    assert.equal(
      ask(kube, "through", next).plan.map(({ action }) => action),
      ["edit"],
    );
    // As the step says: without the version until the plan is done, and with it afterwards.
    const versions = at(next, "spec", "versions");
    const unserved = (isList(versions) ? versions : []).filter(isObject).map((each) => ({
      ...each,
      served: each["name"] === "v1beta1",
    }));
    const spec = at(next, "spec");
    follow(
      kube,
      ask(kube, "through", { ...next, spec: { ...(isObject(spec) ? spec : {}), versions: unserved } }),
    );
    const whatIsStored = (): readonly unknown[] => {
      const object = stored(kube, "through");
      return [object["apiVersion"], object["spec"]];
    };
    assert.equal(whatIsStored(), ["example.com/v1beta1", { size: 3, host: "a" }]);
    assert.equal(ask(kube, "through", next).plan, []);
    kube.kubectlOk(["apply", "--server-side", "--force-conflicts", "-f", "-"], text(next));
    assert.equal(whatIsStored(), ["example.com/v1beta1", { size: 3, host: "a" }]);
    // What the refusal is about: the migrator takes the most preferred version.
    const migration = {
      apiVersion: "storagemigration.k8s.io/v1",
      kind: "StorageVersionMigration",
      metadata: { name: "throughs" },
      spec: { resource: { group: "example.com", resource: "throughs" } },
    };
    for (let i = 0; i < 60 && at(stored(kube, "through"), "spec", "host") !== undefined; i++) {
      kube.kubectl(["delete", "--ignore-not-found", "storageversionmigration/throughs"]);
      kube.kubectlOk(["create", "-f", "-"], text(migration));
      kube.kubectlOk([
        "wait",
        "--for=condition=Succeeded",
        "--timeout=600s",
        "storageversionmigration/throughs",
      ]);
    }
    assert.equal(whatIsStored(), ["example.com/v1beta1", { size: 3 }]);
  },
);

/** What somebody does between two steps, and whether the plan then ends or stops. */
const ADVERSARIES: readonly {
  readonly what: string;
  readonly does: (kube: KubeServers, name: string, old: JsonObject, folder: string) => Promise<void>;
}[] = [
  {
    what: "the old definition comes back",
    does: async (kube, name, old) => {
      kube.kubectl(["replace", "-f", "-"], text(old));
      await writesIn(kube, name, "v1alpha1");
    },
  },
  {
    what: "the old definition comes back, an object is written, and the plan's own is applied again",
    does: async (kube, name, old, folder) => {
      if (kube.kubectl(["replace", "-f", "-"], text(old)).code !== 0) return;
      await writesIn(kube, name, "v1alpha1");
      kube.shell("kubectl apply --server-side --force-conflicts -f 10-definition.yaml", folder);
      // As on a server whose migrator does not set the list.
      const stored = { status: { storedVersions: ["v1alpha1", "v1"] } };
      await kube.request(
        "PATCH",
        `${CRDS}/${name}s.example.com/status`,
        stored,
        "application/merge-patch+json",
      );
    },
  },
  {
    what: "the definition gets a label",
    does: async (kube, name) => {
      kube.kubectlOk(["label", "crd", `${name}s.example.com`, "touched=yes"]);
      await posted(kube, name, "late", 4);
    },
  },
  {
    what: "the migrations are deleted",
    does: async (kube, name) => {
      kube.kubectlOk(["delete", "storageversionmigrations", "--all"]);
      await posted(kube, name, "late", 4);
    },
  },
  {
    what: "an object is deleted and made again",
    does: async (kube, name) => {
      await kube.request("DELETE", `${objectsOf(name)}/one`);
      await posted(kube, name, "one", 3);
      await posted(kube, name, "late", 4);
    },
  },
];

const objectsOf = (name: string): string => `/apis/example.com/v1/namespaces/default/${name}s`;

/** Makes an object; the server may be busy with the definition. */
async function posted(kube: KubeServers, name: string, object: string, size: number): Promise<void> {
  const body = {
    apiVersion: "example.com/v1",
    kind: `K${name}`,
    metadata: { name: object },
    spec: { size },
  };
  for (let i = 0; i < 100; i++) {
    if ((await kube.request("POST", objectsOf(name), body)).status === 201) return;
    execFileSync("sleep", ["0.2"]);
  }
  throw new Error(`${name}/${object} cannot be made`);
}

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Waits until new objects are stored in this version; leaves one. */
async function writesIn(kube: KubeServers, name: string, version: string): Promise<void> {
  for (let i = 0; i < 100; i++) {
    await kube.request("DELETE", `${objectsOf(name)}/late`);
    await posted(kube, name, "late", 4);
    if (stored(kube, name, "late")["apiVersion"] === `example.com/${version}`) return;
    execFileSync("sleep", ["0.2"]);
  }
  throw new Error(`${name} is never written in ${version}`);
}

for (const [number, { what, does }] of ADVERSARIES.entries())
  for (const before of [1, 2, 3])
    withKube(`nothing is lost where, before step ${before}, ${what}`, async (kube) => {
      const name = `adversary${number}${before}`;
      const old = definition(name, [
        ["v1alpha1", true, SIZE],
        ["v1", false, SIZE],
      ]);
      kube.kubectlOk(["apply", "--server-side", "-f", "-"], text(old));
      established(kube, name);
      createObject(kube, name, "v1alpha1", { size: 3 });
      const next = definition(name, [["v1", true, SIZE]]);
      const answer = ask(kube, name, next);
      let stopped = false;
      for (const [index, { command }] of answer.plan.entries()) {
        // Times have no fractions.
        execFileSync("sleep", ["1.1"]);
        if (index === before) await does(kube, name, old, answer.folder);
        stopped = kube.shell(command, answer.folder).code !== 0;
        if (stopped) break;
      }
      const readable = (object: string): void =>
        assert.is(
          kube.kubectlOk(["get", `${name}s.v1.example.com`, object, "-o", "jsonpath={.spec.size}"]),
          object === "one" ? "3" : "4",
        );
      // What stopped is asked again, and ends.
      if (stopped) follow(kube, ask(kube, name, next));
      assert.is(at(crdOf(kube, name), "spec", "versions", 1), undefined);
      readable("one");
      readable("late");
    });

withKube("a webhook is taken back at the end, whoever owns it", (kube) => {
  const webhook: JsonObject = {
    strategy: "Webhook",
    webhook: { clientConfig: { url: "https://127.0.0.1:9/convert" }, conversionReviewVersions: ["v1"] },
  };
  const old = definition(
    "back",
    [
      ["v1alpha1", true, SIZE],
      ["v1", false, SIZE],
    ],
    webhook,
  );
  kube.kubectlOk(["create", "-f", "-"], text(old));
  established(kube, "back");
  const answer = ask(kube, "back", definition("back", [["v1", true, SIZE]], { strategy: "None" }));
  assert.equal(
    answer.plan.map(({ action }) => action),
    ["apply", "gate", "migrate", "patch-status", "apply"],
  );
  follow(kube, answer);
  assert.equal(at(crdOf(kube, "back"), "spec", "conversion"), { strategy: "None" });
});

withKube("a webhook that is away stops the plan at its gate", (kube) => {
  const webhook: JsonObject = {
    strategy: "Webhook",
    webhook: { clientConfig: { url: "https://127.0.0.1:9/convert" }, conversionReviewVersions: ["v1"] },
  };
  const versions: readonly Version[] = [
    ["v1alpha1", true, SIZE],
    ["v1", false, SIZE],
  ];
  kube.kubectlOk(["create", "-f", "-"], text(definition("hook", versions)));
  established(kube, "hook");
  createObject(kube, "hook", "v1alpha1", { size: 1 });
  kube.kubectlOk(
    ["apply", "--server-side", "--force-conflicts", "-f", "-"],
    text(definition("hook", versions, webhook)),
  );
  const answer = ask(kube, "hook", definition("hook", [["v1", true, SIZE]], webhook));
  assert.equal(
    answer.plan.map(({ action }) => action),
    ["apply", "gate", "migrate", "patch-status", "apply"],
  );
  const [apply, gate] = answer.plan;
  assert.is(kube.shell(apply?.command ?? "", answer.folder).code, 0);
  let result = kube.shell(gate?.command ?? "", answer.folder);
  for (let i = 0; i < 50 && result.code === 0; i++) result = kube.shell(gate?.command ?? "", answer.folder);
  assert.is.not(result.code, 0);
  assert.match(result.stderr, "conversion webhook");
});

test.run();
