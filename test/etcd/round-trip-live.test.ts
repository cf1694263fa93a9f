/**
 * Objects of every built-in kind go from a real server through a copy of its etcd and `etcd extract --as yaml` to a fresh
 * server, as docs/etcd.md says, and are there what they were.
 */
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { equalJson, isJson, isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { slipway } from "../helpers/cli.js";
import { type KubeOptions, KubeServers, kubeTests } from "../helpers/kube-servers.js";
import { tempFolder } from "../helpers/temp.js";
import { everyKind, WIDGET } from "./every-kind.js";

const test = suite("etcd round trip live");

const OPTIONS: KubeOptions = {
  gates: ["AllAlpha=true", "AllBeta=true"],
  apiServer: [
    "--runtime-config=api/all=true",
    // It would give a node another taint on every server.
    "--disable-admission-plugins=TaintNodesByCondition",
  ],
};
const withKube = kubeTests(test, OPTIONS);

/** Filled in by each server for itself. */
const OWN = ["uid", "resourceVersion", "creationTimestamp", "managedFields", "generation"];

/** A Job finds its pods by its uid. */
function withoutUid(object: Json): JsonObject {
  const uid = isObject(object) && isObject(object["metadata"]) ? object["metadata"]["uid"] : undefined;
  const same: unknown = JSON.parse(JSON.stringify(object).replaceAll(`"${String(uid)}"`, '"UID"'));
  return isJson(same) && isObject(same) ? same : {};
}

/** Everything that a server holds: what `kubectl get` names it, and the object. */
function everything(kube: KubeServers): Map<string, JsonObject> {
  const kinds = kube.kubectlOk(["api-resources", "--verbs=create,list", "--output=name"]).trim().split("\n");
  const get = (kind: string) => kube.kubectlOk(["get", kind, "--all-namespaces", "--output=json"]);
  const found = new Map<string, JsonObject>();
  for (const kind of kinds) {
    const list: unknown = JSON.parse(get(kind));
    const items = isJson(list) && isObject(list) && isList(list["items"]) ? list["items"] : [];
    if (items.length === 0) found.set(`${kind}: none`, {});
    for (const item of items) {
      const { metadata, status: _, ...rest } = withoutUid(item);
      const { name = "", namespace = "", ...others } = isObject(metadata) ? metadata : {};
      const kept = Object.entries(others).filter(([field]) => !OWN.includes(field));
      found.set(`${kind} ${namespace}/${name}`, { ...rest, metadata: Object.fromEntries(kept) });
    }
  }
  return found;
}

/** Where a server says of itself that it lives, and where it can be reached. */
const isOfServer = (name: string): boolean =>
  /^leases\.\S+ kube-system\/|^(?:services|endpoints|endpointslices\.\S+) default\/kubernetes$/.test(name);

/** Documents one after the other, since kubectl checks a List by itself, with rules of its own. */
const documents = (objects: readonly JsonObject[]): string =>
  objects.map((object) => JSON.stringify(object)).join("\n");

withKube("objects of every kind come back as they were", async (source) => {
  source.kubectlOk(["create", "--filename", "-"], documents(everyKind()));
  source.kubectlOk(["wait", "--for=condition=Established", "crd/widgets.example.com", "--timeout=60s"]);
  source.kubectlOk(["create", "--filename", "-"], documents([WIDGET]));
  const folder = tempFolder();
  const { code, stderr } = source.shell(
    `ETCDCTL_API=3 etcdctl --endpoints ${source.etcdUrl} snapshot save etcd.db`,
    folder,
  );
  assert.is(code, 0, stderr);
  const extracted = slipway(
    ["etcd", "extract", "--snapshot", "etcd.db", "--all", "--as", "yaml", "--target", "1.37", "--out", "all"],
    { cwd: folder },
  );
  assert.is(extracted.code, 0, extracted.stderr);
  assert.match(extracted.stderr, /^\d+ files created$/m);
  const target = await KubeServers.start(OPTIONS);
  try {
    const create = (path: string): string[] =>
      target
        .kubectl(["create", "--filename", join(folder, "all", path)])
        .stderr.split("\n")
        .filter((line) => line !== "" && !/AlreadyExists|^Warning: |^ensure CRDs/.test(line));
    // What a server makes for itself is there already; the definition has to be before its objects.
    const refused = create("");
    assert.is(refused.length, 2, refused.join("\n"));
    assert.match(refused.join("\n"), 'no matches for kind "Widget"');
    assert.match(refused.join("\n"), 'Service "kubernetes" is invalid');
    target.kubectlOk(["wait", "--for=condition=Established", "crd/widgets.example.com", "--timeout=60s"]);
    assert.equal(create("4_widgets.example.com_every-kind_widget.yaml"), []);
    const [before, after] = [everything(source), everything(target)];
    assert.equal(
      [...before.keys()].filter((name) => name.endsWith(": none")),
      [],
      "kinds without an object",
    );
    const different = [...before].filter(
      ([name, object]) => !isOfServer(name) && !equalJson(after.get(name) ?? null, object),
    );
    assert.equal(
      different.map(([name]) => [name, after.get(name)]),
      different,
    );
    process.stdout.write(`     ${before.size} objects, all as they were\n`);
  } finally {
    await target.stop();
  }
});

test.run();
