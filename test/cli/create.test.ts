/** The pipeline through the command line, as a user runs it. */
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type CliResult, slipway, UNCHANGED } from "../helpers/cli.js";
import { PLANTED } from "../helpers/planted.js";
import { readModes, readTree, tempFolder } from "../helpers/temp.js";

const test = suite("create");

const FIXED = { SOURCE_DATE_EPOCH: "1800000000" };
const IDENTITY = ["--infra-id", "heron-abcde", "--cluster-id", "01234567-89ab-4cde-8f01-23456789abcd"];
const FAST = ["--key-algorithm", "ecdsa-p256"];

const pullSecret = JSON.stringify({
  auths: {
    "registry.example.org": { auth: Buffer.from(`user:${PLANTED.pullSecretAuth}`).toString("base64") },
  },
});

const CONFIG = `apiVersion: v1
baseDomain: lab.example.org
metadata: {name: heron}
compute: [{name: worker, replicas: 2}]
networking: {machineNetwork: [{cidr: 192.0.2.0/24}]}
platform: {none: {}}
proxy: {httpProxy: "http://user:${PLANTED.proxyPassword}@proxy.example.org:3128"}
pullSecret: '${pullSecret}'
`;

function folder(config: string = CONFIG): string {
  const dir = join(tempFolder(), "cluster");
  mkdirSync(dir);
  writeFileSync(join(dir, "install-config.yaml"), config);
  return dir;
}

const create = (phase: string, dir: string, ...more: readonly string[]): CliResult =>
  slipway(["create", phase, "--dir", dir, ...more], { env: FIXED });

function ok(result: CliResult): CliResult {
  assert.is(result.code, 0, result.stderr);
  return result;
}

const times = (dir: string): Map<string, number> =>
  new Map([...readTree(dir).keys()].map((path) => [path, statSync(join(dir, path)).mtimeMs]));

/** A directory whose keys exist, made once. */
const made = folder();
ok(create("infrastructure-manifests", made, ...IDENTITY, ...FAST));
const copyOf = (dir: string): string => {
  const copy = join(tempFolder(), "copy");
  cpSync(dir, copy, { recursive: true, preserveTimestamps: true });
  return copy;
};

test("expressions with characters beyond ASCII mean the same in the built command", () => {
  const { stderr } = create("manifests", folder(CONFIG.replace(/^pullSecret: .*\n/m, "")));
  assert.ok(stderr.includes('{"auth": "…"}'), stderr);
});

test("what is wrong with the file of a flag is said of that file", () => {
  const dir = folder();
  const wrong = join(tempFolder(), "wrong");
  writeFileSync(wrong, "no key, and no JSON\n");
  const { code, stderr } = create("manifests", dir, "--pull-secret", wrong, "--ssh-key", wrong);
  assert.is(code, 1);
  for (const problem of ["error IC140: pullSecret", "error IC120: sshKey"])
    assert.ok(stderr.includes(`${wrong}:1:1: ${problem}`), stderr);
});

test("an ssh key that a clone does not know of is missed, and one that stays is not", () => {
  const dir = copyOf(made);
  const key = join(tempFolder(), "key.pub");
  writeFileSync(
    key,
    `ssh-ed25519 ${Buffer.from("\0\0\0\vssh-ed25519\0\0\0 ".padEnd(51, "k")).toString("base64")}\n`,
  );
  assert.not.match(ok(create("manifests", dir, "--ssh-key", key)).stderr, /IC123/);
  assert.not.match(ok(create("manifests", dir)).stderr, /IC123/);
  rmSync(join(dir, ".slipway/local.json"));
  const { stderr } = ok(create("manifests", dir, "--dry-run"));
  assert.match(stderr, /install-config\.yaml: warning IC123: sshKey: .*--ssh-key FILE/);
});

test("check says where there is nothing to check", () => {
  const { stdout } = ok(slipway(["check", "--dir", folder()]));
  assert.match(stdout, /^No generated files found\. Run slipway create manifests --dir /);
  assert.is(slipway(["check", "--strict", "--dir", folder()]).code, 3);
});

test("two directories with the same install-config and state give identical bytes", () => {
  const trees = [0, 1].map(() => {
    const dir = folder();
    cpSync(join(made, ".openshift_install_state.json"), join(dir, ".openshift_install_state.json"));
    ok(create("manifests", dir, ...IDENTITY));
    ok(create("infrastructure-manifests", dir, ...IDENTITY));
    return readTree(dir);
  });
  assert.equal([...(trees[0] ?? [])], [...(trees[1] ?? [])]);
  assert.ok((trees[0]?.size ?? 0) > 40);
});

test("a second run changes no file and no time", () => {
  const dir = copyOf(made);
  const before = times(dir);
  const { stderr } = ok(create("infrastructure-manifests", dir));
  assert.match(stderr, UNCHANGED);
  assert.equal([...times(dir)], [...before]);
});

test("files that hold secrets are closed to others, in both layouts", () => {
  for (const layout of ["inline", "separate"]) {
    const dir = folder();
    cpSync(join(made, ".openshift_install_state.json"), join(dir, ".openshift_install_state.json"));
    ok(create("infrastructure-manifests", dir, "--secrets", layout));
    const modes = readModes(dir);
    for (const [path, data] of readTree(dir)) {
      // A Secret without data is not a secret.
      if (path === "install-config.yaml" || path === "manifests/kube-cloud-config.yaml") continue;
      const secret =
        path.includes("secrets/") ||
        path.endsWith("state.json") ||
        /^kind: Secret$/m.test(data.toString()) ||
        data.includes(PLANTED.proxyPassword);
      assert.is(modes.get(path), secret ? 0o600 : 0o644, path);
    }
    if (layout === "separate") {
      assert.is(statSync(join(dir, "infrastructure-manifests-secrets")).mode & 0o777, 0o700);
      for (const [path, data] of readTree(join(dir, "infrastructure-manifests")))
        assert.not.match(data.toString(), /^kind: Secret$/m, path);
    }
  }
});

test("the Secrets hold exactly the bytes on disk, user files included", () => {
  const dir = copyOf(made);
  writeFileSync(join(dir, "manifests/Mine + own.yaml"), Buffer.from("a: \u00e9\r\n# no final newline"));
  writeFileSync(join(dir, "openshift/99_feature-gate.yaml"), "edited: true\n");
  ok(create("infrastructure-manifests", dir));
  const wrapped = new Map<string, Buffer>();
  const state = new Map<string, string>();
  for (const [, data] of readTree(join(dir, "infrastructure-manifests"))) {
    const object = load(data.toString());
    if (typeof object !== "object" || object === null || !("kind" in object) || object.kind !== "Secret")
      continue;
    const { metadata, data: values } = JSON.parse(JSON.stringify(object));
    const path = metadata.annotations?.["cluster.openshift.io/manifest-path"];
    for (const [key, value] of Object.entries<string>(values))
      if (path === undefined) state.set(key, value);
      else wrapped.set(path, Buffer.from(value, "base64"));
  }
  const disk = [...readTree(dir)].filter(([path]) => /^(manifests|openshift)\//.test(path));
  assert.equal([...wrapped.keys()].sort(), disk.map(([path]) => path).sort());
  for (const [path, data] of disk) assert.ok(wrapped.get(path)?.equals(data), path);
  for (const name of ["install-config.yaml", ".openshift_install_state.json"])
    assert.is(state.get(name), readFileSync(join(dir, name)).toString("base64"), name);
});

test("an edit is kept, a change of the input updates the rest, both at once are a conflict", () => {
  const dir = copyOf(made);
  const dns = join(dir, "manifests/cluster-dns-02-config.yml");
  const edited = `${readFileSync(dns, "utf8").replace(/baseDomain: .*/, "baseDomain: mine.example.org")}# mine\n`;
  writeFileSync(dns, edited);
  ok(create("manifests", dir));
  assert.is(readFileSync(dns, "utf8"), edited);
  const config = join(dir, "install-config.yaml");
  writeFileSync(config, CONFIG.replace("replicas: 2", "replicas: 0"));
  ok(create("manifests", dir));
  assert.match(
    readFileSync(join(dir, "manifests/cluster-scheduler-02-config.yml"), "utf8"),
    /mastersSchedulable: true/,
  );
  writeFileSync(config, CONFIG.replace("lab.example.org", "other.example.org"));
  const before = readTree(dir);
  const conflict = create("manifests", dir);
  assert.is(conflict.code, 1);
  assert.match(conflict.stderr, /error DIR030: conflict/);
  assert.match(conflict.stderr, /\+.*other\.example\.org/);
  assert.equal([...readTree(dir)], [...before]);
  ok(create("manifests", dir, "--ours", "manifests/cluster-dns-02-config.yml"));
  assert.is(readFileSync(dns, "utf8"), edited);
  assert.match(ok(create("manifests", dir)).stderr, UNCHANGED);
  ok(create("manifests", dir, "--theirs", "manifests/cluster-dns-02-config.yml"));
  assert.match(readFileSync(dns, "utf8"), /other\.example\.org/);
});

test("of a broken file that is in conflict one line tells what is wrong", () => {
  const dir = copyOf(made);
  const dns = "manifests/cluster-dns-02-config.yml";
  const generated = readFileSync(join(dir, dns), "utf8");
  const linesAbout = (...words: readonly string[]): readonly string[] => {
    const { code, stderr } = slipway([...words, "--dir", dir]);
    assert.is(code, 1, stderr);
    return stderr.split("\n").filter((line) => line.startsWith(dns));
  };
  for (const [text, told] of [
    [
      `<<<<<<< a\n${generated}=======\n>>>>>>> b\n`,
      /: error DIR030: conflict: it contains Git merge conflict markers/,
    ],
    [
      `${generated}x: [\n`,
      /:\d+:\d+: error DIR030: .*the file cannot be parsed: missing (?:value|comma)\b.*; fix the file so .* --theirs/,
    ],
  ] as const) {
    writeFileSync(join(dir, dns), text);
    writeFileSync(join(dir, "install-config.yaml"), CONFIG.replace("lab.example.org", "other.example.org"));
    for (const command of ["create manifests", "create infrastructure-manifests", "validate"]) {
      const lines = linesAbout(...command.split(" "));
      assert.is(lines.length, 1, `${command}: ${lines.join("\n")}`);
      assert.match(lines[0] ?? "", told);
    }
  }
});

test("a removed file stays removed, and is no longer wrapped", () => {
  const dir = copyOf(made);
  rmSync(join(dir, "openshift/99_feature-gate.yaml"));
  const { stdout } = ok(create("infrastructure-manifests", dir, "--output", "json"));
  const { files } = JSON.parse(stdout);
  const statusOf = (path: string) => files.find((file: { path: string }) => file.path === path)?.status;
  assert.is(statusOf("infrastructure-manifests/30_manifest-openshift-99--feature-gate.yaml"), "removed");
  assert.not.ok(readTree(dir).has("openshift/99_feature-gate.yaml"));
});

/** What Git holds of .slipway: what else lies there belongs to the working copy. */
const RECORD = ".slipway/record.json";

test("check: clean, stale with exit 3, own changes with --strict only, and in a clone without secrets", () => {
  const dir = copyOf(made);
  const check = (...more: readonly string[]) => slipway(["check", "--dir", dir, ...more], { env: FIXED });
  assert.is(check("--strict").code, 0);
  writeFileSync(join(dir, "manifests/cluster-network-02-config.yml"), "mine: 1\n");
  const edited = check("--output", "json");
  assert.is(edited.code, 3);
  const stale = JSON.parse(edited.stdout).files.filter(
    (file: { status: string }) => file.status !== "untouched",
  );
  assert.equal(stale.map((file: { status: string }) => file.status).sort(), ["edited", "stale"]);
  ok(create("infrastructure-manifests", dir));
  assert.is(check().code, 0);
  assert.is(check("--strict").code, 3);
  const clone = folder(CONFIG.replace(/^pullSecret.*\n/m, ""));
  for (const name of [RECORD, "infrastructure-manifests"])
    cpSync(join(made, name), join(clone, name), { recursive: true });
  const inClone = slipway(["check", "--dir", clone, "--output", "json"], { env: FIXED });
  assert.is(inClone.code, 0, inClone.stderr);
  const statuses = new Set(JSON.parse(inClone.stdout).files.map((file: { status: string }) => file.status));
  assert.equal([...statuses].sort(), ["untouched", "unverifiable"]);
});

test("check in a clone whose folder of secrets, or one manifest folder, is not committed", () => {
  const whole = folder();
  cpSync(join(made, ".openshift_install_state.json"), join(whole, ".openshift_install_state.json"));
  ok(create("infrastructure-manifests", whole, "--secrets", "separate"));
  const clone = folder(CONFIG.replace(/^pullSecret.*\n/m, ""));
  for (const name of [RECORD, "infrastructure-manifests", "manifests"])
    cpSync(join(whole, name), join(clone, name), { recursive: true });
  const result = slipway(["check", "--dir", clone, "--output", "json"], { env: FIXED });
  assert.is(result.code, 0, result.stdout);
  rmSync(join(clone, "infrastructure-manifests/70_cluster.yaml"));
  const removed = slipway(["check", "--dir", clone, "--strict"], { env: FIXED });
  assert.is(removed.code, 3);
});

test("bad input: every problem with its place, exit 1, nothing written", () => {
  const dir = folder(CONFIG.replace("lab.example.org", "-bad-").replace("replicas: 2", "replicas: -2"));
  const result = create("manifests", dir);
  assert.is(result.code, 1);
  assert.match(result.stderr, /install-config\.yaml:2:13: error IC\d+: baseDomain: /);
  assert.match(result.stderr, /install-config\.yaml:4:36: error IC\d+: compute\[0\]\.replicas: /);
  assert.equal([...readTree(dir).keys()], ["install-config.yaml"]);
  const empty = join(tempFolder(), "nothing");
  assert.is(create("manifests", empty).code, 1);
  assert.is(create("manifests", dir, "--release", "3.11").code, 2);
});

test("--dry-run and --diff write nothing and say what a run would do", () => {
  const dir = folder();
  for (const flag of ["--dry-run", "--diff"]) {
    const { stderr } = ok(create("manifests", dir, flag, ...FAST));
    assert.match(stderr, /nothing was written/);
    assert.equal([...readTree(dir).keys()], ["install-config.yaml"]);
  }
});

test("a state of another cluster is refused", () => {
  const dir = copyOf(made);
  writeFileSync(join(dir, "install-config.yaml"), CONFIG.replace("heron", "egret"));
  assert.match(create("manifests", dir).stderr, /error DIR012/);
  assert.match(create("manifests", copyOf(made), "--infra-id", "other-abcde").stderr, /error DIR012/);
});

test("an empty --ours or --theirs, and one that names nothing, decide nothing", () => {
  const dir = copyOf(made);
  const dns = join(dir, "manifests/cluster-dns-02-config.yml");
  writeFileSync(dns, "mine: 1\n");
  writeFileSync(join(dir, "install-config.yaml"), CONFIG.replace("lab.example.org", "other.example.org"));
  for (const flag of ["--ours", "--theirs"]) {
    assert.is(create("manifests", dir, flag, "").code, 2);
    assert.is(create("manifests", dir, flag, "manifests/cluster-dsn.yml").code, 1);
  }
  assert.is(readFileSync(dns, "utf8"), "mine: 1\n");
});

test("names that every object inherits are names like others", () => {
  const aws = CONFIG.replace(
    "platform: {none: {}}",
    "platform: {aws: {region: constructor}}\ncredentialsMode: Manual",
  );
  const result = create("manifests", folder(aws));
  assert.is(result.code, 1, result.stderr);
  assert.match(
    create("manifests", folder(`${CONFIG}constructor: 1\n`)).stderr,
    /IC010: constructor: unknown field/,
  );
});

test("validate reads the manifest folders too", () => {
  const dir = copyOf(made);
  writeFileSync(join(dir, "openshift/broken.yaml"), "x: [\n");
  writeFileSync(join(dir, "openshift/nothing.yaml"), "a: b\n");
  const object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n";
  writeFileSync(join(dir, "manifests/twice.yaml"), `${object}---\n${object}`);
  const { code, stderr } = slipway(["validate", "--dir", dir], { env: FIXED });
  assert.is(code, 1);
  assert.match(stderr, /openshift\/broken\.yaml:\d+:\d+: error YAML001/);
  assert.match(stderr, /openshift\/nothing\.yaml:1:1: error CAPI020/);
  assert.match(stderr, /manifests\/twice\.yaml:7:\d+: error CAPI017/);
});

test("--consume deletes the input, and later phases go on from the state", () => {
  const dir = copyOf(made);
  ok(create("manifests", dir, "--consume"));
  assert.not.ok(readTree(dir).has("install-config.yaml"));
  assert.match(
    ok(create("manifests", dir)).stdout,
    /^updated {2}\.slipway\/record\.json\n(?!updated|created)/,
  );
  assert.match(ok(create("manifests", dir)).stderr, UNCHANGED);
});

/** 32 bytes that nobody would take for text. */
const SEED = Buffer.from(Array.from({ length: 32 }, (_, index) => (index * 37 + 129) % 256));

test("with a seed even first runs give identical bytes, whatever phase is asked for first", () => {
  const run = (phases: readonly string[], seed: Uint8Array): ReturnType<typeof readTree> => {
    const dir = folder();
    writeFileSync(join(dir, "../seed"), seed);
    for (const phase of phases) ok(create(phase, dir, "--seed", join(dir, "../seed"), ...FAST));
    rmSync(join(dir, ".slipway"), { recursive: true });
    return readTree(dir);
  };
  const one = run(["manifests", "infrastructure-manifests"], SEED);
  assert.equal(run(["infrastructure-manifests"], SEED), one);
  const other = run(["infrastructure-manifests"], Buffer.from(SEED).reverse());
  const infraID = (tree: typeof one): string =>
    /"InfraID": "([^"]+)"/.exec(tree.get(".openshift_install_state.json")?.toString() ?? "")?.[1] ?? "";
  assert.match(infraID(one), /^heron-[a-z0-9]{5}$/);
  assert.is.not(infraID(other), infraID(one));
});

test("a seed that can be guessed, or is none, is refused before anything is written, and not repeated", () => {
  const dir = folder();
  const seeds = ["correct horse battery staple 1234", "x".repeat(32), Buffer.alloc(32, 1), SEED.subarray(1)];
  for (const [index, seed] of seeds.entries()) {
    const file = join(dir, `../seed-${index}`);
    writeFileSync(file, seed);
    const result = create("manifests", dir, "--seed", file);
    assert.is(result.code, 1);
    assert.match(result.stderr, /ID005: .*openssl rand -out FILE 32/);
    assert.not.match(result.stderr, /correct horse/);
  }
  assert.is(create("manifests", dir, "--seed", join(dir, "nowhere")).code, 1);
  assert.equal([...readTree(dir).keys()], ["install-config.yaml"]);
});

test("a phase makes the keys that it needs: two for the manifests, the rest before anything is wrapped", () => {
  const dir = folder();
  const keysOf = (): number => {
    const state: unknown = JSON.parse(readFileSync(join(dir, ".openshift_install_state.json"), "utf8"));
    const keys = typeof state === "object" && state !== null && "slipway.dev/keys" in state;
    return keys ? Object.keys(Object(state)["slipway.dev/keys"]).length : 0;
  };
  ok(create("manifests", dir, ...FAST));
  assert.is(keysOf(), 0);
  ok(create("infrastructure-manifests", dir, ...FAST));
  assert.is(keysOf(), 24);
  const wrapped = readTree(dir).get("infrastructure-manifests/20_install-state.yaml");
  ok(create("infrastructure-manifests", dir, ...FAST));
  assert.equal(readTree(dir).get("infrastructure-manifests/20_install-state.yaml"), wrapped);
});

test.run();
