/** The KRM function: lists in, lists out, and what kustomize and kpt make of it. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { parseYaml } from "../../src/text/yaml-parse.js";
import { BINARY, slipway } from "../helpers/cli.js";
import { skipTest } from "../helpers/shared.js";
import { readTree, tempFolder } from "../helpers/temp.js";

const test = suite("function");

const SEED = Buffer.from(Uint8Array.from({ length: 32 }, (_, i) => (i * 53 + 7) % 256));
const CONFIG = readFileSync("examples/none/install-config.yaml", "utf8");

const list = (spec: JsonObject, items: readonly Json[] = []): string =>
  JSON.stringify({
    apiVersion: "config.kubernetes.io/v1",
    kind: "ResourceList",
    functionConfig: { apiVersion: "slipway.dev/v1alpha1", kind: "ClusterFunction", spec },
    items,
  });

interface Answer {
  readonly code: number | null;
  readonly items: readonly JsonObject[];
  /** `severity code field` of every result. */
  readonly results: readonly string[];
}

const objects = (value: Json | undefined): JsonObject[] =>
  (Array.isArray(value) ? value : []).filter(isObject);
const member = (value: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);

function run(input: string, cwd = process.cwd()): Answer {
  const { code, stdout } = slipway(["function"], { cwd, input, env: { SOURCE_DATE_EPOCH: "1767225600" } });
  const answer = parseYaml(stdout);
  assert.is(member(answer, "kind"), "ResourceList");
  return {
    code,
    items: objects(member(answer, "items")),
    results: objects(member(answer, "results")).map((each) =>
      ["severity", "tags.code", "field.path"]
        .map((path) => String(member(each, ...path.split("."))))
        .join(" "),
    ),
  };
}

const INLINE = { files: { "install-config.yaml": CONFIG }, inputs: { seed: SEED.toString("base64") } };

test("an install-config and a seed give the objects of the phase, each with its path; the same list the same bytes", () => {
  const spec = { ...INLINE, keyAlgorithm: "ecdsa-p256" };
  const first = run(list(spec));
  assert.is(first.code, 0);
  assert.ok(first.items.length > 20);
  const paths = first.items.map((item) =>
    member(item, "metadata", "annotations", "config.kubernetes.io/path"),
  );
  assert.ok(paths.every((path) => /^infrastructure-manifests\/[^/]+\.yaml$/.test(String(path))));
  assert.is(new Set(paths).size, paths.length);
  assert.equal(run(list(spec)), first);
  const manifests = run(list({ ...spec, phase: "manifests" }));
  assert.ok(
    manifests.items.every((item) =>
      /^(?:manifests|openshift)\//.test(
        String(member(item, "metadata", "annotations", "config.kubernetes.io/path")),
      ),
    ),
  );
});

test("objects that clusters share are left out, or asked for", () => {
  const example = (name: string): string => readFileSync(`examples/aws/${name}`, "utf8");
  const made = (sharedObjects?: string): string[] => {
    const { code, items } = run(
      list({
        files: { "install-config.yaml": example("install-config.yaml") },
        inputs: { seed: SEED.toString("base64"), facts: example("facts.yaml") },
        keyAlgorithm: "ecdsa-p256",
        ...(sharedObjects === undefined ? {} : { sharedObjects }),
      }),
    );
    assert.is(code, 0);
    return items.map((item) => String(member(item, "kind")));
  };
  assert.equal(made("only"), ["AWSClusterControllerIdentity"]);
  assert.equal(made(), made("separate"));
  assert.equal(made("inline").toSorted(), [...made(), ...made("only")].toSorted());
});

test("with the Secrets in a folder of their own the objects are those of both folders", () => {
  const pathsOf = (layout: string): string[] => {
    const folder = tempFolder();
    writeFileSync(join(folder, "install-config.yaml"), CONFIG);
    const words = [
      "create",
      "infrastructure-manifests",
      "--key-algorithm",
      "ecdsa-p256",
      "--secrets",
      layout,
    ];
    assert.is(slipway(words, { cwd: folder }).code, 0);
    const { code, items, results } = run(list({ directory: "." }), folder);
    assert.is(code, 0, results.join());
    return items.map((item) => String(member(item, "metadata", "annotations", "config.kubernetes.io/path")));
  };
  const names = (paths: readonly string[]): string[] => paths.map((path) => path.replace(/^.*\//, "")).sort();
  const separate = pathsOf("separate");
  assert.equal(names(separate), names(pathsOf("inline")));
  assert.ok(separate.some((path) => path.startsWith("infrastructure-manifests-secrets/")));
});

test("items that are inputs are read and stay; an item of an earlier run is replaced, others are left alone", () => {
  const local = { "config.kubernetes.io/local-config": "true" };
  const secret = (name: string, annotation: string, value: string, data: Buffer): JsonObject => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, annotations: { ...local, [annotation]: value } },
    data: { it: data.toString("base64") },
  });
  const inputs = [
    secret("seed", "slipway.dev/input", "seed", SEED),
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: "config",
        annotations: { ...local, "slipway.dev/asset-file": "install-config.yaml" },
      },
      data: { it: CONFIG },
    },
  ];
  const stranger = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "stranger" } };
  const first = run(list({ keyAlgorithm: "ecdsa-p256" }, [...inputs, stranger]));
  assert.equal([first.code, first.results.filter((each) => each.startsWith("error"))], [0, []]);
  assert.equal(first.items.slice(0, 3), [...inputs, stranger]);
  const again = run(list({ keyAlgorithm: "ecdsa-p256" }, first.items));
  assert.equal(again, first);
});

test("what is wrong is a result and exit 1, and the items stay as they are", () => {
  const item = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
  const wrong = (spec: JsonObject, items: readonly Json[] = [item]): readonly string[] => {
    const { code, items: out, results } = run(list(spec, items));
    assert.is(code, 1);
    assert.equal(out, items);
    return results;
  };
  assert.equal(wrong({ files: INLINE.files }), ["error FUN002 functionConfig.spec"]);
  assert.equal(wrong({ ...INLINE, phase: "cluster" }), ["error FUN001 functionConfig.spec.phase"]);
  assert.equal(wrong({ ...INLINE, fazes: 1 }), ["error FUN001 functionConfig.spec.fazes"]);
  assert.ok(
    wrong({ inputs: INLINE.inputs, files: { "install-config.yaml": "apiVersion: v1\n" } }).length > 1,
  );
  const odd = {
    ...item,
    metadata: { name: "a", annotations: { "slipway.dev/input": "toString" } },
    data: { a: "b" },
  };
  assert.equal(wrong(INLINE, [odd]), ["error FUN003 items[0]"]);
  for (const text of [
    "",
    "[]",
    "kind: ResourceList\n",
    "a: [",
    '{"kind":"ResourceList","apiVersion":"v1"}',
  ]) {
    const { code, results } = run(text);
    assert.is(code, 1, text);
    assert.ok(
      results.some((each) => each.startsWith("error ")),
      text,
    );
  }
});

/** An asset directory with its state. */
function cluster(): string {
  const folder = tempFolder();
  mkdirSync(join(folder, "cluster"));
  cpSync("examples/none/install-config.yaml", join(folder, "cluster/install-config.yaml"));
  const words = ["create", "infrastructure-manifests", "--dir", "cluster", "--key-algorithm", "ecdsa-p256"];
  const { code, stderr } = slipway(words, { cwd: folder });
  assert.is(code, 0, stderr);
  return folder;
}

test("--stdout is what the folder holds, and leaves the directory as it is; without state or seed it is refused", () => {
  const folder = cluster();
  const words = ["create", "infrastructure-manifests", "--dir", "cluster", "--stdout"];
  const { code, stdout } = slipway(words, { cwd: folder });
  assert.is(code, 0);
  const parts = stdout.split(/^---\n# (.*)\n/m).slice(1);
  const files = parts.flatMap((path, i) => (i % 2 === 0 ? [{ path, text: parts[i + 1] ?? "" }] : []));
  assert.ok(files.length > 20);
  for (const { path, text } of files)
    assert.is(text, readFileSync(join(folder, "cluster", path), "utf8"), path);
  mkdirSync(join(folder, "new"));
  cpSync("examples/none/install-config.yaml", join(folder, "new/install-config.yaml"));
  const refused = slipway(["create", "manifests", "--dir", "new", "--stdout"], { cwd: folder });
  assert.is(refused.code, 1);
  assert.match(refused.stderr, /FUN002/);
  assert.is(refused.stdout, "");
  const json = slipway([...words, "-o", "json"], { cwd: folder });
  assert.is(json.code, 2);
});

test("a stream holds objects alone, in the order in which they are applied, whichever folder has them", () => {
  const folder = cluster();
  const words = ["create", "infrastructure-manifests", "--dir", "cluster"];
  const apart = slipway([...words, "--secrets", "separate"], { cwd: folder });
  assert.is(apart.code, 0, apart.stderr);
  const { stdout } = slipway([...words, "--stdout"], { cwd: folder });
  const paths = [...stdout.matchAll(/^---\n# (.*)\n/gm)].map(([, path = ""]) => path);
  assert.is(paths[0], "infrastructure-manifests/00_namespace.yaml");
  assert.is(paths.at(-1), "infrastructure-manifests/70_cluster.yaml");
  assert.ok(paths.includes("infrastructure-manifests-secrets/20_install-state.yaml"));
  // No API server knows the kind, and Argo CD would wait for its definition.
  assert.not.match(stdout, /^kind: Kustomization$/m);
  const { items } = run(list({ directory: "cluster" }), folder);
  assert.equal(
    items.map((item) => member(item, "metadata", "annotations", "config.kubernetes.io/path")),
    paths,
  );
});

const hasKustomize = spawnSync("kustomize", ["version"]).status === 0;
const withKustomize = hasKustomize
  ? test
  : (name: string, _: () => void) => skipTest(test, name, "needs kustomize");

withKustomize("kustomize build with slipway as a generator gives what it gives for the folder", () => {
  const folder = cluster();
  writeFileSync(
    join(folder, "slipway-function"),
    `#!/bin/sh\nexec "${process.execPath}" "${BINARY}" function\n`,
    { mode: 0o755 },
  );
  const [, generator = "", kustomization = ""] =
    /```yaml\n(.*?)```.*?```yaml\n(.*?)```/s.exec(readFileSync("docs/function.md", "utf8")) ?? [];
  writeFileSync(join(folder, "generator.yaml"), generator);
  writeFileSync(join(folder, "kustomization.yaml"), kustomization);
  const build = (words: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync("kustomize", ["build", ...words], {
      cwd: folder,
      encoding: "utf8",
      maxBuffer: 1 << 28,
    });
    assert.is(status, 0, stderr);
    return stdout;
  };
  assert.is(
    build(["--enable-alpha-plugins", "--enable-exec", "."]),
    build(["cluster/infrastructure-manifests"]),
  );
});

test("the plugin of Argo CD is what its server reads, finds the directory, and its command writes the objects", () => {
  const root = cluster();
  const made = slipway(["init", "--fleet", "fleet.txt", "--secrets", "sops", "--gitops", "argocd"], {
    cwd: root,
  });
  assert.is(made.code, 0, made.stderr);
  const map = parseYaml(readFileSync(join(root, "gitops/argocd/plugin/plugin.yaml"), "utf8"));
  const plugin = parseYaml(String(member(map, "data", "plugin.yaml")));
  // argoproj/argo-cd cmpserver/plugin/config.go: what it reads, and what has to be there.
  assert.is(member(plugin, "kind"), "ConfigManagementPlugin");
  assert.ok(member(plugin, "metadata", "name"));
  const known = ["version", "init", "generate", "discover", "parameters", "lockRepo", "preserveFileMode"];
  for (const name of Object.keys(Object(member(plugin, "spec")))) assert.ok(known.includes(name), name);
  const folder = join(cluster(), "cluster");
  assert.ok(existsSync(join(folder, String(member(plugin, "spec", "discover", "fileName")))));
  const command = member(plugin, "spec", "generate", "command");
  const [program, ...words] = (Array.isArray(command) ? command : []).map(String);
  assert.is(program, "/slipway");
  const { code, stdout, stderr } = slipway(words, { cwd: folder });
  assert.is(code, 0, stderr);
  assert.ok(stdout.split(/^---$/m).length > 20);
});

const KPT = "kpt puts the objects of the folder into a package, and the same again at the next run";
if (spawnSync("kpt", ["version"]).status !== 0) skipTest(test, KPT, "needs kpt");
else
  test(KPT, () => {
    const folder = cluster();
    const bin = join(folder, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "slipway"), `#!/bin/sh\nexec "${process.execPath}" "${BINARY}" "$@"\n`, {
      mode: 0o755,
    });
    const pkg = join(folder, "package");
    mkdirSync(pkg);
    writeFileSync(join(pkg, "Kptfile"), "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: heron}\n");
    for (const file of ["install-config.yaml", ".openshift_install_state.json"]) {
      const annotations = {
        "slipway.dev/asset-file": file,
        "config.kubernetes.io/local-config": "true",
      };
      const text = readFileSync(join(folder, "cluster", file), "utf8");
      const metadata = { name: file.replaceAll(/[^a-z]+/g, ""), annotations };
      const secret = { apiVersion: "v1", kind: "Secret", metadata, stringData: { file: text } };
      writeFileSync(join(pkg, `${metadata.name}.yaml`), JSON.stringify(secret));
    }
    const [, line = ""] = /^(kpt fn eval .*)$/m.exec(readFileSync("docs/function.md", "utf8")) ?? [];
    const evaluate = (): ReadonlyMap<string, Buffer> => {
      const { status, stderr } = spawnSync("sh", ["-c", line], {
        cwd: pkg,
        encoding: "utf8",
        maxBuffer: 1 << 28,
        env: { PATH: `${bin}:${process.env["PATH"] ?? ""}`, HOME: folder },
      });
      assert.is(status, 0, stderr);
      return readTree(pkg);
    };
    const first = evaluate();
    const made = new Map(
      [...readTree(join(folder, "cluster/infrastructure-manifests"))]
        .filter(([path]) => path !== "kustomization.yaml")
        .map(([path, data]) => [path, plain(data)]),
    );
    const inside = /^infrastructure-manifests\//;
    const given = new Map(
      [...first].flatMap(([path, data]) =>
        inside.test(path) ? [[path.replace(inside, ""), plain(data)] as const] : [],
      ),
    );
    assert.ok(made.size > 20);
    assert.equal(given, made);
    assert.equal(evaluate(), first);
  });

/** An object without the annotations by which kpt knows files. */
function plain(data: Buffer): Json {
  const object = parseYaml(data.toString());
  if (!isObject(object) || !isObject(object["metadata"])) return object;
  const { annotations, ...metadata } = object["metadata"];
  const kept = Object.entries(isObject(annotations) ? annotations : {}).filter(
    ([name]) => !/^(?:internal\.)?config\.kubernetes\.io\//.test(name),
  );
  const left = kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) };
  return { ...object, metadata: { ...metadata, ...left } };
}

test.run();
