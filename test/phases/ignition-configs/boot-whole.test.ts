/** A bootstrap.ign as a user gets it: its files are laid out, and its boot script finds all that its steps read. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject, type Json } from "../../../src/core/json.js";
import { RELEASES } from "../../../src/core/release.js";
import type { IgnitionFile } from "../../../src/phases/ignition-configs/config.js";
import { BootstrapNode, bootInput, noBash, startedSteps } from "../../helpers/bootstrap-node.js";
import { slipway } from "../../helpers/cli.js";
import { skipTest } from "../../helpers/shared.js";
import { tempFolder } from "../../helpers/temp.js";

const test = suite("boot sequence of a whole bootstrap.ign");

const member = (value: Json | undefined, name: string): Json | undefined =>
  isObject(value) ? value[name] : undefined;

const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

/** The files of a config; the one that is appended to is empty on the scratch node. */
function filesOf(config: Json): readonly IgnitionFile[] {
  return list(member(member(config, "storage"), "files")).map((file) => {
    const source = member(member(file, "contents") ?? list(member(file, "append"))[0], "source");
    const data = /^data:[^,]*;base64,(.*)$/.exec(String(source))?.[1];
    if (data === undefined) throw new Error(`${member(file, "path")}: ${source}`);
    return {
      path: String(member(file, "path")),
      mode: Number(member(file, "mode")),
      data: Buffer.from(data, "base64"),
    };
  });
}

const MIRRORS =
  "imageDigestSources:\n- mirrors: [mirror.example.org/ocp]\n  source: registry.example.org/ocp\n";

for (const [index, release] of RELEASES.entries()) {
  // Every release, both platforms, with mirrors and without, a user's file in each folder.
  const example = index % 2 === 0 ? "none" : "external";
  const name = `${release}, ${example}: from the install-config to the end of the sequence`;
  const body = async () => {
    const dir = tempFolder();
    cpSync(`examples/${example}/install-config.yaml`, join(dir, "install-config.yaml"));
    if (index % 2 === 0)
      writeFileSync(
        join(dir, "install-config.yaml"),
        `${readFileSync(join(dir, "install-config.yaml"), "utf8").trimEnd()}\n${MIRRORS}`,
      );
    const run = (...args: readonly string[]) => {
      const ran = slipway([...args, "--dir", dir, "--release", release, "--key-algorithm", "ecdsa-p256"]);
      assert.is(ran.code, 0, ran.stderr);
    };
    run("create", "manifests");
    for (const folder of ["manifests", "openshift"]) {
      mkdirSync(join(dir, folder), { recursive: true });
      writeFileSync(
        join(dir, folder, `zz of a user in ${folder}.yaml`),
        `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${folder}\n  namespace: default\n`,
      );
    }
    run("create", "ignition-configs", "--release-image", `registry.test/release@sha256:${"0".repeat(64)}`);
    const files = filesOf(JSON.parse(readFileSync(join(dir, "bootstrap.ign"), "utf8")));
    const node = new BootstrapNode(bootInput(release), files);
    const ran = await node.boot();
    assert.is(ran.code, 0, ran.output);
    assert.is(startedSteps(ran).length, release === "4.18" ? 24 : 25);
    assert.ok(node.has("opt/openshift/manifests/zz of a user in openshift.yaml"));
    for (const folder of ["manifests", "openshift"])
      assert.ok(node.has(`etc/mcc/bootstrap/zz of a user in ${folder}.yaml`), folder);
    const version = ran.calls.find((call) => call.includes("jsonpath={.metadata.version}")) ?? [];
    assert.is(
      version.some((word) => /^--i(dms|csp)-file=.*\/manifests\/image-/.test(word)),
      index % 2 === 0,
      version.join(" "),
    );
    const flag = version.find((word) => word.includes("-file="))?.split("=")[1];
    if (flag !== undefined) assert.match(readFileSync(flag, "utf8"), "mirror.example.org/ocp");
  };
  if (noBash === undefined) test(name, body);
  else skipTest(test, name, noBash);
}

test.run();
