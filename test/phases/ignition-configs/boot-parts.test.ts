/** Files and units of the boot sequence: scripts that a shell accepts, units that Ignition and systemd accept. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isSince } from "../../../src/core/by-release.js";
import { RELEASES, releaseNamed } from "../../../src/core/release.js";
import { type BootInput, bootSequence } from "../../../src/phases/ignition-configs/boot/index.js";
import type { IgnitionParts } from "../../../src/phases/ignition-configs/config.js";
import { bootInput } from "../../helpers/bootstrap-node.js";
import { skipTest } from "../../helpers/shared.js";
import { tempFolder } from "../../helpers/temp.js";

const test = suite("files and units of the boot sequence");

const withTool = (tool: string, name: string, body: () => void) =>
  spawnSync(tool, ["--version"]).error === undefined
    ? test(name, body)
    : skipTest(test, name, `needs ${tool}`);

const fileOf = (input: BootInput, path: string): string => {
  const found = bootSequence(input).files.find((file) => file.path === path);
  if (found === undefined) throw new Error(`no file ${path}`);
  return found.data.toString();
};

const unitOf = (input: BootInput, name: string): string =>
  bootSequence(input).units.find((unit) => unit.name === name)?.contents ?? "";

for (const tool of ["shellcheck", "bash"])
  withTool(tool, `${tool} has nothing to say about the scripts`, () => {
    const args = tool === "bash" ? ["-n"] : [];
    for (const script of [
      "templates/bootstrap/slipway-boot",
      "templates/bootstrap/slipway-node",
      "templates/bootstrap/slipway-in-place",
      "test/fakes/node-program",
    ]) {
      const { status, stdout, stderr } = spawnSync(tool, [...args, script], { encoding: "utf8" });
      assert.is(status, 0, `${stdout}${stderr}`);
      assert.is(stdout, "");
    }
  });

test("modes and paths", () => {
  const { files } = bootSequence(bootInput("4.22"));
  assert.equal(
    files.map(({ path, mode, append }) => [path, mode.toString(8), append ?? false]),
    [
      ["/etc/motd", "644", true],
      ["/etc/slipway/boot-steps", "600", false],
      ["/etc/slipway/boot.env", "600", false],
      ["/usr/local/bin/slipway-boot", "555", false],
      ["/usr/local/bin/slipway-node", "555", false],
    ],
  );
});

test("the login message and the log say that it is experimental", () => {
  assert.match(fileOf(bootInput("4.18"), "/etc/motd"), "EXPERIMENTAL");
  assert.match(fileOf(bootInput("4.18"), "/usr/local/bin/slipway-boot"), 'say "EXPERIMENTAL');
});

/** What a shell makes of boot.env. */
const environment = (input: BootInput, name: string): string =>
  spawnSync("bash", ["-c", `eval "$(cat)"; printf %s "$${name}"`], {
    input: fileOf(input, "/etc/slipway/boot.env"),
    encoding: "utf8",
  }).stdout;

withTool("bash", "boot.env holds any value as it is", () => {
  const releaseImage = `registry.test/it's "odd" $HOME \`id\``;
  assert.is(environment(bootInput("4.22", { releaseImage }), "RELEASE_IMAGE"), releaseImage);
});

withTool("bash", "what to do about a node without kubelet, CRI-O and oc depends on the release", () => {
  assert.not.match(environment(bootInput("4.18"), "MISSING_PROGRAMS"), "node image");
  assert.match(environment(bootInput("4.18"), "MISSING_PROGRAMS"), "Boot from the image of OpenShift 4.18");
  for (const release of ["4.19", "4.22"])
    assert.match(environment(bootInput(release), "MISSING_PROGRAMS"), "node image");
});

withTool("bash", "only a control plane of several machines waits for a second API server", () => {
  for (const [controlPlaneTopology, waits] of [
    ["HighlyAvailable", "yes"],
    ["SingleReplica", "no"],
    ["DualReplica", "no"],
    ["HighlyAvailableArbiter", "no"],
  ] as const)
    assert.is(environment(bootInput("4.22", { controlPlaneTopology }), "WAIT_FOR_API_SERVERS"), waits);
});

test("the kubelet's arguments: release, address, family", () => {
  const kubelet = (release: string, more: Partial<BootInput> = {}) =>
    unitOf(bootInput(release, more), "kubelet.service");
  for (const release of RELEASES)
    assert.is(
      kubelet(release).includes("--pod-infra-container-image=$"),
      !isSince(releaseNamed(release), "4.22"),
      release,
    );
  assert.not.match(kubelet("4.22"), "--node-ip");
  assert.match(kubelet("4.22", { ipv6First: true }), "--node-ip=::");
  assert.match(
    kubelet("4.22", { nodeAddress: "192.0.2.7" }),
    /--node-ip=192\.0\.2\.7 \\\n {2}--address=192\.0\.2\.7\n/,
  );
  assert.not.match(kubelet("4.22", { nodeAddress: "2001:db8::7", ipv6First: true }), "--node-ip=::");
});

/** The sequences of a bootstrap machine and of one that installs itself. */
const BOTH = [{}, { installationDisk: "/dev/vda" }].map((more) => bootSequence(bootInput("4.22", more)));

test("a unit is enabled exactly if it has an Install section, or is the system's own", () => {
  for (const { name, enabled, contents, dropins } of BOTH.flatMap(({ units }) => units)) {
    if (contents !== undefined) assert.is(contents.includes("[Install]"), enabled ?? false, name);
    else assert.is(enabled ?? false, dropins === undefined, name);
    for (const dropin of dropins ?? []) assert.match(dropin.name, /\.conf$/);
  }
});

test("every unit of ours that another one names is there", () => {
  for (const { units } of BOTH)
    for (const { contents } of units)
      for (const [, named = ""] of (contents ?? "").matchAll(/^(?:Requires|After|Before|Wants)=(.*)$/gm))
        for (const each of named.split(" ").filter((unit) => unit.startsWith("slipway-")))
          assert.ok(
            units.some(({ name }) => name === each),
            each,
          );
});

/** A config of these parts alone; the phase has its own writer, with the data part. */
function config({ files, units }: IgnitionParts): string {
  const source = (data: Uint8Array | string) => `data:;base64,${Buffer.from(data).toString("base64")}`;
  return JSON.stringify({
    ignition: { version: "3.2.0" },
    storage: {
      files: files.map(({ path, mode, append, data }) =>
        append
          ? { path, mode, append: [{ source: source(data) }] }
          : { path, mode, overwrite: true, contents: { source: source(data) } },
      ),
    },
    systemd: { units },
  });
}

for (const release of RELEASES)
  withTool("ignition-validate", `${release}: ignition-validate has nothing to say`, () => {
    const file = join(tempFolder(), "config.ign");
    for (const more of [{}, { installationDisk: "/dev/vda" }]) {
      writeFileSync(file, config(bootSequence(bootInput(release, { nodeAddress: "2001:db8::7", ...more }))));
      const { status, stdout, stderr } = spawnSync("ignition-validate", [file], { encoding: "utf8" });
      assert.is(status, 0, stdout + stderr);
      assert.is(stdout + stderr, "");
    }
  });

withTool("systemd-analyze", "systemd has nothing to say about the units", () => {
  const root = tempFolder();
  const place = (path: string) => join(root, path);
  for (const folder of ["etc/systemd/system", "usr/local/bin", "usr/bin"])
    mkdirSync(place(folder), { recursive: true });
  // What the operating system has, as far as our units name it.
  const system = [
    "crio.service",
    "rpc-statd.service",
    "network-online.target",
    "multi-user.target",
    "basic.target",
  ];
  for (const name of [
    ...system,
    "sysinit.target",
    "shutdown.target",
    "systemd-journal-gatewayd.service",
    "system.slice",
    "-.slice",
  ])
    writeFileSync(
      place(`etc/systemd/system/${name}`),
      name.endsWith(".service")
        ? "[Unit]\nDefaultDependencies=no\n[Service]\nExecStart=/usr/local/bin/slipway-node\n"
        : "[Unit]\nDefaultDependencies=no\n",
    );
  for (const name of ["slipway-boot", "slipway-node", "slipway-in-place"])
    writeFileSync(place(`usr/local/bin/${name}`), "#!/bin/sh\n", { mode: 0o755 });
  const own = BOTH.flatMap(({ units }) => units).filter(({ contents }) => contents !== undefined);
  for (const { name, contents } of own) writeFileSync(place(`etc/systemd/system/${name}`), contents ?? "");
  const { stdout, stderr, status } = spawnSync(
    "systemd-analyze",
    ["verify", `--root=${root}`, "--man=no", ...own.map(({ name }) => name)],
    { encoding: "utf8" },
  );
  const said = `${stdout}${stderr}`.split("\n").filter((line) => own.some(({ name }) => line.includes(name)));
  assert.equal(said, [], `${status}`);
});

test.run();
