/**
 * Texts that a shell or a template would obey, wherever a dump, a request or a plan can hold one: where the API server
 * would refuse them the plan is refused, and where it keeps them nothing runs when the runbook is followed.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Problem } from "../../src/core/diagnostics.js";
import type { JsonObject } from "../../src/core/json.js";
import { createRenderer } from "../../src/text/render.js";
import { planTransfers } from "../../src/transfer/plan.js";
import { readPlan } from "../../src/transfer/plan-file.js";
import { readState } from "../../src/transfer/state.js";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";
import {
  appliedPairs,
  type Changes,
  changed,
  claim,
  namespace,
  OPTIONS,
  pairObjects,
  pairsOf,
  planFor,
  readObjects,
  textOf,
  volume,
} from "../helpers/transfer.js";

const test = suite("hostile texts");

/** Each makes a file named `ran` when somebody obeys it. */
const HOSTILE = [
  "$(touch ran)",
  "`touch ran`",
  "'; touch ran; '",
  '"; touch ran; "',
  "x\ntouch ran\n",
  "x\n```\n\n```sh\ntouch ran\n```\n",
  "-x; touch ran",
  '"}}{{"$(touch ran)',
];

const MOVE = { from: "prod/db", to: "stage/db-copy" };

const set: JsonObject = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { namespace: "prod", name: "web", uid: "set" },
  spec: {
    replicas: 1,
    template: { spec: { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "db" } }] } },
  },
};

/** A dump with changes to each of its objects. */
interface Dump {
  readonly claim?: Changes;
  readonly volume?: Changes;
  readonly set?: Changes;
}

const dumpOf = ({ claim: its = {}, volume: own = {}, set: sets = {} }: Dump): JsonObject[] => [
  namespace("prod"),
  namespace("stage"),
  changed(claim("prod", "db", "pv-1"), its),
  changed(volume("pv-1", "prod", "db"), own),
  changed(set, sets),
  ...appliedPairs([MOVE]),
];
const rendering = createRenderer(["transfer"], () => {});

function prepared(dump: Dump): string {
  const root = tempFolder();
  const items = dumpOf(dump);
  writeFileSync(join(root, "dump.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  mkdirSync(join(root, "git"));
  writeFileSync(join(root, "git/pair.json"), textOf([...pairObjects(MOVE)]));
  return root;
}

const plan = (root: string) =>
  slipway(["transfer", "plan", "git", "--state", "dump.json", "--out", "plan"], { cwd: root });

/** Runs every code block of a text, with a kubectl that only reads its input. */
function runBlocks(text: string, cwd: string): void {
  const bin = join(cwd, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "kubectl"), "#!/bin/sh\necho Retain\n");
  chmodSync(join(bin, "kubectl"), 0o755);
  const blocks = [...text.matchAll(/^ *```sh\n([\s\S]*?)\n *```$/gm)].map(([, block = ""]) => block);
  assert.ok(blocks.length > 0);
  for (const shell of ["bash", "sh"])
    spawnSync(shell, ["-c", blocks.join("\n")], {
      cwd,
      env: { PATH: `${bin}:${process.env["PATH"] ?? ""}` },
    });
}

for (const text of HOSTILE) {
  const shown = JSON.stringify(text);

  test(`${shown}: what an API server keeps runs nothing`, () => {
    const root = prepared({
      claim: { metadata: { annotations: { note: text, "argocd.argoproj.io/tracking-id": `${text}:x` } } },
      volume: {
        metadata: { annotations: { note: text } },
        spec: { csi: { volumeHandle: text, driver: text } },
      },
    });
    const { code, stdout, stderr } = plan(root);
    assert.is(code, 0, stdout + stderr);
    runBlocks(readFileSync(join(root, "plan/RUNBOOK.md"), "utf8"), join(root, "plan"));
    const files = ["--plan", "plan/plan.json", "--state", "dump.json"];
    const resumed = slipway(["transfer", "resume", ...files], { cwd: root });
    assert.is(resumed.code, 0, resumed.stderr);
    // What is printed below a step is typed as it stands; questions are below what they are about.
    const typed = resumed.stdout.split("\n").filter((line) => /^ {6}(?!- )/.test(line));
    assert.ok(typed.length > 20);
    runBlocks(`\`\`\`sh\n${typed.join("\n")}\n\`\`\``, root);
    assert.is(slipway(["transfer", "resume", ...files, "--out", "left"], { cwd: root }).code, 0);
    runBlocks(readFileSync(join(root, "left/RUNBOOK.md"), "utf8"), join(root, "left"));
    for (const folder of ["plan", ".", "left"]) assert.ok(!existsSync(join(root, folder, "ran")), folder);
  });

  test(`${shown}: what it refuses is refused first`, async () => {
    for (const { claim: its = {}, volume: own = {}, set: sets = {} } of [
      { claim: { spec: { volumeName: text } }, volume: { metadata: { name: text } } },
      { claim: { metadata: { labels: { a: text } } } },
      { claim: { metadata: { namespace: text } } },
      { claim: { spec: { storageClassName: text } }, volume: { spec: { storageClassName: text } } },
      { claim: { spec: { resources: { requests: { storage: text } } } } },
      { set: { metadata: { name: text } } },
    ] satisfies Dump[]) {
      const problems: Problem[] = [];
      const items = dumpOf({ claim: its, volume: own, set: sets });
      const state = readState(
        [{ file: "dump.json", text: JSON.stringify({ apiVersion: "v1", kind: "List", items }) }],
        (problem) => void problems.push(problem),
      );
      if (problems.length > 0) continue;
      const { made } = planTransfers(pairsOf([MOVE]), state, OPTIONS, await rendering);
      assert.is(made, undefined, JSON.stringify([its, own, sets]));
    }
    const [request, approval] = pairObjects(MOVE);
    for (const spoilt of [
      changed(request, { metadata: { name: text } }),
      changed(request, { spec: { targetName: text } }),
      changed(request, { spec: { source: { namespace: text } } }),
    ]) {
      const problems: Problem[] = [];
      readObjects(textOf([spoilt, approval]), problems);
      assert.is(problems[0]?.code, "TRF002");
    }
  });

  test(`${shown}: a plan that somebody has changed is refused`, async () => {
    const { made } = await planFor([MOVE], dumpOf({}));
    const whole = JSON.stringify(made?.plan);
    const codes = (changedPlan: string): string[] => {
      const problems: Problem[] = [];
      readPlan(changedPlan, "plan.json", (problem) => void problems.push(problem));
      return problems.map(({ code }) => code);
    };
    assert.equal(codes(whole), []);
    for (const member of ["db-copy", "prod", "pv-1", "web"])
      assert.equal(codes(whole.replaceAll(JSON.stringify(member), JSON.stringify(text))), ["TRF060"], member);
  });
}

test.run();
