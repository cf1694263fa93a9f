/** docs/openshift-assisted.md: every command of it is run, in order, by a shell; both golden cases are what it says. */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BINARY, record } from "../helpers/cli.js";
import { expectedFiles } from "../helpers/golden.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("docs/openshift-assisted.md");

const PAGE = readFileSync("docs/openshift-assisted.md", "utf8");
const blocks = [...PAGE.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);

test("every block runs", () => {
  const root = tempFolder();
  const bin = join(root, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "slipway"), `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`);
  chmodSync(join(bin, "slipway"), 0o755);
  cpSync("examples/baremetal", join(root, "examples/baremetal"), { recursive: true });
  const folder = join(root, "assisted");
  assert.is(blocks.length, 2);
  const apiVersions = blocks.map((block, index) => {
    const { status, stdout, stderr } = spawnSync("sh", ["-eu", "-c", block], {
      cwd: index === 0 ? root : folder,
      encoding: "utf8",
      env: { PATH: `${bin}:${process.env["PATH"] ?? ""}` },
    });
    record(stdout + stderr);
    assert.is(status, 0, `${block}${stdout}${stderr}`);
    const file = "infrastructure-manifests/60_openshift-assisted-control-plane.yaml";
    return /^apiVersion: .*$/m.exec(readFileSync(join(folder, file), "utf8"))?.[0];
  });
  assert.equal(apiVersions, [
    "apiVersion: controlplane.cluster.x-k8s.io/v1alpha3",
    "apiVersion: controlplane.cluster.x-k8s.io/v1alpha2",
  ]);
});

test("every file of the golden case is in the page's table", () => {
  const named = [...PAGE.matchAll(/`([0-9]{2}_[^`]*)`/g)].map(
    ([, name = ""]) =>
      new RegExp(`^${name.replaceAll(".", "\\.").replaceAll("…", ".*").replaceAll("POOL", "[a-z]+")}$`),
  );
  const files = [...expectedFiles("openshift-assisted").keys()].flatMap((path) =>
    dirname(path) === "infrastructure-manifests" ? [basename(path)] : [],
  );
  assert.ok(files.length > 20, String(files.length));
  const unnamed = files.filter((file) => /^[1-9]/.test(file) && !named.some((each) => each.test(file)));
  assert.equal(unnamed, []);
});

test.run();
