/** The boot script, run with stand-ins for the programs of the node. */
import { spawn, spawnSync } from "node:child_process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BootstrapNode, bootInput, DATA_FILES, noBash, startedSteps } from "../../helpers/bootstrap-node.js";
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

const sequence = (release: string) =>
  SEQUENCE.filter(([, , since]) => since === undefined || release >= since);

/** Calls that do the work of a step; what only asks the release image for a pull spec is not among them. */
const work = (calls: readonly (readonly string[])[]) => calls.filter((call) => !call.includes("--net=none"));

for (const release of ["4.18", "4.20", "4.22"])
  scripted(`${release}: every step once and in order`, async () => {
    const node = new BootstrapNode(bootInput(release));
    const ran = await node.boot();
    assert.is(ran.code, 0, ran.output);
    assert.equal(
      startedSteps(ran),
      sequence(release).map(([name]) => name),
    );
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
  for (const name of [
    "controller-config.yaml",
    "99_feature-gate.yaml",
    "with blank.yaml",
    "image-references",
  ])
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

scripted("a step that fails leaves no mark, stops the sequence, and is done again", async () => {
  const node = new BootstrapNode(bootInput("4.20"));
  const failed = await node.boot({ FAKE_FAIL: "slipway-kube-scheduler-bootstrap" });
  assert.is(failed.code, 1);
  assert.match(failed.output, /\[11\/25\] kube-scheduler-bootstrap: FAILED after \d+ s/);
  assert.not.ok(node.has("opt/openshift/kube-scheduler-bootstrap.done"));
  assert.not.ok(node.has("opt/openshift/.bootkube.done"));
  const again = await node.boot();
  assert.is(again.code, 0, again.output);
  assert.is(startedSteps(again)[0], "kube-scheduler-bootstrap");
});

scripted("an image that leaves nothing has failed", async () => {
  const node = new BootstrapNode(bootInput("4.22"));
  const ran = await node.boot({ FAKE_NOTHING: "cluster-config-api" });
  assert.is(ran.code, 1);
  assert.match(ran.output, "no api-bootstrap/manifests/* to copy");
  assert.not.ok(node.has("opt/openshift/api-bootstrap.done"));
});

scripted("a payload without an image, or with no answer, has failed", async () => {
  const node = new BootstrapNode(bootInput("4.22"));
  const ran = await node.boot({ FAKE_FAIL: "\timage\tetcd" });
  assert.is(ran.code, 1);
  assert.match(ran.output, "no value for %{image:etcd}");
  assert.is(startedSteps(ran).at(-1), "etcd-bootstrap");
});

scripted("a file that a step reads is asked for before the step", async () => {
  const node = new BootstrapNode(
    bootInput("4.22", { files: DATA_FILES.filter((path) => path !== "manifests/cluster-config.yaml") }),
  );
  const ran = await node.boot();
  assert.is(ran.code, 1);
  assert.match(ran.output, "etcd-bootstrap: manifests/cluster-config.yaml is missing");
  assert.not.ok(ran.calls.some((call) => call.includes("slipway-etcd-bootstrap")));
});

scripted("what takes its time is tried again", async () => {
  const node = new BootstrapNode(bootInput("4.22"));
  const ran = await node.boot({
    FAKE_FAIL: "slipway-wait-for-etcd",
    FAKE_FAIL_ONCE: node.place("fakes/failed"),
  });
  assert.is(ran.code, 0, ran.output);
  assert.match(ran.output, "wait-for-etcd: not successful yet, next attempt in 5 s");
  assert.is(ran.calls.filter((call) => call.includes("slipway-wait-for-etcd")).length, 2);
});

scripted("names that cannot be looked up or reached stop nothing", async () => {
  const node = new BootstrapNode(bootInput("4.22"));
  const ran = await node.boot({ FAKE_NO_DNS: "yes", FAKE_FAIL: "readyz" });
  assert.is(ran.code, 0, ran.output);
  assert.match(ran.output, /api-dns-resolved: failed after \d+ s; continuing/);
  for (const name of ["api-dns-resolved", "api-int-dns-resolved", "api-dns-check", "api-int-dns-check"])
    assert.not.ok(node.has(`opt/openshift/${name}.done`), name);
  assert.ok(node.has("opt/openshift/.bootkube.done"));
});

scripted("--status lists steps, done and pending", async () => {
  const node = new BootstrapNode(bootInput("4.22"));
  await node.boot({ FAKE_FAIL: "slipway-etcd-bootstrap" });
  const { output, code, calls } = await node.run("slipway-boot", ["--status"]);
  assert.is(code, 0);
  assert.equal(calls, []);
  const lines = output.trimEnd().split("\n");
  assert.is(lines.length, 26);
  assert.match(lines[6] ?? "", /^ 7 {2}cvo-bootstrap +done \d{4}-\d\d-\d\dT[0-9:]+Z$/);
  assert.match(lines[7] ?? "", /^ 8 {2}etcd-bootstrap +pending$/);
  assert.is(lines[25], "7 of 25 steps done, not complete");
  assert.is((await node.run("slipway-boot", ["--stat"])).code, 2);
});

scripted("a second driver does nothing while one is at work", async () => {
  const node = new BootstrapNode(bootInput("4.22"));
  const holder = spawn("flock", [node.place("opt/openshift/slipway/lock"), "cat"], { stdio: "pipe" });
  while (spawnSync("flock", ["--nonblock", node.place("opt/openshift/slipway/lock"), "true"]).status === 0);
  const ran = await node.boot();
  holder.stdin.end();
  assert.is(ran.code, 1);
  assert.match(ran.output, "another slipway-boot is running");
  assert.equal(ran.calls, []);
});

test.run();
