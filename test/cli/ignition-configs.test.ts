/** `create ignition-configs` through the command line: what it writes, what it keeps, what later phases see of it. */
import { spawnSync } from "node:child_process";
import { createPrivateKey } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseState, stateOfManifests } from "../../src/directory/state.js";
import { KEY_NAMES, PKI, pkiEntry } from "../../src/pki/graph.js";
import { slipway, UNCHANGED } from "../helpers/cli.js";
import { RELEASE_IMAGE } from "../helpers/ignition.js";
import {
  bootstrapFiles,
  CONFIG,
  changed,
  configured,
  copyOf,
  createAt,
  HOUR,
  IMAGE,
  ok,
  read,
  START,
  STATE,
  slipwayAt,
  snapshot,
  withIgnition,
  withKeys,
  withManifests,
  withRsaManifests,
} from "../helpers/ignition-directory.js";
import { skipTest } from "../helpers/shared.js";
import { readModes, readTree, tempFolder } from "../helpers/temp.js";

const test = suite("ignition-configs");

const OUTPUTS = [
  "auth/kubeadmin-password",
  "auth/kubeconfig",
  "bootstrap.ign",
  "master.ign",
  "metadata.json",
  "worker.ign",
];
const SECRET = new Set(["auth/kubeadmin-password", "auth/kubeconfig", "bootstrap.ign"]);
const WRAPPED = "infrastructure-manifests/20_install-state.yaml";
const CONTROL_PLANE = "infrastructure-manifests/60_openshift-control-plane.yaml";
const OWN_MANIFEST = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own, namespace: default}\n";

const create = (dir: string, ...more: readonly string[]) => createAt(START, "ignition-configs", dir, ...more);

interface Answer {
  readonly files: readonly { readonly path: string; readonly status: string }[];
  readonly nextSteps: readonly {
    readonly id: string;
    readonly what: string;
    readonly commands: readonly string[];
  }[];
  readonly useBefore?: string;
  readonly renewed?: readonly string[];
  readonly diagnostics: readonly { readonly code: string; readonly severity: string }[];
}
const answer = (stdout: string): Answer => JSON.parse(stdout);
const statusOf = (stdout: string, path: string): string | undefined =>
  answer(stdout).files.find((file) => file.path === path)?.status;

test("asked for first or after the manifests: the same files, each with its mode", () => {
  const dir = withIgnition();
  const first = withKeys();
  ok(create(first, ...IMAGE));
  assert.equal(changed(snapshot(dir), snapshot(first)), []);
  const modes = readModes(dir);
  for (const path of OUTPUTS) assert.is(modes.get(path), SECRET.has(path) ? 0o600 : 0o644, path);
  assert.is(modes.get(STATE), 0o600);
  // Of the directory that slipway made: Node 24 copies folders without their modes.
  assert.is(statSync(join(first, "auth")).mode & 0o777, 0o700);
  const roots = [...readTree(dir).keys()].filter((path) => !/^(?:manifests|openshift|\.)/.test(path));
  assert.equal(roots, [...OUTPUTS, "install-config.yaml"].sort());
});

test("a later run changes no byte, no time and no mode", () => {
  const dir = withIgnition();
  const times = () => [...readTree(dir).keys()].map((path) => statSync(join(dir, path)).mtimeMs);
  const [before, then] = [snapshot(dir), times()];
  const { stderr } = ok(createAt(START + 11 * HOUR, "ignition-configs", dir));
  assert.match(stderr, UNCHANGED);
  assert.equal([...snapshot(dir)], [...before]);
  assert.equal(times(), then);
});

test("wrong modes are mended", () => {
  const dir = withIgnition();
  for (const path of ["bootstrap.ign", "auth/kubeconfig"]) chmodSync(join(dir, path), 0o644);
  chmodSync(join(dir, "auth"), 0o755);
  ok(create(dir));
  const modes = readModes(dir);
  assert.equal([modes.get("bootstrap.ign"), modes.get("auth/kubeconfig")], [0o600, 0o600]);
  assert.is(statSync(join(dir, "auth")).mode & 0o777, 0o700);
});

test("manifests are taken in as they are on disk: edited, added and removed", () => {
  const dir = withManifests();
  const edited = `${read(dir, "manifests/cluster-scheduler-02-config.yml")}# mine\n`;
  writeFileSync(join(dir, "manifests/cluster-scheduler-02-config.yml"), edited);
  writeFileSync(join(dir, "openshift/own.yaml"), OWN_MANIFEST);
  rmSync(join(dir, "openshift/99_feature-gate.yaml"));
  ok(create(dir, ...IMAGE));
  const node = bootstrapFiles(dir);
  assert.is(node.get("/opt/openshift/manifests/cluster-scheduler-02-config.yml")?.text, edited);
  assert.is(node.get("/opt/openshift/openshift/own.yaml")?.text, OWN_MANIFEST);
  assert.not.ok(node.has("/opt/openshift/openshift/99_feature-gate.yaml"));
  assert.is(read(dir, "openshift/own.yaml"), OWN_MANIFEST);
  assert.not.ok(existsSync(join(dir, "openshift/99_feature-gate.yaml")));
  // A later addition makes bootstrap.ign stale and nothing else.
  const before = snapshot(dir);
  writeFileSync(join(dir, "manifests/more.yaml"), OWN_MANIFEST.replace("name: own", "name: more"));
  assert.is(slipwayAt(START, "check", "--dir", dir).code, 3);
  ok(create(dir));
  assert.equal(changed(before, snapshot(dir)), [
    ".slipway/local.json",
    ".slipway/record.json",
    "bootstrap.ign",
    "manifests/more.yaml",
  ]);
});

test("an edit of an output is kept; with a change of its input it is a conflict that the user decides", () => {
  const dir = withIgnition();
  const edited = read(dir, "bootstrap.ign").replace('"version":"3.2.0"', '"version":"3.3.0"');
  writeFileSync(join(dir, "bootstrap.ign"), edited);
  chmodSync(join(dir, "bootstrap.ign"), 0o644);
  const { stdout } = ok(create(dir, "--output", "json"));
  assert.is(statusOf(stdout, "bootstrap.ign"), "kept");
  assert.is(read(dir, "bootstrap.ign"), edited);
  assert.is(readModes(dir).get("bootstrap.ign"), 0o600);
  assert.is(slipwayAt(START, "check", "--dir", dir).code, 0);
  assert.is(slipwayAt(START, "check", "--dir", dir, "--strict").code, 3);

  writeFileSync(join(dir, "manifests/own.yaml"), OWN_MANIFEST);
  const before = snapshot(dir);
  const conflict = create(dir);
  assert.is(conflict.code, 1);
  assert.match(conflict.stderr, /bootstrap\.ign.*error DIR030: conflict/);
  assert.not.match(conflict.stderr + conflict.stdout, /PRIVATE KEY|base64,/);
  assert.equal(changed(before, snapshot(dir)), []);
  assert.match(slipwayAt(START, "check", "--dir", dir).stdout, /conflict +bootstrap\.ign/);

  const ours = copyOf(dir);
  ok(create(ours, "--ours", "bootstrap.ign"));
  assert.is(read(ours, "bootstrap.ign"), edited);
  assert.match(ok(create(ours)).stderr, UNCHANGED);
  ok(create(dir, "--theirs", "bootstrap.ign"));
  assert.ok(bootstrapFiles(dir).has("/opt/openshift/manifests/own.yaml"));
});

test("a file of these names that slipway did not write is not replaced", () => {
  const dir = withManifests();
  writeFileSync(join(dir, "worker.ign"), "mine\n");
  const { code, stderr } = create(dir, ...IMAGE);
  assert.is(code, 1);
  assert.match(stderr, /worker\.ign.*error DIR030/);
  assert.is(read(dir, "worker.ign"), "mine\n");
  assert.not.ok(existsSync(join(dir, "bootstrap.ign")));
});

test("an output that was deleted is made anew, with the same bytes", () => {
  const dir = withIgnition();
  const before = snapshot(dir);
  rmSync(join(dir, "master.ign"));
  rmSync(join(dir, "auth"), { recursive: true });
  assert.is(slipwayAt(START, "check", "--dir", dir).code, 3);
  ok(create(dir));
  assert.equal(changed(before, snapshot(dir)), []);
});

test("the state gets the certificates under upstream's names; without them it is as before", async () => {
  const [manifests, ignition] = [withManifests(), withIgnition()];
  const before = readFileSync(join(manifests, STATE));
  const { state } = await parseState(readFileSync(join(ignition, STATE)));
  if (state === undefined) throw new Error("no state");
  for (const { upstream } of PKI) assert.ok(state.members.has(upstream), upstream);
  assert.ok(before.equals(stateOfManifests(state).bytes));
  // The keys are those that the first run made.
  const keys: Record<string, string> = JSON.parse(before.toString())["slipway.dev/keys"];
  const node = bootstrapFiles(ignition);
  for (const name of KEY_NAMES) {
    const file = node.get(`/opt/openshift/tls/${name}.key`);
    if (file !== undefined && keys[name] !== undefined) assert.is(file.text, keys[name], name);
  }
  assert.is(node.get("/opt/openshift/tls/service-account.key")?.text, keys["service-account"]);
});

test("what is wrapped is the same before and after, signed again or not, and whenever the release image is named", () => {
  const dir = withManifests();
  ok(createAt(START, "infrastructure-manifests", dir));
  const wrapped = read(dir, WRAPPED);
  ok(create(dir, ...IMAGE));
  assert.is(slipwayAt(START, "check", "--dir", dir).code, 3, "the control plane names the release now");
  ok(createAt(START, "infrastructure-manifests", dir));
  assert.is(read(dir, WRAPPED), wrapped);
  assert.match(read(dir, CONTROL_PLANE), new RegExp(`release-image: ${RELEASE_IMAGE}`));
  assert.is(slipwayAt(START, "check", "--dir", dir, "--strict").code, 0);
  ok(createAt(START + 30 * HOUR, "ignition-configs", dir, "--renew"));
  const result = ok(createAt(START + 30 * HOUR, "infrastructure-manifests", dir));
  assert.match(result.stderr, UNCHANGED);
  assert.is(read(dir, WRAPPED), wrapped);
  // A directory that made ignition-configs first wraps the same.
  const other = withIgnition();
  ok(createAt(START, "infrastructure-manifests", other));
  assert.is(read(other, WRAPPED), wrapped);
  const { code, stderr } = slipwayAt(START, "validate", "--dir", other);
  assert.not.match(stderr, /20_install-state/, String(code));
});

test("the release image: needed, checked, and kept from any phase", () => {
  const dir = withManifests();
  const before = snapshot(dir);
  const missing = create(dir);
  assert.is(missing.code, 1);
  assert.match(missing.stderr, /--release-image: error IGN001: /);
  const bad = create(dir, "--release-image", "not a reference");
  assert.is(bad.code, 1);
  assert.match(bad.stderr, /--release-image: error CAPI006: /);
  assert.equal(changed(before, snapshot(dir)), []);
  for (const [image, warned] of [
    ["quay.example/ocp/release", true],
    ["registry.example:5000/ocp/release", true],
    ["registry.example:5000/ocp/release:4.22.0-x86_64", false],
    [RELEASE_IMAGE, false],
  ] as const)
    for (const phase of ["manifests", "ignition-configs"]) {
      const { code, stderr } = createAt(START, phase, dir, "--release-image", image, "--dry-run");
      assert.is(code, 0, stderr);
      assert.is(
        stderr.split("warning CAPI006: the image has no digest and no tag").length,
        warned ? 2 : 1,
        stderr,
      );
    }
  ok(createAt(START, "manifests", dir, ...IMAGE));
  ok(create(dir));
  // Without the record it comes from the state, whichever phase was given it.
  for (const each of [dir, withIgnition()]) {
    rmSync(join(each, ".slipway"), { recursive: true });
    const bootstrap = read(each, "bootstrap.ign");
    rmSync(join(each, "bootstrap.ign"));
    ok(create(each));
    assert.is(read(each, "bootstrap.ign"), bootstrap);
  }
  const other = `${RELEASE_IMAGE.slice(0, -1)}1`;
  const changedImage = withIgnition();
  ok(create(changedImage, "--release-image", other));
  assert.match(read(changedImage, "bootstrap.ign"), /./);
  assert.ok([...bootstrapFiles(changedImage).values()].some(({ text }) => text.includes(other)));
  assert.not.ok([...bootstrapFiles(changedImage).values()].some(({ text }) => text.includes(RELEASE_IMAGE)));
});

test("--key-algorithm decides keys that are made anew; what must be RSA is", () => {
  const keys: Record<string, string> = JSON.parse(read(withManifests(), STATE))["slipway.dev/keys"];
  for (const [name, pem] of Object.entries(keys)) {
    const plain = KEY_NAMES.some((each) => each === name && pkiEntry(each).kind === "plain");
    assert.is(createPrivateKey(pem).asymmetricKeyType, plain ? "rsa" : "ec", name);
  }
  // Keys that are there are not made anew.
  const dir = withIgnition();
  const before = snapshot(dir);
  ok(create(dir, "--key-algorithm", "rsa-2048"));
  assert.equal(changed(before, snapshot(dir)), []);
});

test("check: in a clone without secrets what needs them is unverifiable; going on there is refused", () => {
  const whole = withIgnition();
  const clone = configured(CONFIG.replace(/^(?:pullSecret|proxy).*\n/gm, ""));
  for (const name of [".slipway/record.json", "metadata.json", "master.ign", "worker.ign"])
    cpSync(join(whole, name), join(clone, name), { recursive: true });
  const before = snapshot(clone);
  const check = () => slipwayAt(START, "check", "--dir", clone, "--output", "json");
  const statuses = (): Map<string, string> =>
    new Map(answer(check().stdout).files.map(({ path, status }) => [path, status]));
  assert.is(check().code, 0, check().stdout);
  assert.is(statuses().get("bootstrap.ign"), "unverifiable");
  assert.is(statuses().get("master.ign"), "unverifiable");
  assert.is(statuses().get("metadata.json"), "untouched");
  writeFileSync(join(clone, "metadata.json"), "{}");
  assert.is(statuses().get("metadata.json"), "edited");
  cpSync(join(whole, "metadata.json"), join(clone, "metadata.json"));
  const refused = create(clone);
  assert.is(refused.code, 3);
  assert.match(refused.stderr, /error DIR017/);
  assert.equal(changed(before, snapshot(clone)), []);
});

test("check: a change of the install-config makes stale what it concerns", () => {
  const dir = withIgnition();
  writeFileSync(join(dir, "install-config.yaml"), CONFIG.replace("replicas: 2", "replicas: 0"));
  const { code, stdout } = slipwayAt(START, "check", "--dir", dir, "--output", "json");
  assert.is(code, 3);
  assert.is(statusOf(stdout, "bootstrap.ign"), "stale");
  assert.is(statusOf(stdout, "master.ign"), "untouched");
  ok(create(dir));
  assert.is(slipwayAt(START, "check", "--dir", dir, "--strict").code, 0);
});

test("inputs stay; with --consume they go, and what was made of them is not made without them", () => {
  const dir = withManifests();
  const before = snapshot(dir);
  ok(create(dir, ...IMAGE));
  for (const path of before.keys()) assert.ok(existsSync(join(dir, path)), path);
  const preview = ok(create(dir, "--consume", "--dry-run", "--output", "json"));
  assert.is(statusOf(preview.stdout, "install-config.yaml"), "removed");
  assert.ok(existsSync(join(dir, "install-config.yaml")));
  const outputs = OUTPUTS.map((path) => read(dir, path));
  ok(create(dir, "--consume"));
  assert.equal(
    [...readTree(dir).keys()].filter((path) => !path.startsWith(".")),
    OUTPUTS,
  );
  assert.not.ok(existsSync(join(dir, "manifests")));
  assert.equal(
    OUTPUTS.map((path) => read(dir, path)),
    outputs,
  );
  const again = create(dir);
  assert.is(again.code, 1);
  assert.match(again.stderr, /error DIR016/);
  assert.is(slipwayAt(START, "check", "--dir", dir).code, 0);
});

test("--dry-run and --diff write nothing and show no secret", () => {
  const dir = withManifests();
  const before = snapshot(dir);
  for (const flag of ["--dry-run", "--diff"]) {
    const { stdout, stderr } = ok(create(dir, flag, ...IMAGE));
    assert.match(stderr, /nothing was written/);
    assert.not.match(stdout + stderr, /PRIVATE KEY/);
    assert.equal(changed(before, snapshot(dir)), []);
  }
});

test("the way to the installer from infrastructure-manifests alone is named where they are", () => {
  const dir = withRsaManifests();
  ok(createAt(START, "infrastructure-manifests", dir));
  assert.match(
    ok(create(dir, ...IMAGE)).stderr,
    "slipway reconstruct --from FOLDER --dir NEW-FOLDER --installer PATH",
  );
});

test("what is left to do: as text and for scripts, with the time to use the configs before", () => {
  const dir = withRsaManifests();
  const { stdout } = ok(create(dir, ...IMAGE, "--output", "json"));
  const { nextSteps, useBefore, renewed, diagnostics } = answer(stdout);
  assert.is(useBefore, new Date((START + 24 * HOUR) * 1000).toISOString().replace(".000", ""));
  assert.equal(renewed, []);
  assert.equal(
    nextSteps.map(({ id }) => id),
    ["use-before", "installer", "bootstrap", "machines", "wait", "requests", "operators"],
  );
  assert.ok(diagnostics.some(({ code, severity }) => code === "IGN007" && severity === "warning"));
  const text = ok(create(dir)).stdout;
  assert.match(text, /Start every machine before 2027-01-16T08:00:00Z, .* \(in 1 d from SOURCE_DATE_EPOCH\)/);
  const now = ok(slipway(["create", "ignition-configs", "--dir", configured(), ...IMAGE])).stdout;
  assert.match(now, /Start every machine before .* \(in (?:1 d|23 h 59 min)\)/);
  // The phase before names the image among what this one needs, as long as nobody has.
  const fresh = configured();
  assert.match(
    ok(createAt(START, "manifests", fresh)).stdout,
    /ignition-configs .*--release-image PULLSPEC\n/,
  );
  assert.not.match(ok(createAt(START, "manifests", fresh, ...IMAGE)).stdout, /PULLSPEC/);
  assert.match(text, /bootstrap\.ign is experimental/);
  const help = ok(slipwayAt(START, "create", "ignition-configs", "--help")).stdout;
  assert.match(help, /EXPERIMENTAL/);
});

test("aws: the data alone, which the release's own installer completes; no release image is needed", () => {
  const dir = configured();
  const example = join(process.cwd(), "examples/aws");
  cpSync(join(example, "install-config.yaml"), join(dir, "install-config.yaml"));
  const facts = ["--facts", join(example, "facts.yaml")];
  const { stdout } = ok(create(dir, ...facts, "--key-algorithm", "ecdsa-p256", "--output", "json"));
  const { diagnostics, nextSteps } = answer(stdout);
  assert.ok(diagnostics.some(({ code, severity }) => code === "IGN006" && severity === "warning"));
  assert.ok(nextSteps.some(({ id }) => id === "installer"));
  assert.ok(bootstrapFiles(dir).has("/opt/openshift/tls/root-ca.crt"));
  assert.match(ok(create(dir)).stderr, UNCHANGED);
  assert.is(slipwayAt(START, "check", "--dir", dir, "--strict").code, 0);
});

test("baremetal: the bootstrap machine starts the control plane hosts, as long as they are not paused", () => {
  const dir = configured();
  const example = join(process.cwd(), "examples/baremetal");
  cpSync(join(example, "install-config.yaml"), join(dir, "install-config.yaml"));
  const facts = ["--facts", join(example, "facts.yaml")];
  const created = ok(createAt(START, "manifests", dir, ...facts));
  assert.match(created.stdout, /Or write the Ignition config of a bootstrap machine; Ironic on it installs/);
  const stepsOf = (...words: readonly string[]): ReadonlyMap<string, string> =>
    new Map(
      answer(ok(create(dir, ...words, "--output", "json")).stdout).nextSteps.map(({ id, what }) => [
        id,
        what,
      ]),
    );
  const steps = stepsOf();
  assert.match(
    steps.get("machines") ?? "",
    /^Do not start the control plane hosts yourself: Ironic on the bootstrap machine .* from openshift\/99_openshift-cluster-api_hosts-0\.yaml, /,
  );
  assert.match(steps.get("bootstrap") ?? "", "from which it reaches the BMCs and the provisioning network");
  assert.not.ok(steps.has("requests"));
  const hosts = [...readTree(join(dir, "openshift")).keys()].filter((path) => path.includes("_hosts-"));
  for (const path of hosts) {
    const file = join(dir, "openshift", path);
    const text = readFileSync(file, "utf8");
    writeFileSync(
      file,
      text.replace("metadata:\n", 'metadata:\n  annotations:\n    baremetalhost.metal3.io/paused: ""\n'),
    );
  }
  assert.match(stepsOf().get("machines") ?? "", /^Start the other machines with master\.ign, worker\.ign/);
});

test("an arbiter pool has a config of its own", () => {
  const dir = withKeys(`${CONFIG}arbiter: {replicas: 2}\ncontrolPlane: {name: master, replicas: 2}\n`);
  const { stdout } = ok(create(dir, ...IMAGE));
  assert.match(read(dir, "arbiter.ign"), /:22623\/config\/arbiter"/);
  assert.match(stdout, /other machines with arbiter\.ign, master\.ign, worker\.ign/);
});

test("a folder in the place of an output, or of auth, is a diagnostic", () => {
  for (const path of ["bootstrap.ign", "metadata.json"]) {
    const dir = withManifests();
    mkdirSync(join(dir, path));
    const before = snapshot(dir);
    const { code, stderr } = create(dir, ...IMAGE);
    assert.is(code, 1, path);
    assert.match(stderr, new RegExp(`${path.replace(".", "\\.")}.*error DIR`));
    assert.equal(changed(before, snapshot(dir)), []);
  }
});

/**
 * An openshift-install of 4.22, or what takes the same arguments: `create ignition-configs --dir DIR`. It must go on
 * from our directory before and after our own phase, and keep our certificates.
 */
const installer = process.env["SLIPWAY_UPSTREAM_INSTALLER"];
const GOES_ON = "upstream's installer goes on from the state, and keeps the certificates that are there";
if (installer === undefined) skipTest(test, GOES_ON, "SLIPWAY_UPSTREAM_INSTALLER names no installer");
else
  test(GOES_ON, () => {
    const dir = configured();
    // It reads RSA keys only.
    ok(createAt(START, "manifests", dir));
    writeFileSync(join(dir, "openshift/own.yaml"), OWN_MANIFEST);
    const completed = (): string => {
      // As docs/ignition-configs.md says: a config of ours in its directory would make it throw machine files away.
      const copy = tempFolder();
      for (const name of [STATE, "manifests", "openshift"])
        cpSync(join(dir, name), join(copy, name), { recursive: true });
      const { status, stderr } = spawnSync(installer, ["create", "ignition-configs", "--dir", copy], {
        encoding: "utf8",
      });
      assert.is(status, 0, stderr);
      return copy;
    };
    const before = completed();
    ok(create(dir, ...IMAGE));
    const after = completed();
    const ours = bootstrapFiles(dir);
    for (const path of OUTPUTS.filter((each) => each !== "bootstrap.ign"))
      assert.is(read(after, path), read(dir, path), path);
    for (const path of ["auth/kubeadmin-password", "master.ign", "worker.ign", "metadata.json"])
      assert.is(read(before, path), read(dir, path), path);
    const theirs = bootstrapFiles(after);
    const data = (files: ReadonlyMap<string, unknown>): string[] =>
      [...files.keys()].filter((path) => path.startsWith("/opt/openshift/")).sort();
    assert.equal(data(ours), data(theirs));
    for (const path of data(theirs)) assert.is(ours.get(path)?.text, theirs.get(path)?.text, path);
    assert.ok(bootstrapFiles(before).has("/opt/openshift/openshift/own.yaml"));
  });

test.run();
