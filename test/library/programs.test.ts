/** The programs that docs/library.md names: compiled by `tsc --strict` and run against the packed tarball in an empty project. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { tempFolder } from "../helpers/temp.js";

const test = suite("library");

const PROGRAMS = ["check", "cluster", "gates"];

const run = (command: string, args: readonly string[], cwd: string): string => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  assert.is(status, 0, `${command} ${args.join(" ")}\n${stdout}${stderr}`);
  return stdout;
};

/** An empty project with the tarball in it. */
const project = tempFolder();

test.before(() => {
  const tarballs = tempFolder();
  run(process.execPath, ["scripts/build-library.mjs"], ".");
  run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", tarballs], ".");
  const [tarball = ""] = readdirSync(tarballs);
  mkdirSync(join(project, "node_modules/slipway"), { recursive: true });
  run(
    "tar",
    ["-xzf", join(tarballs, tarball), "-C", join(project, "node_modules/slipway"), "--strip-components=1"],
    ".",
  );
  mkdirSync(join(project, "node_modules/@types"));
  for (const name of ["node", "undici-types"])
    symlinkSync(
      resolve("node_modules", name === "node" ? "@types/node" : name),
      join(project, "node_modules", name === "node" ? "@types/node" : name),
    );
  writeFileSync(join(project, "package.json"), '{ "type": "module" }\n');
  for (const name of PROGRAMS) cpSync(join("examples/library", `${name}.ts`), join(project, `${name}.ts`));
  for (const name of ["none", "aws"])
    cpSync(join("examples", name, "install-config.yaml"), join(project, `${name}.yaml`));
});

test("the programs compile without a cast, and without what the library is made with", () => {
  const compiler = resolve("node_modules/typescript/lib/tsc.js");
  const flags = ["--strict", "--module", "nodenext", "--target", "es2022", "--types", "node"];
  run(process.execPath, [compiler, ...flags, ...PROGRAMS.map((name) => `${name}.ts`)], project);
});

test("the check names what is wrong, and nothing where all is right", () => {
  assert.is(run(process.execPath, ["check.js", "none.yaml", "aws.yaml"], project), "");
  writeFileSync(join(project, "bad.yaml"), "apiVersion: v1\nplatform: {none: {}}\n");
  const { status, stdout } = spawnSync(process.execPath, ["check.js", "bad.yaml"], {
    cwd: project,
    encoding: "utf8",
  });
  assert.is(status, 1);
  assert.match(stdout, /^bad\.yaml:\d+:\d+: error: .*baseDomain/m);
});

test("a cluster that is compiled again stays as it is", () => {
  const lines = run(process.execPath, ["cluster.js", "none.yaml"], project).trim().split("\n");
  assert.ok(lines.length > 40);
  assert.equal([...new Set(lines.map((line) => line.split(" ")[0]))], ["unchanged"]);
});

test("gates that change", () => {
  assert.match(run(process.execPath, ["gates.js"], project), /^\w+: on$/m);
});

test.run();
