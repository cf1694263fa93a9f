/**
 * The printed migrations on a real API server with its migrator, of a built-in resource and of a custom one: created,
 * waited for, and met by somebody who changes one thing in between.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, type JsonObject } from "../../src/core/json.js";
import { listAt, textAt } from "../../src/transfer/object.js";
import { slipway } from "../helpers/cli.js";
import { type KubeServers, kubeTests } from "../helpers/kube-servers.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("migrations, live");

/** A server of 1.37 that writes what 1.36 writes, before it becomes one of 1.37 with its migrator. */
const withKube = kubeTests(test, { apiServer: ["--emulated-version=1.36"] });
const NEW = { controllers: ["storage-version-migrator-controller", "garbage-collector-controller"] };

const POLICIES = "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies";
const GADGETS = "/apis/example.com/v1/namespaces/default/gadgets";

const policy = (name: string): JsonObject => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "MutatingAdmissionPolicy",
  metadata: { name },
  spec: {
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: ["none.example.com"],
          apiVersions: ["v1"],
          operations: ["CREATE"],
          resources: ["nones"],
        },
      ],
    },
    mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } }],
    failurePolicy: "Fail",
    reinvocationPolicy: "Never",
  },
});
const gadget = (name: string): JsonObject => ({
  apiVersion: "example.com/v1",
  kind: "Gadget",
  metadata: { name, namespace: "default" },
  spec: { size: 3 },
});
const gadgets = (storage: string): JsonObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gadgets.example.com" },
  spec: {
    group: "example.com",
    names: { kind: "Gadget", plural: "gadgets" },
    scope: "Namespaced",
    versions: ["v1alpha1", "v1"].map((name) => ({
      name,
      served: true,
      storage: name === storage,
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
        },
      },
    })),
  },
});

/** The version that etcd holds each object below a place in, by name. */
function versionsBelow(kube: KubeServers, place: string): Record<string, string> {
  const env = { ...process.env, ETCDCTL_API: "3", ETCDCTL_ENDPOINTS: kube.etcdUrl };
  const dump: unknown = JSON.parse(
    execFileSync("etcdctl", ["get", "--prefix", `/registry/${place}/`, "-w", "json"], {
      env,
      encoding: "utf8",
    }),
  );
  if (!isJson(dump)) throw new Error("no json");
  const found: Record<string, string> = {};
  for (const pair of listAt(dump, "kvs")) {
    const [key = "", value = ""] = ["key", "value"].map((member) =>
      Buffer.from(textAt(pair, member), "base64").toString("latin1"),
    );
    // Both forms name the version first: a text of JSON, and a message of protobuf.
    const [, version = ""] = /(?:admissionregistration\.k8s\.io|example\.com)\/(v\w+)/.exec(value) ?? [];
    found[key.split("/").at(-1) ?? ""] = version;
  }
  return found;
}

/** Creates what was printed and waits for it, as the page of the command says. */
function migrate(kube: KubeServers, folder: string): void {
  kube.kubectlOk(["apply", "-f", join(folder, "migrations.yaml")]);
  kube.kubectlOk([
    "wait",
    "--for=condition=Succeeded",
    "--timeout=600s",
    "-f",
    join(folder, "migrations.yaml"),
  ]);
}

function printed(kube: KubeServers): string {
  const folder = tempFolder();
  writeFileSync(
    join(folder, "crd.yaml"),
    kube.kubectlOk(["get", "crd", "gadgets.example.com", "-o", "yaml"]),
  );
  const asked = [
    slipway(["storage", "migrations", "--from", "1.36", "--to", "1.37", "--lifecycle", "kubernetes"]),
    slipway(["storage", "migrations", "--to", "1.37", "--crd", "crd.yaml"], { cwd: folder }),
  ];
  for (const { code, stderr } of asked) assert.is(code, 0, stderr);
  writeFileSync(join(folder, "migrations.yaml"), asked.map(({ stdout }) => stdout).join("---\n"));
  return folder;
}

/** What somebody does after the migrations were created. */
const ADVERSARIES: Readonly<Record<string, (kube: KubeServers, folder: string) => Promise<void>>> = {
  nothing: async () => {},
  "objects are changed": async (kube) => {
    const labels = { metadata: { labels: { changed: "yes" } } };
    for (const path of [POLICIES, GADGETS])
      await kube.request("PATCH", `${path}/one`, labels, "application/merge-patch+json");
  },
  "objects are deleted, and others made": async (kube) => {
    for (const path of [POLICIES, GADGETS]) await kube.request("DELETE", `${path}/two`);
    await kube.request("POST", POLICIES, policy("three"));
    await kube.request("POST", GADGETS, gadget("three"));
  },
  "the migrations are deleted": async (kube, folder) => {
    kube.kubectlOk(["delete", "-f", join(folder, "migrations.yaml")]);
  },
  "the servers are started again": async (kube) => kube.restart(),
};

withKube("every object is written in the version of 1.37, whoever interferes", async (kube) => {
  kube.kubectlOk(["create", "-f", "-"], JSON.stringify(gadgets("v1alpha1")));
  kube.kubectlOk(["wait", "--for=condition=Established", "--timeout=600s", "crd/gadgets.example.com"]);
  const make = async (name: string): Promise<void> => {
    for (const [path, object] of [
      [POLICIES, policy(name)],
      [GADGETS, gadget(name)],
    ] as const)
      for (let i = 0; (await kube.request("POST", path, object)).status !== 201; i++) {
        assert.ok(i < 100, JSON.stringify((await kube.request("POST", path, object)).body));
        execFileSync("sleep", ["0.2"]);
      }
  };
  const emulating = { apiServer: ["--emulated-version=1.36"] };
  for (const [what, interfere] of Object.entries(ADVERSARIES)) {
    await kube.restart(emulating);
    kube.kubectlOk(["replace", "-f", "-"], JSON.stringify(gadgets("v1alpha1")));
    await make("one");
    await make("two");
    for (const [place, version] of [
      ["mutatingadmissionpolicies", "v1beta1"],
      ["example.com/gadgets", "v1alpha1"],
    ] as const)
      assert.equal(versionsBelow(kube, place), { one: version, two: version }, `${what}: ${place}`);
    await kube.restart(NEW);
    kube.kubectlOk(["replace", "-f", "-"], JSON.stringify(gadgets("v1")));
    const folder = printed(kube);
    kube.kubectlOk(["apply", "-f", join(folder, "migrations.yaml")]);
    await interfere(kube, folder);
    migrate(kube, folder);
    for (const place of ["mutatingadmissionpolicies", "example.com/gadgets"]) {
      const versions = versionsBelow(kube, place);
      assert.equal(Object.keys(versions).sort(), what.includes("others") ? ["one", "three"] : ["one", "two"]);
      assert.equal(
        [...new Set(Object.values(versions))],
        ["v1"],
        `${what}: ${place}: ${JSON.stringify(versions)}`,
      );
    }
    kube.kubectlOk(["delete", "-f", join(folder, "migrations.yaml")]);
    for (const path of [POLICIES, GADGETS])
      for (const name of ["one", "two", "three"]) await kube.request("DELETE", `${path}/${name}`);
    process.stdout.write(`     ${what}: every object in v1\n`);
  }
});

test.run();
