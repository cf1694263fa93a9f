/**
 * Two repositories, one for Argo CD and one for Flux, of six clusters on three platforms, with three people: one who
 * makes the clusters, one who joins and leaves, one who never has a key. Real Git, sops and kustomize; what each
 * controller generates is compared, object by object.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { loadAll } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { identityKey, identityOf } from "../../src/kubernetes/identity.js";
import { type CliResult, slipway } from "../helpers/cli.js";
import { skipTest } from "../helpers/shared.js";
import { noSops, sops } from "../helpers/sops.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("cli/gitops-repositories");

const CLUSTERS: readonly (readonly [name: string, example: string])[] = [
  ["egret", "none"],
  ["gannet", "none"],
  ["heron", "aws"],
  ["ibis", "aws"],
  ["kite", "vsphere"],
  ["lark", "vsphere"],
];
const SECRET_FIELDS = "^(pullSecret|sshKey|user|username|password)$";

const [ann, ben] = [await generateX25519Identity(), await generateX25519Identity()];
const [toAnn, toBen] = [await identityToRecipient(ann), await identityToRecipient(ben)];

const noKustomize = spawnSync("kustomize", ["version"]).status === 0 ? "" : "kustomize is not on the path";

const run = (cwd: string, words: string, key = ""): CliResult =>
  slipway(words.split(" "), { cwd, env: key === "" ? {} : { SOPS_AGE_KEY: key } });

function ok(cwd: string, words: string, key = ""): CliResult {
  const result = run(cwd, words, key);
  assert.is(result.code, 0, `${words}\n${result.stdout}${result.stderr}`);
  return result;
}

function git(cwd: string, ...words: readonly string[]): string {
  const author = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.hooksPath=/dev/null"];
  const { status, stdout, stderr } = spawnSync("git", [...author, ...words], { cwd, encoding: "utf8" });
  assert.is(status, 0, `git ${words.join(" ")}\n${stdout}${stderr}`);
  return stdout;
}

function publish(cwd: string, message: string): void {
  git(cwd, "add", ".");
  git(cwd, "commit", "--quiet", "--allow-empty", "--message", message);
  git(cwd, "push", "--quiet", "origin", "main");
}

/** A value of an install-config, set as an administrator does. */
const set = (cwd: string, cluster: string, path: string, value: Json, key: string): void =>
  void sops(["set", join(cwd, "clusters", cluster, "install-config.yaml"), path, JSON.stringify(value)], key);

const objectsOf = (yaml: string): JsonObject[] => loadAll(yaml).filter(isJson).filter(isObject);
const at = (value: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((under, name) => (isObject(under) ? under[name] : undefined), value);

/** As kustomize-controller does it: the objects of the path, each decrypted as JSON without its MAC. */
function byFlux(root: string, cluster: string): readonly JsonObject[] {
  const [kustomization] = objectsOf(readFileSync(join(root, `gitops/flux/${cluster}.yaml`), "utf8"));
  assert.equal(at(kustomization, "spec", "decryption", "provider"), "sops");
  const path = join(root, String(at(kustomization, "spec", "path")));
  const built = spawnSync("kustomize", ["build", path], { encoding: "utf8", maxBuffer: 1 << 28 });
  assert.is(built.status, 0, built.stderr);
  const file = join(tempFolder(), "object.json");
  return objectsOf(built.stdout).map((each) => {
    if (!isObject(each["sops"])) return each;
    writeFileSync(file, JSON.stringify(each));
    const types = ["--input-type", "json", "--output-type", "json"];
    return objectsOf(sops(["decrypt", "--ignore-mac", ...types, file], ann))[0] ?? {};
  });
}

/** As Argo CD does it: the command of the plug-in, in the directory that the parameters name. */
function byArgo(root: string, cluster: string): readonly JsonObject[] {
  const [parameters] = objectsOf(readFileSync(join(root, `gitops/argocd/clusters/${cluster}.yaml`), "utf8"));
  assert.is(at(parameters, "renderer"), "slipway");
  const [map] = objectsOf(readFileSync(join(root, "gitops/argocd/plugin/plugin.yaml"), "utf8"));
  const command = at(objectsOf(String(at(map, "data", "plugin.yaml")))[0], "spec", "generate", "command");
  const words = isList(command) ? command.slice(1).map(String) : [];
  return objectsOf(ok(join(root, String(at(parameters, "folder"))), words.join(" "), ann).stdout);
}

const keysOf = (objects: readonly JsonObject[]): readonly string[] =>
  objects.map((object) => identityKey(identityOf(object))).sort();

/** Every object of every cluster comes out of the controller as it was compiled, and nothing encrypted does. */
function assertGenerated(root: string, controller: "argocd" | "flux"): void {
  for (const [cluster] of CLUSTERS) {
    const objects = controller === "flux" ? byFlux(root, cluster) : byArgo(root, cluster);
    assert.not.match(JSON.stringify(objects), /ENC\[/);
    const dir = join(root, "clusters", cluster);
    const folders = ["infrastructure-manifests", "infrastructure-manifests-secrets"];
    const expected = folders.flatMap((folder) => {
      const [list] = objectsOf(readFileSync(join(dir, folder, "kustomization.yaml"), "utf8"));
      const names = isObject(list) && isList(list["resources"]) ? list["resources"].map(String) : [];
      return names.flatMap((name) => objectsOf(readFileSync(join(dir, folder, name), "utf8")));
    });
    assert.equal(keysOf(objects), keysOf(expected), cluster);
    assert.ok(objects.length > 20, `${cluster}: ${objects.length}`);
  }
}

for (const controller of ["argocd", "flux"] as const) {
  const title = `six clusters on three platforms, three people, with ${controller}`;
  if (noSops !== "" || noKustomize !== "") {
    skipTest(test, title, noSops === "" ? noKustomize : noSops);
    continue;
  }
  test(title, () => {
    const base = tempFolder();
    const [origin, work] = [join(base, "origin.git"), join(base, "ann")];
    git(base, "init", "--quiet", "--bare", "--initial-branch=main", origin);
    git(base, "clone", "--quiet", origin, work);
    git(work, "switch", "--quiet", "--create", "main");

    // Ann makes the repository for both.
    const rule = (...recipients: readonly string[]): void =>
      writeFileSync(join(work, ".sops.yaml"), `creation_rules:\n- age: ${recipients.join(",")}\n`);
    rule(toAnn);
    for (const [name, example] of CLUSTERS) {
      const dir = join(work, "clusters", name);
      mkdirSync(join(work, "clusters"), { recursive: true });
      cpSync(join("examples", example), dir, { recursive: true });
      const file = join(dir, "install-config.yaml");
      writeFileSync(file, readFileSync(file, "utf8").replace(/^ {2}name: .*$/m, `  name: ${name}`));
      sops(["encrypt", "--in-place", "--age", toAnn, "--encrypted-regex", SECRET_FIELDS, file], ann);
    }
    const isThere = (name: string, file: string): boolean => existsSync(join(work, "clusters", name, file));
    const entries = CLUSTERS.map(([name]) =>
      isThere(name, "facts.yaml")
        ? { dir: `clusters/${name}`, name, flags: { facts: `clusters/${name}/facts.yaml` } }
        : { dir: `clusters/${name}`, name },
    );
    writeFileSync(
      join(work, "fleet.yaml"),
      JSON.stringify({ apiVersion: "slipway.dev/v1alpha1", kind: "Fleet", clusters: entries }),
    );
    const all = `create infrastructure-manifests --fleet fleet.yaml --secrets sops --gitops ${controller}`;
    ok(work, `init --fleet fleet.yaml --secrets sops --gitops ${controller}`, ann);
    ok(work, `${all} --key-algorithm ecdsa-p256 --jobs 1`, ann);
    ok(work, `init --fleet fleet.yaml --gitops ${controller}`, ann);
    publish(work, "Six clusters");
    assertGenerated(work, controller);

    // Cora reviews without a key.
    const cora = join(base, "cora");
    git(base, "clone", "--quiet", origin, cora);
    ok(cora, "check --fleet fleet.yaml --jobs 1");
    assert.is(git(cora, "status", "--porcelain"), "");

    // Ben joins.
    rule(toAnn, toBen);
    ok(work, "secrets update-keys --fleet fleet.yaml", ann);
    publish(work, "Ben joins");
    const bens = join(base, "ben");
    git(base, "clone", "--quiet", origin, bens);
    ok(bens, "check --fleet fleet.yaml --strict --jobs 1", ben);

    // Ben and Ann change two clusters at once, and the same cluster on two branches.
    set(bens, "kite", '["proxy"]', { httpProxy: "http://proxy.example.org:3128" }, ben);
    ok(bens, "create infrastructure-manifests --dir clusters/kite", ben);
    publish(bens, "kite: a proxy");
    set(work, "heron", '["fips"]', false, ann);
    writeFileSync(
      join(work, "clusters/kite/openshift/99_extra.yaml"),
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: extra\n  namespace: default\n",
    );
    ok(work, "create infrastructure-manifests --fleet fleet.yaml --jobs 1", ann);
    git(work, "add", ".");
    git(work, "commit", "--quiet", "--message", "heron and kite");
    git(work, "pull", "--quiet", "--no-rebase", "--no-edit", "--strategy-option=theirs");
    ok(work, "create infrastructure-manifests --dir clusters/kite", ann);
    ok(work, "check --fleet fleet.yaml --jobs 1", ann);
    publish(work, "Compiled after the merge");
    assertGenerated(work, controller);

    // Ben leaves: what is written afterwards is closed to him, and Cora still checks.
    rule(toAnn);
    const left = ok(work, "secrets update-keys --fleet fleet.yaml", ann);
    assert.match(left.stderr, "had access to the old values");
    publish(work, "Ben leaves");
    git(bens, "pull", "--quiet", "--no-edit");
    const closed = run(bens, "create infrastructure-manifests --dir clusters/egret", ben);
    assert.is(closed.code, 3, closed.stderr);
    assert.match(closed.stderr, "SOPS002");
    ok(bens, "check --fleet fleet.yaml --jobs 1");
    git(cora, "pull", "--quiet");
    ok(cora, "check --fleet fleet.yaml --jobs 1");
    ok(work, "check --fleet fleet.yaml --jobs 1", ann);
    assertGenerated(work, controller);

    // A new release, asked before it is merged.
    const secrets = CLUSTERS.map(([name]) => join(work, "clusters", name, "infrastructure-manifests"));
    const dump = (folder: string): string => {
      const objects = objectsOf(readFileSync(join(folder, "60_openshift-control-plane.yaml"), "utf8"));
      return JSON.stringify({
        apiVersion: "v1",
        kind: "List",
        items: objects.map((object) => ({ ...object, status: { initialized: true } })),
      });
    };
    writeFileSync(join(work, "dump.json"), dump(secrets[0] ?? ""));
    const impact = ok(work, "upgrade-impact --dir clusters/egret --cluster-state dump.json --release 4.22");
    assert.match(impact.stdout, "unverified");
  });
}

test.run();
