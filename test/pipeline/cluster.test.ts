/** A cluster in memory is what the command line writes. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import packageJson from "../../package.json" with { type: "json" };
import { encode } from "../../src/core/files.js";
import { type ClusterInput, compileCluster } from "../../src/pipeline/cluster.js";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("clusters in memory");

const SEED = new Uint8Array(32).map((_, i) => (i * 37 + 11) % 256);
const EPOCH = 1_767_225_600;

const INPUTS: ClusterInput["inputs"] = {
  clock: { now: () => new Date(EPOCH * 1000) },
  random: {
    bytes: () => {
      throw new Error("with a seed nothing is drawn");
    },
  },
  keys: {
    generate: () => {
      throw new Error("with a seed no key is drawn");
    },
  },
};

const TOOL = `slipway ${packageJson.version}`;

/** The files below a folder by path; those of slipway's own folder left out. */
function filesOf(folder: string): Map<string, string> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name).slice(folder.length + 1))
    .filter((path) => !/^\.slipway\/(?!record)/.test(path) && !path.startsWith(".git"));
  return new Map(found.sort().map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

for (const name of ["none", "aws"])
  for (const target of ["manifests", "infrastructure-manifests"] as const)
    test(`${name}: ${target} are those of a directory, also with an edit of the user`, async () => {
      const folder = tempFolder();
      const example = join("examples", name);
      cpSync(join(example, "install-config.yaml"), join(folder, "install-config.yaml"));
      const facts = name === "aws" ? readFileSync(join(example, "facts.yaml"), "utf8") : undefined;
      const seed = join(tempFolder(), "seed");
      writeFileSync(seed, SEED);
      const words = ["create", target, "--dir", folder, "--key-algorithm", "ecdsa-p256"];
      const flags = facts === undefined ? [] : ["--facts", join(example, "facts.yaml")];
      const run = (more: readonly string[] = []): void => {
        const { code, stderr } = slipway([...words, ...flags, ...more], {
          env: { SOURCE_DATE_EPOCH: String(EPOCH) },
        });
        assert.is(code, 0, stderr);
      };
      run(["--seed", seed]);

      const input = (files: ClusterInput["files"]): ClusterInput => ({
        files,
        target,
        texts: facts === undefined ? {} : { facts: { file: "facts.yaml", text: facts } },
        seed: SEED,
        keyAlgorithm: "ecdsa-p256",
        inputs: INPUTS,
        tool: TOOL,
      });
      const config = readFileSync(join(example, "install-config.yaml"));
      const first = await compileCluster(input(new Map([["install-config.yaml", config]])));
      assert.equal(
        first.diagnostics.filter(({ severity }) => severity === "error"),
        [],
      );
      const made = (given: typeof first): Map<string, string> =>
        new Map(
          [...given.files, ...(given.state === undefined ? [] : [given.state])].map(({ path, data }) => [
            path,
            Buffer.from(data).toString("utf8"),
          ]),
        );
      const onDisk = filesOf(folder);
      for (const [path, text] of made(first)) assert.is(text, onDisk.get(path), path);
      assert.is(
        made(first).size,
        [...onDisk.keys()].filter((path) => !/^(install-config|\.slipway)/.test(path)).length,
      );

      // The next run, with a manifest of the user beside and an edit in another one.
      const edited = new Map<string, Uint8Array>([
        ["install-config.yaml", config],
        [".slipway/record.json", first.record ?? new Uint8Array()],
        ...[...made(first)].map(([path, text]): [string, Uint8Array] => [path, encode(text)]),
        ["manifests/own.yaml", encode("apiVersion: v1\nkind: Namespace\nmetadata: {name: own}\n")],
      ]);
      for (const [path, data] of edited) {
        mkdirSync(join(folder, path, ".."), { recursive: true });
        if (path === "manifests/own.yaml") writeFileSync(join(folder, path), data);
      }
      run();
      const second = await compileCluster(input(edited));
      assert.ok(second.ok);
      const after = filesOf(folder);
      for (const [path, text] of made(second)) assert.is(text, after.get(path), path);
      assert.is(
        second.files.some(({ path }) => path === "manifests/own.yaml"),
        true,
      );
    });

test("errors are diagnostics, and there are no files then", async () => {
  const nothing = { target: "manifests", inputs: INPUTS, tool: TOOL } as const;
  const none = await compileCluster({ ...nothing, files: new Map() });
  assert.is(none.ok, false);
  assert.equal(none.files, []);
  assert.ok(none.diagnostics.length > 0);
  const old = await compileCluster({ ...nothing, files: new Map(), flags: { release: "4.2" } });
  assert.ok(old.diagnostics.some(({ code, field }) => code === "VER012" && field === "release"));
  const weak = await compileCluster({ ...nothing, files: new Map(), seed: encode("x".repeat(32)) });
  assert.ok(weak.diagnostics.some(({ code }) => code === "ID005"));
});

test.run();
