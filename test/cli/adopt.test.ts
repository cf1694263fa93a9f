/** Directories that the real installer made, taken over by the command line. */
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { withShared } from "../helpers/shared.js";
import { readTree, tempFolder } from "../helpers/temp.js";

const test = suite("cli/adopt");

interface Created {
  readonly ok: boolean;
  readonly files: readonly { readonly path: string; readonly status: string }[];
}

/** manifests/, openshift/ and the state, as `openshift-install create manifests` leaves them. */
function left(folder: string): string {
  const dir = join(tempFolder(), "cluster");
  mkdirSync(dir);
  for (const name of ["manifests", "openshift"])
    cpSync(join(folder, name), join(dir, name), { recursive: true });
  cpSync(join(folder, "state.json"), join(dir, ".openshift_install_state.json"));
  return dir;
}

function create(dir: string, target: string, ...more: readonly string[]): Map<string, string> {
  const { code, stdout, stderr } = slipway(
    [
      "create",
      target,
      "--dir",
      dir,
      "--output",
      "json",
      "--key-algorithm",
      "ecdsa-p256",
      "--release",
      "5.0",
      ...more,
    ],
    { env: { SOURCE_DATE_EPOCH: "1800000000" } },
  );
  assert.is(code, 0, stderr + stdout);
  const { files }: Created = JSON.parse(stdout);
  return new Map(files.map(({ path, status }) => [path, status]));
}

const isManifest = (path: string): boolean => /^(?:manifests|openshift)\//.test(path);
const others = (files: ReadonlyMap<string, string>): string[] =>
  [...files]
    .filter(([path, status]) => isManifest(path) && status !== "unchanged")
    .map(([path, status]) => `${path} ${status}`);

for (const name of ["none-compact", "none-workers-ecdsa", "external-proxy-mirrors"])
  withShared(
    test,
    `data/upstream-4.22/${name}`,
    `${name}: nothing of it changes, edits are edits`,
    (folder) => {
      const dir = left(folder);
      const before = readTree(dir);
      assert.equal(others(create(dir, "manifests")), []);
      const after = readTree(dir);
      for (const [path, data] of before) if (isManifest(path)) assert.equal(after.get(path), data, path);

      appendFileSync(join(dir, "manifests/cluster-dns-02-config.yml"), "edited: true\n");
      writeFileSync(
        join(dir, "manifests/own.yaml"),
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n",
      );
      rmSync(join(dir, "openshift/99_osimagestream.yaml"));
      assert.equal(others(create(dir, "infrastructure-manifests")), [
        "manifests/cluster-dns-02-config.yml kept",
        "manifests/own.yaml kept",
        "openshift/99_osimagestream.yaml removed",
      ]);
      assert.is(slipway(["check", "--dir", dir]).code, 0);

      // The record is lost: the state tells the same.
      rmSync(join(dir, ".slipway"), { recursive: true });
      assert.equal(others(create(dir, "manifests")).length, 3);
    },
  );

withShared(
  test,
  "data/upstream-4.22/none-compact",
  "a new configuration from the start makes stale only what it concerns",
  (folder) => {
    const dir = left(folder);
    const config = readFileSync(join(folder, "install-config.yaml"), "utf8");
    writeFileSync(
      join(dir, "install-config.yaml"),
      // June's main, which made these files, had rhel-9 as its default stream.
      `${config}\nosImageStream: rhel-9\nproxy:\n  httpProxy: http://proxy.example.org:3128\n`,
    );
    assert.equal(others(create(dir, "manifests")), [
      "manifests/cluster-config.yaml updated",
      "manifests/cluster-proxy-01-config.yaml updated",
    ]);
  },
);

test.run();
