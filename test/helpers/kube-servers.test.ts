import { suite } from "uvu";
import * as assert from "uvu/assert";
import { kubeTests } from "./kube-servers.js";

const test = suite("kube servers");

const withKube = kubeTests(test, { controllers: ["namespace-controller"] });

withKube("the API server answers kubectl, requests and a shell, and controllers run", async (kube) => {
  assert.equal((await kube.request("GET", "/api/v1/namespaces/default")).status, 200);
  kube.kubectlOk(["create", "namespace", "short"]);
  const { code, stdout } = kube.shell("kubectl delete namespace short", kube.folder);
  assert.is(code, 0);
  assert.match(stdout, "deleted");
  assert.is((await kube.request("GET", "/api/v1/namespaces/short")).status, 404);
});

withKube("a user has the rights that RBAC gives", (kube) => {
  const { code, stderr } = kube.kubectl(["get", "namespaces"], "", "alice");
  assert.is.not(code, 0);
  assert.match(stderr, 'User "alice" cannot list');
});

withKube("a restart keeps what is stored", async (kube) => {
  kube.kubectlOk(["create", "configmap", "kept", "--namespace", "default"]);
  await kube.restart({});
  assert.is((await kube.request("GET", "/api/v1/namespaces/default/configmaps/kept")).status, 200);
});

test.run();
