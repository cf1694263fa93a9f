/**
 * An asset directory in a Git repository, with the real Git and the real command line: what a colleague's clone, a
 * pull, a merge, a switch of branches, line ends and formatters must not be taken for.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type CliResult, record, slipway, UNCHANGED } from "../helpers/cli.js";
import { skipTest } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("cli/repository");
const STATE = ".openshift_install_state.json";
const FIXED = { SOURCE_DATE_EPOCH: "1800000000" };
const NETWORK = "manifests/cluster-network-02-config.yml";
const SCHEDULER = "manifests/cluster-scheduler-02-config.yml";
const TEMPLATE = "infrastructure-manifests/50_machine-template.yaml";

/** The lines of docs/asset-directory.md for a directory whose manifests are reviewed in Git as well. */
const IGNORED = `/${STATE}
/infrastructure-manifests-secrets/
/auth/
/data-secrets/
/*.ign
/metadata.json
/tls/
/manifests/cluster-config.yaml
/manifests/*secret*.yaml
/openshift/*secret*.yaml
!/openshift/99_role-cloud-creds-secret-reader.yaml
/pull-secret.json
`;

const CONFIG = `apiVersion: v1
baseDomain: lab.example.org
credentialsMode: Manual
controlPlane:
  name: master
  replicas: 3
  platform:
    aws:
      type: m6i.xlarge
compute:
- name: worker
  replicas: 2
metadata:
  name: heron
networking:
  machineNetwork:
  - cidr: 10.0.0.0/16
platform:
  aws:
    region: eu-west-1
`;

const FACTS = `apiVersion: slipway.dev/v1alpha1
kind: CloudFacts
aws:
  region: eu-west-1
  availabilityZones:
  - {name: eu-west-1a}
  - {name: eu-west-1b}
  images: {amd64: {id: ami-0123456789abcdef0}}
  publicHostedZone: Z0123456789EXAMPLE
`;
const PULL_SECRET = JSON.stringify({ auths: { "registry.example.org": { auth: "dXNlcjpwYXNz" } } });

const git = (dir: string, ...args: readonly string[]): string => {
  const { status, stdout, stderr } = spawnSync(
    "git",
    ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args],
    { cwd: dir, encoding: "utf8", env: { PATH: process.env["PATH"], HOME: dir, GIT_CONFIG_NOSYSTEM: "1" } },
  );
  record(stdout + stderr);
  assert.is(status, 0, `git ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout;
};

const create = (dir: string, ...more: readonly string[]): CliResult =>
  slipway(["create", "infrastructure-manifests", "--dir", dir, ...more], { env: FIXED });
const check = (dir: string, ...more: readonly string[]): CliResult =>
  slipway(["check", "--dir", dir, ...more], { env: FIXED });
const ok = (result: CliResult): CliResult => {
  assert.is(result.code, 0, result.stderr + result.stdout);
  return result;
};
const read = (dir: string, path: string): string => readFileSync(join(dir, path), "utf8");
const write = (dir: string, path: string, text: string): void => writeFileSync(join(dir, path), text);
const change = (dir: string, path: string, from: string | RegExp, to: string): void => {
  const text = read(dir, path);
  const next = text.replace(from, to);
  assert.is.not(next, text, `${path} holds no ${from}`);
  write(dir, path, next);
};

/** A line of a json answer of create or check. */
interface Line {
  readonly path: string;
  readonly status: string;
}
const statuses = ({ stdout }: CliResult): Map<string, string> => {
  const { files }: { readonly files: readonly Line[] } = JSON.parse(stdout);
  return new Map(files.map(({ path, status }) => [path, status]));
};
const checked = (dir: string): Map<string, string> => statuses(check(dir, "--output", "json"));

interface Shared {
  readonly base: string;
  readonly origin: string;
}

let prepared: string | undefined;

/** A repository with one cluster that was compiled and pushed, and the working copy where that was done. */
function repository(): Shared & { readonly mine: string } {
  prepared ??= prepare();
  const base = tempFolder();
  cpSync(prepared, base, { recursive: true });
  git(join(base, "mine"), "remote", "set-url", "origin", join(base, "origin.git"));
  return { base, origin: join(base, "origin.git"), mine: join(base, "mine") };
}

function prepare(): string {
  const base = tempFolder();
  const mine = join(base, "mine");
  git(base, "init", "-q", "--bare", "-b", "main", "origin.git");
  git(base, "clone", "-q", join(base, "origin.git"), "mine");
  git(mine, "checkout", "-q", "-B", "main");
  write(mine, "install-config.yaml", CONFIG);
  write(mine, "facts.yaml", FACTS);
  write(mine, ".gitignore", IGNORED);
  write(base, "my-pull-secret.json", PULL_SECRET);
  ok(
    create(
      mine,
      ...["--facts", join(mine, "facts.yaml"), "--pull-secret", join(base, "my-pull-secret.json")],
      ...["--secrets", "separate", "--key-algorithm", "ecdsa-p256", "--release", "4.21"],
    ),
  );
  commit(mine);
  return base;
}

const commit = (dir: string): void => {
  git(dir, "add", "-A");
  git(dir, "commit", "-q", "-m", "x");
  git(dir, "push", "-q", "origin", "HEAD");
};

function clone({ base, origin }: Shared, name: string, ...more: readonly string[]): string {
  git(base, ...more, "clone", "-q", origin, name);
  return join(base, name);
}

const giveState = (from: string, to: string): void => cpSync(join(from, STATE), join(to, STATE));

if (spawnSync("git", ["--version"]).status !== 0) skipTest(test, "cli/repository", "git");
else {
  test("what is committed: no state, no secret, nothing of one person", () => {
    const { mine } = repository();
    const files = git(mine, "ls-files").split("\n");
    for (const path of files)
      assert.not.match(path, /state\.json$|\/local\.json|secret(?!-reader)|cluster-config\.yaml/);
    assert.ok(files.includes(".slipway/record.json"));
    assert.not.match(read(mine, ".slipway/record.json"), /my-pull-secret/);
    assert.match(read(mine, ".slipway/local.json"), /my-pull-secret/);
  });

  test("a clone without the state: secrets are unverifiable, going on is refused with exit 3, nothing is removed", () => {
    const shared = repository();
    const theirs = clone(shared, "theirs");
    const found = checked(theirs);
    assert.is(check(theirs).code, 0);
    assert.is(found.get("manifests/cluster-config.yaml"), "unverifiable");
    assert.is(found.get(NETWORK), "untouched");
    assert.not.ok([...found.values()].includes("removed"));
    const refused = create(theirs);
    assert.is(refused.code, 3, refused.stderr);
    assert.match(refused.stderr, /DIR017.*restore the state/);
    assert.is(git(theirs, "status", "--porcelain"), "");
  });

  test("with the state a clone makes every file that Git does not hold, with the same bytes", () => {
    const shared = repository();
    const theirs = clone(shared, "theirs");
    giveState(shared.mine, theirs);
    assert.is(checked(theirs).get("openshift/99_kubeadmin-password-secret.yaml"), "missing");
    const made = ok(create(theirs));
    assert.not.match(made.stdout, /omitted/);
    for (const folder of [
      "manifests",
      "openshift",
      "infrastructure-manifests",
      "infrastructure-manifests-secrets",
    ]) {
      assert.equal(readdirSync(join(theirs, folder)), readdirSync(join(shared.mine, folder)));
      for (const name of readdirSync(join(theirs, folder)))
        assert.is(read(theirs, join(folder, name)), read(shared.mine, join(folder, name)), name);
    }
    assert.is(git(theirs, "status", "--porcelain"), "");
    assert.is(check(theirs, "--strict").code, 0);
  });

  test("after a pull, ignored files of the former state are stale, not edited", () => {
    const shared = repository();
    const theirs = clone(shared, "theirs");
    giveState(shared.mine, theirs);
    ok(create(theirs));
    change(theirs, "install-config.yaml", "replicas: 2", "replicas: 4");
    ok(create(theirs));
    commit(theirs);
    git(shared.mine, "pull", "-q", "origin", "main");
    const found = checked(shared.mine);
    assert.is(found.get("manifests/cluster-config.yaml"), "stale");
    assert.not.ok([...found.values()].some((each) => each === "edited" || each === "conflict"));
    assert.match(check(shared.mine).stdout, /slipway create infrastructure-manifests/);
    ok(create(shared.mine));
    assert.match(read(shared.mine, "manifests/cluster-config.yaml"), /replicas: 4/);
    assert.is(git(shared.mine, "status", "--porcelain"), "");
  });

  test("a switch of branches and back", () => {
    const { mine } = repository();
    git(mine, "checkout", "-q", "-b", "bigger");
    change(mine, "install-config.yaml", "replicas: 2", "replicas: 5");
    ok(create(mine));
    commit(mine);
    git(mine, "checkout", "-q", "main");
    const found = checked(mine);
    assert.not.ok([...found.values()].some((each) => ["edited", "conflict", "removed"].includes(each)));
    ok(create(mine));
    assert.match(read(mine, "manifests/cluster-config.yaml"), /replicas: 2/);
    assert.is(git(mine, "status", "--porcelain"), "");
  });

  test("two branches, two inputs: Git merges the record, and a run settles the rest", () => {
    const shared = repository();
    const theirs = clone(shared, "theirs");
    giveState(shared.mine, theirs);
    ok(create(theirs));
    change(theirs, "install-config.yaml", "replicas: 2", "replicas: 4");
    ok(create(theirs));
    commit(theirs);
    change(shared.mine, "install-config.yaml", "10.0.0.0/16", "10.8.0.0/16");
    ok(create(shared.mine));
    git(shared.mine, "add", "-A");
    git(shared.mine, "commit", "-q", "-m", "network");
    git(shared.mine, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main");
    const after = check(shared.mine);
    assert.is(after.code, 3, after.stdout);
    assert.match(after.stdout, /slipway create infrastructure-manifests/);
    ok(create(shared.mine));
    assert.is(check(shared.mine, "--strict").code, 0);
    const config = read(shared.mine, "manifests/cluster-config.yaml");
    assert.match(config, /replicas: 4/);
    assert.match(config, /10\.8\.0\.0/);
  });

  test("options that two branches set differently: which one counts is asked", () => {
    const shared = repository();
    const theirs = clone(shared, "theirs");
    giveState(shared.mine, theirs);
    ok(create(theirs, "--namespace", "theirs"));
    commit(theirs);
    ok(create(shared.mine, "--namespace", "mine"));
    git(shared.mine, "add", "-A");
    git(shared.mine, "commit", "-q", "-m", "namespace");
    spawnSync(
      "git",
      ["-c", "user.name=t", "-c", "user.email=t@example.org", "pull", "-q", "--no-rebase", "origin", "main"],
      {
        cwd: shared.mine,
      },
    );
    const asked = check(shared.mine);
    assert.is(asked.code, 1, asked.stdout);
    assert.match(asked.stderr, /DIR021.*--namespace has several values after a Git merge: mine, theirs/);
    ok(create(shared.mine, "--namespace", "both"));
    assert.not.match(read(shared.mine, "infrastructure-manifests/70_cluster.yaml"), /<<<<<<</);
    assert.is(check(shared.mine).code, 0);
  });

  test("line ends, markers, comments and order are nobody's edit, and an update keeps them", () => {
    const { mine } = repository();
    const text = read(mine, SCHEDULER);
    write(mine, SCHEDULER, `---\r\n# why: see the wiki\r\n${text.replaceAll("\n", "\r\n")}`);
    change(mine, NETWORK, /^/, "# ours\n");
    assert.is(check(mine, "--strict").code, 0);
    assert.is(checked(mine).get(SCHEDULER), "untouched");
    change(mine, "install-config.yaml", "10.0.0.0/16", "10.8.0.0/16");
    change(mine, "install-config.yaml", "replicas: 2", "replicas: 0");
    ok(create(mine));
    const scheduler = read(mine, SCHEDULER);
    assert.match(scheduler, /^---\r\n# why: see the wiki\r\n/);
    assert.match(scheduler, /mastersSchedulable: true\r\n/);
    assert.not.match(scheduler, /[^\r]\n/);
  });

  test("an edit of one field and a change of another input merge; the same field is told with its three values", () => {
    const { mine } = repository();
    change(mine, TEMPLATE, /instanceType: .*/, "instanceType: m7i.4xlarge # bigger");
    ok(create(mine));
    change(
      mine,
      "install-config.yaml",
      "    region: eu-west-1",
      "    region: eu-west-1\n    userTags:\n      team: birds",
    );
    const merged = ok(create(mine));
    assert.match(merged.stdout, /updated +infrastructure-manifests\/50_machine-template\.yaml/);
    assert.match(read(mine, TEMPLATE), /instanceType: m7i\.4xlarge # bigger/);
    assert.match(read(mine, TEMPLATE), /team: birds/);
    assert.match(slipway(["validate", "--dir", mine], { env: FIXED }).stderr, /CAPI023/);
    change(mine, "install-config.yaml", "m6i.xlarge", "m6i.8xlarge");
    const conflict = create(mine);
    assert.is(conflict.code, 1);
    assert.match(
      conflict.stderr,
      /DIR030: conflict: .*instanceType was generated as "m6i\.xlarge", is "m7i\.4xlarge" on disk, and would now be "m6i\.8xlarge"/,
    );
    ok(create(mine, "--ours", "infrastructure-manifests"));
    assert.match(read(mine, TEMPLATE), /m7i\.4xlarge/);
  });

  test("a removal on purpose reaches the others, and so does its return", () => {
    const shared = repository();
    const theirs = clone(shared, "theirs");
    giveState(shared.mine, theirs);
    ok(create(theirs));
    const path = "openshift/99_kubeadmin-password-secret.yaml";
    rmSync(join(theirs, path));
    rmSync(join(theirs, NETWORK));
    ok(create(theirs));
    commit(theirs);
    git(shared.mine, "pull", "-q", "origin", "main");
    ok(create(shared.mine));
    assert.not.ok(existsSync(join(shared.mine, path)));
    assert.not.ok(existsSync(join(shared.mine, NETWORK)));
    ok(create(shared.mine, "--theirs", path));
    commit(shared.mine);
    git(theirs, "pull", "-q", "origin", "main");
    ok(create(theirs));
    assert.ok(existsSync(join(theirs, path)));
    assert.not.ok(existsSync(join(theirs, NETWORK)));
  });

  test("another release asks for what belongs to it", () => {
    const { mine } = repository();
    ok(create(mine, "--release-image", `registry.example.org/release@sha256:${"0".repeat(64)}`));
    const stopped = create(mine, "--release", "4.22");
    assert.is(stopped.code, 1);
    assert.match(stopped.stderr, /DIR018.*release image/);
    assert.match(stopped.stderr, /DIR018.*boot images/);
    const image = `registry.example.org/release@sha256:${"1".repeat(64)}`;
    const moved = ok(
      create(mine, "--release", "4.22", "--release-image", image, "--facts", join(mine, "facts.yaml")),
    );
    assert.match(moved.stdout, /infrastructure-manifests\/60_openshift-control-plane\.yaml/);
    assert.ok(read(mine, "infrastructure-manifests/60_openshift-control-plane.yaml").includes(image));
  });

  test("a changed machine template is another object; the old one stays while something names it", () => {
    const { mine } = repository();
    const name = /name: (heron-\S+-master-[0-9a-f]{8})/.exec(read(mine, TEMPLATE))?.[1] ?? "";
    write(
      mine,
      "infrastructure-manifests/80_pool.yaml",
      `apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachinePool\nmetadata: {name: own}\nspec: {ref: {kind: AWSMachineTemplate, name: ${name}}}\n`,
    );
    change(mine, "install-config.yaml", "m6i.xlarge", "m6i.2xlarge");
    ok(create(mine));
    const kept = `infrastructure-manifests/50_machine-template${name.slice(name.lastIndexOf("-"))}.yaml`;
    assert.not.match(read(mine, TEMPLATE), new RegExp(name));
    assert.match(read(mine, kept), new RegExp(name));
    assert.match(
      read(mine, "infrastructure-manifests/kustomization.yaml"),
      /- 50_machine-template-[0-9a-f]{8}\.yaml/,
    );
    assert.match(ok(create(mine)).stderr, UNCHANGED);
    assert.is(check(mine).code, 0);
    rmSync(join(mine, "infrastructure-manifests/80_pool.yaml"));
    ok(create(mine));
    assert.not.ok(existsSync(join(mine, kept)));
  });

  test("shared objects lie apart, or with the cluster by flag; annotations for controllers on request", () => {
    const { mine } = repository();
    const shared = "infrastructure-manifests-shared/10_credentials-identity.yaml";
    assert.match(read(mine, shared), /kind: AWSClusterControllerIdentity/);
    ok(create(mine, "--gitops", "argocd"));
    assert.match(read(mine, "infrastructure-manifests/70_cluster.yaml"), /sync-wave: '70'/);
    assert.match(read(mine, TEMPLATE), /Prune=false/);
    ok(create(mine, "--gitops", "flux", "--shared-objects", "inline"));
    assert.not.ok(existsSync(join(mine, shared)));
    assert.match(read(mine, "infrastructure-manifests/70_cluster.yaml"), /prune: disabled/);
    assert.match(read(mine, "infrastructure-manifests/kustomization.yaml"), /10_credentials-identity/);
    assert.is(check(mine, "--strict").code, 0);
  });

  const kubectl = join(process.env["SLIPWAY_KUBE_BIN"] ?? "", "kubectl");
  const name = "one kustomization over three clusters of a repository builds";
  if (process.env["SLIPWAY_KUBE_BIN"] === undefined || !existsSync(kubectl))
    skipTest(test, name, "needs SLIPWAY_KUBE_BIN, a folder with kubectl");
  else
    test(name, () => {
      const root = tempFolder();
      const names = ["a", "b", "c"];
      for (const each of names) {
        cpSync(repository().mine, join(root, each), {
          recursive: true,
          filter: (path) =>
            !/\.git$|\/\.slipway$|state\.json$|\/(?:manifests|openshift|infrastructure-manifests[^/]*)$/.test(
              path,
            ),
        });
        change(join(root, each), "install-config.yaml", "name: heron", `name: ${each}`);
        write(root, "pull-secret.json", PULL_SECRET);
        ok(
          create(
            join(root, each),
            ...["--facts", join(root, each, "facts.yaml"), "--pull-secret", join(root, "pull-secret.json")],
            ...["--secrets", "separate", "--key-algorithm", "ecdsa-p256"],
          ),
        );
      }
      const folders = [
        ...names.map((each) => `${each}/infrastructure-manifests`),
        "a/infrastructure-manifests-shared",
      ];
      write(root, "kustomization.yaml", `resources:\n${folders.map((each) => `- ${each}\n`).join("")}`);
      const { status, stdout, stderr } = spawnSync(kubectl, ["kustomize", root], { encoding: "utf8" });
      assert.is(status, 0, stderr);
      assert.is(stdout.match(/^kind: Cluster$/gm)?.length, 3);
      assert.is(stdout.match(/^kind: AWSClusterControllerIdentity$/gm)?.length, 1);
    });
}

test.run();
