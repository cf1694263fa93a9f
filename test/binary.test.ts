/**
 * The executable of `npm run build:binary`, in a root directory that holds it and what the Containerfile puts beside it,
 * the libraries it is linked with: no Node, no /etc, no /tmp, no /proc.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type CliResult, slipway } from "./helpers/cli.js";
import { expectedFiles } from "./helpers/golden.js";
import { skipTest } from "./helpers/shared.js";
import { readTree, tempFolder } from "./helpers/temp.js";

const test = suite("binary");

const FIXED = { SOURCE_DATE_EPOCH: "1800000000" };
const image = tempFolder();
const readme = readFileSync("README.md", "utf8");

/** Changing the root directory needs root, or a user namespace of one's own. */
const chroot = [["chroot"], ["unshare", "--map-root-user", "chroot"]].find(([command = "", ...words]) => {
  const { status } = spawnSync(command, [...words, "/", "true"]);
  return status === 0;
});

function inImage(words: readonly string[]): CliResult {
  const [command = "", ...before] = chroot ?? [];
  const { status, stdout, stderr } = spawnSync(command, [...before, image, "/slipway", ...words], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { PATH: process.env["PATH"], ...FIXED },
  });
  return { code: status, stdout, stderr };
}

function run(words: readonly string[]): string {
  const { code, stdout, stderr } = inImage(words);
  assert.is(code, 0, `${words.join(" ")}\n${stdout}${stderr}`);
  return stdout;
}

if (process.platform !== "linux" || chroot === undefined)
  skipTest(test, "the executable in an empty root directory", "needs Linux and chroot");
else {
  test.before(() => {
    const folder = tempFolder();
    const build = spawnSync(process.execPath, ["scripts/build-binary.mjs", folder], { encoding: "utf8" });
    assert.is(build.status, 0, build.stdout + build.stderr);
    // The step of the Containerfile that gathers the image, with folders of ours.
    const [, gather = ""] = /^RUN (for .*)$/m.exec(readFileSync("Containerfile", "utf8")) ?? [];
    const { status, stderr } = spawnSync(
      "sh",
      ["-c", gather.replaceAll("/image", image).replaceAll("dist-binary", folder)],
      { encoding: "utf8" },
    );
    assert.is(status, 0, stderr);
  });

  test("the image holds the executable and the libraries that docs/binary.md names", () => {
    const docs = readFileSync("docs/binary.md", "utf8");
    const files = [...readTree(image).keys()]
      .filter((path) => path !== "slipway")
      .map((path) => basename(path));
    assert.ok(files.length > 0);
    for (const name of files)
      assert.ok(docs.includes(`\`${name.replace(/^ld-linux-.*$/, "ld-linux")}`), name);
  });

  test("a fleet is worked on, and the bytes are those that each cluster gets alone", () => {
    const config = readFileSync("examples/none/install-config.yaml", "utf8");
    const seed = new Uint8Array(32).map((_, i) => (i * 53 + 7) % 256);
    writeFileSync(join(image, "seed"), seed);
    for (const name of ["a", "b", "c", "alone"]) {
      mkdirSync(join(image, "fleet", name), { recursive: true });
      writeFileSync(join(image, "fleet", name, "install-config.yaml"), config);
    }
    writeFileSync(join(image, "fleet/list"), "fleet/a\nfleet/b\nfleet/c\n");
    const flags = ["--seed", "seed", "--key-algorithm", "ecdsa-p256"];
    run(["create", "manifests", "--fleet", "fleet/list", ...flags]);
    run(["create", "manifests", "--dir", "fleet/alone", ...flags]);
    const tree = (name: string) =>
      [...readTree(join(image, "fleet", name))].filter(([path]) => !path.startsWith(".slipway/"));
    for (const name of ["a", "b", "c"]) assert.equal(tree(name), tree("alone"), name);
  });

  test("the main job of the README gives the bytes that the package gives", () => {
    const [, block = ""] = /^```sh\nmkdir -p out\/aws[^\n]*\n([\s\S]*?)^```$/m.exec(readme) ?? [];
    const commands = block
      .split("\n")
      .filter((line) => line.startsWith("node dist/slipway.js "))
      .map((line) => [...line.split(" ").slice(2), "--seed", "out/seed"]);
    assert.is(commands.length, 2);
    const node = tempFolder();
    for (const root of [node, image]) {
      mkdirSync(join(root, "examples"));
      mkdirSync(join(root, "out/aws"), { recursive: true });
      cpSync("examples/aws", join(root, "examples/aws"), { recursive: true });
      cpSync("examples/aws/install-config.yaml", join(root, "out/aws/install-config.yaml"));
      writeFileSync(join(root, "out/seed"), createHash("sha256").update("seed").digest());
    }
    for (const words of commands) {
      const { code, stdout, stderr } = slipway(words, { cwd: node, env: FIXED });
      assert.is(code, 0, stderr);
      assert.is(run(words), stdout);
    }
    const [expected, made] = [node, image].map((root) => readTree(join(root, "out/aws")));
    assert.ok((expected?.size ?? 0) > 60);
    expected?.delete(".slipway/local.json");
    made?.delete(".slipway/local.json");
    assert.equal([...(made?.keys() ?? [])], [...(expected?.keys() ?? [])]);
    for (const [path, data] of expected ?? []) assert.ok(made?.get(path)?.equals(data), path);
  });

  test("what the package loads from files of its own, the executable holds", () => {
    assert.match(run(["--version"]), /^\d+\.\d+\.\d+\nOpenShift /);
    assert.is(run(["--version"]), slipway(["--version"]).stdout);
    assert.match(run(["graph", "--format", "svg"]), /<svg /);
    cpSync("golden/generate-tables/input", join(image, "tables"), { recursive: true });
    run(["generate", "feature-gates", "--input", "/tables/gates.yaml", "--out", "/tables/gates.ts"]);
    assert.is(
      readFileSync(join(image, "tables/gates.ts"), "utf8"),
      expectedFiles("generate-tables").get("gates.ts")?.toString("utf8"),
    );
    cpSync("golden/etcd-statuses/input", join(image, "etcd"), { recursive: true });
    const copy = ["--dump", "/etcd/etcd.json", "--encryption-config", "/etcd/encryption.yaml"];
    const objects = ["--resource", "secrets", "--namespace", "n0", "--out", "/objects"];
    run(["etcd", "extract", ...copy, ...objects, "--target", "1.36", "--as", "yaml"]);
  });

  test("every platform's own files are found", () => {
    const platforms = readdirSync("src/platforms");
    const examples = readdirSync("examples").filter((name) => platforms.includes(name));
    assert.ok(examples.length > 10);
    for (const name of examples) {
      cpSync(join("examples", name), join(image, name), { recursive: true });
      const inputs = { "--facts": `/${name}/facts.yaml`, "--credentials": `/${name}/clouds.yaml` };
      const given = Object.entries(inputs).filter(([, file]) => existsSync(join(image, file)));
      run(["create", "infrastructure-manifests", "--dir", `/${name}`, "--dry-run", ...given.flat()]);
    }
  });
}

test.run();
