/** The boot script, run with stand-ins for the programs of the node. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { stepsOf } from "../../../src/phases/ignition-configs/boot/steps.js";
import { BootstrapNode, bootInput, noBash, startedSteps } from "../../helpers/bootstrap-node.js";
import { skipTest } from "../../helpers/shared.js";
import { readModes, readTree } from "../../helpers/temp.js";

const test = suite("slipway-boot");

const scripted = (name: string, body: () => Promise<void>) =>
  noBash === undefined ? test(name, body) : skipTest(test, name, noBash);

/** What the steps run, in order: payload tags for containers, a word of the command for programs of the node. */
const SEQUENCE: readonly (readonly [name: string, runs: string, since?: string])[] = [
  ["openshift-manifests", ""],
  ["payload-version", "oc metadata.version"],
  ["kubernetes-version", "oc displayVersions"],
  ["api-bootstrap", "cluster-config-api"],
  ["auth-api-bootstrap", "cluster-authentication-operator", "4.19"],
  ["config-bootstrap", "cluster-config-operator"],
  ["cvo-bootstrap", "release"],
  ["etcd-bootstrap", "cluster-etcd-operator"],
  ["kube-apiserver-bootstrap", "cluster-kube-apiserver-operator"],
  ["kube-controller-manager-bootstrap", "cluster-kube-controller-manager-operator"],
  ["kube-scheduler-bootstrap", "cluster-kube-scheduler-operator"],
  ["ingress-operator-bootstrap", "cluster-ingress-operator"],
  ["node-tuning-bootstrap", "cluster-node-tuning-operator"],
  ["image-references", "release"],
  ["mco-bootstrap", "machine-config-operator"],
  ["mco-manifests", ""],
  ["api-dns-resolved", "dig api.tern.example.org"],
  ["api-int-dns-resolved", "dig api-int.tern.example.org"],
  ["cco-bootstrap", "cloud-credential-operator"],
  ["wait-for-etcd", "etcd"],
  ["cb-bootstrap", "cluster-bootstrap"],
  ["cvo-overrides", "oc clusterversion"],
  ["wait-for-ceo", "cluster-etcd-operator"],
  ["api-dns-check", "curl https://api.tern.example.org:6443/readyz"],
  ["api-int-dns-check", "curl https://api-int.tern.example.org:6443/readyz"],
];

const sequence = (release: string) => SEQUENCE.filter(([, , since]) => since === undefined || release >= since);

/** Calls that do the work of a step; what only asks the release image for a pull spec is not among them. */
const work = (calls: readonly (readonly string[])[]) => calls.filter((call) => !call.includes("--net=none"));

/** Everything on the node, without what differs by time or by test. */
function tree(node: BootstrapNode): { [path: string]: string } {
  const modes = readModes(node.root);
  const files = [...readTree(node.root)].filter(([path]) => !path.startsWith("fakes/"));
  return Object.fromEntries(files.map(([path, data]) => [path, `${modes.get(path)?.toString(8)} ${data}`]));
}

for (const release of ["4.18", "4.20", "4.22"])
  scripted(`${release}: every step once and in order`, async () => {
    const node = new BootstrapNode(bootInput(release));
    const ran = await node.boot();
    assert.is(ran.code, 0, ran.output);
    assert.equal(startedSteps(ran), sequence(release).map(([name]) => name));
    const expected = sequence(release).filter(([, runs]) => runs !== "");
    const calls = work(ran.calls);
    assert.is(calls.length, expected.length);
    expected.forEach(([name, runs], index) => {
      const call = calls[index] ?? [];
      const [program = "", word] = runs.split(" ");
      if (word === undefined) {
        const image = call.find((each) => each.startsWith("registry.test/")) ?? "";
        assert.is(image.replace(/^registry.test\/|@.*$/g, ""), program, `${name}: ${call.join(" ")}`);
        assert.ok(call.includes(`slipway-${name}`), name);
      } else {
        assert.is(call[0], program);
        assert.ok(
          call.some((each) => each.includes(word)),
          `${name}: ${call.join(" ")}`,
        );
      }
    });
    for (const [name] of sequence(release)) assert.ok(node.has(`opt/openshift/${name}.done`), name);
    assert.ok(node.has("opt/openshift/.bootkube.done"));
  });

scripted("what is written where it belongs", async () => {
  const node = new BootstrapNode(bootInput("4.22"));
  await node.boot({ FAKE_SIGNER: "yes" });
  const text = (path: string) => node.read(path);
  assert.is(text("opt/openshift/manifests/twice.yaml"), "given: openshift/twice.yaml\n");
  assert.match(text("opt/openshift/manifests/0000 api crd.yaml"), "made by cluster-config-api");
  assert.is(text("etc/kubernetes/kubeconfig"), "given: auth/kubeconfig-loopback\n");
  assert.match(text("etc/kubernetes/manifests/etcd-pod.yaml"), "made by cluster-etcd-operator");
  assert.ok(node.has("etc/kubernetes/static-pod-resources/etcd/certs/a.crt"));
  assert.match(text("opt/openshift/tls/etcd-client.key"), "made by cluster-etcd-operator");
  assert.is(readModes(node.place("opt/openshift/tls")).get("etcd-client.key"), 0o600);
  assert.match(text("opt/openshift/tls/service-account-signer.key"), "controller-manager");
  for (const [name, image] of [
    ["kube-apiserver-config", "cluster-kube-apiserver-operator: config"],
    ["kube-controller-manager-config", "cluster-kube-controller-manager-operator: config"],
    ["cluster-policy-controller-config", "cluster-kube-controller-manager-operator: cpc-config"],
    ["kube-scheduler-config", "cluster-kube-scheduler-operator: config"],
  ])
    assert.is(text(`etc/kubernetes/bootstrap-configs/${name}.yaml`), `made by ${image}\n`);
  for (const name of ["cvo", "cluster-kube-apiserver-operator", "cluster-kube-scheduler-operator", "cco"])
    assert.ok(node.has(`opt/openshift/bootstrap-manifests/${name}-pod.yaml`), name);
  const server = [...readTree(node.place("etc/mcc/bootstrap")).keys()];
  for (const name of ["controller-config.yaml", "99_feature-gate.yaml", "with blank.yaml", "image-references"])
    assert.ok(server.includes(name), name);
  assert.not.ok(server.includes("mco.yaml"));
  assert.ok(node.has("opt/openshift/manifests/mco.yaml"));
  assert.is(text("etc/mcs/kubeconfig"), "given: auth/kubeconfig-kubelet\n");
  assert.is(text("etc/ssl/mcs/tls.key"), "given: tls/machine-config-server.key\n");
  assert.not.ok(node.has("etc/kubernetes/manifests/machineconfigoperator-bootstrap-pod.yaml"));
  assert.is(text("opt/openshift/slipway/version"), "4.99.1");
});

scripted("values of the node reach the commands", async () => {
  const { calls } = await new BootstrapNode(bootInput("4.22")).boot();
  const call = calls.find((each) => each.includes("slipway-kube-apiserver-bootstrap")) ?? [];
  assert.ok(call.includes("--payload-version=4.99.1"));
  assert.ok(call.includes("--operand-kubernetes-version=1.99.0"));
  assert.ok(call.includes("--manifest-image=registry.test/hyperkube@sha256:0123"));
});

for (const release of ["4.18", "4.20", "4.22"])
  scripted(`${release}: killed before a step leaves its mark, and that for every step: nothing finished is repeated`, async () => {
    const whole = new BootstrapNode(bootInput(release));
    await whole.boot();
    const node = new BootstrapNode(bootInput(release));
    const names = stepsOf(node.input).map(({ name }) => name);
    for (const [index, name] of names.entries()) {
      // The step that the last run was killed in is done again, and this run is killed at the end of the next one.
      const ran = await node.boot({ FAKE_KILL_SYNC: index === 0 ? "1" : "2" });
      assert.is(ran.signal, "SIGKILL", ran.output);
      assert.equal(startedSteps(ran), names.slice(Math.max(0, index - 1), index + 1));
      assert.not.ok(node.has(`opt/openshift/${name}.done`));
      assert.ok(names.slice(0, index).every((each) => node.has(`opt/openshift/${each}.done`)));
    }
    const last = await node.boot();
    assert.is(last.code, 0, last.output);
    assert.equal(startedSteps(last), names.slice(-1));
    assert.equal(tree(node), tree(whole));
  });

test.run();
