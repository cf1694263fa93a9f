/** Names that would run in a shell, given to everything that writes scripts or prints commands; each is then run. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject, type Json } from "../../src/core/json.js";
import { migrationRef, migrationScript } from "../../src/kubernetes/storage-migration-script.js";
import { nextSteps as afterIgnition } from "../../src/phases/ignition-configs/next-steps.js";
import { nextSteps as afterInfrastructure } from "../../src/phases/infrastructure-manifests/next-steps.js";
import type { StorageCrd } from "../../src/storage/crd.js";
import type { PlanStep } from "../../src/storage/crd-plan.js";
import { plannedSteps } from "../../src/storage/crd-plan-files.js";
import { keepClaimsLine, stopHint } from "../../src/transfer/workloads.js";
import { dump, envelope } from "../etcd/copies.js";
import { slipway } from "../helpers/cli.js";
import { HOSTILE, MARK } from "../helpers/hostile.js";
import { readTree, tempFolder } from "../helpers/temp.js";

const test = suite("hostile names");

/** Programs of the commands, which do nothing here. */
const PROGRAMS = ["kubectl", "slipway", "etcdctl", "openshift-install", "aws", "cp", "mkdir", "sleep"];

/** Runs a text as a shell would, in the folder; says whether something of it ran that was meant as a name. */
function runs(script: string, folder: string): boolean {
  const bin = join(folder, ".programs");
  if (!existsSync(bin)) {
    mkdirSync(bin);
    for (const name of PROGRAMS) writeFileSync(join(bin, name), "#!/bin/sh\necho True\n", { mode: 0o755 });
  }
  spawnSync("sh", ["-c", script], { cwd: folder, env: { PATH: `${bin}:${process.env["PATH"]}` }, input: "" });
  return existsSync(join(folder, MARK));
}

const nothingRuns = (scripts: readonly string[], what: string): void => {
  const folder = tempFolder();
  for (const script of scripts) assert.not(runs(script, folder), `${what}: ${script}`);
};

test("the judge sees what runs", () => {
  assert.ok(runs(`kubectl get x; touch ${MARK}`, tempFolder()));
  assert.ok(runs(`kubectl get "$(touch ${MARK})"`, tempFolder()));
});

for (const hostile of HOSTILE) {
  const shown = JSON.stringify(hostile);

  test(`the next steps of a directory ${shown}`, () => {
    const steps = [
      ...afterInfrastructure({
        identity: { infraID: "egret-abcde", clusterID: "x" },
        cluster: "egret",
        options: { namespace: "birds", secrets: "separate" },
        files: [],
        placeholders: false,
        directory: hostile,
      }),
      ...afterIgnition({
        directory: hostile,
        now: new Date(0),
        fixedClock: false,
        useBefore: new Date(1),
        roles: ["master"],
        boots: false,
      }),
    ];
    nothingRuns(
      steps.flatMap(({ commands }) => commands),
      shown,
    );
  });

  test(`scripts of a definition whose names are ${shown}`, () => {
    const crd: StorageCrd = {
      file: "old.yaml",
      name: hostile,
      group: hostile,
      plural: hostile,
      kind: hostile,
      scope: "Namespaced",
      resourceVersion: undefined,
      versions: [],
      storedVersions: [hostile],
      established: true,
      place: { file: "old.yaml", line: 1, column: 1 },
      root: { type: "mapping", tag: "", line: 1, column: 1, entries: [] },
    };
    const step = (action: PlanStep["action"], rest: Partial<PlanStep>): PlanStep => ({
      action,
      summary: "",
      object: undefined,
      migration: undefined,
      patch: undefined,
      versions: undefined,
      withoutWebhook: false,
      ...rest,
    });
    const planned = plannedSteps(
      [
        step("apply", { object: {}, withoutWebhook: true }),
        step("gate", { versions: [hostile] }),
        step("export", { versions: [hostile] }),
        step("migrate", {
          migration: { name: hostile, group: hostile, resource: hostile, version: hostile },
        }),
        step("patch-status", {
          patch: [
            { op: "test", path: "/metadata/resourceVersion", value: "RESOURCE_VERSION" },
            { op: "test", path: "/status/storedVersions", value: [hostile] },
            { op: "replace", path: "/status/storedVersions", value: [hostile] },
          ],
        }),
      ],
      crd,
      {
        apiVersion: "storagemigration.k8s.io/v1",
        versioned: false,
        standalone: false,
        gate: undefined,
        trims: true,
      },
      () => undefined,
    );
    assert.is(planned.length, 5);
    nothingRuns(
      planned.flatMap(({ script, command }) => [command, script ?? ""]),
      shown,
    );
    nothingRuns([migrationScript(hostile, migrationRef(`${hostile}/v1`, hostile))], shown);
  });

  test(`remedies for a workload ${shown}`, () => {
    const name = { namespace: hostile, name: hostile };
    nothingRuns([stopHint("Deployment", name), stopHint("CronJob", name), keepClaimsLine(name)], shown);
  });
}

test("scripts and runbook of a repair, for hostile keys and definitions in a copy", () => {
  const json = (value: Json): Buffer => Buffer.from(JSON.stringify(value));
  const records = HOSTILE.flatMap((hostile, i) => {
    const segment = hostile.replaceAll("/", "_");
    return [
      { key: `/registry/secrets/shop/${segment}`, value: Buffer.from("k8s:enc:aescbc:v1:lost:xx") },
      { key: `/registry/configmaps/${segment}/one`, value: Buffer.from("broken") },
      {
        key: `/registry/apiextensions.k8s.io/customresourcedefinitions/${segment}`,
        value: json({
          apiVersion: "apiextensions.k8s.io/v1",
          kind: "CustomResourceDefinition",
          metadata: { name: hostile, uid: `u${i}` },
          spec: {
            group: `g${i}.example.com`,
            names: { plural: hostile, kind: "Thing" },
            scope: "Namespaced",
            versions: [{ name: "v1", served: true, storage: true }],
          },
          status: { storedVersions: [hostile, "v1"] },
        }),
      },
      {
        key: `/registry/g${i}.example.com/${segment}/shop/one`,
        value: json({
          apiVersion: `g${i}.example.com/${hostile}`,
          kind: "Thing",
          metadata: { name: "one", namespace: "shop" },
        }),
      },
    ];
  });
  const shop = envelope("v1", "Namespace", { name: "shop" });
  const folder = tempFolder();
  writeFileSync(
    join(folder, "dump.json"),
    dump([{ key: "/registry/namespaces/shop", value: shop }, ...records]),
  );
  writeFileSync(
    join(folder, "config.json"),
    JSON.stringify({
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "EncryptionConfiguration",
      resources: [{ resources: ["secrets"], providers: [{ identity: {} }] }],
    }),
  );
  const { code, stderr } = slipway(
    [
      "etcd",
      "plan",
      "--dump",
      "dump.json",
      "--encryption-config",
      "config.json",
      "--target",
      "1.36",
      "--out",
      "out",
    ],
    { cwd: folder },
  );
  assert.ok(code === 0 || code === 3, stderr);
  const out = join(folder, "out");
  const files = readTree(out);
  const runbook = readFileSync(join(out, "RUNBOOK.md"), "utf8");
  const blocks = [...runbook.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  assert.ok(blocks.length > 2);
  const plan: unknown = JSON.parse(readFileSync(join(out, "plan.json"), "utf8"));
  const deletions = typeof plan === "object" && plan !== null ? Reflect.get(plan, "deletions") : undefined;
  const commands = Array.isArray(deletions)
    ? deletions.flatMap((each: Json) => {
        const recheck = isObject(each) ? each["recheck"] : undefined;
        const text = isObject(recheck) ? recheck["revision"] : undefined;
        return typeof text === "string" ? [text.replace(/ must still show .*$/s, "")] : [];
      })
    : [];
  assert.ok(commands.length > 5);
  const scripts = [...files.keys()].filter((name) => name.endsWith(".sh"));
  for (const script of [...blocks, ...commands, ...scripts.map((name) => `sh ./${name} ./42_requests.txt`)])
    assert.not(runs(script, out), script);
});

test.run();
