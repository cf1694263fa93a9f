/**
 * The repair as it is printed, followed to its end against a real etcd, kube-apiserver and kube-controller-manager;
 * and with somebody who changes one thing before a step: nothing is lost.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { BINARY, slipway } from "../helpers/cli.js";
import { type KubeServers, kubeTests } from "../helpers/kube-servers.js";
import { tempFolder } from "../helpers/temp.js";
import { envelope, field } from "./copies.js";
import { looseDefinition, put } from "./live-store.js";
import { aesgcm, keyOf } from "./values.js";

const test = suite("etcd runbook live");

const OWN = keyOf("own");
const OLDER = keyOf("older");
const LOST = keyOf("lost");
const provider = (...keys: (readonly [string, Buffer])[]): object => ({
  aesgcm: { keys: keys.map(([name, key]) => ({ name, secret: key.toString("base64") })) },
});
const config = (...providers: object[]): string =>
  JSON.stringify({
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "EncryptionConfiguration",
    resources: [{ resources: ["secrets"], providers: [...providers, { identity: {} }] }],
  });
const CONFIG = config(provider(["own", OWN], ["older", OLDER]));
const files = tempFolder();
writeFileSync(join(files, "encryption.json"), CONFIG);

const withKube = kubeTests(test, {
  controllers: ["storage-version-migrator-controller", "garbage-collector-controller"],
  apiServer: [`--encryption-provider-config=${join(files, "encryption.json")}`],
});

const json = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);
const secret = (namespace: string, name: string): Buffer => envelope("v1", "Secret", { name, namespace });

const WIDGETS = "widgets.example.com";
const definition = (...versions: readonly string[]): JsonObject =>
  looseDefinition(
    { plural: "widgets", kind: "Widget", singular: "widget", listKind: "WidgetList" },
    versions,
  );

/** Namespace of everything that a run makes; each run has its own. */
interface Scene {
  readonly kube: KubeServers;
  readonly namespace: string;
  readonly folder: string;
  readonly out: string;
}

const pathOf = (namespace: string, resource: string, name: string): string =>
  `/api/v1/namespaces/${namespace}/${resource}/${name}`;

/** A cluster in which something of every kind is wrong, and the plan for it. */
async function scene(kube: KubeServers, namespace: string): Promise<Scene> {
  kube.kubectlOk(["create", "namespace", namespace]);
  kube.kubectlOk(["create", "secret", "generic", "mine", "-n", namespace, "--from-literal=a=1"]);
  const lost = `/registry/secrets/${namespace}/lost`;
  await put(kube, lost, aesgcm("gone", LOST, secret(namespace, "lost"), lost));
  const stale = `/registry/secrets/${namespace}/stale`;
  await put(kube, stale, aesgcm("older", OLDER, secret(namespace, "stale"), stale));
  await put(
    kube,
    `/registry/configmaps/${namespace}/cut`,
    envelope("v1", "ConfigMap", { name: "cut", namespace }).subarray(0, 40),
  );
  await put(
    kube,
    `/registry/configmaps/${namespace}/here`,
    envelope(
      "v1",
      "ConfigMap",
      { name: "elsewhere", namespace },
      field(2, Buffer.concat([field(1, "key"), field(2, "kept")])),
    ),
  );
  await put(kube, `/registry/configmaps/${namespace}/bare`, envelope("v1", "ConfigMap", { name: "" }));
  await put(
    kube,
    `/registry/priorityclasses/${namespace}`,
    envelope("scheduling.k8s.io/v1alpha1", "PriorityClass", { name: namespace }, Buffer.from([0x10, 7])),
  );
  await kube.request("DELETE", `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${WIDGETS}`);
  kube.kubectlOk(["wait", "--for=delete", `crd/${WIDGETS}`, "--timeout=600s"]);
  kube.kubectlOk(["create", "-f", "-"], JSON.stringify(definition("v1")));
  kube.kubectlOk(["wait", "--for=condition=Established", `crd/${WIDGETS}`, "--timeout=600s"]);
  await put(
    kube,
    `/registry/example.com/widgets/${namespace}/old`,
    json({
      apiVersion: "example.com/v1alpha1",
      kind: "Widget",
      metadata: { name: "old", namespace, uid: "u" },
      size: 3,
    }),
  );
  const folder = tempFolder();
  writeFileSync(join(folder, "encryption.json"), CONFIG);
  writeFileSync(join(folder, "slipway"), `#!/bin/sh\nexec "${process.execPath}" "${BINARY}" "$@"\n`, {
    mode: 0o755,
  });
  const { code, stderr } = kube.shell(
    `${environment({ kube, folder })} etcdctl snapshot save etcd.db`,
    folder,
  );
  assert.is(code, 0, stderr);
  return { kube, namespace, folder, out: compile(folder) };
}

const environment = ({ kube, folder }: Pick<Scene, "kube" | "folder">): string =>
  `export ETCDCTL_API=3 ETCDCTL_ENDPOINTS=${kube.etcdUrl} PATH=${folder}:$PATH;`;

function compile(folder: string): string {
  const words = ["etcd", "plan", "--snapshot", "etcd.db", "--encryption-config", "encryption.json"];
  const { code, stderr } = slipway(
    [...words, "--target", "1.37", "--subject", "User:alice", "--out", "out"],
    {
      cwd: folder,
    },
  );
  assert.is(code, 0, stderr);
  return join(folder, "out");
}

interface Step {
  readonly title: string;
  readonly script: string;
}

/** The commands of the runbook, by step. */
function stepsOf(out: string): Step[] {
  const [, ...sections] = readFileSync(join(out, "RUNBOOK.md"), "utf8").split(/^## \d+\. /m);
  return sections.map((section) => ({
    title: section.slice(0, section.indexOf("\n")),
    script: [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text]) => text).join("\n"),
  }));
}

/** Follows the steps; answers the title of the one that failed, with what it said. */
async function follow(
  { kube, folder, out }: Scene,
  before: (title: string) => Promise<void> | void = () => {},
  last = "",
): Promise<{ readonly failed: string; readonly said: string }> {
  for (const { title, script } of stepsOf(out)) {
    await before(title);
    // The deletions alone are sent by the subject of the plan, with the rights that the plan gave.
    const user = title === "Delete" ? "alice" : "admin";
    const { code, stdout, stderr } = kube.shell(`${environment({ kube, folder })}\n${script}`, out, user);
    if (code !== 0) return { failed: title, said: `${stdout}${stderr}` };
    if (title === last) break;
  }
  return { failed: "", said: "" };
}

async function bodyOf(kube: KubeServers, path: string): Promise<JsonObject> {
  const { status, body } = await kube.request("GET", path);
  assert.is(status, 200, path);
  return isObject(body) ? body : {};
}
const part = (value: Json | undefined, name: string): Json | undefined =>
  isObject(value) ? value[name] : undefined;

interface Adversary {
  readonly what: string;
  /** Before the step of this title. */
  readonly when: string;
  readonly does: (at: Scene) => Promise<void>;
  /** The step that stops the run; empty where the run may go on. */
  readonly stops: string;
  /** What must still be there. */
  readonly keeps: (at: Scene) => Promise<void>;
}

const rewritten = ({ kube, namespace }: Scene): Promise<void> => {
  const key = `/registry/secrets/${namespace}/lost`;
  const value = envelope(
    "v1",
    "Secret",
    { name: "lost", namespace },
    field(2, Buffer.concat([field(1, "n"), field(2, "new")])),
  );
  return put(kube, key, aesgcm("own", OWN, value, key));
};
const hasNew = async ({ kube, namespace }: Scene): Promise<void> =>
  assert.is(part((await bodyOf(kube, pathOf(namespace, "secrets", "lost")))["data"], "n"), "bmV3");

const ADVERSARIES: readonly Adversary[] = [
  {
    what: "an object is written anew before the check of revisions",
    when: "Check that the objects have not been written since",
    does: rewritten,
    stops: "Check that the objects have not been written since",
    keeps: hasNew,
  },
  {
    what: "an object is written anew right before the deletion",
    when: "Delete",
    does: rewritten,
    stops: "",
    keeps: hasNew,
  },
  {
    what: "a server with a newer key writes an object before the check of revisions",
    when: "Check that the objects have not been written since",
    does: ({ kube, namespace }) => {
      const key = `/registry/secrets/${namespace}/lost`;
      return put(kube, key, aesgcm("newer", keyOf("newer"), secret(namespace, "lost"), key));
    },
    stops: "Check that the objects have not been written since",
    keeps: async ({ kube, namespace }) =>
      assert.is((await kube.request("GET", pathOf(namespace, "secrets", "lost"))).status, 500),
  },
  {
    what: "a misplaced object is repaired by somebody else",
    when: "Check that the objects have not been written since",
    does: ({ kube, namespace }) =>
      put(
        kube,
        `/registry/configmaps/${namespace}/here`,
        envelope("v1", "ConfigMap", { name: "here", namespace }),
      ),
    stops: "Check that the objects have not been written since",
    keeps: async ({ kube, namespace }) => void (await bodyOf(kube, pathOf(namespace, "configmaps", "here"))),
  },
  {
    what: "a misplaced object is repaired by somebody else right before it is deleted",
    when: "Delete the objects that do not match their keys",
    does: ({ kube, namespace }) =>
      put(
        kube,
        `/registry/configmaps/${namespace}/here`,
        envelope("v1", "ConfigMap", { name: "here", namespace }),
      ),
    stops: "Delete the objects that do not match their keys",
    keeps: async ({ kube, namespace }) => void (await bodyOf(kube, pathOf(namespace, "configmaps", "here"))),
  },
  {
    what: "the rights are taken away before the deletion",
    when: "Delete",
    does: async ({ kube, namespace }) => void kube.kubectlOk(["delete", "role", "-n", namespace, "--all"]),
    stops: "Delete",
    keeps: async ({ kube, namespace }) =>
      assert.is((await kube.request("GET", pathOf(namespace, "secrets", "lost"))).status, 500),
  },
  {
    what: "somebody creates an object of a recovered name before the objects are created again",
    when: "Re-create the objects",
    does: async ({ kube, namespace }) =>
      void kube.kubectlOk(["create", "configmap", "here", "-n", namespace, "--from-literal=key=newer"]),
    stops: "",
    keeps: async ({ kube, namespace }) =>
      assert.equal((await bodyOf(kube, pathOf(namespace, "configmaps", "here")))["data"], { key: "newer" }),
  },
  {
    what: "an object becomes unreadable again before the check that nothing is left",
    when: "Check that the unreadable objects are gone",
    does: ({ kube, namespace }) => {
      const key = `/registry/secrets/${namespace}/lost`;
      return put(kube, key, aesgcm("gone", LOST, secret(namespace, "lost"), key));
    },
    stops: "Check that the unreadable objects are gone",
    keeps: async () => {},
  },
];

/** What comes after it waits for migrations, and touches nothing that could be lost. */
const LAST = "Re-create the objects";

ADVERSARIES.forEach(({ what, when, does, stops, keeps }, i) => {
  withKube(`nothing is lost where ${what}`, async (kube) => {
    const at = await scene(kube, `adversary-${i}`);
    let done = false;
    const { failed, said } = await follow(
      at,
      async (title) => {
        if (done || title !== when) return;
        done = true;
        await does(at);
      },
      LAST,
    );
    assert.ok(done, `there is no step ${when}`);
    assert.is(failed, stops, said);
    await keeps(at);
    await bodyOf(kube, pathOf(at.namespace, "secrets", "mine"));
    // What is left unreadable would hinder the next run.
    for (const key of [
      `secrets/${at.namespace}/`,
      `configmaps/${at.namespace}/`,
      `priorityclasses/${at.namespace}`,
    ])
      kube.shell(`${environment(at)} etcdctl del --prefix /registry/${key}`, at.folder);
    kube.shell(`${environment(at)} etcdctl del --prefix /registry/example.com/widgets/`, at.folder);
  });
});

withKube("the plan is followed to its end as it is printed", async (kube) => {
  const at = await scene(kube, "whole");
  const { failed, said } = await follow(at);
  assert.is(failed, "", said);
  const { namespace } = at;
  for (const [resource, name] of [
    ["secrets", "lost"],
    ["configmaps", "cut"],
  ] as const)
    assert.is((await kube.request("GET", pathOf(namespace, resource, name))).status, 404, name);
  assert.is(part((await bodyOf(kube, pathOf(namespace, "secrets", "mine")))["data"], "a"), "MQ==");
  await bodyOf(kube, pathOf(namespace, "secrets", "stale"));
  const here = await bodyOf(kube, pathOf(namespace, "configmaps", "here"));
  assert.is(part(here["metadata"], "name"), "here");
  assert.equal(here["data"], { key: "kept" });
  assert.is((await bodyOf(kube, `/apis/scheduling.k8s.io/v1/priorityclasses/${namespace}`))["value"], 7);
  const widget = await bodyOf(kube, `/apis/example.com/v1/namespaces/${namespace}/widgets/old`);
  assert.is(widget["size"], 3);
  const crd = await bodyOf(kube, `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${WIDGETS}`);
  assert.equal(part(crd["status"], "storedVersions"), ["v1"]);
  assert.match(kube.kubectlOk(["get", "role", "-n", namespace, "-o", "name"]) || "none", "none");
  await kube.request("DELETE", `/api/v1/namespaces/${namespace}`);
});

test.run();
