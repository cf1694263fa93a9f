/** What a run of one phase leaves as another phase wrote it, though its inputs say something else by now (DIR022). */

import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BINARY } from "../helpers/cli.js";
import { createAt, IMAGE, ok, START, slipwayAt, withIgnition } from "../helpers/ignition-directory.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("left-behind");

const OTHER_IMAGE = `quay.io/openshift-release-dev/ocp-release@sha256:${"b".repeat(64)}`;
const THIRD_IMAGE = `quay.io/openshift-release-dev/ocp-release@sha256:${"c".repeat(64)}`;
const CONTROL_PLANE = "infrastructure-manifests/60_openshift-control-plane.yaml";
const WRAPPED_STATE = "infrastructure-manifests/20_install-state.yaml";

interface Told {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly hint: string;
}
/** What a run says of the phases that it leaves behind. */
function behind(stdout: string): readonly Told[] {
  const { diagnostics }: { readonly diagnostics: readonly Told[] } = JSON.parse(stdout);
  return diagnostics.filter(({ code }) => code === "DIR022");
}
/** The files that it names for scripts. */
function named(stdout: string): readonly string[] {
  const { leftBehind = [] }: { readonly leftBehind?: readonly { readonly files: readonly string[] }[] } =
    JSON.parse(stdout);
  return leftBehind.flatMap(({ files }) => files).sort();
}
const create = (phase: string, dir: string, ...more: readonly string[]) =>
  ok(createAt(START, phase, dir, "--output", "json", ...more)).stdout;

/** The files that a fresh compile would change. */
function different(dir: string): readonly string[] {
  const { files }: { readonly files: readonly { readonly path: string; readonly status: string }[] } =
    JSON.parse(slipwayAt(START, "check", "--dir", dir, "--output", "json").stdout);
  return files
    .filter(({ status }) => ["stale", "missing", "conflict"].includes(status))
    .map(({ path }) => path);
}
/** The command of a hint, without the folder that the run filled in. */
const commandOf = (hint: string): string => / ?slipway (create [a-z-]+)/.exec(hint)?.[1] ?? "";

let made: string | undefined;
/** A directory with the files of all three phases. */
function withEverything(): string {
  if (made === undefined) {
    made = withIgnition();
    create("infrastructure-manifests", made);
  }
  const copy = join(tempFolder(), "cluster");
  cpSync(made, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

const edit =
  (path: string, from: string, to: string) =>
  (dir: string): void => {
    const file = join(dir, path);
    const text = readFileSync(file, "utf8");
    assert.ok(text.includes(from), `${path} has no ${from}`);
    writeFileSync(file, text.replace(from, to));
  };

/** Ways in which something reaches a run that concerns another phase as well. */
const CHANGES: readonly (readonly [
  what: string,
  phase: string,
  args: readonly string[],
  change?: (dir: string) => void,
])[] = [
  ["another release image", "ignition-configs", ["--release-image", OTHER_IMAGE]],
  ["another release image", "infrastructure-manifests", ["--release-image", OTHER_IMAGE]],
  ["another release image", "manifests", ["--release-image", OTHER_IMAGE]],
  ["another namespace", "manifests", ["--namespace", "clusters"]],
  ["a namespace that data Secrets are in", "ignition-configs", ["--data-secrets", "--namespace", "clusters"]],
  ["GitOps", "ignition-configs", ["--gitops", "argocd"]],
  ["Secrets apart", "manifests", ["--secrets", "separate"]],
  ["another contract", "ignition-configs", ["--contract", "v1beta2"]],
  ["an emulated version", "ignition-configs", ["--emulated-version", "1.34"]],
  ["a schedulable control plane", "infrastructure-manifests", ["--masters-schedulable", "on"]],
  [
    "an edited manifest",
    "infrastructure-manifests",
    [],
    edit("manifests/cvo-overrides.yaml", "clusterID", "clusterID"),
  ],
  [
    "an edited manifest",
    "ignition-configs",
    [],
    edit(
      "manifests/cluster-scheduler-02-config.yml",
      "mastersSchedulable: false",
      "mastersSchedulable: true",
    ),
  ],
  [
    "an added manifest",
    "manifests",
    [],
    (dir) =>
      writeFileSync(
        join(dir, "openshift/own.yaml"),
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own, namespace: default}\n",
      ),
  ],
  [
    "a removed manifest",
    "ignition-configs",
    [],
    (dir) => rmSync(join(dir, "manifests/kube-cloud-config.yaml")),
  ],
  [
    "another install-config",
    "ignition-configs",
    [],
    edit("install-config.yaml", "replicas: 2", "replicas: 3"),
  ],
  [
    "a feature set",
    "infrastructure-manifests",
    [],
    (dir) => appendFileSync(join(dir, "install-config.yaml"), "featureSet: TechPreviewNoUpgrade\n"),
  ],
  [
    "an edit of a file that another phase wraps, and its own decision",
    "manifests",
    ["--theirs", "manifests/cluster-scheduler-02-config.yml"],
    edit(
      "manifests/cluster-scheduler-02-config.yml",
      "mastersSchedulable: false",
      "mastersSchedulable: true",
    ),
  ],
  ["nothing", "manifests", []],
  ["nothing", "infrastructure-manifests", []],
  ["nothing", "ignition-configs", []],
];

for (const [what, phase, args, change] of CHANGES)
  test(`${what} with ${phase}: the files of the other phases that it concerns are named, and the command`, () => {
    const dir = withEverything();
    change?.(dir);
    const stdout = create(phase, dir, ...args);
    assert.equal(named(stdout), different(dir), "what check says of the same directory");
    for (const { severity, message, hint } of behind(stdout)) {
      assert.is(severity, "warning");
      assert.ok(named(stdout).some((path) => message.includes(path)));
      assert.match(hint, `--dir ${dir}`);
      create(commandOf(hint).replace(/^create /, ""), dir);
    }
    assert.equal(different(dir), []);
  });

test("the release image of ignition-configs does not reach the objects that were made before without a word", () => {
  const dir = withEverything();
  assert.equal(named(create("ignition-configs", dir, "--release-image", OTHER_IMAGE)), [CONTROL_PLANE]);
  // Once it is wrapped, the state that is wrapped says it too.
  create("infrastructure-manifests", dir, "--release-image", THIRD_IMAGE);
  const again = create("ignition-configs", dir, ...IMAGE);
  assert.equal(named(again), [WRAPPED_STATE, CONTROL_PLANE]);
  const [{ message, hint } = fail()] = behind(again);
  assert.match(message, `${WRAPPED_STATE}, ${CONTROL_PLANE}`);
  assert.match(hint, `update them with: slipway create infrastructure-manifests --dir ${dir}`);
});

function fail(): never {
  throw new Error("the run said nothing of files that it leaves behind");
}

test("a phase that the inputs no longer make is told with the reason, and the way back", () => {
  const dir = withEverything();
  const [told = fail()] = behind(create("manifests", dir, "--release-image", "none"));
  assert.match(told.message, "cannot be generated from the inputs of this run");
  assert.match(told.hint, "--release-image quay.io/");
});

test("a key that a flag gives is in the command, which would take it back otherwise", () => {
  const dir = withEverything();
  const key = join(tempFolder(), "my $(key)'s.pub");
  const blob = Buffer.from("\0\0\0\vssh-ed25519\0\0\0 ".padEnd(51, "k")).toString("base64");
  writeFileSync(key, `ssh-ed25519 ${blob}\n`);
  const told = behind(create("manifests", dir, "--ssh-key", key));
  assert.ok(told.length > 0);
  const word = `'${key.replace("'", "'\\''")}'`;
  for (const { hint } of told) {
    assert.match(hint, `--ssh-key ${word} --dir ${dir}`);
    create(commandOf(hint).replace(/^create /, ""), dir, "--ssh-key", key);
  }
  assert.equal(named(create("manifests", dir, "--ssh-key", key)), []);
});

test("--consume takes away what other phases would be made from, and says so", () => {
  const dir = withEverything();
  const [told = fail()] = behind(
    create("ignition-configs", dir, "--release-image", OTHER_IMAGE, "--consume"),
  );
  assert.match(told.hint, "this run deletes both");
});

test("--dry-run says it too; --stdout, which keeps nothing, does not", () => {
  const dir = withEverything();
  const args = ["--release-image", OTHER_IMAGE];
  assert.is(behind(create("ignition-configs", dir, "--dry-run", ...args)).length, 1);
  // Not recorded: the stream holds every secret of the cluster, on purpose.
  const words = ["create", "ignition-configs", "--dir", dir, "--stdout", ...args];
  const { status, stderr } = spawnSync(process.execPath, [BINARY, ...words], { encoding: "utf8" });
  assert.is(status, 0, stderr);
  assert.not.match(stderr, "DIR022");
});

test("a state without the keys that later phases were made with draws none for the comparison", () => {
  const dir = withEverything();
  const state = join(dir, ".openshift_install_state.json");
  const members: Record<string, unknown> = JSON.parse(readFileSync(state, "utf8"));
  const isLater = (name: string): boolean =>
    name === "slipway.dev/keys" || (name.startsWith("*tls.") && !/RootCA|MCSCertKey/.test(name));
  for (const name of Object.keys(members).filter(isLater)) delete members[name];
  writeFileSync(state, JSON.stringify(members));
  const told = behind(create("manifests", dir));
  assert.is(told.length, 2);
  const after: Record<string, unknown> = JSON.parse(readFileSync(state, "utf8"));
  assert.equal(Object.keys(after).filter(isLater), []);
});

test("check names a command for each phase that it finds different", () => {
  const dir = withEverything();
  create("manifests", dir, "--release-image", OTHER_IMAGE);
  const { code, stdout } = slipwayAt(START, "check", "--dir", dir);
  assert.is(code, 3);
  assert.match(
    stdout,
    `To update them, run: slipway create infrastructure-manifests --dir ${dir} and slipway create ignition-configs --dir ${dir}`,
  );
});

test.run();
