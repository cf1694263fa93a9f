/**
 * Commands of the README and of every page of docs run as printed, in order, in one shell, from a clean clone. What a
 * block needs besides is on its first line (`helpers/pages.ts`); pages whose marked blocks run elsewhere are named.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BINARY, record } from "../helpers/cli.js";
import { blocksOf, fencesOf, markOf, PAGES } from "../helpers/pages.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("pages");

/** Files of the checkout that Git tracks, or would. */
function tracked(): readonly string[] {
  const { status, stdout } = spawnSync(
    "git",
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    {
      encoding: "utf8",
      maxBuffer: 1 << 28,
    },
  );
  assert.is(status, 0, "needs Git");
  return stdout.split("\0").filter((path) => path !== "" && existsSync(path));
}

/** What `npm install -g .` puts on the PATH. */
function command(folder: string, program: string): string {
  const bin = join(folder, ".bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "slipway"), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(join(bin, "slipway"), 0o755);
  return bin;
}

/** A clone with the built command; what no page changes is linked. */
function clone(): string {
  const folder = tempFolder();
  for (const name of new Set(tracked().map((path) => path.split("/")[0] ?? "")))
    if (name === "examples") cpSync(name, join(folder, name), { recursive: true });
    else symlinkSync(resolve(name), join(folder, name));
  symlinkSync(dirname(resolve(BINARY)), join(folder, "dist"));
  return folder;
}

/** A clone as Git makes it, with the dependencies installed. */
function cleanClone(): string {
  const folder = tempFolder();
  for (const path of tracked()) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    cpSync(path, join(folder, path));
  }
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  return folder;
}

/** What the unmarked blocks of a page print. */
function run(page: string, folder: string, program: string): string {
  const scripts = blocksOf(page).flatMap(({ text, mark }) => (mark === undefined ? [text] : []));
  const { status, stdout, stderr } = spawnSync("bash", ["-euo", "pipefail", "-c", scripts.join("")], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: {
      ...process.env,
      HOME: folder,
      PATH: `${command(folder, program)}:${process.env["PATH"]}`,
      SOURCE_DATE_EPOCH: "1800000000",
    },
  });
  record(stdout + stderr);
  assert.is(status, 0, `${page}\n${stdout}${stderr}`);
  return stdout;
}

/** Sentences of a page that its output has to bear out. */
const PRINTED: { readonly [page: string]: readonly (string | RegExp)[] } = {
  "docs/custom-infrastructure.md": [
    /kind: LakeCluster\n +name: north-shore/,
    /kind: LakeMachineTemplate\n +name: wader/,
    "Compiling again would not change any file",
  ],
  "docs/machine-management.md": [
    /(?:^80_machine-deployment-.*\n){3}/m,
    "group-max-size: '3'",
    "Compiling again would not change any file",
    "mastersSchedulable: false",
  ],
};

for (const page of PAGES.filter((each) => each !== "README.md"))
  if (blocksOf(page).some(({ mark }) => mark === undefined))
    test(`runs ${page}`, () => {
      const printed = run(page, clone(), resolve(BINARY));
      for (const expected of PRINTED[page] ?? []) assert.match(printed, expected);
    });

test("runs README.md, from the installation on", () => {
  const folder = cleanClone();
  run("README.md", folder, join(folder, "dist/slipway.js"));
});

/** Tests that run marked blocks, with the programs that these need where the machine has them. */
const ELSEWHERE: { readonly [page: string]: string } = {
  "docs/git.md": "test/cli/git-docs.test.ts",
  "docs/function.md": "test/pipeline/function.test.ts",
  "docs/gitops.md": "test/cli/init-gitops.test.ts",
};

test("names the test of each page whose marked blocks run elsewhere", () => {
  for (const [page, file] of Object.entries(ELSEWHERE)) {
    assert.ok(
      blocksOf(page).some(({ mark }) => mark !== undefined),
      page,
    );
    assert.match(readFileSync(file, "utf8"), `readFileSync("${page}"`);
  }
});

test("marks blocks in one form, with values that occur in them", () => {
  const faults = PAGES.flatMap((page) =>
    blocksOf(page).flatMap(({ text, line, mark }) => {
      if (mark === undefined) return [];
      const said = markOf(mark);
      const rest = text.slice(mark.length);
      return said === undefined
        ? [`${page}:${line}: ${mark}`]
        : said.replace
            .filter((value) => !rest.includes(value))
            .map((value) => `${page}:${line}: no ${value}`);
    }),
  );
  assert.equal(faults, []);
});

test("has no syntax errors in marked blocks", () => {
  for (const page of PAGES)
    for (const { text, line } of blocksOf(page)) {
      const { status, stderr } = spawnSync("bash", ["-n"], { input: text, encoding: "utf8" });
      assert.is(status, 0, `${page}:${line}: ${stderr}`);
    }
});

test("puts commands into blocks that run or are marked", () => {
  const COMMAND =
    /^(?:\$ )?(?:slipway|node|npm|npx|kubectl|oc|openshift-install|podman|git|sudo|kustomize|kpt) /m;
  const faults = PAGES.flatMap((page) => {
    const text = readFileSync(page, "utf8");
    const outside = fencesOf(page)
      .filter(
        ({ language, text }) =>
          !["sh", "console", "yaml", "ts", "json"].includes(language) && COMMAND.test(text),
      )
      .map(({ line }) => `${page}:${line}`);
    const indented = /\n\n {4}\S/.test(text.replace(/^```[\s\S]*?^```$/gm, ""))
      ? [`${page}: an indented block`]
      : [];
    return [...outside, ...indented];
  });
  assert.equal(faults, []);
});

for (const [line, requires, replace] of [
  ["# Requires: gcloud, jq. Replace: PROJECT, europe-west1", "gcloud, jq", ["PROJECT", "europe-west1"]],
  ["# Requires: openshift-install of the release", "openshift-install of the release", []],
  ["# Replace: cluster", "", ["cluster"]],
] as const)
  test(`reads the mark "${line}"`, () => assert.equal(markOf(line), { requires, replace }));

for (const line of ["# Requires:", "# Replace PULLSPEC", "# Requires gcloud", "# Replace: a. Requires: b"])
  test(`refuses the mark "${line}"`, () => {
    const said = markOf(line);
    assert.ok(said === undefined || said.replace.some((value) => value.includes("Requires")));
  });

test.run();
