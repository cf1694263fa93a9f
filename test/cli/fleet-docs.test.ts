/** docs/fleet.md: every command is run, in order, as a reader would; the Job goes to a real API server. */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { shardOf } from "../../src/fleet/shard.js";
import { parseYaml } from "../../src/text/yaml-parse.js";
import { BINARY, record } from "../helpers/cli.js";
import { kubeTests } from "../helpers/kube-servers.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("docs/fleet.md");
const page = readFileSync("docs/fleet.md", "utf8");
const CLUSTERS = ["egret", "heron", "stork"];

/** The blocks of a section, of one language. */
function blocks(title: string, language: string): readonly string[] {
  const section = page.split(/^##+ /m).find((each) => each.startsWith(`${title}\n`)) ?? "";
  const found = [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, kind, block = ""]) =>
    kind === language ? [block] : [],
  );
  assert.is.not(found.length, 0, `${title} has ${language}`);
  return found;
}

/** A folder that has what the page speaks of. */
function folderOfPage(): string {
  const folder = tempFolder();
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/slipway"), `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`);
  chmodSync(join(folder, "bin/slipway"), 0o755);
  cpSync("examples/none", join(folder, "examples/none"), { recursive: true });
  for (const name of CLUSTERS)
    cpSync("examples/none/install-config.yaml", join(folder, "clusters", name, "install-config.yaml"));
  writeFileSync(join(folder, "fleet.txt"), CLUSTERS.map((name) => `clusters/${name}\n`).join(""));
  const [, table = ""] = /<<'END'\n([\s\S]*?)^END$/m.exec(blocks("Use a table", "sh")[0] ?? "") ?? [];
  writeFileSync(join(folder, "fleet.yaml"), table);
  return folder;
}

function shell(folder: string, script: string): string {
  const { status, stdout, stderr } = spawnSync("sh", ["-eu", "-c", script], {
    cwd: folder,
    env: { PATH: `${join(folder, "bin")}:${process.env["PATH"]}` },
    encoding: "utf8",
  });
  record(stdout + stderr);
  assert.is(status, 0, `${script}\n${stdout}\n${stderr}`);
  return stdout + stderr;
}

test("a list, and its shards", () => {
  const folder = folderOfPage();
  const output = shell(folder, blocks("Use a list of directories", "sh").join(""));
  assert.is(output.match(/^3 clusters: 3 ok$/gm)?.length, 3);
  assert.match(output, /"kind":"FleetSummary","ok":true,"clusters":3/);
  const parts = shell(folder, blocks("Split a fleet into shards", "sh").join(""));
  assert.equal(parts.match(/clusters\/\w+/g)?.sort(), CLUSTERS.map((name) => `clusters/${name}`).sort());
});

test("a table, and a matrix of CI over it", () => {
  const folder = folderOfPage();
  assert.is(shell(folder, blocks("Use a table", "sh").join("")).match(/^3 clusters: 3 ok$/gm)?.length, 3);
  const workflow = readFileSync("examples/fleet/matrix.yaml", "utf8");
  const [, shards = ""] = /shard: \[(.*)\]/.exec(workflow) ?? [];
  const [, command = ""] = /run: (slipway .*)$/m.exec(workflow) ?? [];
  const parts = shards.split(", ").map((each) => shell(folder, command.replace(/\$\{\{.*?\}\}/, each)));
  assert.equal(
    parts
      .join("")
      .match(/^ok +(\w+)/gm)
      ?.map((line) => line.replace(/^ok +/, ""))
      .sort(),
    CLUSTERS,
  );
});

test("keys made ahead", () => {
  const folder = folderOfPage();
  const output = shell(folder, blocks("Generate keys in advance", "sh").join(""));
  assert.not.match(output, /KEY002/);
  assert.not.match(readFileSync(join(folder, "keys.pool"), "utf8"), /BEGIN/);
});

const member = (value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined =>
  path.reduce<Json | undefined>(
    (inner, key) =>
      typeof key === "number"
        ? isList(inner)
          ? inner[key]
          : undefined
        : isObject(inner)
          ? inner[key]
          : undefined,
    value,
  );

const job = (): JsonObject => {
  const value = parseYaml(readFileSync("examples/fleet/job.yaml", "utf8"));
  assert.ok(isObject(value));
  return value;
};
const argsOf = (pod: Json | undefined): readonly string[] => {
  const args = member(pod, "spec", "containers", 0, "args");
  return isList(args) ? args.map(String) : [];
};

test("what the pods of the Job run does the whole fleet, each cluster once", () => {
  const folder = folderOfPage();
  const args = argsOf(member(job(), "spec", "template"));
  const completions = Number(member(job(), "spec", "completions"));
  shell(folder, "slipway keys --count 78 --out keys.pool");
  const busy = CLUSTERS.map((name) => shardOf(`clusters/${name}`, completions));
  const idle = [0, 1, 2, 3].find((index) => !busy.includes(index)) ?? 0;
  const outputs = [...new Set([...busy, idle])].map((index) => {
    const words = args.map((word) => `'${word.replace("$(JOB_COMPLETION_INDEX)", String(index))}'`);
    return shell(folder, ["slipway", ...words].join(" "));
  });
  assert.equal(outputs.join("").match(/^ok +clusters\/\w+/gm)?.length, 3);
  assert.match(outputs.at(-1) ?? "", /^0 clusters: 0 ok$/m);
  assert.not.match(outputs.join(""), /KEY002/);
});

kubeTests(test, { controllers: ["job-controller"] })(
  "a real API server takes the Job, and its controller gives each pod its index",
  async (kube) => {
    const file = join(tempFolder(), "job.yaml");
    writeFileSync(file, readFileSync("examples/fleet/job.yaml", "utf8"));
    kube.kubectlOk(["create", "serviceaccount", "default"]);
    kube.kubectlOk(["create", "--validate=strict", "-f", file]);
    const parallelism = Number(member(job(), "spec", "parallelism"));
    let pods: readonly Json[] = [];
    for (let left = 200; left > 0 && pods.length < parallelism; left--) {
      await setTimeout(100);
      const list: Json = JSON.parse(kube.kubectlOk(["get", "pods", "-o", "json"]));
      const items = member(list, "items");
      pods = isList(items) ? items : [];
    }
    assert.is(pods.length, parallelism);
    const indexes = pods.map((pod) => {
      const env = member(pod, "spec", "containers", 0, "env");
      assert.ok(
        JSON.stringify(env).includes('"name":"JOB_COMPLETION_INDEX"'),
        "the variable of the arguments",
      );
      return member(pod, "metadata", "annotations", "batch.kubernetes.io/job-completion-index");
    });
    assert.is(new Set(indexes).size, parallelism);
    assert.ok(argsOf(pods[0]).includes("$(JOB_COMPLETION_INDEX)/64"));
  },
);

test.run();
