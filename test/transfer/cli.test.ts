/** The commands as a user runs them: files, exit codes, json documents. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import validateFiles from "../../src/generated/validators/transfer-files.js";
import validateMatch from "../../src/generated/validators/transfer-match.js";
import validatePlan from "../../src/generated/validators/transfer-plan.js";
import validatePlanResult from "../../src/generated/validators/transfer-plan-result.js";
import validateProgress from "../../src/generated/validators/transfer-progress.js";
import { textAt } from "../../src/transfer/object.js";
import { type CliResult, slipway } from "../helpers/cli.js";
import { readModes, readTree, tempFolder } from "../helpers/temp.js";
import {
  appliedPairs,
  changed,
  claim,
  namespace,
  pairObjects,
  pod,
  textOf,
  volume,
} from "../helpers/transfer.js";

const test = suite("slipway transfer");

interface Validator {
  (value: unknown): boolean;
  errors?: unknown;
}

function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const EPOCH = "1893456000"; // 2030-01-01
const run = (
  root: string,
  words: string,
  env: Readonly<Record<string, string>> = {},
  input = "",
): CliResult => slipway(words.split(" "), { cwd: root, env: { SOURCE_DATE_EPOCH: EPOCH, ...env }, input });

/** The json document, which must fit its schema. */
function json(result: CliResult, validate: Validator): JsonObject {
  const value: unknown = JSON.parse(result.stdout);
  assert.ok(validate(value), JSON.stringify(validate.errors));
  if (!isJson(value) || !isObject(value)) throw new Error("no object");
  return value;
}

const listOf = (value: Json | undefined): readonly Json[] => (isList(value) ? value : []);
const codes = (document: JsonObject, severity = "error"): string[] =>
  listOf(document["diagnostics"]).flatMap((each) =>
    textAt(each, "severity") === severity ? [textAt(each, "code")] : [],
  );

const DUMP = [
  namespace("prod"),
  namespace("stage"),
  pod("other", "web", "cache"),
  claim("prod", "db", "pv-1"),
  volume("pv-1", "prod", "db"),
  ...appliedPairs([{ from: "prod/db", to: "stage/db-copy" }]),
];
const dumpText = (objects: readonly JsonObject[] = DUMP): string =>
  JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }, null, 2);

/** A folder with a dump and a pinned pair. */
function prepared(): string {
  const root = tempFolder();
  write(root, "dump.json", dumpText());
  assert.is(
    run(root, "transfer new --source prod/db --target stage/db-copy --state dump.json --expires 7d --out git")
      .code,
    0,
  );
  return root;
}

test("new writes two folders, for two reviewers", () => {
  const root = prepared();
  assert.equal(
    [...readTree(join(root, "git")).keys()],
    ["source/prod/approval-approve-db.yaml", "target/stage/request-transfer-db-copy.yaml"],
  );
  const approval = readFileSync(join(root, "git/source/prod/approval-approve-db.yaml"), "utf8");
  for (const pin of [
    "expires: '2030-01-08T00:00:00Z'",
    "persistent-volume: pv-1",
    "source-uid: claim-prod-db",
    "request-digest: sha256:",
  ])
    assert.ok(approval.includes(`transfer.slipway.dev/${pin}`), pin);
  for (const mode of readModes(join(root, "git")).values()) assert.is(mode, 0o644);
  const again = run(
    root,
    "transfer new --source prod/db --target stage/db-copy --state dump.json --expires 7d --out git -o json",
  );
  const document = json(again, validateFiles);
  assert.equal(
    listOf(document["files"]).map((file) => textAt(file, "status")),
    ["unchanged", "unchanged"],
  );
});

test("new: the request alone, batches, one namespace for all, another group", () => {
  const root = tempFolder();
  assert.is(run(root, "transfer new --source a/x --target b/y --request-only --out one").code, 0);
  assert.equal([...readTree(join(root, "one")).keys()], ["target/b/request-transfer-y.yaml"]);
  assert.is(run(root, "transfer new --source a/x --target b/y --source a/z --target c/z --out two").code, 0);
  assert.is(readTree(join(root, "two")).size, 4);
  assert.is(
    run(root, "transfer new --source a/x --source a/z --target b --group transfer.example.com --out three")
      .code,
    0,
  );
  const request = readFileSync(join(root, "three/target/b/request-transfer-x.yaml"), "utf8");
  assert.match(request, /apiVersion: transfer\.example\.com\/v1alpha1/);
  assert.match(request, /targetName: x/);
  assert.is(run(root, "transfer match three").code, 0);
});

test("new: what cannot be meant is refused and nothing is written", () => {
  const root = tempFolder();
  const rows: readonly (readonly [string, number, string])[] = [
    ["--source a/x --target a/x", 1, "TRF013"],
    ["--source a/x --source a/x --target b/1 --target b/2", 1, "TRF011"],
    ["--source a/x --source a/y --target b/1 --target b/1", 1, "TRF012"],
    ["--source a/X --target b/x", 1, "TRF071"],
    ["--source a.b/x --target b/x", 1, "TRF071"],
    ["--source ax --target b/x", 2, ""],
    ["--source a/x --source a/y --target b/1 --target b/2 --target b/3", 2, ""],
    ["--source a/x", 2, ""],
    ["--source a/x --target b/x --expires soon", 2, ""],
    ["--source a/x --target b/x --request-only --expires 1h", 2, ""],
    ["--source a/x --target b/x --group transfer.k8s.io", 2, ""],
    ["--statefulset old=a/x", 2, ""],
    ["--statefulset old=a/x new=b/x", 2, ""],
    ["--source a/x --target b/x --state missing.yaml", 1, "DIR015"],
  ];
  for (const [words, code, diagnostic] of rows) {
    const result = run(root, `transfer new ${words} --out git`);
    assert.is(result.code, code, `${words}\n${result.stderr}`);
    assert.ok(result.stderr.includes(diagnostic), `${words}\n${result.stderr}`);
    assert.not.ok(existsSync(join(root, "git")), words);
  }
});

const setClaims = (...names: readonly string[]): JsonObject[] =>
  names.map((name) => claim("prod", name, `pv-${name}`));
const set = (replicas: number): JsonObject => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { namespace: "prod", name: "db" },
  spec: { replicas, volumeClaimTemplates: [{ metadata: { name: "data" } }, { metadata: { name: "wal" } }] },
});

test("new --statefulset: all templates and ordinals", () => {
  const root = tempFolder();
  const claims = setClaims(
    "data-db-0",
    "data-db-1",
    "wal-db-0",
    "wal-db-1",
    "data-other-db-0",
    "data-db-x",
    "data-db-01",
  );
  write(root, "dump.json", dumpText([set(2), ...claims]));
  const result = run(
    root,
    "transfer new --statefulset old=prod/db new=stage/pg --state dump.json --out git -o json",
  );
  assert.is(result.code, 0, result.stderr);
  assert.equal(listOf(json(result, validateFiles)["requests"]), [
    "stage/transfer-data-pg-0",
    "stage/transfer-data-pg-1",
    "stage/transfer-wal-pg-0",
    "stage/transfer-wal-pg-1",
  ]);
  assert.is(run(root, "transfer match git").code, 0);
  const given = run(
    root,
    "transfer new --statefulset old=prod/db new=stage/pg --claim-template data --replicas 3 --out given -o json",
  );
  assert.is(listOf(json(given, validateFiles)["requests"]).length, 3);
});

test("new --statefulset: gaps are errors, each claim by name", () => {
  const root = tempFolder();
  const rows: readonly (readonly [readonly JsonObject[], readonly string[]])[] = [
    [[set(3), ...setClaims("data-db-0", "data-db-2", "wal-db-0", "wal-db-1", "wal-db-2")], ["data-db-1"]],
    [
      [set(3), ...setClaims("data-db-0", "data-db-1", "wal-db-0", "wal-db-1")],
      ["data-db-2", "wal-db-2"],
    ],
    [[set(0), ...setClaims("data-db-0", "data-db-1", "wal-db-0")], ["wal-db-1"]],
    [setClaims("data-db-1"), ["data-db-0"]],
    [[set(2)], []],
  ];
  for (const [objects, missing] of rows) {
    write(root, "dump.json", dumpText(objects));
    const result = run(
      root,
      "transfer new --statefulset old=prod/db new=stage/pg --state dump.json --out git",
    );
    assert.is(result.code, 1, result.stderr);
    for (const name of missing)
      assert.ok(result.stderr.includes(`does not contain claim prod/${name}`), result.stderr);
    assert.match(result.stderr, /TRF070/);
    assert.not.ok(existsSync(join(root, "git")));
  }
});

test("approve: pinned to the request, the claim and a time", () => {
  const root = tempFolder();
  write(root, "dump.json", dumpText());
  run(root, "transfer new --source prod/db --target stage/db-copy --request-only --out git");
  const result = run(
    root,
    "transfer approve git/target/stage/request-transfer-db-copy.yaml --state dump.json --expires 1h --out git",
  );
  assert.is(result.code, 0, result.stderr);
  assert.match(result.stdout, /approves {2}stage\/transfer-db-copy: prod\/db -> stage\/db-copy/);
  const match = json(run(root, "transfer match git -o json"), validateMatch);
  assert.equal([listOf(match["pairs"]).length, match["findings"]], [1, []]);
  // From standard input, and of a claim that the dump does not show.
  const request = readFileSync(join(root, "git/target/stage/request-transfer-db-copy.yaml"), "utf8");
  assert.is(run(root, "transfer approve - --out other", {}, request).code, 0);
  write(root, "empty.json", dumpText([]));
  const missing = run(root, "transfer approve - --state empty.json --out none", {}, request);
  assert.is(missing.code, 1);
  assert.match(missing.stderr, /TRF030.*does not contain claim prod\/db/);
  assert.not.ok(existsSync(join(root, "none")));
});

test("approve --all-requests: lists, then approves every request that names the namespace, and no other", () => {
  const root = tempFolder();
  const moves = ["golden/rhel", "golden/fedora", "private/keys"].map((from, i) => ({
    from,
    to: `tenant-${i}/vm`,
  }));
  moves.forEach((move, i) => {
    write(root, `git/${i}.json`, textOf([pairObjects(move)[0]]));
  });
  const result = run(
    root,
    "transfer approve --all-requests git --source-namespace golden --expires 1d --out git",
  );
  assert.is(result.code, 0, result.stderr);
  assert.is(result.stdout.split("\n").filter((line) => line.startsWith("approves")).length, 2);
  assert.ok(result.stdout.indexOf("approves") < result.stdout.indexOf("created"));
  assert.equal(
    [...readTree(join(root, "git/source")).keys()],
    ["golden/approval-approve-fedora.yaml", "golden/approval-approve-rhel.yaml"],
  );
  assert.is(run(root, "transfer approve --all-requests git --source-namespace nowhere --out x").code, 1);
  assert.is(run(root, "transfer approve --all-requests git --out x").code, 2);
  assert.is(run(root, "transfer approve --out x").code, 2);
});

test("approve: two requests for one approval are refused, and so is what is not a request", () => {
  const root = tempFolder();
  const [request] = pairObjects({ from: "a/x", to: "b/y" });
  write(root, "two.json", textOf([request, changed(request, { metadata: { name: "other" } })]));
  assert.match(run(root, "transfer approve two.json --out x").stderr, /TRF005/);
  write(root, "none.yaml", "kind: ConfigMap\n");
  assert.is(run(root, "transfer approve none.yaml --out x").code, 1);
  write(root, "kind.json", textOf([changed(request, { spec: { source: { kind: "VolumeSnapshot" } } })]));
  assert.match(run(root, "transfer approve kind.json --out x").stderr, /TRF006/);
  assert.not.ok(existsSync(join(root, "x")));
});

test("a file that is named and holds no transfer is the wrong file; a folder may be empty", () => {
  const root = tempFolder();
  write(
    root,
    "git/pair.json",
    JSON.stringify({
      apiVersion: "v1",
      kind: "List",
      items: pairObjects({ from: "prod/db", to: "stage/x" }),
    }),
  );
  write(root, "other.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
  write(root, "none/other.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
  write(root, "empty.yaml", "");
  for (const words of ["other.yaml", "empty.yaml", "other.yaml none"]) {
    const result = run(root, `transfer match ${words} -o json`);
    assert.is(result.code, 1, words);
    const document = json(result, validateMatch);
    assert.is(document["ok"], false);
    assert.equal(codes(document), ["TRF001"], words);
  }
  const folder = json(run(root, "transfer match none -o json"), validateMatch);
  assert.equal([folder["ok"], codes(folder, "info")], [true, ["TRF001"]]);
  // As the shell's * names them; and a file that was read with its folder.
  assert.match(run(root, "transfer match other.yaml git").stderr, /^other.yaml: info TRF001/m);
  const twice = run(root, "transfer match git git/pair.json");
  assert.is(twice.code, 0);
  assert.not.match(twice.stderr, /TRF001/);
});

test("match: exit 0 when clean, 3 when not, 1 when something cannot be read; folders are searched to their depth", () => {
  const root = prepared();
  write(root, "git/other/Chart.yaml", "{{ not yaml }}");
  write(root, "git/.hidden/request.yaml", "kind: StorageTransferRequest\n");
  assert.is(run(root, "transfer match git").code, 0);
  const text = readFileSync(join(root, "git/target/stage/request-transfer-db-copy.yaml"), "utf8");
  write(
    root,
    "git/deep/er/request.yml",
    text.replace("name: transfer-db-copy", "name: dev-transfer-db-copy"),
  );
  const unmatched = run(root, "transfer match git -o json");
  assert.is(unmatched.code, 3);
  const document = json(unmatched, validateMatch);
  const [first] = listOf(document["unmatched"]);
  assert.is(textAt(first, "object"), "StorageTransferRequest stage/dev-transfer-db-copy");
  assert.is(textAt(first, "closest"), "StorageTransferApproval prod/approve-db");
  assert.equal(isObject(first) ? first["failed"] : undefined, ["M1"]);
  const [detail] = isObject(first) ? listOf(first["details"]) : [];
  assert.equal(
    ["condition", "left", "right", "file", "line"].map((member) => textAt(detail, member)),
    ["M1", "dev-transfer-db-copy", "transfer-db-copy", "git/deep/er/request.yml", "4"],
  );
  write(root, "broken/x.yaml", "kind: StorageTransferRequest\n  bad: [\n");
  assert.is(run(root, "transfer match broken").code, 1);
  assert.is(run(root, "transfer match absent").code, 1);
  mkdirSync(join(root, "empty"));
  assert.is(run(root, "transfer match empty").code, 0);
  assert.is(run(root, "transfer match").code, 2);
});

test("match: a file and links to it are one file, loops and dead links do no harm, line ends do not count", () => {
  const root = prepared();
  const file = join(root, "git/source/prod/approval-approve-db.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replaceAll("\n", "\r\n"));
  symlinkSync("source/prod/approval-approve-db.yaml", join(root, "git/a-link.yaml"));
  symlinkSync("..", join(root, "git/source/loop"));
  symlinkSync("nowhere", join(root, "git/dead.yaml"));
  write(root, "git/values.yaml", "text: about StorageTransferRequests\n");
  write(root, "git/notes.md", "kind: StorageTransferRequest\n");
  const result = run(root, "transfer match git -o json");
  assert.is(result.code, 0, result.stderr);
  const document = json(result, validateMatch);
  assert.is(listOf(document["pairs"]).length, 1);
  assert.equal(listOf(document["findings"]), []);
});

test("match: a malformed object is not clean", () => {
  const root = tempFolder();
  const [request, approval] = pairObjects({ from: "a/x", to: "b/y" });
  write(root, "git/pair.json", textOf([changed(request, { spec: { source: { uid: "1" } } }), approval]));
  const result = run(root, "transfer match git");
  assert.is(result.code, 3);
  assert.match(result.stderr, /git\/pair\.json:1:\d+: error TRF003: spec\.source\.uid/);
});

test("match --state: a claim that was made anew is found", () => {
  const root = prepared();
  write(root, "later.json", dumpText([claim("prod", "db", "pv-2", { metadata: { uid: "new" } })]));
  const result = run(root, "transfer match git --state later.json -o json");
  assert.is(result.code, 3);
  assert.ok(codes(json(result, validateMatch)).includes("TRF022"));
  assert.is(run(root, "transfer match git --state dump.json").code, 0);
});

test("plan: the folder holds numbered artefacts, the plan and the runbook, the same bytes every time", () => {
  const root = prepared();
  const result = run(root, "transfer plan git --state dump.json --out plan -o json");
  assert.is(result.code, 0, result.stderr);
  const document = json(result, validatePlanResult);
  const steps = listOf(document["steps"]);
  assert.equal(
    steps.map((step) => textAt(step, "action")),
    [
      "check",
      "patch-pv",
      "gate",
      "create-pvc",
      "gate",
      "delete-pvc",
      "gate",
      "patch-pv",
      "gate",
      "patch-pv",
      "patch-status",
      "patch-status",
    ],
  );
  assert.equal(
    steps
      .filter((step) => isObject(step) && step["reversible"] === false)
      .map((step) => textAt(step, "action")),
    ["delete-pvc"],
  );
  for (const step of steps)
    assert.ok(existsSync(join(root, "plan", textAt(step, "artefact"))), textAt(step, "artefact"));
  assert.ok(
    validatePlan(JSON.parse(readFileSync(join(root, "plan/plan.json"), "utf8"))),
    JSON.stringify(validatePlan.errors),
  );
  const before = readTree(join(root, "plan"));
  assert.is(run(root, "transfer plan git --state dump.json --out plan").code, 0);
  assert.is(run(root, "transfer plan git --state dump.json --out elsewhere").code, 0);
  assert.equal(readTree(join(root, "plan")), before);
  assert.equal(readTree(join(root, "elsewhere")), before);
  assert.match(before.get("RUNBOOK.md")?.toString() ?? "", /kubectl delete --raw/);
});

test("plan: a dump in several forms is the same dump", () => {
  const root = prepared();
  write(root, "documents.yaml", DUMP.map((object) => JSON.stringify(object)).join("\n---\n"));
  const [first, ...rest] = DUMP;
  write(root, "a.json", dumpText([first ?? {}]));
  write(root, "b.json", dumpText(rest));
  const text = (words: string, input = ""): string =>
    run(root, `transfer plan git ${words} -o json`, {}, input).stdout;
  const expected = text("--state dump.json");
  assert.is(text("--state documents.yaml"), expected);
  assert.is(text("--state a.json --state b.json"), expected);
  assert.is(text("--state -", dumpText()), expected);
});

test("plan: exit 3 when the source's side has not agreed, 1 when it would be unsafe; nothing is written", () => {
  const root = prepared();
  const rows: readonly (readonly [string, () => void, number, string])[] = [
    ["expired", () => {}, 3, "TRF020"],
    [
      "recreated",
      () =>
        write(
          root,
          "state.json",
          dumpText([
            ...DUMP.slice(0, 3),
            claim("prod", "db", "pv-1", { metadata: { uid: "new" } }),
            volume("pv-1", "prod", "db", { spec: { claimRef: { uid: "new" } } }),
          ]),
        ),
      3,
      "TRF022",
    ],
    [
      "unsafe",
      () =>
        write(
          root,
          "state.json",
          dumpText([
            ...DUMP.slice(0, 4),
            volume("pv-1", "prod", "db", { spec: { persistentVolumeReclaimPolicy: "Recycle" } }),
          ]),
        ),
      1,
      "TRF045",
    ],
    ["unreadable", () => write(root, "state.json", "a: [\n"), 1, "YAML001"],
  ];
  for (const [name, change, code, diagnostic] of rows) {
    write(root, "state.json", dumpText());
    change();
    const env: Readonly<Record<string, string>> =
      name === "expired" ? { SOURCE_DATE_EPOCH: "1900000000" } : {};
    const result = run(root, "transfer plan git --state state.json --out plan -o json", env);
    assert.is(result.code, code, `${name}\n${result.stdout}`);
    assert.ok(codes(json(result, validatePlanResult)).includes(diagnostic), name);
    assert.not.ok(existsSync(join(root, "plan")), name);
  }
  write(
    root,
    "git/target/stage/request-transfer-db-copy.yaml",
    readFileSync(join(root, "git/target/stage/request-transfer-db-copy.yaml"), "utf8").replace(
      "targetName: db-copy",
      "targetName: db-else",
    ),
  );
  const stale = run(root, "transfer plan git --state dump.json --out plan -o json");
  assert.is(stale.code, 3);
  assert.ok(codes(json(stale, validatePlanResult)).includes("TRF021"));
  const alone = tempFolder();
  write(alone, "git/r.json", textOf([pairObjects({ from: "prod/db", to: "stage/db-copy" })[0]]));
  write(alone, "dump.json", dumpText());
  assert.is(run(alone, "transfer plan git --state dump.json").code, 3);
  mkdirSync(join(alone, "empty"));
  assert.is(run(alone, "transfer plan empty --state dump.json").code, 1);
  assert.is(run(alone, "transfer plan git").code, 2);
});

test("plan --only: the others of the repository do not count", () => {
  const root = prepared();
  write(root, "git/open.json", textOf([pairObjects({ from: "prod/other", to: "stage/other" })[0]]));
  assert.is(run(root, "transfer plan git --state dump.json").code, 3);
  assert.is(run(root, "transfer plan git --state dump.json --only stage/transfer-db-copy").code, 0);
  assert.is(run(root, "transfer plan git --state dump.json --only stage/unknown").code, 1);
});

test("plan: circles are refused unless asked for", () => {
  const root = tempFolder();
  const moves = [
    { from: "prod/db", to: "stage/db" },
    { from: "stage/db", to: "prod/db" },
  ];
  write(root, "git/pairs.json", textOf(moves.flatMap((move) => [...pairObjects(move)])));
  write(root, "dump.json", dumpText([...DUMP, claim("stage", "db", "pv-2"), volume("pv-2", "stage", "db")]));
  const refused = run(root, "transfer plan git --state dump.json");
  assert.is(refused.code, 1);
  assert.match(refused.stderr, /TRF015/);
  const taken = run(root, "transfer plan git --state dump.json --allow-cycles --simulate -o json");
  assert.is(taken.code, 0, taken.stderr);
  const order = listOf(json(taken, validatePlanResult)["steps"]).map((step) => textAt(step, "action"));
  assert.ok(order.lastIndexOf("delete-pvc") < order.indexOf("create-pvc"));
});

test("plan --simulate: the states are those of the steps", () => {
  const root = prepared();
  const document = json(
    run(root, "transfer plan git --state dump.json --simulate -o json"),
    validatePlanResult,
  );
  const rows = listOf(document["simulation"]).map((row) =>
    ["source", "target", "volume", "policy", "claimRef"].map((member) => textAt(row, member)).join(" "),
  );
  assert.is(rows[0], "Bound absent Bound Delete prod/db");
  assert.ok(rows.includes("absent Pending Released Retain prod/db"));
  assert.is(rows.at(-1), "absent Bound Bound Delete stage/db-copy");
});

test("plan: a folder that holds another plan is left alone", () => {
  const root = prepared();
  assert.is(run(root, "transfer plan git --state dump.json --out plan").code, 0);
  const before = readTree(join(root, "plan"));
  const other = run(root, "transfer plan git --state dump.json --late-create --out plan");
  assert.is(other.code, 1);
  assert.match(other.stderr, /TRF056/);
  assert.equal(readTree(join(root, "plan")), before);
});

/** What a cluster shows after some steps were taken. */
const retained = {
  metadata: {
    annotations: {
      "transfer.slipway.dev/original-reclaim-policy": "Delete",
      "transfer.slipway.dev/source-uid": "claim-prod-db",
    },
  },
  spec: { persistentVolumeReclaimPolicy: "Retain" },
};

test("what somebody changed is never written over: requests, approvals, artefacts, the runbook", () => {
  const root = prepared();
  const approval = "git/source/prod/approval-approve-db.yaml";
  const request = "git/target/stage/request-transfer-db-copy.yaml";
  const change = (path: string, from: string | RegExp, to: string): void =>
    write(root, path, readFileSync(join(root, path), "utf8").replace(from, to));
  const refused = (command: string, ...paths: readonly string[]): void => {
    const before = readTree(root);
    const answer = run(root, `${command} -o json`);
    assert.is(answer.code, 1, `${command}\n${answer.stdout}`);
    const document = json(answer, command.startsWith("transfer plan") ? validatePlanResult : validateFiles);
    const diagnostics = listOf(document["diagnostics"]).filter((each) => textAt(each, "code") === "TRF072");
    assert.equal(
      diagnostics.map((each) => textAt(each, "file")),
      paths,
    );
    assert.equal(readTree(root), before);
  };
  const approve = `transfer approve ${request} --state dump.json --out git`;
  // Pins are renewed.
  assert.is(run(root, `${approve} --expires 30d`).code, 0);
  assert.match(readFileSync(join(root, approval), "utf8"), /2030-01-31T00:00:00Z/);
  // A comment, a label, another annotation, another document.
  const written = readFileSync(join(root, approval), "utf8");
  for (const [from, to] of [
    [/^/, "# agreed with the DBAs\n"],
    ["metadata:\n", "metadata:\n  labels:\n    team: dba\n"],
    ["  annotations:\n", "  annotations:\n    ticket: OPS-1\n"],
    [/$/, "---\nkind: ConfigMap\n"],
  ] as const) {
    write(root, approval, written);
    change(approval, from, to);
    refused(approve, approval);
  }
  // Another request for the same approval, and another spec for the same target.
  write(root, approval, written);
  assert.is(run(root, "transfer new --source prod/db --target third/db --request-only --out other").code, 0);
  refused("transfer approve other/target/third/request-transfer-db.yaml --out git", approval);
  refused("transfer new --source prod/log --target stage/db-copy --request-only --out git", request);
  // The files of a plan, when it is made again from a dump that differs.
  const plan = "transfer plan git --state dump.json --out plan";
  assert.is(run(root, plan).code, 0);
  write(root, "dump.json", readFileSync(join(root, "dump.json"), "utf8").replace('"100"', '"101"'));
  write(root, "plan/notes.txt", "mine");
  assert.is(run(root, plan).code, 0);
  const artefact = [...readTree(join(root, "plan")).keys()].find((path) => path.includes("-delete-")) ?? "";
  change("plan/RUNBOOK.md", "- [ ]", "- [x]");
  change(`plan/${artefact}`, "Background", "Foreground");
  assert.is(run(root, plan.replace("plan git", "plan git --only stage/transfer-db-copy")).code, 1);
  refused(plan, `plan/RUNBOOK.md`, `plan/${artefact}`);
  // The plan of another transfer with files of the same names: the one that was begun could not go on.
  const folder = run(root, "transfer plan git --state dump.json --late-create --out plan");
  assert.is(folder.code, 1);
  assert.match(folder.stderr, /TRF056/);
});

test("resume and rollback: the crash point from the observed objects, and what is left", () => {
  const root = prepared();
  run(root, "transfer plan git --state dump.json --out plan");
  const plan: unknown = JSON.parse(readFileSync(join(root, "plan/plan.json"), "utf8"));
  if (!isJson(plan)) throw new Error("no plan");
  const id = textAt(plan, "transfers", 0, "id");
  const marked = changed(retained, { metadata: { annotations: { "transfer.slipway.dev/plan": id } } });
  const kept = changed(volume("pv-1", "prod", "db"), marked);
  const waiting = claim("stage", "db-copy", "pv-1", {
    metadata: {
      uid: "target",
      annotations: { "transfer.slipway.dev/plan": id, "pv.kubernetes.io/bind-completed": undefined },
    },
    status: { phase: "Pending" },
  });
  const bound = changed(waiting, { status: { phase: "Bound" } });
  const released = changed(kept, { status: { phase: "Released" } });
  const reserved = changed(kept, {
    spec: { claimRef: { namespace: "stage", name: "db-copy", uid: undefined, resourceVersion: undefined } },
    status: { phase: "Available" },
  });
  const held = changed(reserved, { spec: { claimRef: { uid: "target" } }, status: { phase: "Bound" } });
  const done = changed(held, {
    metadata: {
      annotations: {
        "transfer.slipway.dev/plan": undefined,
        "transfer.slipway.dev/original-reclaim-policy": undefined,
        "transfer.slipway.dev/source-uid": undefined,
      },
    },
    spec: { persistentVolumeReclaimPolicy: "Delete" },
  });
  const source = claim("prod", "db", "pv-1");
  const leaving = changed(source, { metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } });
  const spaces = DUMP.slice(0, 3);
  const rows: readonly (readonly [
    string,
    readonly JsonObject[],
    readonly string[],
    readonly string[] | number,
  ])[] = [
    [
      "C0",
      [source, volume("pv-1", "prod", "db")],
      ["check", "retain", "retained", "create", "idle", "delete", "gone", "repoint", "bound", "restore"],
      [],
    ],
    [
      "C1",
      [source, changed(kept, { spec: { persistentVolumeReclaimPolicy: "Delete" } })],
      ["check", "retain", "retained", "create", "idle", "delete", "gone", "repoint", "bound", "restore"],
      ["target-gone", "undo-retain"],
    ],
    [
      "C2",
      [source, kept],
      ["check", "retained", "create", "idle", "delete", "gone", "repoint", "bound", "restore"],
      ["target-gone", "undo-retain"],
    ],
    [
      "C3",
      [source, kept, waiting],
      ["retained", "idle", "delete", "gone", "repoint", "bound", "restore"],
      ["delete-target", "target-gone", "undo-retain"],
    ],
    [
      "C4",
      [leaving, kept, waiting],
      ["gone", "repoint", "bound", "restore"],
      [
        "delete-target",
        "target-gone",
        "gone",
        "point-back",
        "recreate-source",
        "source-bound",
        "restore-source",
        "unmark-source",
      ],
    ],
    [
      "C5",
      [released, waiting],
      ["repoint", "bound", "restore"],
      [
        "delete-target",
        "target-gone",
        "point-back",
        "recreate-source",
        "source-bound",
        "restore-source",
        "unmark-source",
      ],
    ],
    [
      "C6",
      [reserved, waiting],
      ["bound", "restore"],
      [
        "point-back",
        "delete-target",
        "target-gone",
        "recreate-source",
        "source-bound",
        "restore-source",
        "unmark-source",
      ],
    ],
    ["C7", [held, bound], ["restore"], 3],
    ["C8", [done, bound], [], 3],
  ];
  for (const [crash, objects, left, back] of rows) {
    write(root, "later.json", dumpText([...spaces, ...objects]));
    const resumed = run(root, "transfer resume --plan plan/plan.json --state later.json -o json");
    assert.is(resumed.code, 0, `${crash}\n${resumed.stdout}`);
    const document = json(resumed, validateProgress);
    assert.is(document["crashPoint"], crash);
    assert.equal(
      listOf(document["steps"]).map((step) => textAt(step, "key")),
      [...left, "status-request", "status-approval"],
      crash,
    );
    const rolled = run(root, "transfer rollback --plan plan/plan.json --state later.json -o json");
    const backward = json(rolled, validateProgress);
    assert.is(backward["crashPoint"], crash);
    if (typeof back === "number") {
      assert.is(rolled.code, back, crash);
      assert.equal(codes(backward), ["TRF062"]);
    } else {
      assert.is(rolled.code, 0, `${crash}\n${rolled.stdout}`);
      const keys = back.length === 0 ? [] : [...back, "status-request", "status-approval"];
      assert.equal(
        listOf(backward["steps"]).map((step) => textAt(step, "key")),
        keys,
        crash,
      );
    }
  }
});

test("resume: reasons to stop, with what is reported then", () => {
  const root = prepared();
  run(root, "transfer plan git --state dump.json --out plan");
  const rows: readonly (readonly [readonly JsonObject[], RegExp])[] = [
    [[claim("prod", "db", "pv-1")], /does not contain volume pv-1/],
    [
      [claim("prod", "db", "pv-1"), volume("pv-1", "prod", "db", { metadata: { uid: "other" } })],
      /another object/,
    ],
    [
      [
        claim("prod", "db", "pv-1"),
        volume("pv-1", "prod", "db", { metadata: { annotations: { "transfer.slipway.dev/plan": "x" } } }),
      ],
      /annotated with another transfer/,
    ],
    [[volume("pv-1", "third", "party")], /bound to third\/party/],
    [
      [claim("prod", "db", "pv-1"), volume("pv-1", "prod", "db"), claim("stage", "db-copy", "pv-9")],
      /was not created by this transfer/,
    ],
    // What has begun since the plan was made.
    [
      [
        claim("prod", "db", "pv-1", { status: { conditions: [{ type: "Resizing", status: "True" }] } }),
        volume("pv-1", "prod", "db"),
      ],
      /Resizing/,
    ],
    [
      [
        claim("prod", "db", "pv-1", { metadata: { finalizers: ["backup.example.com/hold"] } }),
        volume("pv-1", "prod", "db"),
      ],
      /finalizer backup/,
    ],
    [
      [
        claim("prod", "db", "pv-1"),
        volume("pv-1", "prod", "db"),
        {
          apiVersion: "snapshot.storage.k8s.io/v1",
          kind: "VolumeSnapshot",
          metadata: { namespace: "prod", name: "nightly" },
          spec: { source: { persistentVolumeClaimName: "db" } },
          status: { readyToUse: false },
        },
      ],
      /is being taken/,
    ],
    [
      [
        claim("prod", "db", "pv-1"),
        volume("pv-1", "prod", "db"),
        volume("pv-2", "x", "y", { spec: { csi: { volumeHandle: "handle-pv-1" } } }),
      ],
      /same storage/,
    ],
  ];
  for (const [objects, words] of rows) {
    write(root, "later.json", dumpText(objects));
    const result = run(root, "transfer resume --plan plan/plan.json --state later.json -o json");
    assert.is(result.code, 3, result.stdout);
    const document = json(result, validateProgress);
    assert.equal(document["steps"], []);
    assert.match(textAt(document, "transfers", 0, "stop"), words);
    assert.equal(
      listOf(document["onStop"]).map((step) => textAt(step, "action")),
      ["patch-status", "patch-status"],
    );
    assert.match(JSON.stringify(document["onStop"]), /"phase":"Failed"/);
  }
});

test("resume: an approval that expired stops as long as everything can be taken back", () => {
  const root = prepared();
  run(root, "transfer plan git --state dump.json --out plan");
  const result = run(root, "transfer resume --plan plan/plan.json --state dump.json", {
    SOURCE_DATE_EPOCH: "1900000000",
  });
  assert.is(result.code, 3);
  assert.match(result.stderr, /TRF020/);
});

test("resume --out writes artefacts for what is there now; a plan that is none is refused", () => {
  const root = prepared();
  run(root, "transfer plan git --state dump.json --out plan");
  write(
    root,
    "later.json",
    dumpText(
      DUMP.map((each) =>
        each["kind"] === "PersistentVolumeClaim"
          ? changed(each, { metadata: { resourceVersion: "777" } })
          : each,
      ),
    ),
  );
  const result = run(root, "transfer resume --plan plan/plan.json --state later.json --out left -o json");
  assert.is(result.code, 0);
  const step = listOf(json(result, validateProgress)["steps"]).find(
    (each) => textAt(each, "action") === "delete-pvc",
  );
  assert.match(readFileSync(join(root, "left", textAt(step, "artefact")), "utf8"), /"uid": "claim-prod-db"/);
  assert.match(
    readFileSync(join(root, "left/RUNBOOK.md"), "utf8"),
    `kubectl delete --raw /api/v1/namespaces/prod/persistentvolumeclaims/db --filename ${textAt(step, "artefact")}`,
  );
  for (const text of [
    "{}",
    "no json",
    JSON.stringify({
      apiVersion: "slipway.dev/v1alpha1",
      kind: "TransferPlan",
      id: "x",
      transfers: [],
      steps: [],
    }),
  ]) {
    write(root, "bad.json", text);
    const bad = run(root, "transfer resume --plan bad.json --state dump.json");
    assert.is(bad.code, 1, text);
    assert.match(bad.stderr, /TRF060/);
  }
  assert.is(run(root, "transfer rollback --plan absent.json --state dump.json").code, 1);
  assert.is(run(root, "transfer resume --state dump.json").code, 2);
});

test("generate crds writes the definitions and the two roles, in a group of one's own", () => {
  const root = tempFolder();
  assert.is(run(root, "generate crds --out api --transfer-group transfer.example.com").code, 0);
  const files = readTree(join(root, "api"));
  for (const path of [
    "storagetransferapprovals.approver.role.yaml",
    "storagetransferrequests.requester.role.yaml",
    "storagetransferrequests.transfer.example.com.yaml",
    "storagetransferapprovals.transfer.example.com.yaml",
  ])
    assert.ok(files.has(path), path);
  const role = files.get("storagetransferapprovals.approver.role.yaml")?.toString() ?? "";
  assert.match(role, /transfer\.example\.com/);
  // An apply of an object that is there is a patch, though of nothing.
  assert.match(role, /- patch/);
  assert.not.match(role, /update|storagetransferrequests/);
  assert.is(run(root, "generate crds --out api --transfer-group x.k8s.io").code, 2);
});

test.run();
