/** What the units do beside the boot script, with stand-ins for the programs of the node. */
import { rmSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BootstrapNode, bootInput, noBash, type Ran } from "../../helpers/bootstrap-node.js";
import { skipTest } from "../../helpers/shared.js";

const test = suite("slipway-node");

const scripted = (name: string, body: () => Promise<void>) =>
  noBash === undefined ? test(name, body) : skipTest(test, name, noBash);

const callsOf = ({ calls }: Ran, ...words: readonly string[]) =>
  calls.filter((call) => words.every((word) => call.includes(word)));

const ISSUE = "etc/issue.d/50_slipway.issue";

scripted("check: everything is there", async () => {
  const ran = await new BootstrapNode(bootInput("4.22")).run("slipway-node", ["check"]);
  assert.is(ran.code, 0, ran.output);
});

scripted(
  "check: without the node image it names the programs and the reason, on the console as well",
  async () => {
    const node = new BootstrapNode(bootInput("4.20"));
    rmSync(node.place("usr/bin/kubelet"));
    rmSync(node.place("fakes/oc"));
    const ran = await node.run("slipway-node", ["check"]);
    assert.is(ran.code, 1);
    assert.match(
      ran.output,
      "programs are missing on this system: oc /usr/bin/kubelet; the bootstrap cannot start. Boot images of 4.19",
    );
    assert.match(node.read(ISSUE), "node image");
  },
);

scripted("release-image: pulled until it is there, then named by digest", async () => {
  const node = new BootstrapNode(bootInput("4.22"));
  const ran = await node.run("slipway-node", ["release-image"], {
    FAKE_FAIL: "\tpull\t",
    FAKE_FAIL_ONCE: node.place("fakes/failed"),
  });
  assert.is(ran.code, 0, ran.output);
  assert.is(callsOf(ran, "pull").length, 2);
  assert.match(ran.output, "cannot pull the release image registry.test/release@sha256:abcd");
  assert.is(node.read("opt/openshift/slipway/release"), "registry.test/release@sha256:abcd\n");
  assert.not.ok(node.has(ISSUE));
});

for (const [releaseImage, expected] of [
  ["registry.test:5000/ocp/release:4.22.1-x86_64", "registry.test:5000/ocp/release@sha256:4567"],
  ["registry.test:5000/ocp/release", "registry.test:5000/ocp/release@sha256:4567"],
  ["registry.test:5000/ocp/release:4@sha256:89", "registry.test:5000/ocp/release:4@sha256:89"],
] as const)
  scripted(`release-image: ${releaseImage} by digest`, async () => {
    const node = new BootstrapNode(bootInput("4.22", { releaseImage }));
    const ran = await node.run("slipway-node", ["release-image"], { FAKE_EXISTS: "0" });
    assert.is(ran.code, 0, ran.output);
    assert.equal(callsOf(ran, "pull"), []);
    assert.is(node.read("opt/openshift/slipway/release"), `${expected}\n`);
  });

scripted("release-image: made for another architecture", async () => {
  const node = new BootstrapNode(bootInput("4.22"));
  const ran = await node.run("slipway-node", ["release-image"], { FAKE_ARCH: "s390x" });
  assert.is(ran.code, 1);
  assert.match(node.read(ISSUE), "the release image is for s390x, but this machine is amd64");
});

scripted(
  "pause-image: a drop-in for CRI-O and a variable for the kubelet, however often it takes",
  async () => {
    const node = new BootstrapNode(bootInput("4.20"));
    const ran = await node.run("slipway-node", ["pause-image"], {
      FAKE_FAIL: "\timage\tpod",
      FAKE_FAIL_ONCE: node.place("fakes/failed"),
    });
    assert.is(ran.code, 0, ran.output);
    const dropin = node.read("etc/crio/crio.conf.d/50-slipway-pause.conf");
    assert.match(
      dropin,
      '\n[crio.image]\npause_image = "registry.test/pod@sha256:0123"\npause_command = "/usr/bin/pod"\n',
    );
    assert.is(
      node.read("opt/openshift/slipway/pause-image.env"),
      "PAUSE_IMAGE=registry.test/pod@sha256:0123\n",
    );
  },
);

scripted("kubelet: its folders are there, and its arguments reach it", async () => {
  const node = new BootstrapNode(bootInput("4.22"));
  const ran = await node.run("slipway-node", ["kubelet", "--v=2", "--node-ip=::"]);
  assert.equal(ran.calls, [["kubelet", "--v=2", "--node-ip=::"]]);
  assert.ok(node.has("etc/kubernetes/manifests"));
  assert.ok(node.has("etc/kubernetes/kubelet-plugins/volume/exec"));
});

scripted("approve-csrs: what has no answer yet is approved, until the end of the bootstrap", async () => {
  const node = new BootstrapNode(bootInput("4.22"));
  const running = node.run("slipway-node", ["approve-csrs"], {
    FAKE_CSRS: "csr-a <none>\\ncsr-b Approved\\ncsr-c <none>\\n",
    FAKE_DONE: node.place("opt/openshift/.bootkube.done"),
  });
  const ran = await running;
  assert.is(ran.code, 0, ran.output);
  assert.equal(callsOf(ran, "approve"), [["oc", "adm", "certificate", "approve", "csr-a", "csr-c"]]);
});

scripted(
  "progress: nothing is said before the end; two API servers, then the ConfigMap, if need be again",
  async () => {
    const node = new BootstrapNode(bootInput("4.22"));
    const ran = await node.run("slipway-node", ["progress"], {
      FAKE_DONE: node.place("opt/openshift/.bootkube.done"),
      FAKE_FAIL: "configmap",
      FAKE_FAIL_ONCE: node.place("fakes/failed"),
      FAKE_API_SERVERS: "one\\ntwo\\n",
    });
    assert.is(ran.code, 0, ran.output);
    assert.is(ran.calls[0]?.[2], "kubeapiservers.operator.openshift.io");
    const created = callsOf(ran, "create");
    assert.is(created.length, 2);
    assert.equal(created[0], [
      ...["oc", "create", "configmap", "bootstrap"],
      ...["--namespace", "kube-system", "--from-literal", "status=complete"],
    ]);
  },
);

scripted("progress: a ConfigMap that is there already will do", async () => {
  const node = new BootstrapNode(bootInput("4.22", { controlPlaneTopology: "SingleReplica" }));
  node.write("opt/openshift/.bootkube.done", "");
  const ran = await node.run("slipway-node", ["progress"], {
    FAKE_FAIL: "create",
    FAKE_CONFIGMAP: "complete",
  });
  assert.is(ran.code, 0, ran.output);
  assert.equal(callsOf(ran, "kubeapiservers.operator.openshift.io"), []);
});

scripted("progress: one API server is not enough", async () => {
  const node = new BootstrapNode(bootInput("4.22"));
  node.write("opt/openshift/.bootkube.done", "");
  const ran = await node.run("slipway-node", ["progress"], {
    FAKE_API_SERVERS: "one\\n",
    FAKE_KILL_SLEEP: "3",
  });
  assert.is(ran.signal, "SIGKILL");
  assert.is(callsOf(ran, "kubeapiservers.operator.openshift.io").length, 3);
  assert.equal(callsOf(ran, "create"), []);
});

scripted("journal-key: the user is made where the system has none", async () => {
  const node = new BootstrapNode(bootInput("4.22"));
  const there = await node.run("slipway-node", ["journal-key"]);
  assert.is(there.code, 0, there.output);
  assert.equal(callsOf(there, "useradd"), []);
  const keys = ["crt", "key"].map((ending) => node.place(`opt/openshift/tls/journal-gatewayd.${ending}`));
  assert.equal(callsOf(there, "chown"), [["chown", "systemd-journal-gateway:", ...keys]]);
  const absent = await node.run("slipway-node", ["journal-key"], { FAKE_USER: "2" });
  assert.equal(callsOf(absent, "useradd"), [["useradd", "--system", "systemd-journal-gateway"]]);
});

scripted("an unknown word shows the use", async () => {
  const ran = await new BootstrapNode(bootInput("4.22")).run("slipway-node", ["begin"]);
  assert.is(ran.code, 2);
  assert.match(ran.output, "slipway-node journal-key");
});

test.run();
