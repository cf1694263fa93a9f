import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GIT_LAYOUTS, ignoreText, refreshedIgnore, withLines } from "../../src/directory/git-files.js";
import { slipway } from "../helpers/cli.js";
import { readTree, tempFolder } from "../helpers/temp.js";

const test = suite("init");
const CONFIG = readFileSync("examples/none/install-config.yaml");

function repository(): string {
  const root = tempFolder();
  for (const folder of ["objects", "refs"]) mkdirSync(join(root, ".git", folder), { recursive: true });
  writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/main\n");
  mkdirSync(join(root, "clusters/heron"), { recursive: true });
  writeFileSync(join(root, "clusters/heron/install-config.yaml"), CONFIG);
  return root;
}

const init = (root: string, ...more: readonly string[]) =>
  slipway(["init", "--dir", "clusters/heron", ...more], { cwd: root });
const names = (root: string): string[] => [...readTree(root).keys()];

test("writes what Git, an editor, CI and pre-commit want, and a second run changes nothing", () => {
  const root = repository();
  assert.is(init(root, "--ci", "github", "--pre-commit").code, 0);
  const before = readTree(root);
  for (const name of [
    ".github/workflows/slipway.yaml",
    ".pre-commit-config.yaml",
    "clusters/heron/.gitattributes",
    "clusters/heron/.gitignore",
    "clusters/heron/.vscode/settings.json",
    "clusters/heron/.vscode/schemas/install-config.schema.json",
  ])
    assert.ok(before.has(name), name);
  assert.match(
    before.get(".pre-commit-config.yaml")?.toString() ?? "",
    /slipway check --dir clusters\/heron$/m,
  );
  assert.is(init(root, "--ci", "github", "--pre-commit").code, 0);
  assert.equal(readTree(root), before);
});

test("a clone has the schemas that the settings of its editor name", () => {
  const root = repository();
  const git = (...words: readonly string[]) =>
    spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...words], {
      cwd: root,
      encoding: "utf8",
    });
  assert.is(git("init", "--quiet").status, 0);
  assert.is(init(root).code, 0);
  const { code, stderr } = slipway(
    ["create", "manifests", "--dir", "clusters/heron", "--key-algorithm", "ecdsa-p256"],
    { cwd: root },
  );
  assert.is(code, 0, stderr);
  git("add", "--all");
  const held = git("ls-files").stdout.split("\n");
  const settings: { "yaml.schemas": Record<string, unknown> } = JSON.parse(
    readFileSync(join(root, "clusters/heron/.vscode/settings.json"), "utf8"),
  );
  const schemas = Object.keys(settings["yaml.schemas"]);
  assert.is(schemas.length, 2);
  for (const each of schemas) assert.ok(held.includes(join("clusters/heron", each)), each);
});

test("settings that name the schemas where they lay before are brought up to date, edited ones are not", () => {
  const root = repository();
  assert.is(init(root).code, 0);
  const settings = join(root, "clusters/heron/.vscode/settings.json");
  const now = readFileSync(settings, "utf8");
  const former = now.replaceAll(".vscode/schemas/", ".slipway/schemas/");
  assert.is.not(former, now);
  writeFileSync(settings, former);
  assert.is(init(root).code, 0);
  assert.is(readFileSync(settings, "utf8"), now);
  const edited = former.replace("{", '{ "editor.rulers": [120],');
  writeFileSync(settings, edited);
  const refused = init(root);
  assert.is(refused.code, 1);
  assert.match(refused.stderr, "INIT001");
  assert.is(readFileSync(settings, "utf8"), edited);
});

test("a pull secret that Git takes is told, and check says what a clone without anything generated lacks", () => {
  const root = repository();
  const at = join(root, "clusters/heron");
  const run = (...words: readonly string[]) => slipway([...words, "--dir", "clusters/heron"], { cwd: root });
  const create = () => run("create", "manifests", "--key-algorithm", "ecdsa-p256");
  assert.is(create().code, 0);
  const told =
    "install-config.yaml: warning CAPI008: pullSecret: the pull secret is not encrypted, and the file is not ignored by Git";
  assert.match(create().stderr, told);
  const ignore = join(at, ".gitignore");
  const own = readFileSync(ignore, "utf8");
  for (const [file, text] of [
    [join(root, ".gitignore"), "clusters/*/install-config.yaml\n"],
    [join(root, "clusters/.gitignore"), "install-*.yaml\n"],
    [join(root, ".git/info/exclude"), "/clusters/**/install-config.yaml\n"],
  ] as const) {
    const before = existsSync(file) ? readFileSync(file, "utf8") : undefined;
    writeFileSync(file, `${before ?? ""}${text}`);
    assert.not.match(create().stderr, "CAPI008", file);
    writeFileSync(file, `${before ?? ""}${text}!install-config.yaml\n`);
    assert.match(create().stderr, told, file);
    if (before === undefined) rmSync(file);
    else writeFileSync(file, before);
  }
  writeFileSync(ignore, `${own}/install-config.yaml\n`);
  assert.not.match(create().stderr, "CAPI008");
  for (const each of ["manifests", "openshift", ".openshift_install_state.json", ".slipway/local.json"])
    rmSync(join(at, each), { recursive: true });
  const { code, stdout } = run("check");
  assert.is(code, 0);
  assert.match(stdout, "First restore it");
  assert.not.match(stdout, "slipway create");
});

test("the first create lays out secrets as init was told, and a flag decides otherwise", () => {
  const create = (root: string, ...more: readonly string[]): readonly string[] => {
    const { code, stderr } = slipway(
      [
        "create",
        "infrastructure-manifests",
        "--dir",
        "clusters/heron",
        "--key-algorithm",
        "ecdsa-p256",
        ...more,
      ],
      { cwd: root },
    );
    return code === 0 ? names(root) : [stderr];
  };
  const secrets = "clusters/heron/infrastructure-manifests-secrets/20_install-state.yaml";
  const separate = repository();
  writeFileSync(join(separate, "clusters/heron/.gitignore"), "/notes/\n");
  init(separate, "--secrets", "separate");
  assert.ok(create(separate).includes(secrets));
  const inline = repository();
  init(inline, "--secrets", "separate");
  assert.not.ok(create(inline, "--secrets", "inline").includes(secrets));
  assert.not.ok(create(inline).includes(secrets), "what was recorded counts");
  const sops = repository();
  init(sops, "--secrets", "sops");
  assert.match(create(sops)[0] ?? "", /SOPS003/);
  const own = repository();
  writeFileSync(join(own, "clusters/heron/.gitignore"), "/tls/\n/notes/\n");
  assert.not.ok(create(own).includes(secrets));
});

test("lines of the user stay, missing ones are added once; any other file of theirs is not touched", () => {
  const root = repository();
  const ignore = join(root, "clusters/heron/.gitignore");
  writeFileSync(ignore, "/notes/\r\n/auth/\r\n!/auth/keep");
  assert.is(init(root).code, 0);
  const text = readFileSync(ignore, "utf8");
  assert.ok(text.startsWith("/notes/\r\n/auth/\r\n!/auth/keep\n/.openshift_install_state.json\n"));
  assert.is(text.match(/auth\/\s/g)?.length, 1);
  writeFileSync(join(root, ".gitlab-ci.yml"), "other: {}\n");
  const tree = readTree(root);
  const { code, stderr } = init(root, "--ci", "gitlab", "--pre-commit");
  assert.is(code, 1);
  assert.match(stderr, /INIT001.*slipway check --dir clusters\/heron/);
  assert.equal(readTree(root), tree);
});

test("in a Git work tree the first run of create ignores what it writes in the open, also when the layout changes", () => {
  const root = repository();
  const run = (...more: string[]) =>
    slipway(["create", "manifests", "--dir", "clusters/heron", "--key-algorithm", "ecdsa-p256", ...more], {
      cwd: root,
    });
  const ignore = (): string => readFileSync(join(root, "clusters/heron/.gitignore"), "utf8");
  assert.is(run().code, 0);
  assert.is(ignore(), ignoreText("inline"));
  assert.is(run("--secrets", "separate").code, 0);
  assert.is(ignore(), ignoreText("separate"));
  writeFileSync(join(root, "clusters/heron/.gitignore"), `${ignore()}/mine/\n`);
  assert.is(run("--secrets", "inline").code, 0);
  assert.match(ignore(), /\/mine\//);
  const outside = tempFolder();
  writeFileSync(join(outside, "install-config.yaml"), CONFIG);
  assert.is(slipway(["create", "manifests", "--dir", outside, "--key-algorithm", "ecdsa-p256"]).code, 0);
  assert.not.ok(names(outside).includes(".gitignore"));
});

test("an ignore file is refreshed only where a run wrote it, whatever Git did to its line ends", () => {
  for (const from of GIT_LAYOUTS)
    for (const to of GIT_LAYOUTS) {
      const old = Buffer.from(ignoreText(from).replaceAll("\n", "\r\n"));
      assert.is(refreshedIgnore(old, to), from === to ? undefined : ignoreText(to));
      assert.is(refreshedIgnore(Buffer.from(`${ignoreText(from)}x\n`), to), undefined);
    }
  assert.is(withLines(undefined, ["a"]), "a\n");
  assert.is(withLines("a", ["a"]), undefined);
});

test("refuses what is no regular file in the place of one of its own", () => {
  for (const [path, target] of [
    ["clusters/heron/.gitattributes", "/dev/zero"],
    ["clusters/heron/.gitignore", "/dev/zero"],
    ["clusters/heron/.vscode/settings.json", "/dev/zero"],
    [".pre-commit-config.yaml", "/dev/zero"],
    [".github/workflows/slipway.yaml", "."],
  ] as const) {
    const root = repository();
    mkdirSync(dirname(join(root, path)), { recursive: true });
    symlinkSync(target, join(root, path));
    const before = names(root);
    const { code, stderr } = init(root, "--ci", "github", "--pre-commit");
    assert.is(code, 1, stderr);
    assert.match(
      stderr,
      new RegExp(`${path}: error DIR001: cannot read ${path}: is (not a regular file|a folder)`),
    );
    assert.is(stderr.match(/error DIR001/g)?.length, 1);
    assert.equal(names(root), before);
  }
});

test.run();
