/** Several clusters of one repository: one kustomization over all of them, which a real API server takes twice. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isList, isObject, type Json } from "../../src/core/json.js";
import { slipway } from "../helpers/cli.js";
import { kubeTests } from "../helpers/kube-servers.js";
import { shared, skipTest } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("several clusters of one repository on a real API server");
const name = "one kustomization over three clusters, applied twice: the second time changes nothing";
const NAMES = ["egret", "heron", "stork"];
const PROVIDERS = ["Cluster", "AWSCluster", "AWSMachineTemplate", "AWSClusterControllerIdentity"];
const KINDS = [
  ...["namespaces", "secrets", "clusters.cluster.x-k8s.io", "openshiftcontrolplanes"],
  ...["awsclusters", "awsmachinetemplates", "awsclustercontrolleridentities"],
].join(",");

function ok(args: readonly string[], cwd: string): void {
  const { code, stderr } = slipway(args, { cwd });
  assert.is(code, 0, stderr);
}

/** Kind, name and version of storage of every object. */
function versions(list: Json): readonly string[] {
  const items = isObject(list) && isList(list["items"]) ? list["items"] : [];
  return items.filter(isObject).map(({ kind, metadata }) => {
    const { namespace, name: own, resourceVersion } = isObject(metadata) ? metadata : {};
    return [kind, namespace ?? "", own, resourceVersion].join(" ");
  });
}

const definitions = PROVIDERS.map((kind) => shared(`data/crds/${kind}.yaml`)).filter(
  (file) => file !== undefined,
);
if (definitions.length < PROVIDERS.length) skipTest(test, name, "needs shared/data/crds");
else
  kubeTests(test)(name, (kube) => {
    const root = tempFolder();
    for (const each of NAMES) {
      const folder = join(root, each);
      cpSync("examples/aws", folder, { recursive: true });
      const config = join(folder, "install-config.yaml");
      writeFileSync(config, readFileSync(config, "utf8").replace("name: heron", `name: ${each}`));
      ok(
        [
          ...["create", "infrastructure-manifests", "--facts", "facts.yaml"],
          ...["--secrets", "separate", "--key-algorithm", "ecdsa-p256"],
          // The definition stores it so, and the webhook that converts is not here.
          ...["--contract", "v1beta2"],
        ],
        folder,
      );
    }
    const folders = [
      ...NAMES.flatMap((each) => [
        `${each}/infrastructure-manifests-secrets`,
        `${each}/infrastructure-manifests`,
      ]),
      `${NAMES[0]}/infrastructure-manifests-shared`,
    ];
    writeFileSync(
      join(root, "kustomization.yaml"),
      `resources:\n${folders.map((each) => `- ${each}\n`).join("")}`,
    );
    const api = join(root, "api");
    mkdirSync(api);
    ok(["generate", "crds", "--out", api], root);
    for (const file of [...definitions, join(api, "openshiftcontrolplanes.cluster.openshift.io.yaml")])
      kube.kubectlOk(["apply", "--server-side", "-f", file]);
    kube.kubectlOk(["wait", "--for=condition=Established", "--timeout=600s", "crd", "--all"]);

    const apply = (): readonly string[] => {
      kube.kubectlOk(["apply", "--server-side", "-k", root]);
      const list: Json = JSON.parse(kube.kubectlOk(["get", KINDS, "--all-namespaces", "-o", "json"]));
      return versions(list);
    };
    const first = apply();
    assert.is(first.filter((each) => each.startsWith("Cluster ")).length, NAMES.length);
    assert.is(first.filter((each) => each.startsWith("AWSClusterControllerIdentity ")).length, 1);
    assert.equal(apply(), first);
    // What the answer tells apart is a change.
    const cluster = join(root, "egret/infrastructure-manifests/70_cluster.yaml");
    writeFileSync(
      cluster,
      readFileSync(cluster, "utf8").replace("metadata:\n", "metadata:\n  annotations: {a: b}\n"),
    );
    assert.is(apply().filter((each) => !first.includes(each)).length, 1);
  });

test.run();
