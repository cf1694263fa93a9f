/** What runbooks, hints and next steps of the transfer commands name can be done as it is printed. */
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { dumpCommand } from "../../src/transfer/dump-command.js";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";
import { changed, claim, codesOf, namespace, planFor, pod, volume } from "../helpers/transfer.js";

const test = suite("transfer leads on");

const DUMP = join(process.cwd(), "examples/transfer/database-copy/dump.yaml");

function run(cwd: string, line: string): { code: number | null; stdout: string; stderr: string } {
  return slipway(line.split(" ").slice(1), { cwd });
}

/** A folder with a plan for the example in `my plan`. */
function planned(): string {
  const root = tempFolder();
  copyFileSync(DUMP, join(root, "dump.yaml"));
  const pair = "--source prod/db1-test --target stage/db1-test --state dump.yaml --out git";
  assert.is(run(root, `slipway transfer new ${pair}`).code, 0);
  assert.is(run(root, "slipway transfer plan git --state dump.yaml --out plan").code, 0);
  return root;
}

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line.startsWith("slipway "));

test("every runbook names its plan, how a dump is taken, and what follows a step that failed", () => {
  const root = planned();
  mkdirSync(join(root, "answers"));
  for (const word of ["resume", "rollback"]) {
    // Half way: the volume has Retain by the plan's first patch, so that there is a way back.
    const answer = run(
      root,
      `slipway transfer ${word} --plan plan/plan.json --state dump.yaml --out answers/${word}`,
    );
    assert.is(answer.code, 0, answer.stderr);
  }
  for (const folder of ["plan", "answers/resume"]) {
    const runbook = readFileSync(join(root, folder, "RUNBOOK.md"), "utf8");
    assert.ok(runbook.includes(dumpCommand("later.yaml")), folder);
    copyFileSync(DUMP, join(root, folder, "later.yaml"));
    const lines = linesOf(runbook.split("\n### ")[0] ?? "");
    assert.is(lines.length, 2, folder);
    for (const line of lines) {
      const answer = run(join(root, folder), line);
      assert.is(answer.code, 0, `${folder}: ${line}\n${answer.stderr}`);
    }
  }
  assert.match(
    readFileSync(join(root, "answers/resume/RUNBOOK.md"), "utf8"),
    /`\.\.\/\.\.\/plan\/plan\.json`/,
  );
});

test("the page names the same command", () => {
  assert.ok(readFileSync("docs/transfer.md", "utf8").includes(dumpCommand("dump.yaml")));
});

test("a request without an approval, and one that was just written, lead to the approval", () => {
  const root = tempFolder();
  copyFileSync(DUMP, join(root, "dump.yaml"));
  const asked = run(
    root,
    "slipway transfer new --source prod/db1-test --target stage/db1-test --request-only --out git",
  );
  const line =
    "slipway transfer approve git/target/stage/request-transfer-db1-test.yaml --state DUMP --out git";
  assert.ok(asked.stdout.includes(`Next, the owner of the source approves:\n  ${line}\n`), asked.stdout);
  const lonely = run(root, "slipway transfer match git --state dump.yaml");
  assert.is(lonely.code, 3);
  assert.ok(
    lonely.stderr.includes(`have the owner of the source approve it: ${line.replace("DUMP", "dump.yaml")}`),
    lonely.stderr,
  );
  assert.is(run(root, line.replace("DUMP", "dump.yaml")).code, 0);
  assert.is(run(root, "slipway transfer match git --state dump.yaml").code, 0);
  const both = run(
    tempFolder(),
    "slipway transfer new --source a/x --source a/y --source b/z --target c --request-only --out git",
  );
  assert.equal(
    both.stdout.split("\n").filter((each) => each.includes("slipway transfer approve")),
    ["a", "b"].map(
      (from) =>
        `  slipway transfer approve --all-requests git --source-namespace ${from} --state DUMP --out git`,
    ),
  );
});

test("what is true of two namespaces is told once, whatever moves between them", async () => {
  const range = (uid: string) => ({ metadata: { annotations: { "openshift.io/sa.scc.uid-range": uid } } });
  const { problems } = await planFor(
    [
      { from: "prod/a", to: "stage/a" },
      { from: "prod/b", to: "stage/b" },
    ],
    [
      changed(namespace("prod"), range("1/1")),
      changed(namespace("stage"), range("2/1")),
      pod("o", "p", "c"),
      ...["a", "b"].flatMap((name) => [
        claim("prod", name, `pv-${name}`),
        volume(`pv-${name}`, "prod", name),
      ]),
    ],
  );
  assert.is(codesOf(problems, "warning").filter((code) => code === "TRF041").length, 1);
});

test.run();
