/** `slipway report` as a user runs it: the same answers as the commands behind it, on one page, without secrets. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type CliResult, record, slipway, slipwayProcess } from "../helpers/cli.js";
import { PULL_SECRET, SSH_KEYS } from "../helpers/install-configs.js";
import { PLANTED } from "../helpers/planted.js";
import { tempFolder } from "../helpers/temp.js";
import { elementsOf, textsOf } from "../report/well-formed.js";

const test = suite("report");

const GOLDEN = join(process.cwd(), "golden");
const GATES = join(GOLDEN, "compat-gates/input/gates.yaml");
const APIS = join(GOLDEN, "storage-behaviors/input/api-lifecycle.yaml");
const SCENARIO = join(GOLDEN, "storage-simulate/input/upgrade.yaml");
const FIXED = { SOURCE_DATE_EPOCH: "1800000000" };

/** The page of a report; a page is looked through for planted secrets like any other output. */
function pageOf(...args: readonly string[]): string {
  const result = slipway(["report", "--html", "-", ...args], { env: FIXED });
  assert.is(result.code, 0, result.stderr);
  elementsOf(result.stdout);
  return result.stdout;
}

/** The members of a json answer. */
function json(args: readonly string[]): Record<string, unknown> {
  const { stdout } = slipway([...args, "--output", "json"], { env: FIXED });
  const value: unknown = JSON.parse(stdout);
  assert.ok(typeof value === "object" && value !== null);
  return Object.fromEntries(Object.entries(value ?? {}));
}

const usage = (...args: readonly string[]): CliResult => {
  const result = slipway(["report", ...args]);
  assert.is(result.code, 2, result.stderr);
  assert.is(result.stdout, "");
  return result;
};

test("a command line that cannot be obeyed says why", () => {
  assert.match(usage("--dir", ".").stderr, /--html FILE is required/);
  assert.match(usage("--html", "x.html").stderr, /specify at least one input/);
  assert.match(
    usage("--html", "x.html", "--verify", "--current", "1.35").stderr,
    /--current requires --table/,
  );
  assert.match(
    usage("--html", "x.html", "--table", GATES, "--migration", "complete").stderr,
    /--migration requires/,
  );
  assert.match(usage("--html", "x.html", "--verify", "--release", "1.36").stderr, /--release requires/);
  const both = slipway(["report", "--html", "-", "--verify", "--output", "json"]);
  assert.is(both.code, 2);
  assert.match(both.stderr, /both write to standard output/);
});

test("the answer says what became of the file, and the same inputs give the same bytes", () => {
  const file = join(tempFolder(), "deep/page.html");
  const args = ["report", "--html", file, "--table", GATES, "--verify", "--scenario", SCENARIO];
  const first = json(args);
  const page = readFileSync(file, "utf8");
  assert.equal(
    [first["status"], first["sections"]],
    ["created", ["overview", "gates", "policy", "simulation"]],
  );
  assert.is(first["bytes"], statSync(file).size);
  assert.is(statSync(file).mode & 0o777, 0o644);
  const time = statSync(file).mtimeMs;
  assert.is(json(args)["status"], "unchanged");
  assert.is(statSync(file).mtimeMs, time);
  assert.is(pageOf("--table", GATES, "--verify", "--scenario", SCENARIO), page);
  writeFileSync(file, page.replace("1.36", "1.35"));
  assert.is(json(args)["status"], "updated");
  assert.is(readFileSync(file, "utf8"), page);
});

test("a wrong input is a diagnostic, and the file stays as it was", () => {
  const folder = tempFolder();
  const file = join(folder, "page.html");
  const broken = join(folder, "broken.yaml");
  const old = "<!DOCTYPE html>\n<title>old</title>\n";
  writeFileSync(file, old);
  writeFileSync(broken, "apiVersion: slipway.dev/v1alpha1\nkind: [\n");
  const cases: readonly (readonly [args: readonly string[], told: RegExp, code?: number])[] = [
    [["--table", broken], /broken\.yaml:\d+:\d+: error/],
    [["--lifecycle", broken], /broken\.yaml:\d+:\d+: error/],
    [["--scenario", broken], /broken\.yaml:\d+:\d+: error/],
    [["--policy", broken], /broken\.yaml:\d+:\d+: error/],
    [["--policy", join(folder, "absent.yaml")], /absent\.yaml: error DIR015/],
    [["--table", join(folder, "absent.yaml"), "--verify"], /absent\.yaml: error DIR015/],
    [["--table", GATES, "--current", "soon"], /--current: "soon" is not a release/, 2],
    [["--dir", file], /error DIR/],
    [["--dump", broken], /broken\.yaml.*error ETC/],
    [["--snapshot", join(folder, "absent.db")], /absent\.db: error ETC/],
  ];
  for (const [args, told, code = 1] of cases) {
    const result = slipway(["report", "--html", file, ...args]);
    assert.is(result.code, code, `${args.join(" ")}: ${result.stderr}`);
    assert.match(result.stderr, told);
    assert.is(result.stdout, "");
    const answer = json(["report", "--html", file, ...args]);
    if (code === 1) assert.equal([answer["status"], answer["bytes"], answer["sections"]], [null, 0, []]);
  }
  assert.is(readFileSync(file, "utf8"), old);
  assert.is(slipway(["report", "--html", join(folder, "new.html"), "--table", broken]).code, 1);
  assert.not(existsSync(join(folder, "new.html")));
  assert.is(slipway(["report", "--html", folder, "--verify"]).code, 1);
});

test("only a page is written over: an input is never lost to a slip", () => {
  const folder = tempFolder();
  const input = join(folder, "gates.yaml");
  copyFileSync(GATES, input);
  const result = slipway(["report", "--html", input, "--table", input]);
  assert.is(result.code, 1);
  assert.match(result.stderr, /gates\.yaml: error REP001/);
  assert.is(readFileSync(input, "utf8"), readFileSync(GATES, "utf8"));
  const dir = tempFolderWithConfig();
  assert.is(slipway(["report", "--html", join(dir, "install-config.yaml"), "--dir", dir]).code, 1);
  const fresh = join(folder, "empty.html");
  writeFileSync(fresh, "");
  assert.is(slipway(["report", "--html", fresh, "--table", input]).code, 0);
});

test("the verdict is that of storage verify-policy", () => {
  for (const [policy, safe] of [
    ["kep", false],
    ["moratorium", true],
  ] as const) {
    const page = pageOf("--policy", policy);
    const answer = json(["storage", "verify-policy", "--policy", policy]);
    assert.is(answer["safe"], safe);
    assert.match(page, `${String(answer["searched"])} states, ${String(answer["transitions"])} transitions`);
    assert.is(/not safe: an object can be lost/.test(page), !safe);
  }
});

test("the cost of the search grows on the page as it does in verify-policy", () => {
  const page = pageOf("--verify");
  const rows = [
    ...page.matchAll(
      /<tr><th scope="row" class="number">(\d+)<\/th><td class="number">(\d+)<\/td><td class="number">(\d+)<\/td><td class="number">(\d+)<\/td><td class="number">(\d+)<\/td><td class="number">(\d+)<\/td><\/tr>/g,
    ),
  ].map((row) => row.slice(1).map(Number));
  assert.ok(rows.length >= 8);
  for (const [migrated, supported, upgrade, downgrade, states, transitions] of [
    rows[0],
    rows[4],
    rows.at(-1),
  ].map((row) => row ?? [])) {
    const answer = json([
      ...["storage", "verify-policy", "--migrated", String(migrated), "--supported", String(supported)],
      ...["--max-upgrade", String(upgrade), "--max-downgrade", String(downgrade)],
    ]);
    assert.equal([answer["safe"], answer["searched"], answer["transitions"]], [true, states, transitions]);
  }
  const states = rows.map((row) => row[4] ?? 0);
  assert.equal(
    states,
    [...states].sort((a, b) => a - b),
  );
  // One point of the plotted line for each row.
  const points = /class="series s0">\n<polyline points="([^"]+)"/.exec(page)?.[1]?.split(" ") ?? [];
  assert.is(points.length, rows.length);
});

test("the map of safe numbers is what verify-policy says of each", () => {
  const page = pageOf("--verify");
  const map = page.slice(page.indexOf("Safe values"));
  const row = /<tr><th scope="row">2<\/th>(.*?)<\/tr>/.exec(map)?.[1] ?? "";
  const cells = [...row.matchAll(/<td[^>]*>([^<]+)<\/td>/g)].map(([, text]) => text === "safe");
  assert.is(cells.length, 9);
  for (const migrated of [2, 3, 4])
    assert.is(
      cells[migrated],
      json(["storage", "verify-policy", "--supported", "2", "--migrated", String(migrated)])["safe"],
    );
});

test("every stored version is in the matrix, every API in the timeline", () => {
  const page = pageOf("--lifecycle", APIS, "--policy", "kep");
  const text = slipway(["storage", "behaviors", "--lifecycle", APIS]).stdout;
  const resources = new Set(
    text
      .split("\n")
      .slice(1)
      .filter(Boolean)
      .map((line) => line.split(/\s+/)[0] ?? ""),
  );
  const heads = textsOf(page, "th").map((head) => head.replace(/ \(stored with .*$/, ""));
  assert.ok(resources.size > 40);
  for (const resource of resources) assert.ok(heads.includes(resource), resource);
  assert.match(page, "FlowSchema v1beta1 (flowcontrol.apiserver.k8s.io)");
});

test("a copy of etcd: the counts of inventory, the verdicts of audit, and no value", () => {
  const folder = join(GOLDEN, "etcd-lost-key/input");
  const copy = [
    ...["--dump", join(folder, "etcd.json"), "--encryption-config", join(folder, "encryption.yaml")],
    ...["--target", "1.36"],
  ];
  const page = pageOf(...copy);
  const audit = slipway(["etcd", "audit", ...copy]);
  assert.is(audit.code, 3);
  const verdicts = [...audit.stdout.matchAll(/^(\d+) +(ok|unreadable|rewritten|unknown|not-an-object) /gm)];
  assert.ok(verdicts.length >= 2);
  for (const [, objects, name] of verdicts)
    assert.match(page, `<th scope="row">${name}</th><td class="number">${objects}</td>`);
  assert.match(page, /<span class="badge bad">\d+ objects? cannot be read<\/span>/);
  const resources = slipway(["etcd", "inventory", ...copy, "--output", "json"]).stdout;
  for (const [, resource = ""] of resources.matchAll(/"resource": "([^"]+)"/g)) assert.match(page, resource);
});

test("an asset directory: the statuses of check, the certificates, and no secret", () => {
  const dir = join(tempFolder(), "cluster");
  mkdirSync(dir);
  const config = [
    "apiVersion: v1",
    "baseDomain: lab.example.org",
    "metadata: {name: heron}",
    "compute: [{name: worker, replicas: 2}]",
    "networking: {machineNetwork: [{cidr: 192.0.2.0/24}]}",
    "platform: {none: {}}",
    `proxy: {httpProxy: "http://user:${PLANTED.proxyPassword}@proxy.example.org:3128"}`,
    `sshKey: '${SSH_KEYS.ed25519}'`,
    `pullSecret: '${PULL_SECRET}'`,
    "",
  ];
  writeFileSync(join(dir, "install-config.yaml"), config.join("\n"));
  const fast = ["--key-algorithm", "ecdsa-p256", "--infra-id", "heron-abcde"];
  const image = `registry.example.org/release@sha256:${"a".repeat(64)}`;
  const made = slipway(["create", "ignition-configs", "--dir", dir, ...fast, "--release-image", image], {
    env: FIXED,
  });
  assert.is(made.code, 0, made.stderr);
  writeFileSync(
    join(dir, "manifests/<b>own&amp;.yaml"),
    "kind: ConfigMap\napiVersion: v1\nmetadata: {name: own}\n",
  );
  const checked = slipway(["check", "--dir", dir], { env: FIXED }).stdout;
  const page = pageOf("--dir", dir);
  record(page);
  for (const secret of Object.values(PLANTED)) assert.not.match(page, new RegExp(secret));
  const state = readFileSync(join(dir, ".openshift_install_state.json"), "utf8");
  const password = readFileSync(join(dir, "auth/kubeadmin-password"), "utf8").trim();
  assert.ok(password.length > 10 && state.includes(password));
  assert.not.ok(page.includes(password));
  assert.not.match(page, /PRIVATE KEY|BEGIN CERTIFICATE|\$2[aby]\$/);
  const rows = [
    ...page.matchAll(
      /<tr><th scope="row">([^<]+)<\/th><td><span class="badge \w+">(\w+)<\/span><\/td><\/tr>/g,
    ),
  ];
  const statuses = new Map(rows.map(([, path = "", status = ""]) => [path, status]));
  assert.is(statuses.get("manifests/&lt;b&gt;own&amp;amp;.yaml"), "added");
  assert.is(statuses.get("master.ign"), "untouched");
  assert.is(statuses.get("bootstrap.ign"), "stale");
  for (const line of checked.split("\n").filter((each) => /^(?:stale|edited|missing|conflict) /.test(each))) {
    const [status, path = ""] = line.split(/\s+/);
    assert.is(statuses.get(path), status, path);
  }
  assert.match(page, "<dd>heron-abcde</dd>");
  assert.match(page, /<th scope="row">root-ca<\/th><td>[0-9TZ:-]+<\/td><td>[0-9TZ:-]+<\/td><td>3650 d<\/td>/);
  assert.match(page, /<title>phase manifests<\/title>/);
});

test("a directory that is empty, and a clone without the state, have a page too", () => {
  const empty = pageOf("--dir", tempFolderWithConfig());
  assert.match(empty, "No phase has been run.");
  assert.match(empty, "The state, which contains the certificates, is missing or encrypted.");
});

function tempFolderWithConfig(): string {
  const dir = tempFolder();
  copyFileSync(join(GOLDEN, "none/input/install-config.yaml"), join(dir, "install-config.yaml"));
  return dir;
}

test("the overview says what needs attention and prints the command that mends it", () => {
  const dir = join(tempFolder(), "it's $(touch x)");
  mkdirSync(dir);
  const config = (prefix: number): string =>
    `apiVersion: v1\nbaseDomain: reed.example.org\nmetadata: {name: dunlin}\nnetworking:\n  clusterNetwork:\n  - {cidr: 10.132.0.0/14, hostPrefix: ${prefix}}\nplatform: {none: {}}\npullSecret: '${PULL_SECRET}'\n`;
  writeFileSync(join(dir, "install-config.yaml"), config(23));
  assert.is(
    slipway(["create", "manifests", "--dir", dir, "--key-algorithm", "ecdsa-p256"], { env: FIXED }).code,
    0,
  );
  assert.match(pageOf("--dir", dir), /nothing needs attention/);
  writeFileSync(join(dir, "install-config.yaml"), config(24));
  const page = pageOf("--dir", dir);
  assert.match(page, /<title>dunlin: slipway report<\/title>/);
  assert.match(page, /1 problem/);
  const commands = [...page.matchAll(/<code>(slipway [^<]* --dir [^<]*)<\/code>/g)].map(([, each]) => each);
  assert.ok(commands.some((command) => command?.startsWith("slipway create manifests ")));
  // As a shell reads it, the folder is one word.
  for (const command of commands)
    assert.ok(command?.includes(String.raw`it&#39;\&#39;&#39;s $(touch x)&#39;`), command);
});

test("a saved plan of each kind is a sequence of steps and gates", () => {
  const folder = tempFolder();
  const run = (...args: readonly string[]): CliResult => {
    const result = slipway(args, { cwd: folder, env: FIXED });
    assert.is(result.code, 0, result.stderr);
    return result;
  };
  copyFileSync(join(GOLDEN, "transfer-database-copy/input/dump.yaml"), join(folder, "dump.yaml"));
  run(..."transfer new --source prod/db1-test --target stage/db1-test --request-only --out git".split(" "));
  const request = "git/target/stage/request-transfer-db1-test.yaml";
  run("transfer", "approve", request, "--state", "dump.yaml", "--expires", "7d", "--out", "git");
  run("transfer", "plan", "git", "--state", "dump.yaml", "--out", "transfer");
  const etcd = join(process.cwd(), "examples/etcd");
  const copy = ["--dump", join(etcd, "etcd.json"), "--encryption-config", join(etcd, "encryption.yaml")];
  run("etcd", "plan", ...copy, "--out", "repair");
  writeFileSync(
    join(folder, "up.json"),
    run("compat", "plan", "--from", "1.35", "--to", "1.36", "--output", "json").stdout,
  );
  const plans = ["up.json", "transfer/plan.json", "repair/plan.json"];
  const { stdout: page } = run("report", "--html", "-", "--plan", ...plans);
  const part = (id: string): string => page.split(`<section id="${id}"`)[1]?.split("</section>")[0] ?? "";
  const kinds = (id: string): string[] =>
    [...part(id).matchAll(/<li class="(\w+)">/g)].map(([, kind = ""]) => kind);
  assert.match(part("upgrade-plan"), /<h3>Upgrade from 1\.35 to 1\.36: \d+ steps<\/h3>/);
  assert.match(part("upgrade-plan"), /No step of this plan is blocked/);
  assert.equal(kinds("transfer-plan").join(" "), "step step gate step gate irreversible gate step gate step");
  assert.match(part("transfer-plan"), /kubectl patch persistentvolume pvc-5d9a --type=json/);
  // The steps of the runbook, in its numbers.
  const runbook = readFileSync(join(folder, "repair/RUNBOOK.md"), "utf8");
  const headings = [...runbook.matchAll(/^## \d+\. (.*)$/gm)].map(([, heading = ""]) => heading);
  assert.is(kinds("repair-plan").length, headings.length);
  assert.is(kinds("repair-plan")[headings.indexOf("Delete")], "irreversible");
  assert.match(part("repair-plan"), /DELETE \/api\/v1\/namespaces\/billing\/configmaps\/rates/);
  assert.match(part("overview"), /href="#transfer-plan"/);
});

test("a blocked plan is an error of the overview", () => {
  const folder = tempFolder();
  const gates = ["--table", "kubernetes", "--feature-gates", "kube-apiserver:NoSuchGate=true"];
  const blocked = slipway(["compat", "plan", "--from", "1.35", "--to", "1.36", ...gates, "--output", "json"]);
  assert.is(blocked.code, 3, blocked.stderr);
  writeFileSync(join(folder, "up.json"), blocked.stdout);
  const page = pageOf("--plan", join(folder, "up.json"));
  assert.match(page, /<span class="badge bad">error<\/span> <a href="#upgrade-plan">[^<]*Do not start/);
  assert.match(page, /<li class="blocked">/);
});

test("what is no saved plan is refused", () => {
  const folder = tempFolder();
  for (const [text, said] of [
    ["kind: TransferPlan\n", /it is not a JSON document/],
    ['{"kind":"GateDiff"}', /its kind is "GateDiff"/],
    ['{"kind":"UpgradePlan","from":"1.35"}', /must have required property/],
    ['{"kind":"EtcdRepairPlan"}', /must have required property/],
    ['{"kind":"TransferPlan"}', /not a transfer plan/],
  ] as const) {
    writeFileSync(join(folder, "plan.json"), text);
    const result = slipway(["report", "--html", "page.html", "--plan", "plan.json"], { cwd: folder });
    assert.is(result.code, 1, text);
    assert.match(result.stderr, said);
    assert.not(existsSync(join(folder, "page.html")));
  }
});

test("a fleet is a row for each cluster, in every state", () => {
  const folder = tempFolder();
  const config = readFileSync(join(process.cwd(), "examples/none/install-config.yaml"), "utf8");
  const names = ["egret", "heron", "stork", "plover", "dunlin"];
  for (const name of names) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "install-config.yaml"), config);
  }
  writeFileSync(join(folder, "fleet.txt"), `${names.join("\n")}\n`);
  writeFileSync(join(folder, "made.txt"), "egret\nheron\nstork\n");
  const made = slipwayProcess(["create", "manifests", "--fleet", "made.txt"], { cwd: folder });
  assert.is(made.code, 0, made.stderr);
  const scheduler = join(folder, "heron/manifests/cluster-scheduler-02-config.yml");
  writeFileSync(
    scheduler,
    readFileSync(scheduler, "utf8").replace(/mastersSchedulable: \w+/, "mastersSchedulable: true # ours"),
  );
  writeFileSync(
    join(folder, "stork/install-config.yaml"),
    config.replace(/^baseDomain: .*/m, "baseDomain: other.example.org"),
  );
  writeFileSync(join(folder, "dunlin/install-config.yaml"), "platform: {none: {}}\nbaseDomain: [\n");
  const result = slipwayProcess(["report", "--html", "page.html", "--fleet", "fleet.txt"], { cwd: folder });
  assert.is(result.code, 0, result.stderr);
  const page = readFileSync(join(folder, "page.html"), "utf8");
  assert.match(page, /<title>Fleet of 5 clusters: slipway report<\/title>/);
  const rows = names.map((name) => page.split(`<th scope="row">${name}</th>`)[1]?.split("</tr>")[0] ?? "");
  const states = rows.map((row) => /<span class="badge \w+">([^<]*)<\/span>/.exec(row)?.[1]);
  assert.equal(states, ["up to date", "edited", "out of date", "not generated", "invalid"]);
  assert.match(rows[0] ?? "", /<td>none<\/td>/);
  assert.match(page, /slipway create manifests --fleet fleet\.txt/);
});

test("a directory's page says what differs, in which fields", () => {
  const folder = tempFolder();
  const config = readFileSync(join(process.cwd(), "examples/none/install-config.yaml"), "utf8");
  writeFileSync(join(folder, "install-config.yaml"), config);
  assert.is(slipway(["create", "manifests", "--dir", folder]).code, 0);
  const scheduler = join(folder, "manifests/cluster-scheduler-02-config.yml");
  const text = readFileSync(scheduler, "utf8");
  const was = /mastersSchedulable: (\w+)/.exec(text)?.[1] === "true";
  writeFileSync(scheduler, text.replace(/mastersSchedulable: \w+/, `mastersSchedulable: ${String(!was)}`));
  writeFileSync(
    join(folder, "install-config.yaml"),
    config.replace(/^baseDomain: .*/m, "baseDomain: other.example.org"),
  );
  const page = pageOf("--dir", folder);
  assert.ok(page.includes(`~ spec.mastersSchedulable: ${String(was)} -&gt; ${String(!was)}`));
  assert.match(page, /~ spec\.baseDomain: [^<]* -&gt; &quot;[^<]*other\.example\.org&quot;/);
});

test.run();
