/** What newcomers run into gets one word, and the word that leads on. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { configured, createAt, ok, START, withManifests } from "../helpers/ignition-directory.js";

const test = suite("one word for one thing");

test("a file that does not go to the cluster is told of once", () => {
  const dir = withManifests();
  writeFileSync(join(dir, "openshift/readme.txt"), "hi\n");
  const { stderr } = ok(createAt(START, "infrastructure-manifests", dir));
  const lines = stderr.split("\n").filter((line) => line.includes("readme.txt"));
  assert.is(lines.length, 1, stderr);
  assert.match(lines[0] ?? "", "warning DIR040");
  const checked = slipway(["check", "--dir", dir]).stderr;
  assert.is(checked.split("\n").filter((line) => line.includes("readme.txt")).length, 1, checked);
});

test("a manifest that is no text keeps nothing else from being told", () => {
  const dir = withManifests();
  writeFileSync(join(dir, "openshift/a.yaml"), Buffer.from([0xff, 0xfe, 0x61, 0]));
  writeFileSync(join(dir, "openshift/b.yaml"), "apiVersion: v1\nkind: Namespace\nmetadata: {name: A}\n");
  const { code, stderr } = slipway(["validate", "--dir", dir]);
  assert.is(code, 1);
  assert.match(stderr, "openshift/b.yaml:3:18: error KUB001");
  assert.is(stderr.split("\n").filter((line) => line.includes("openshift/a.yaml: error")).length, 1, stderr);
});

test("Butane's source is told with the commands that compile it", () => {
  const dir = withManifests();
  writeFileSync(join(dir, "openshift/99-a.bu"), "variant: openshift\n");
  writeFileSync(join(dir, "openshift/99-b.yaml"), "variant: openshift\nversion: 4.18.0\n");
  const { stderr } = slipway(["validate", "--dir", dir]);
  assert.match(stderr, "mv openshift/99-a.bu 99-a.bu && butane 99-a.bu -o openshift/99-a.yaml");
  assert.match(stderr, "mv openshift/99-b.yaml 99-b.bu && butane 99-b.bu -o openshift/99-b.yaml");
});

test("a misspelt key is one error, without what follows from the absence of the field", () => {
  const dir = configured();
  const config = join(dir, "install-config.yaml");
  const text = readFileSync(config, "utf8");
  const errorsOf = (given: string, ...flags: readonly string[]): string[] => {
    writeFileSync(config, given);
    const { stderr } = slipway(["validate", "--dir", dir, ...flags]);
    return [...stderr.matchAll(/error (\w+): ([\w.]+)/g)].map(([, code, field]) => `${code} ${field}`);
  };
  const misspelt = text.replace("baseDomain:", "base_domain:");
  assert.equal(errorsOf(misspelt), ["IC010 base_domain"]);
  assert.equal(errorsOf(misspelt, "--lenient"), ["IC111 baseDomain"]);
  assert.equal(errorsOf(text.replace(/\bnone:/, "nonee:")), ["IC010 platform.nonee"]);
  // Of a field that is there as well everything is told.
  assert.equal(
    errorsOf(`${text.replace(/baseDomain: .*/, "baseDomain: a_b.org")}base_domain: a.org\n`).sort(),
    ["IC010 base_domain", "IC111 baseDomain"],
  );
});

test("check says that nothing was generated, and of a conflict what decides it", () => {
  const fresh = ok(slipway(["check", "--dir", configured()]));
  assert.match(fresh.stdout, "No generated files found");
  const dir = withManifests();
  const path = join(dir, "manifests/cluster-scheduler-02-config.yml");
  writeFileSync(
    path,
    readFileSync(path, "utf8").replace("mastersSchedulable: false", "mastersSchedulable: true"),
  );
  const config = join(dir, "install-config.yaml");
  writeFileSync(config, readFileSync(config, "utf8").replace("replicas: 2", "replicas: 0"));
  const other = join(dir, "manifests/cluster-dns-02-config.yml");
  writeFileSync(other, readFileSync(other, "utf8").replace(/baseDomain: .*/, "baseDomain: mine.example.org"));
  writeFileSync(config, readFileSync(config, "utf8").replace("lab.example.org", "labs.example.org"));
  const { code, stdout } = slipway(["check", "--dir", dir]);
  assert.is(code, 3);
  assert.match(stdout, "conflict");
  assert.match(stdout, "First resolve manifests/cluster-dns-02-config.yml: --ours PATH");
  assert.not.match(stdout, "To update them");
});

test.run();
