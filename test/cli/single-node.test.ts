/** `create single-node-ignition-config`: an installation in place, alone and beside a bootstrap machine. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway, UNCHANGED } from "../helpers/cli.js";
import { RELEASE_IMAGE } from "../helpers/ignition.js";
import { CONFIG, HOUR, ok, read, START, slipwayAt } from "../helpers/ignition-directory.js";
import { readTree, tempFolder } from "../helpers/temp.js";

const test = suite("create single-node-ignition-config");

const IN_PLACE = "bootstrap-in-place-for-live-iso.ign";
const DISK = "bootstrapInPlace:\n  installationDisk: /dev/vda\n";
const SINGLE = CONFIG.replace(
  /compute: .*/,
  "compute: [{name: worker, replicas: 0}]\ncontrolPlane: {name: master, replicas: 1}",
);

function directory(config: string): string {
  const dir = tempFolder();
  writeFileSync(join(dir, "install-config.yaml"), config);
  return dir;
}

const create = (dir: string, ...more: readonly string[]) =>
  slipwayAt(START, "create", "single-node-ignition-config", "--dir", dir, ...more);

const IMAGE = ["--release-image", RELEASE_IMAGE, "--key-algorithm", "ecdsa-p256"];

/** The configs that lie in the directory itself. */
const configsOf = (dir: string): readonly string[] =>
  [...readTree(dir).keys()].filter((path) => /^[^/]+\.ign$/.test(path)).sort();

/** Files of a config by path: their content as it stands. */
const filesOf = (dir: string, name: string): ReadonlyMap<string, string> =>
  new Map(
    (
      JSON.parse(read(dir, name)) as { storage: { files: { path: string; contents?: object }[] } }
    ).storage.files.map(({ path, contents }) => [path, JSON.stringify(contents)]),
  );

test("what upstream's rules refuse is told at its field, and nothing is written", () => {
  for (const [config, fields] of [
    [CONFIG, ["bootstrapInPlace.installationDisk", "controlPlane.replicas"]],
    [CONFIG + DISK, ["controlPlane.replicas"]],
    [SINGLE, ["bootstrapInPlace.installationDisk"]],
    [`${SINGLE}bootstrapInPlace:\n  installationDisk: ""\n`, ["bootstrapInPlace.installationDisk"]],
  ] as const) {
    const dir = directory(config);
    const ran = create(dir, ...IMAGE, "--output", "json");
    assert.is(ran.code, 1);
    const { diagnostics } = JSON.parse(ran.stdout) as {
      diagnostics: { code: string; field: string; severity: string }[];
    };
    assert.equal(
      diagnostics.filter(({ severity }) => severity === "error").map(({ code, field }) => `${code} ${field}`),
      fields.map((field) => `IGN010 ${field}`),
    );
    assert.equal([...readTree(dir).keys()], ["install-config.yaml"]);
  }
});

test("alone: its files, the same data as a bootstrap machine's, stable and checked", () => {
  const dir = directory(SINGLE + DISK);
  ok(create(dir, ...IMAGE));
  assert.equal(configsOf(dir), [IN_PLACE, "worker.ign"]);
  const before = readTree(dir);
  const again = ok(create(dir));
  assert.match(again.stderr, UNCHANGED);
  assert.equal(readTree(dir), before);
  for (const command of [["check", "--strict"], ["validate"]]) ok(slipwayAt(START, ...command, "--dir", dir));
  assert.match(again.stdout, "coreos-installer iso ignition embed");
  assert.match(again.stdout, `create single-node-ignition-config --dir ${dir} --renew`);

  ok(slipwayAt(START, "create", "ignition-configs", "--dir", dir));
  const [inPlace, machines] = [filesOf(dir, IN_PLACE), filesOf(dir, "bootstrap.ign")];
  const own = /^\/(?:etc\/(?:motd|slipway)|usr\/local\/bin|opt\/openshift\/slipway)/;
  const data = (files: ReadonlyMap<string, string>) => [...files].filter(([path]) => !own.test(path));
  assert.equal(data(inPlace), data(machines));
  assert.ok(data(inPlace).length > 80);
});

test("beside a bootstrap machine's: each run keeps both up to date, and one that is deleted is given up", () => {
  const dir = directory(SINGLE + DISK);
  ok(create(dir, ...IMAGE));
  ok(slipwayAt(START, "create", "ignition-configs", "--dir", dir));
  const all = ["bootstrap.ign", IN_PLACE, "master.ign", "worker.ign"].sort();
  assert.equal(configsOf(dir), all);
  writeFileSync(
    join(dir, "openshift/zz.yaml"),
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: zz, namespace: default}\n",
  );
  ok(create(dir));
  for (const name of [IN_PLACE, "bootstrap.ign"])
    assert.ok(filesOf(dir, name).has("/opt/openshift/openshift/zz.yaml"), name);
  rmSync(join(dir, "bootstrap.ign"));
  const missing = slipwayAt(START, "check", "--dir", dir);
  assert.match(missing.stdout, /missing +bootstrap\.ign/);
  ok(create(dir));
  assert.equal(configsOf(dir), [IN_PLACE, "worker.ign"]);
  ok(slipwayAt(START, "check", "--dir", dir));
});

test("a config that no longer asks for it: check names the command that takes the file away", () => {
  const dir = directory(SINGLE + DISK);
  ok(create(dir, ...IMAGE));
  writeFileSync(join(dir, "install-config.yaml"), CONFIG);
  const ran = slipwayAt(START, "check", "--dir", dir);
  assert.is(ran.code, 3);
  assert.match(ran.stdout, new RegExp(`stale +${IN_PLACE}`));
  const [, command = ""] = /^To update them, run: slipway (.*)$/m.exec(ran.stdout) ?? [];
  ok(slipwayAt(START, ...command.split(" ")));
  assert.not(configsOf(dir).includes(IN_PLACE));
});

test("certificates: renewed by the same command, and told of by validate", () => {
  const dir = directory(SINGLE + DISK);
  ok(create(dir, ...IMAGE));
  const late = slipwayAt(START + 25 * HOUR, "validate", "--dir", dir);
  assert.is(late.code, 1);
  assert.match(late.stderr, `${IN_PLACE}: error IGN020`);
  assert.match(late.stderr, "slipway create single-node-ignition-config --renew");
  const renewed = slipwayAt(
    START + 25 * HOUR,
    "create",
    "single-node-ignition-config",
    "--dir",
    dir,
    "--renew",
  );
  assert.is(renewed.code, 0, renewed.stderr);
  assert.equal(configsOf(dir), [IN_PLACE, "worker.ign"]);
  assert.is(slipwayAt(START + 25 * HOUR, "validate", "--dir", dir).code, 0);
});

test("flags that have nothing to do here are refused", () => {
  const dir = directory(SINGLE + DISK);
  for (const flag of ["--data-secrets", "--shim-source=https://a.example.org/x", "--user-data=aws"])
    assert.is(slipway(["create", "single-node-ignition-config", "--dir", dir, flag]).code, 2, flag);
  assert.is(readFileSync(join(dir, "install-config.yaml"), "utf8"), SINGLE + DISK);
});

test.run();
