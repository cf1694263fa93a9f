/**
 * `slipway init --gitops`: what Argo CD and Flux apply from a repository. The same objects come out of kustomize with
 * decryption, as Flux does it, and of the plug-in's command, as Argo CD runs it.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { loadAll } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, isList, isObject, type Json, type JsonObject, textAt } from "../../src/core/json.js";
import { labelsOf } from "../../src/pipeline/gitops-files.js";
import { BINARY, type CliResult, record, slipway } from "../helpers/cli.js";
import { skipTest } from "../helpers/shared.js";
import { noSops, sops } from "../helpers/sops.js";
import { readTree, tempFolder } from "../helpers/temp.js";

const test = suite("cli/init-gitops");
const CONFIG = readFileSync("examples/none/install-config.yaml", "utf8");

function repository(...names: readonly string[]): string {
  const root = tempFolder();
  assert.is(spawnSync("git", ["init", "--quiet", "--initial-branch=main"], { cwd: root }).status, 0);
  for (const name of names) {
    mkdirSync(join(root, "clusters", name), { recursive: true });
    writeFileSync(
      join(root, "clusters", name, "install-config.yaml"),
      CONFIG.replace(/^ {2}name: .*$/m, `  name: ${name}`),
    );
  }
  return root;
}

const run = (cwd: string, words: string, env: Readonly<Record<string, string>> = {}): CliResult =>
  slipway(words.split(" "), { cwd, env });
const text = (...path: readonly string[]): string => readFileSync(join(...path), "utf8");

function objectsOf(yaml: string): JsonObject[] {
  return loadAll(yaml)
    .filter(isJson)
    .flatMap((each) => (isObject(each) ? [each] : []));
}

/** The value at a path of member names. */
const at = (value: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((under, name) => (isObject(under) ? under[name] : undefined), value);

test("Flux gets a Kustomization for each cluster, with decryption where Secrets are encrypted", () => {
  const root = repository("egret", "heron");
  const { code, stdout, stderr } = run(root, "init --fleet fleet.txt --secrets sops --gitops flux");
  assert.is(code, 0, stderr);
  assert.match(
    stdout,
    "slipway create infrastructure-manifests --fleet fleet.txt --secrets sops --gitops flux",
  );
  const [egret] = objectsOf(text(root, "gitops/flux/egret.yaml"));
  assert.is(at(egret, "spec", "path"), "./clusters/egret");
  assert.equal(at(egret, "spec", "decryption"), { provider: "sops", secretRef: { name: "sops-age" } });
  assert.is(at(egret, "spec", "prune"), false);
  assert.equal(objectsOf(text(root, "clusters/egret/kustomization.yaml"))[0]?.["resources"], [
    "infrastructure-manifests",
    "infrastructure-manifests-secrets",
  ]);
  const before = readTree(root);
  assert.is(run(root, "init --fleet fleet.txt --gitops flux --secrets sops").code, 0);
  assert.equal(readTree(root), before);

  assert.is(run(root, "init --fleet fleet.txt --secrets separate --gitops flux").code, 0);
  const [open] = objectsOf(text(root, "gitops/flux/egret.yaml"));
  assert.is(at(open, "spec", "path"), "./clusters/egret/infrastructure-manifests");
  assert.is(at(open, "spec", "decryption"), undefined);
});

test("Argo CD gets one ApplicationSet for each renderer, and the plug-in for encrypted clusters only", () => {
  const root = repository("egret", "heron");
  const table = `apiVersion: slipway.dev/v1alpha1
kind: Fleet
clusters:
- {dir: clusters/egret, name: white-egret, flags: {secrets: sops}}
- {dir: clusters/heron, flags: {secrets: separate}}
`;
  writeFileSync(join(root, "fleet.yaml"), table);
  spawnSync("git", ["remote", "add", "origin", "https://me:secret@git.example.org/clusters.git"], {
    cwd: root,
  });
  const { code, stderr } = run(root, "init --fleet fleet.yaml --gitops argocd");
  assert.is(code, 0, stderr);
  const folder = join(root, "gitops/argocd");
  assert.match(
    text(folder, "clusters/white-egret.yaml"),
    "folder: clusters/egret\nname: white-egret\nrenderer: slipway\n",
  );
  assert.match(
    text(folder, "clusters/heron.yaml"),
    "folder: clusters/heron/infrastructure-manifests\nname: heron\nrenderer: kustomize\n",
  );
  for (const [renderer, plugin] of [
    ["slipway", "slipway-v1.0"],
    ["kustomize", undefined],
  ] as const) {
    const [set] = objectsOf(text(folder, `applicationset-${renderer}.yaml`));
    const source = at(set, "spec", "template", "spec", "source");
    assert.is(at(source, "path"), "{{ .folder }}");
    assert.is(at(source, "plugin", "name"), plugin);
    // A password of the clone's address is nobody else's.
    assert.is(at(source, "repoURL"), "https://git.example.org/clusters.git");
    const generators = at(set, "spec", "generators");
    const [generator] = isList(generators) ? generators : [];
    assert.equal(at(generator, "selector", "matchLabels"), { renderer });
  }
  const [map] = objectsOf(text(folder, "plugin/plugin.yaml"));
  const [plugin] = objectsOf(String(at(map, "data", "plugin.yaml")));
  assert.is(`${at(plugin, "metadata", "name")}-${at(plugin, "spec", "version")}`, "slipway-v1.0");
  const patch = text(folder, "plugin/repo-server.yaml");
  assert.match(patch, "image: REPLACE-ME@sha256:REPLACE-ME");

  // Values that the user replaces are kept, and another edit as well.
  writeFileSync(join(folder, "plugin/repo-server.yaml"), patch.replace(/image: .*/, "image: x@sha256:1"));
  assert.not.match(run(root, "init --fleet fleet.yaml --gitops argocd").stderr, "INIT001");
  const set = join(folder, "applicationset-slipway.yaml");
  writeFileSync(set, text(set).replace("project: default", "project: clusters"));
  writeFileSync(join(root, "fleet.yaml"), table.replace("secrets: separate", "secrets: sops"));
  const again = run(root, "init --fleet fleet.yaml --gitops argocd");
  assert.is(again.code, 0);
  assert.match(again.stderr, /applicationset-slipway\.yaml: warning INIT001/);
  assert.match(text(set), "project: clusters");
  assert.match(text(folder, "clusters/heron.yaml"), "renderer: slipway");
});

test("the address of the repository is marked where no remote says it", () => {
  const root = repository("egret");
  const { stdout } = run(root, "init --dir clusters/egret --gitops argocd");
  assert.match(
    text(root, "gitops/argocd/applicationset-kustomize.yaml"),
    "https://REPLACE-ME/repository.git",
  );
  assert.match(stdout, /marked REPLACE-ME.*applicationset-kustomize\.yaml/);
});

test("refuses clusters that a controller cannot find in Git", () => {
  const root = repository("egret");
  const inline = run(root, "init --dir clusters/egret --secrets inline --gitops flux");
  assert.is(inline.code, 1);
  assert.match(inline.stderr, /INIT004: with --secrets inline/);
  const top = repository();
  writeFileSync(join(top, "install-config.yaml"), CONFIG);
  assert.match(run(top, "init --gitops flux").stderr, /INIT004: the asset directory is the top folder/);
  const outside = repository("heron");
  writeFileSync(join(root, "fleet.txt"), `clusters/egret\n${outside}/clusters/heron\n`);
  assert.match(run(root, "init --fleet fleet.txt --gitops flux").stderr, /INIT004: the directory is outside/);
  assert.not.ok([...readTree(root).keys()].some((path) => path.startsWith("gitops/")));
});

test("reports objects compiled for another controller, and files of clusters that are gone", () => {
  const root = repository("egret", "heron");
  run(root, "init --fleet fleet.txt --gitops flux");
  const create = "create infrastructure-manifests --dir clusters/egret --key-algorithm ecdsa-p256";
  assert.is(run(root, `${create} --secrets separate`).code, 0);
  assert.match(
    run(root, "init --fleet fleet.txt --gitops flux").stderr,
    /INIT005: .*no annotations for flux/,
  );
  assert.is(run(root, `${create} --gitops flux`).code, 0);
  assert.not.match(run(root, "init --fleet fleet.txt --gitops flux").stderr, "INIT005");
  assert.match(run(root, "init --fleet fleet.txt --gitops argocd").stderr, /INIT005: .*--gitops flux/);
  writeFileSync(join(root, "fleet.txt"), "clusters/egret\n");
  rmSync(join(root, "clusters/heron"), { recursive: true });
  const { code, stderr } = run(root, "init --fleet fleet.txt --gitops flux");
  assert.is(code, 0);
  assert.match(stderr, /gitops\/flux\/heron\.yaml: warning INIT006/);
});

test("applies objects that clusters share once", () => {
  const root = repository();
  for (const name of ["egret", "heron"]) {
    const folder = join(root, "clusters", name);
    mkdirSync(folder, { recursive: true });
    const config = readFileSync("examples/aws/install-config.yaml", "utf8");
    writeFileSync(join(folder, "install-config.yaml"), config.replace(/^ {2}name: .*$/m, `  name: ${name}`));
  }
  const facts = join(process.cwd(), "examples/aws/facts.yaml");
  const create = `create infrastructure-manifests --fleet fleet.txt --facts ${facts} --secrets separate --gitops argocd --key-algorithm ecdsa-p256`;
  assert.match(run(root, "init --fleet fleet.txt --gitops argocd").stdout, "After that, run init again");
  const created = run(root, create);
  assert.is(created.code, 0, created.stderr);
  for (const controller of ["argocd", "flux"])
    assert.is(run(root, `init --fleet fleet.txt --gitops ${controller}`).code, 0);
  assert.match(
    text(root, "gitops/argocd/clusters/shared-egret.yaml"),
    "folder: clusters/egret/infrastructure-manifests-shared\nname: shared-egret\nrenderer: kustomize\n",
  );
  assert.match(
    text(root, "gitops/flux/shared-egret.yaml"),
    "path: ./clusters/egret/infrastructure-manifests-shared\n",
  );
  assert.not.ok([...readTree(root).keys()].some((path) => path.includes("shared-heron")));
  const printed = run(root, "create infrastructure-manifests --dir clusters/heron --stdout");
  assert.is(printed.code, 0, printed.stderr);
  assert.not.match(printed.stdout, /^kind: AWSClusterControllerIdentity$/m);
  assert.match(printed.stdout, /^kind: AWSCluster$/m);
});

test("names clusters by DNS labels that are unique", () => {
  const labels = (...clusters: readonly (readonly [string, string?])[]): readonly string[] =>
    labelsOf(clusters.map(([directory, called]) => ({ directory, called })));
  assert.equal(labels(["a/egret"], ["b/heron", "Grey Heron"]), ["egret", "grey-heron"]);
  const same = labels(["a/egret"], ["b/egret"], ["b-egret"], ["ü"]);
  assert.is(new Set(same).size, 4);
  for (const each of [...same, ...labels(["x".repeat(80)], ["-a-"])])
    assert.match(each, /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
});

test("warns of Secrets that nobody decrypts until the plug-in has the cluster", async () => {
  const root = repository("egret");
  const identity = await generateX25519Identity();
  writeFileSync(join(root, ".sops.yaml"), `creation_rules:\n- age: ${await identityToRecipient(identity)}\n`);
  const key = { SOPS_AGE_KEY: identity };
  const create =
    "create infrastructure-manifests --dir clusters/egret --secrets sops --gitops argocd --key-algorithm ecdsa-p256";
  assert.match(run(root, create, key).stderr, "warning CAPI049");
  assert.match(run(root, "validate --dir clusters/egret", key).stderr, "warning CAPI049");
  assert.is(run(root, "init --fleet fleet.txt --gitops argocd", key).code, 0);
  for (const words of [create, "validate --dir clusters/egret"]) {
    const { stderr } = run(root, words, key);
    assert.match(stderr, "CAPI008");
    assert.not.match(stderr, "CAPI049");
  }
});

test("runs docs/gitops.md, with programs that only look for the files that they are given", async () => {
  const root = tempFolder();
  const bin = join(root, "bin");
  mkdirSync(bin);
  const identity = await generateX25519Identity();
  const program = (name: string, script: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  program("slipway", `exec '${process.execPath}' '${BINARY}' "$@"`);
  program(
    "age-keygen",
    `if test "$1" = -o; then echo '${identity}' > "$2"; else echo '${await identityToRecipient(identity)}'; fi`,
  );
  program(
    "kubectl",
    `echo "$@" >> '${root}/log'
if test "$1" = get; then for file in clusters/egret/infrastructure-manifests/[67]0_*.yaml; do echo ---; cat $file; done; fi
for word do
  case $before in --filename|--patch-file|--kustomize) test -e "$word" || exit 1 ;; esac
  case $word in --from-file=*) test -e "\${word#--from-file=age.agekey=}" || exit 1 ;; esac
  before=$word
done`,
  );
  program("flux", `for word do case $word in --path=*) test -d "\${word#--path=}" || exit 1 ;; esac; done`);
  cpSync("examples/none", join(root, "examples/none"), { recursive: true });
  const page = readFileSync("docs/gitops.md", "utf8");
  const script = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block).join("");
  const { status, stdout, stderr } = spawnSync("bash", ["-euo", "pipefail", "-c", script], {
    cwd: root,
    encoding: "utf8",
    env: {
      PATH: `${bin}:${process.env["PATH"]}`,
      HOME: root,
      GIT_AUTHOR_NAME: "a",
      GIT_AUTHOR_EMAIL: "a@example.org",
      GIT_COMMITTER_NAME: "a",
      GIT_COMMITTER_EMAIL: "a@example.org",
    },
  });
  record(stdout + stderr);
  assert.is(status, 0, `${stdout}${stderr}`);
  assert.match(text(root, "log"), "applicationset-slipway.yaml");
});

const builder = (
  [
    ["kustomize", "build"],
    ["kubectl", "kustomize"],
  ] as const
).find(([program, word]) => spawnSync(program, [word, "--help"]).status === 0);
const TITLE = "Flux and Argo CD get the same objects, those of the cluster";
if (noSops !== "" || builder === undefined)
  skipTest(test, TITLE, noSops === "" ? "needs kustomize or kubectl" : noSops);
else
  test(TITLE, async () => {
    const root = repository("egret");
    const identity = await generateX25519Identity();
    writeFileSync(
      join(root, ".sops.yaml"),
      `creation_rules:\n- age: ${await identityToRecipient(identity)}\n`,
    );
    for (const controller of ["flux", "argocd"]) {
      const init = run(root, `init --fleet fleet.txt --secrets sops --gitops ${controller}`);
      assert.is(init.code, 0, init.stderr);
    }
    const key = { SOPS_AGE_KEY: identity };
    const created = run(
      root,
      "create infrastructure-manifests --dir clusters/egret --secrets sops --gitops flux --key-algorithm ecdsa-p256",
      key,
    );
    assert.is(created.code, 0, created.stderr);
    writeFileSync(
      join(root, "clusters/egret/openshift/99_own.yaml"),
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own, namespace: default}\n",
    );
    assert.is(run(root, "create infrastructure-manifests --dir clusters/egret", key).code, 0);

    // As kustomize-controller does: the objects of the folder, each decrypted as JSON without its MAC.
    const [flux] = objectsOf(text(root, "gitops/flux/egret.yaml"));
    const [program, word] = builder;
    const built = spawnSync(program, [word, join(root, String(at(flux, "spec", "path")))], {
      encoding: "utf8",
      maxBuffer: 1 << 28,
    });
    assert.is(built.status, 0, built.stderr);
    const objects = objectsOf(built.stdout);
    assert.is(objects[0]?.["kind"], "Namespace");
    const secrets = objects.filter((each) => isObject(each["sops"]));
    assert.ok(secrets.length > 15);
    const isLast = (kind: string): boolean =>
      objects.findIndex((each) => each["kind"] === kind) > objects.lastIndexOf(secrets.at(-1) ?? {});
    assert.ok(isLast("Cluster") && isLast("OpenShiftControlPlane"));
    const file = join(tempFolder(), "object.json");
    const decrypted = objects.map((each) => {
      if (!isObject(each["sops"])) return each;
      writeFileSync(file, JSON.stringify(each));
      const plain = sops(
        ["decrypt", "--ignore-mac", "--input-type", "json", "--output-type", "json", file],
        identity,
      );
      const [object = {}] = objectsOf(plain);
      return object;
    });

    // As the plug-in does: its command, in the directory of the Application.
    const [map] = objectsOf(text(root, "gitops/argocd/plugin/plugin.yaml"));
    const command = at(objectsOf(String(at(map, "data", "plugin.yaml")))[0], "spec", "generate", "command");
    const words = isList(command) ? command.map(String) : [];
    assert.is(words[0], "/slipway");
    const before = readTree(root);
    const printed = slipway(words.slice(1), { cwd: join(root, "clusters/egret"), env: key });
    record(printed.stdout);
    assert.is(printed.code, 0, printed.stderr);
    assert.equal(readTree(root), before);

    const byName = (all: readonly JsonObject[]): Record<string, JsonObject> =>
      Object.fromEntries(
        all
          .map((each): [string, JsonObject] => [
            [each["kind"], textAt(isObject(each["metadata"]) ? each["metadata"] : {}, "name")].join("/"),
            each,
          ])
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      );
    assert.equal(byName(decrypted), byName(objectsOf(printed.stdout)));
  });

test.run();
