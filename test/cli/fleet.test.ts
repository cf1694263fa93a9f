/** `--fleet`: many clusters in one run, killed, broken, in shards. */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BINARY, type CliResult, slipway } from "../helpers/cli.js";
import { hasTerminal, onTerminal } from "../helpers/pty.js";
import { skipTest } from "../helpers/shared.js";
import { readModes, readTree, tempFolder } from "../helpers/temp.js";

const test = suite("cli/fleet");
const FIXED = { SOURCE_DATE_EPOCH: "1700000000" };
const ROUNDS = Number(process.env["SLIPWAY_KILL_ROUNDS"] ?? 9);
const STATE = ".openshift_install_state.json";
const PULL_SECRET = `'{"auths":{"registry.example.org":{"auth":"dXNlcjpwYXNz"}}}'`;

const config = (name: string): string =>
  [
    "apiVersion: v1",
    "baseDomain: lab.example.org",
    `metadata: {name: ${name}}`,
    "compute: [{name: worker, replicas: 2}]",
    "networking: {machineNetwork: [{cidr: 192.0.2.0/24}]}",
    "platform: {none: {}}",
    `pullSecret: ${PULL_SECRET}`,
    "",
  ].join("\n");

const TABLE = (names: readonly string[], more = ""): string =>
  [
    "apiVersion: slipway.dev/v1alpha1",
    "kind: Fleet",
    "defaults:",
    "  flags: {key-algorithm: ecdsa-p256, secrets: separate}",
    "  installConfig:",
    ...config("x")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("metadata"))
      .map((line) => `    ${line}`),
    "clusters:",
    ...names.map((name) => `- {dir: clusters/${name}, name: ${name}}`),
    more,
  ].join("\n");

const run = (cwd: string, words: string, input = ""): CliResult =>
  slipway(words.split(" "), { cwd, env: FIXED, input });

interface Line {
  readonly kind: string;
  readonly cluster: string;
  readonly exit: number;
  readonly result: {
    readonly kind: string;
    readonly files?: readonly { readonly status: string }[];
    readonly diagnostics: readonly { readonly code: string }[];
  };
  readonly clusters: number;
  readonly done: number;
  readonly no: number;
  readonly failed: number;
  readonly diagnostics?: readonly { readonly message: string; readonly hint: string }[];
}
const lines = ({ stdout }: CliResult): Line[] =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** A folder with directories of their own, and a list of them. */
function folderOf(names: readonly string[]): string {
  const root = tempFolder();
  for (const name of names) {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, "install-config.yaml"), config(name));
  }
  writeFileSync(join(root, "list"), `${names.join("\n")}\n`);
  return root;
}

test("a list: each cluster gets what it gets alone, and is judged by check and validate", () => {
  const names = ["egret", "heron", "stork"];
  const root = folderOf(names);
  const seed = join(root, "seed");
  writeFileSync(
    seed,
    Uint8Array.from({ length: 32 }, (_, i) => (i * 41 + 3) % 256),
  );
  const flags = "--key-algorithm ecdsa-p256 --seed seed --secrets separate";
  const alone = tempFolder();
  cpSync(root, alone, { recursive: true });
  const made = run(root, `create infrastructure-manifests --fleet list ${flags}`);
  assert.is(made.code, 0, made.stderr);
  assert.match(
    made.stdout,
    /^ok {6}egret: \d+ of \d+ files changed\nok {6}heron: .*\nok {6}stork: .*\n3 clusters: 3 ok\n$/,
  );
  for (const name of names)
    assert.is(run(alone, `create infrastructure-manifests --dir ${name} ${flags}`).code, 0);
  assert.equal(readTree(root), readTree(alone));
  assert.equal(readModes(root), readModes(alone));

  assert.match(run(root, "check --fleet list").stdout, /3 clusters: 3 ok\n$/);
  assert.is(run(root, "validate --fleet - -o json", "egret\n").code, 1, "placeholders of the platform none");
  const config = join(root, "heron/install-config.yaml");
  writeFileSync(config, readFileSync(config, "utf8").replace("replicas: 2", "replicas: 0"));
  const checked = run(root, "check --fleet list -o json");
  assert.is(checked.code, 3);
  assert.equal(
    lines(checked).map(({ kind, cluster, exit, result }) => [kind, cluster, exit, result?.kind]),
    [
      ["FleetClusterResult", "egret", 0, "CheckResult"],
      ["FleetClusterResult", "heron", 3, "CheckResult"],
      ["FleetClusterResult", "stork", 0, "CheckResult"],
      ["FleetSummary", undefined, 3, undefined],
    ],
  );
});

test("a table makes directories and install-configs, keeps them up to date, and leaves those of others alone", () => {
  const root = tempFolder();
  const file = join(root, "fleet.yaml");
  writeFileSync(file, TABLE(["egret", "heron"]));
  assert.match(run(root, "validate --fleet fleet.yaml").stdout, /2 clusters: 2 ok\n$/);
  assert.match(run(root, "create manifests --fleet fleet.yaml --dry-run").stdout, /2 clusters: 2 ok\n$/);
  assert.equal(readdirSync(root), ["fleet.yaml"], "so far nothing was written");
  // From elsewhere the same, by the folder of the table.
  const made = run(tempFolder(), `create manifests --fleet ${file}`);
  assert.is(made.code, 0, made.stderr);
  assert.match(
    readFileSync(join(root, "clusters/egret/install-config.yaml"), "utf8"),
    /^# Written by slipway.*\n[\s\S]*name: egret/,
  );
  assert.is(readModes(root).get("clusters/egret/install-config.yaml"), 0o600);
  assert.is(run(root, "check --fleet fleet.yaml").code, 0);

  writeFileSync(file, readFileSync(file, "utf8").replace("lab.example.org", "hut.example.org"));
  const behind = run(root, "check --fleet fleet.yaml");
  assert.is(behind.code, 3);
  assert.match(behind.stderr, /egret: install-config\.yaml: warning FLEET003: .* \(1 more FLEET003\)/);
  assert.is(run(root, "create manifests --fleet fleet.yaml").code, 0);
  assert.is(run(root, "check --fleet fleet.yaml").code, 0);

  const own = join(root, "clusters/heron/install-config.yaml");
  writeFileSync(own, config("heron"));
  const refused = run(root, "create manifests --fleet fleet.yaml");
  assert.is(refused.code, 1);
  assert.match(refused.stderr, /^heron: install-config\.yaml: error DIR019/m);
  assert.match(refused.stdout, /^ok {6}egret: 0 of/m);
  assert.is(readFileSync(own, "utf8"), config("heron"));
});

test("an install-config of a table is listed where it is written, and one that somebody edited stays", () => {
  const root = tempFolder();
  writeFileSync(join(root, "fleet.yaml"), TABLE(["egret"]));
  const listed = (words: string): unknown => {
    const [answer] = lines(run(root, `create manifests --fleet fleet.yaml --output json${words}`));
    return answer?.result.files?.find((each) => Reflect.get(each, "path") === "install-config.yaml");
  };
  const file = (status: string) => ({ path: "install-config.yaml", status });
  assert.equal(listed(" --dry-run"), file("created"));
  assert.equal(listed(""), file("created"));
  assert.is(listed(""), undefined);
  const own = join(root, "clusters/egret/install-config.yaml");
  const edited = `${readFileSync(own, "utf8")}fips: true\n`;
  writeFileSync(own, edited);
  for (const words of ["create manifests --dry-run", "create manifests"]) {
    const refused = run(root, `${words} --fleet fleet.yaml`);
    assert.is(refused.code, 1, words);
    assert.match(
      refused.stderr,
      /^egret: install-config\.yaml: error FLEET004: .*make the change in the table/m,
    );
    assert.is(readFileSync(own, "utf8"), edited, words);
  }
  assert.is(run(root, "check --fleet fleet.yaml").code, 3);
  rmSync(own);
  assert.equal(listed(""), file("created"));
  writeFileSync(join(root, "fleet.yaml"), TABLE(["egret"]).replace("replicas: 2", "replicas: 3"));
  assert.equal(listed(" --dry-run"), file("updated"));
  assert.equal(listed(""), file("updated"));
});

test("a run that fails leaves the install-config that was there", () => {
  const root = tempFolder();
  writeFileSync(join(root, "fleet.yaml"), TABLE(["egret"]));
  assert.is(run(root, "create manifests --fleet fleet.yaml").code, 0);
  const before = readTree(root);
  before.delete("fleet.yaml");
  writeFileSync(join(root, "fleet.yaml"), TABLE(["egret"]).replace("name: egret", "name: heron"));
  const refused = run(root, "create manifests --fleet fleet.yaml");
  assert.is(refused.code, 1);
  assert.match(refused.stderr, /error DIR012/);
  const after = readTree(root);
  after.delete("fleet.yaml");
  assert.equal([...after], [...before]);
});

test("a flag of the table goes to the commands that take it", () => {
  const root = tempFolder();
  writeFileSync(join(root, "fleet.yaml"), TABLE(["egret"]).replace("flags: {", "flags: {seed: seed, "));
  assert.match(run(root, "create manifests --fleet fleet.yaml").stderr, /error DIR015/);
  writeFileSync(
    join(root, "seed"),
    new Uint8Array(32).map((_, i) => (i * 37 + 11) % 256),
  );
  assert.is(run(root, "create manifests --fleet fleet.yaml").code, 0);
  rmSync(join(root, "seed"));
  for (const command of ["check", "validate"]) {
    const { code, stderr } = run(root, `${command} --fleet fleet.yaml`);
    assert.is(code, 0, stderr);
  }
});

test("the command line goes over the table, and null takes a default back", () => {
  const root = tempFolder();
  writeFileSync(
    join(root, "fleet.yaml"),
    TABLE(["egret"], `- {dir: b, name: heron, flags: {release: "4.20"}}`),
  );
  const releases = (): string[] =>
    ["clusters/egret", "b"].map((name) => {
      const record = readFileSync(join(root, name, ".slipway/record.json"), "utf8");
      return /"option":"release","is":"([^"]*)"/.exec(record)?.[1] ?? "";
    });
  assert.is(run(root, "create manifests --fleet fleet.yaml").code, 0);
  assert.equal(releases(), ["4.22", "4.20"]);
  assert.is(run(root, "create manifests --fleet fleet.yaml --release 4.21").code, 0);
  assert.equal(releases(), ["4.21", "4.21"]);
});

test("a broken cluster stops no other, and says what is wrong with it", () => {
  const root = folderOf(["a", "b", "c", "d"]);
  writeFileSync(join(root, "b/install-config.yaml"), "apiVersion: v1\nplatform: [\n");
  rmSync(join(root, "c/install-config.yaml"));
  writeFileSync(join(root, "d/.slipway"), "a file in the way");
  const made = run(root, "create manifests --fleet list --key-algorithm ecdsa-p256 -o json");
  assert.is(made.code, 1);
  const [a, b, c, d, summary] = lines(made);
  assert.equal([a?.exit, b?.exit, c?.exit, d?.exit], [0, 1, 1, 1]);
  assert.is(b?.result.diagnostics[0]?.code, "YAML001");
  assert.is(c?.result.diagnostics[0]?.code, "DIR014");
  assert.equal([summary?.clusters, summary?.done, summary?.failed], [4, 1, 3]);
  assert.ok(existsSync(join(root, "a/manifests")));
});

test("what is wrong with the fleet itself is told before anything is written", () => {
  const root = folderOf(["a", "b"]);
  const before = readTree(root);
  const cases: readonly (readonly [file: string, message: RegExp])[] = [
    ["a\nb\n./a\n", /duplicate directory, also on line 1/],
    ["a\nb\ngone\n", /^bad:3:1: error FLEET002: no such directory; create it/m],
    [".\na\n", /a is inside the directory of line 1/],
    [TABLE(["x"], "- {dir: clusters/x/y, name: z}"), /is inside the directory/],
    [TABLE(["x"], "- {dir: v, flags: {dir: w}}"), /flags\.dir: forbidden in a table: --dir/],
    [TABLE(["x"], "- {dir: v, flags: {lenient: 'yes'}}"), /flags\.lenient: must be true or false/],
    [TABLE(["x"], "- {dir: v, flags: {contract: v1}}"), /flags\.contract: .*v1beta1, v1beta2/],
    [
      TABLE(["x"], "- {dir: v, flags: {namespace: nest}}\n- {dir: w, flags: {namespace: nest}}"),
      /FLEET002: namespace: w and v would both use the namespace "nest"/,
    ],
    [TABLE(["x"], "- {dir: v, flags: {no-such: v1}}"), /flags\.no-such: unknown flag --no-such/],
  ];
  for (const [text, message] of cases) {
    writeFileSync(join(root, "bad"), text);
    const { code, stdout, stderr } = run(root, "create manifests --fleet bad --key-algorithm ecdsa-p256");
    assert.is(code, 1, text);
    assert.match(stderr, message);
    assert.is(stdout, "");
    rmSync(join(root, "bad"));
    assert.equal(readTree(root), before, text);
  }
  for (const words of [
    "create manifests --fleet list --dir a",
    "create manifests --fleet list --stdout",
    "create manifests --fleet list --infra-id x",
    "create manifests --fleet list --shard 2/2",
    "create manifests --fleet list --jobs 0",
    "create manifests --dir a --shard 0/2",
    "validate a/install-config.yaml --fleet list",
  ])
    assert.is(run(root, words).code, 2, words);
  const { code, stdout } = run(root, "check --fleet nothing -o json");
  assert.is(code, 1);
  assert.is(JSON.parse(stdout).kind, "FleetSummary");
});

test("a seed beside a pool of keys is refused before any cluster is touched, as one line of json too", () => {
  const root = folderOf(["crane"]);
  const both = run(root, "create manifests --fleet list --seed seed --keys pool --output json");
  assert.is(both.code, 2);
  const [line, ...more] = lines(both);
  assert.is(more.length, 0);
  assert.is(line?.kind, "Failure");
  writeFileSync(join(root, "table"), TABLE(["crane"]).replace("flags: {", "flags: {seed: seed, "));
  const table = run(root, "create manifests --fleet table --keys pool --output json");
  assert.is(table.code, 1, table.stdout);
  assert.match(table.stdout, /"FLEET001".*--keys and --seed are mutually exclusive/);
  assert.equal(readdirSync(root).sort(), ["crane", "list", "table"]);
});

test("shards: together the whole, each cluster once", () => {
  const names = Array.from({ length: 12 }, (_, i) => `c${i}`);
  const root = folderOf(names);
  const seen = [0, 1, 2, 3, 4].flatMap((index) =>
    lines(run(root, `validate --fleet list --shard ${index}/5 --jobs 1 -o json`))
      .map(({ cluster }) => cluster)
      .filter((each) => each !== undefined),
  );
  assert.equal(seen.sort(), [...names].sort());
});

test("keys of a pool: no cluster shares one, and what is missing is made", () => {
  const root = folderOf(["a", "b", "c"]);
  assert.is(run(root, "keys --count 5 --out pool").code, 0);
  const pool = readFileSync(join(root, "pool"), "utf8");
  const made = run(root, "create manifests --fleet list --keys pool");
  assert.is(made.code, 0, made.stderr);
  // What the run needed as a whole, not what one of its clusters lacked: the command fills the pool for such a fleet.
  assert.match(
    made.stderr,
    /^pool: warning KEY002: the pool has too few keys: 1 of the 6 required keys was generated now; refill it: slipway keys --count 6 --out pool$/m,
  );
  assert.is(made.stderr.match(/KEY002/g)?.length, 1);
  assert.match(made.stdout, /3 clusters: 3 ok/);
  assert.not.match(readFileSync(join(root, "pool"), "utf8"), /BEGIN/);
  assert.is(pool.match(/BEGIN/g)?.length, 5);
  const roots = ["a", "b", "c"].map((name) => {
    const state = JSON.parse(readFileSync(join(root, name, STATE), "utf8"));
    return state["*tls.RootCA"].KeyRaw ?? JSON.stringify(state["*tls.RootCA"]);
  });
  assert.is(new Set(roots).size, 3);
});

test("a fleet that lacks keys says once how many it needed; followed, the command serves such a fleet", () => {
  const root = folderOf(["a", "b", "c"]);
  const empty = lines(run(root, "create manifests --fleet list --keys pool --jobs 1 -o json"));
  assert.is(empty.at(-1)?.exit, 1, "there is no pool");
  assert.is(run(root, "keys --count 1 --out pool").code, 0);
  const short = lines(run(root, "create manifests --fleet list --keys pool -o json"));
  assert.equal(
    short.map(({ result }) => result?.diagnostics.filter(({ code }) => code === "KEY002").length ?? 0),
    [0, 0, 0, 0],
  );
  const [warning, ...more] = short.at(-1)?.diagnostics ?? [];
  assert.equal(more, []);
  assert.is(short.at(-1)?.exit, 0);
  assert.match(warning?.message ?? "", /: 5 of the 6 required keys were generated now$/);
  const command = /^refill it: slipway (keys .*)$/.exec(warning?.hint ?? "")?.[1] ?? "";
  assert.is(run(root, command).code, 0);
  for (const name of ["a", "b", "c"])
    for (const path of [STATE, ".slipway", "manifests", "openshift"])
      rmSync(join(root, name, path), { recursive: true });
  const again = run(root, "create manifests --fleet list --keys pool");
  assert.is(again.code, 0, again.stderr);
  assert.not.match(again.stderr, /KEY002/);
  assert.not.match(readFileSync(join(root, "pool"), "utf8"), /BEGIN/);
});

/** Kills a run, with every process that it started, or it alone. */
async function killed(root: string, words: string, after: number, signal: NodeJS.Signals): Promise<void> {
  const child = spawn(process.execPath, [BINARY, ...words.split(" ")], {
    cwd: root,
    env: { PATH: process.env["PATH"], ...FIXED },
    stdio: "ignore",
    detached: true,
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  await new Promise((resolve) => setTimeout(resolve, after));
  // SIGINT goes to all, as from a terminal; of SIGKILL the others learn by the end of the first.
  try {
    if (child.pid !== undefined) process.kill(signal === "SIGINT" ? -child.pid : child.pid, signal);
  } catch {
    // It was done before.
  }
  await ended;
}

test("a table that calls a cluster otherwise than its own install-config is told", () => {
  const root = folderOf(["egret", "heron"]);
  writeFileSync(
    join(root, "fleet.yaml"),
    "apiVersion: slipway.dev/v1alpha1\nkind: Fleet\nclusters:\n- {dir: egret, name: egret}\n- {dir: heron, name: stork}\n",
  );
  for (const words of [
    "validate --fleet fleet.yaml",
    "create manifests --fleet fleet.yaml --key-algorithm ecdsa-p256",
  ]) {
    const { code, stderr } = run(root, words);
    assert.is(code, 0, stderr);
    assert.equal(
      [
        ...stderr.matchAll(
          /^(\w+): .*FLEET003: metadata\.name: the cluster is named (\w+) in .* but (\w+) in /gm,
        ),
      ].map((each) => each.slice(1)),
      [["stork", "stork", "heron"]],
    );
  }
});

/** What ended a run that waits for its standard input, interrupted when it has begun to, and its output. */
async function interrupted(
  words: readonly string[],
): Promise<{ signal: NodeJS.Signals | null; stdout: string }> {
  for (let wait = 200; ; wait *= 2) {
    const child = spawn(process.execPath, [BINARY, ...words], { stdio: ["pipe", "pipe", "ignore"] });
    let stdout = "";
    child.stdout.on("data", (data) => {
      stdout += data;
    });
    const closed = new Promise<NodeJS.Signals | null>((resolve) =>
      child.on("close", (_code, signal) => resolve(signal)),
    );
    await new Promise((resolve) => setTimeout(resolve, wait));
    child.kill("SIGINT");
    const signal = await closed;
    // Earlier than the command listens, the signal ends the process.
    if (stdout !== "") return { signal, stdout };
  }
}

test("an interrupted run answers with one document, a fleet with its summary", async () => {
  const alone = await interrupted(["validate", "-", "--output", "json"]);
  assert.is(alone.signal, "SIGINT");
  const { kind, ok, diagnostics } = JSON.parse(alone.stdout);
  assert.equal([kind, ok, diagnostics[0].code], ["Failure", false, "CLI003"]);
  // 12 clusters, and a signal after the first: a machine that is done with all of them by then has another go.
  const root = folderOf(Array.from({ length: 12 }, (_, i) => `c${i}`));
  for (let signal: NodeJS.Signals | null = null; signal === null; ) {
    const words = "create manifests --fleet list --key-algorithm ecdsa-p256 --jobs 1 --dry-run --output json";
    const child = spawn(process.execPath, [BINARY, ...words.split(" ")], {
      cwd: root,
      stdio: ["ignore", "pipe", "ignore"],
    });
    let stdout = "";
    child.stdout.on("data", (part) => {
      if (stdout === "") child.kill("SIGINT");
      stdout += part;
    });
    const ended = await new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
      child.on("close", (code, by) => resolve({ code, signal: by })),
    );
    signal = ended.signal;
    const last = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    assert.is(last.kind, "FleetSummary");
    assert.is(last.exit, signal === "SIGINT" ? 130 : ended.code);
    assert.is(last.clusters, stdout.trim().split("\n").length - 1);
  }
});

test("killed at any moment, the next run completes, with the bytes of an undisturbed run", async () => {
  const names = Array.from({ length: 6 }, (_, i) => `c${i}`);
  const origin = tempFolder();
  writeFileSync(join(origin, "fleet.yaml"), TABLE(names));
  writeFileSync(
    join(origin, "seed"),
    Uint8Array.from({ length: 32 }, (_, i) => (i * 29 + 5) % 256),
  );
  const words = "create infrastructure-manifests --fleet fleet.yaml --seed seed";
  const whole = join(tempFolder(), "whole");
  cpSync(origin, whole, { recursive: true });
  const started = performance.now();
  assert.is(run(whole, words).code, 0);
  const duration = performance.now() - started;
  const expected = readTree(whole);
  const modes = readModes(whole);
  for (let round = 0; round < ROUNDS; round++) {
    const root = join(tempFolder(), "run");
    cpSync(origin, root, { recursive: true });
    const moment = Math.random() * duration;
    await killed(root, words, moment, round % 3 === 2 ? "SIGINT" : "SIGKILL");
    const next = run(root, words);
    assert.is(next.code, 0, `${moment.toFixed(0)} ms: ${next.stderr}`);
    assert.equal([...readTree(root).keys()], [...expected.keys()], `${moment.toFixed(0)} ms`);
    for (const [path, data] of readTree(root))
      assert.ok(expected.get(path)?.equals(data), `${moment.toFixed(0)} ms: ${path}`);
    assert.equal(readModes(root), modes);
    rmSync(root, { recursive: true });
  }
});

test("a process of a fleet that dies takes no cluster with it", async () => {
  const names = Array.from({ length: 12 }, (_, i) => `c${i}`);
  const root = folderOf(names);
  const child = spawn(
    process.execPath,
    [BINARY, ..."create manifests --fleet list --key-algorithm ecdsa-p256 --jobs 2".split(" ")],
    { cwd: root, env: { PATH: process.env["PATH"], ...FIXED }, stdio: ["ignore", "pipe", "inherit"] },
  );
  let stdout = "";
  child.stdout.on("data", (part) => {
    stdout += part;
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  while (!existsSync(join(root, "c0/manifests"))) await new Promise((resolve) => setTimeout(resolve, 5));
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim().split(" ");
  process.kill(Number(children[0]), "SIGKILL");
  assert.is(await ended, 0);
  assert.match(stdout, /12 clusters: 12 ok\n$/);
});

if (!hasTerminal)
  skipTest(test, "a terminal shows how far it is, and only what is wrong", "needs script of util-linux");
else
  test("a terminal shows how far it is, and only what is wrong", () => {
    const root = folderOf(["a", "b", "c", "d"]);
    writeFileSync(join(root, "b/install-config.yaml"), "apiVersion: v1\n");
    const { code, screen } = onTerminal(["validate", "--fleet", "list"], { cwd: root });
    assert.is(code, 1);
    assert.match(screen, /clusters \[#+ *\] \d+ %/);
    assert.match(screen, /b: install-config\.yaml:1:1: error IC/);
    assert.match(screen, /failed {2}b: \d+ errors\n/);
    assert.not.match(screen, /ok {6}a/);
    assert.match(screen, /4 clusters: 3 ok, 1 failed\n\d+ errors \(slipway explain IC\d+\)\n$/);
  });

test.run();
