/** A machine that is its own bootstrap machine, with stand-ins for the programs of the node. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RELEASES } from "../../../src/core/release.js";
import { bootSequence } from "../../../src/phases/ignition-configs/boot/index.js";
import { stepsOf } from "../../../src/phases/ignition-configs/boot/steps.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import {
  BootstrapNode,
  bootInput,
  DATA_FILES,
  noBash,
  type Ran,
  startedSteps,
} from "../../helpers/bootstrap-node.js";
import { objectOf } from "../../helpers/ignition.js";
import { skipTest } from "../../helpers/shared.js";

const test = suite("an installation in place");

const scripted = (name: string, body: () => Promise<void>) =>
  noBash === undefined ? test(name, body) : skipTest(test, name, noBash);

const DISK = "/dev/disk/by-id/it's the one";

const input = (release: string) =>
  bootInput(release, { installationDisk: DISK, controlPlaneTopology: "SingleReplica" });

const callsOf = ({ calls }: Ran, ...words: readonly string[]) =>
  calls.filter((call) => words.every((word) => call.includes(word)));

/** Where a call with such a word is in the run; below zero where there is none. */
const placeOf = ({ calls }: Ran, word: string): number =>
  calls.findIndex((call) => call.some((each) => each.includes(word)));

test("its steps are those of a bootstrap machine, but for the last ones", () => {
  for (const release of RELEASES) {
    const names = (given = input(release)) => stepsOf(given).map(({ name }) => name);
    const usual = names(bootInput(release));
    assert.equal(
      names().filter((name) => !usual.includes(name)),
      ["stop-etcd", "control-plane-config", "installed-config"],
    );
    assert.equal(
      usual.filter((name) => !names().includes(name)),
      ["cvo-overrides", "wait-for-ceo"],
    );
    const required = (given = input(release)) =>
      stepsOf(given)
        .flatMap(({ args }) => args)
        .filter((each) => each.startsWith("--required-pods"));
    assert.equal(required(), ["--required-pods="]);
    assert.match(required(bootInput(release))[0] ?? "", /=openshift-kube-apiserver.*,/);
  }
});

test("it installs instead of reporting, and everything else is as on a bootstrap machine", () => {
  const [own, usual] = [bootSequence(input("4.22")), bootSequence(bootInput("4.22"))];
  const names = (units: typeof own.units) => units.map(({ name }) => name);
  assert.equal(
    names(own.units).filter((name) => !names(usual.units).includes(name)),
    ["slipway-install.service"],
  );
  assert.equal(
    names(usual.units).filter((name) => !names(own.units).includes(name)),
    ["slipway-progress.service"],
  );
  assert.equal(
    own.files.map(({ path }) => path).filter((path) => !usual.files.some((each) => each.path === path)),
    ["/opt/openshift/slipway/installed-system.bu", "/usr/local/bin/slipway-in-place"],
  );
  const motd = own.files.find(({ path }) => path === "/etc/motd")?.data.toString() ?? "";
  assert.match(motd, "EXPERIMENTAL");
  assert.ok(motd.includes(DISK));
});

test("what the installed system takes along is there, or comes from a step", () => {
  const text =
    bootSequence(input("4.22"))
      .files.find(({ path }) => path.endsWith(".bu"))
      ?.data.toString() ?? "";
  const locals = [...text.matchAll(/local: (\S+)/g)].map(([, path = ""]) => path.replace(/\/$/, ""));
  assert.is(locals.length, 12);
  const steps = stepsOf(input("4.22"));
  const made = steps.flatMap(({ writes, save }) => [...writes, ...(save === undefined ? [] : [save])]);
  // Folders of the node that the step mounts, and static pods that a step's program leaves.
  const mounted = ["bin/", "kubernetes/", "etcd-data", "etcd-bootstrap/", "bootstrap-manifests/", "tls"];
  for (const path of locals)
    assert.ok(
      DATA_FILES.includes(path) || made.includes(path) || mounted.some((each) => path.startsWith(each)),
      path,
    );
  const [unit] = objectOf(objectOf(parseYaml(text))["systemd"])["units"] as readonly unknown[];
  assert.match(JSON.stringify(unit), "slipway-in-place finish");
});

for (const release of RELEASES)
  scripted(`${release}: the live system, up to the restart`, async () => {
    const node = new BootstrapNode(input(release));
    const pod = "etc/kubernetes/manifests/etcd-member-pod.yaml";
    node.write(pod, "");
    const booted = await node.boot({ FAKE_RUNNING: "abc", FAKE_DONE: node.place("ended") });
    assert.is(booted.code, 0, booted.output);
    assert.equal(startedSteps(booted).slice(-5), [
      "stop-etcd",
      "control-plane-config",
      "installed-config",
      "api-dns-check",
      "api-int-dns-check",
    ]);
    assert.not.ok(node.has(pod));
    assert.match(booted.output, "waiting: etcd ends");
    const [render = []] = callsOf(booted, "bootstrap-in-place");
    assert.ok(render.includes("--volume=/var/lib/etcd:/assets/etcd-data"), render.join(" "));
    assert.match(node.read("opt/openshift/master.ign"), "made by cluster-bootstrap");

    const installed = await node.run("slipway-in-place", ["install"]);
    assert.is(installed.code, 0, installed.output);
    assert.equal(installed.calls, [
      [
        "coreos-installer",
        "install",
        "--copy-network",
        "--ignition-file",
        node.place("opt/openshift/master.ign"),
        "--",
        DISK,
      ],
      ["shutdown", "--reboot", "+1", `The bootstrap is complete, and this machine reboots from ${DISK}.`],
    ]);
    // Killed after the disk was written: nothing is written twice.
    const again = await node.run("slipway-in-place", ["install"]);
    assert.equal(
      again.calls.map(([program]) => program),
      ["shutdown"],
    );
  });

scripted("a disk that cannot be written stops the restart", async () => {
  const node = new BootstrapNode(input("4.22"));
  node.write("opt/openshift/.bootkube.done", "");
  const ran = await node.run("slipway-in-place", ["install"], { FAKE_FAIL: "coreos-installer" });
  assert.is(ran.code, 1);
  assert.is(callsOf(ran, "--reboot").length, 0);
});

scripted("the installed system goes over to the cluster's own control plane, and cleans up", async () => {
  const node = new BootstrapNode(input("4.22"));
  node.write("etc/kubernetes/bootstrap-secrets/kubeconfig", "");
  node.write("etc/kubernetes/manifests/kube-apiserver-pod.yaml", "name: kube-apiserver\n");
  const ran = await node.run("slipway-in-place", ["finish"]);
  assert.is(ran.code, 0, ran.output);
  const order = [
    "bootstrap",
    "version",
    "--patch-file",
    "nodes",
    "daemon-reload",
    "clusterversion",
    "disable",
  ];
  const places = order.map((word) => placeOf(ran, word));
  assert.ok(
    places.every((place) => place >= 0),
    `${places}\n${ran.calls.map((c) => c.join(" ")).join("\n")}`,
  );
  assert.is(callsOf(ran, "restart", "kubelet").length, 2);
  assert.is(callsOf(ran, "delete", "lease").length, 2);
  assert.not.ok(node.has("opt/openshift"));
  assert.not.ok(node.has("etc/kubernetes/bootstrap-secrets"));
  assert.ok(node.has("etc/kubernetes/manifests/kube-apiserver-pod.yaml"));
});

scripted("killed on the way, it goes on, and leases are given up once", async () => {
  const node = new BootstrapNode(input("4.22"));
  node.write("etc/kubernetes/bootstrap-secrets/kubeconfig", "");
  node.write("etc/kubernetes/manifests/kube-apiserver-pod.yaml", "");
  const first = await node.run("slipway-in-place", ["finish"], { FAKE_KILL: "daemon-reload" });
  assert.is.not(first.code, 0);
  const second = await node.run("slipway-in-place", ["finish"]);
  assert.is(second.code, 0, second.output);
  assert.is(callsOf(second, "delete", "lease").length, 0);
  assert.not.ok(node.has("opt/openshift"));
});

scripted("requests of the node are approved until it is ready", async () => {
  const node = new BootstrapNode(input("4.22"));
  node.write("etc/kubernetes/manifests/kube-apiserver-pod.yaml", "");
  const ran = await node.run("slipway-in-place", ["finish"], {
    FAKE_CSRS: "csr-1 <none>\ncsr-2 Approved\n",
    FAKE_CONDITION: "False",
    FAKE_KILL_SLEEP: "2",
  });
  assert.ok(callsOf(ran, "approve").every((call) => call.includes("csr-1") && !call.includes("csr-2")));
  assert.ok(callsOf(ran, "approve").length > 0, ran.output);
});

test.run();
