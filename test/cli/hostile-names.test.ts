/** Names that would run in a shell, given to everything that writes scripts or prints commands; each is then run. */
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { keptText } from "../../src/cli/commands/create/install-config-dialogue.js";
import { compileAgain as forController } from "../../src/cli/commands/init/controllers.js";
import { refusedProblem } from "../../src/cli/commands/secrets/update-keys-run.js";
import { dumpCommand } from "../../src/cli/commands/upgrade-impact/upgrade-impact-run.js";
import { encode } from "../../src/core/files.js";
import { isObject, type Json } from "../../src/core/json.js";
import { removedSecrets } from "../../src/directory/check.js";
import { stateGone } from "../../src/directory/directory.js";
import { openSealed } from "../../src/directory/sealing.js";
import { migrationRef, migrationScript } from "../../src/kubernetes/storage-migration-script.js";
import { nextSteps as afterIgnition } from "../../src/phases/ignition-configs/next-steps.js";
import { nextSteps as afterInfrastructure } from "../../src/phases/infrastructure-manifests/next-steps.js";
import type { StorageCrd } from "../../src/storage/crd.js";
import type { PlanStep } from "../../src/storage/crd-plan.js";
import { plannedSteps } from "../../src/storage/crd-plan-files.js";
import { compiledInPlace } from "../../src/text/butane.js";
import { keepClaimsLine, stopHint } from "../../src/transfer/workloads.js";
import { compileAgain } from "../../src/validate/context.js";
import { dump, envelope } from "../etcd/copies.js";
import { slipway } from "../helpers/cli.js";
import { HOSTILE, MARK, nothingRuns, runs } from "../helpers/hostile.js";
import { readTree, tempFolder } from "../helpers/temp.js";

const test = suite("hostile names");

test("the judge sees what runs", () => {
  assert.ok(runs(`kubectl get x; touch ${MARK}`, tempFolder()));
  assert.ok(runs(`kubectl get "$(touch ${MARK})"`, tempFolder()));
});

for (const hostile of HOSTILE) {
  const shown = JSON.stringify(hostile);

  test(`the next steps of a directory ${shown}`, () => {
    const steps = [false, true].flatMap((sealed) => [
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
        files: [
          { path: "auth/kubeconfig", secret: true },
          { path: "bootstrap.ign", secret: true },
          { path: "data-secrets/master.yaml", secret: true },
          { path: "master.ign", secret: false },
        ],
        sealed,
        boots: !sealed,
      }),
    ]);
    nothingRuns(
      // Each for itself, since the first that fails here ends a chain.
      steps.flatMap(({ commands }) => commands.flatMap((command) => command.split(" &&\n"))),
      shown,
    );
  });

  test(`commands about a directory for agents, a controller and other keys: ${shown}`, () => {
    const dir = hostile.startsWith("-") ? `./${hostile}` : hostile;
    const made = slipway(["create", "agent-config", "--dir", dir, "--rendezvous-ip", "192.0.2.20"], {
      cwd: tempFolder(),
    });
    assert.is(made.code, 0, made.stderr);
    const [, next = ""] =
      /then run\n {2}(slipway create agent-manifests [\s\S]*) --release-image PULLSPEC\n/.exec(made.stdout) ??
      [];
    const { hint = "" } = refusedProblem(hostile, {
      data: undefined,
      refused: "layout",
      added: [hostile],
      removed: [hostile],
    });
    const [, rotate = ""] = /(sops rotate [\s\S]*)/.exec(hint) ?? [];
    assert.ok(next !== "" && rotate !== "", `${made.stdout}${hint}`);
    const object = {
      apiVersion: `${hostile}/v1`,
      kind: hostile,
      metadata: { name: "x", namespace: hostile },
    };
    const path = "infrastructure-manifests/10_x.yaml";
    const files = new Map([[path, { path, data: encode(JSON.stringify(object)), mode: 0o644 }]]);
    const asks = join(tempFolder(), hostile.replaceAll("/", "_"));
    mkdirSync(asks);
    copyFileSync("examples/aws/install-config.yaml", join(asks, "install-config.yaml"));
    const facts = slipway(["create", "facts", "--dir", asks]);
    assert.is(facts.code, 0, facts.stderr);
    const [, script = ""] = /instead:\n {2}(slipway [\s\S]*)\nThen run\n/.exec(facts.stdout) ?? [];
    const [, compile = ""] = /\nThen run\n {2}(slipway [\s\S]*)\n$/.exec(facts.stdout) ?? [];
    assert.ok(script !== "" && compile !== "", facts.stdout);
    const [, goOn = ""] = /run:\n {2}(slipway [\s\S]*)\n$/.exec(keptText(hostile)) ?? [];
    nothingRuns(
      [next, rotate, script, compile, goOn, forController(hostile, "flux"), dumpCommand({ files })],
      shown,
    );
  });

  test(`the way back to the state of a directory ${shown}`, () => {
    const data = new Uint8Array();
    const path = "infrastructure-manifests-secrets/20_install-state.yaml";
    const record = {
      cluster: { name: "egret", infraID: "egret-abcde", clusterID: "x" },
      options: {},
      optionChanges: {},
      disputed: {},
      inputs: {},
      removed: {},
      phases: {},
    };
    const { hint } = stateGone(record, new Map([[path, { path, data, mode: 0o600 }]]), true, hostile);
    const [, make = "", back = "", end = ""] =
      /run (slipway reconstruct .*) to extract it from the wrapped objects, (cp -p .*) to restore it, and (rm -r .*) to remove the extracted keys; otherwise/s.exec(
        hint ?? "",
      ) ?? [];
    assert.ok(make !== "" && back !== "" && end !== "", hint);
    nothingRuns([make, back, end], shown);
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
        return typeof text === "string" ? [text.replace(/ must still report .*$/s, "")] : [];
      })
    : [];
  assert.ok(commands.length > 5);
  const scripts = [...files.keys()].filter((name) => name.endsWith(".sh"));
  for (const script of [...blocks, ...commands, ...scripts.map((name) => `sh ./${name} ./42_requests.txt`)])
    assert.not(runs(script, out), script);
});

test("what sets another plan of etcd aside", () => {
  const folder = tempFolder();
  const object = envelope("v1", "Namespace", { name: "shop" });
  writeFileSync(join(folder, "dump.json"), dump([{ key: "/registry/namespaces/shop", value: object }]));
  const commands = HOSTILE.map((hostile) => {
    mkdirSync(join(folder, hostile));
    writeFileSync(join(folder, hostile, "32_role-x.yaml"), "");
    const words = ["etcd", "plan", "--dump", "dump.json", "--target", "1.36", `--out=${hostile}`];
    const { stderr } = slipway(words, { cwd: folder });
    const [, command = ""] = /applied by mistake: (mv .*); then run this command/s.exec(stderr) ?? [];
    assert.is.not(command, "", stderr);
    return command;
  });
  nothingRuns(commands, "mv");
});

for (const hostile of HOSTILE)
  test(`the way out of a merge of encrypted files in ${JSON.stringify(hostile)}`, async () => {
    const data = Buffer.from("a: ENC[AES256_GCM,data:x]\n<<<<<<< HEAD\n");
    const paths = ["install-config.yaml", "openshift/99_x.yaml"];
    const files = new Map(paths.map((path) => [path, { path, data, mode: 0o600 }]));
    const hints = (await openSealed(files, [], hostile)).map(({ hint = "" }) => hint);
    const commands = hints.flatMap((hint) =>
      [/\((git checkout .*)\) and run/s, /(sops --rotate .*)/s].flatMap((each) => each.exec(hint)?.[1] ?? []),
    );
    assert.is(commands.length, 3, hints.join("\n"));
    nothingRuns(commands, hostile);
  });

/** Commands in what was printed, to the end of their lines. */
const printed = (text: string): string[] =>
  [...text.matchAll(/(?<![\w/-])(?:slipway|openshift-install|kubectl|git|sops) [a-z].*$/gm)]
    .map(([line]) => line)
    // The closing line names a code to look up, which is none of the user's texts.
    .filter((line) => !line.startsWith("slipway explain "));

// Names with line ends are quoted as the others are, and their commands take more than a line.
const isOneLine = (text: string): boolean => !/[\r\n]/.test(text);
for (const hostile of HOSTILE.filter(isOneLine))
  test(`what is printed for a directory, a pool and a repository ${JSON.stringify(hostile)}`, () => {
    const folder = tempFolder();
    const dir = hostile.startsWith("-") ? `./${hostile}` : hostile;
    const said: string[] = [];
    const ask = (...args: readonly string[]): void => {
      const { stdout, stderr } = slipway(args, { cwd: folder });
      const commands = printed(stdout + stderr);
      assert.ok(commands.length > 0, `${args.join(" ")}: ${stdout}${stderr}`);
      said.push(...commands);
    };
    ask("create", "install-config", "--dir", dir, ...["--platform", "none", "--name", "heron"], ...DOMAIN);
    copyFileSync("examples/none/install-config.yaml", join(folder, dir, "install-config.yaml"));
    slipway(["keys", "--count", "1", "--out", `${dir}/pool`], { cwd: folder });
    ask("create", "manifests", "--dir", dir, "--keys", `${dir}/pool`);
    ask("create", "manifests", "--dir", dir);
    ask("check", "--dir", dir, "--release", "4.21");
    nothingRuns(said, hostile);
  });

/** How an expression of GitHub's workflows begins. */
const BRACES = ["$", "{{"].join("");
const FILES = {
  ".github/workflows/slipway.yaml": ["--ci", "github"],
  ".gitlab-ci.yml": ["--ci", "gitlab"],
  ".pre-commit-config.yaml": ["--pre-commit"],
};
for (const hostile of [...HOSTILE, "a: b", "a #b", `${BRACES} github.token }}`])
  test(`files of a repository for a directory ${JSON.stringify(hostile)}`, () => {
    const folder = tempFolder();
    spawnSync("git", ["init", "--quiet"], { cwd: folder });
    for (const [file, args] of Object.entries(FILES)) {
      const dir = hostile.startsWith("-") ? `./${hostile}` : hostile;
      const { code, stderr } = slipway(["init", "--dir", dir, ...args], { cwd: folder });
      assert.is(code, 0, stderr);
      const texts = textsOf(load(readFileSync(join(folder, file), "utf8")));
      // GitHub puts in what stands between the braces.
      const [step = "", ...more] = texts
        .filter((each) => each.startsWith("slipway check --"))
        .map((each) => each.replaceAll(`${BRACES} '${BRACES}' }}`, BRACES));
      assert.equal(more, []);
      nothingRuns([step], hostile);
      const { stdout } = spawnSync("sh", ["-c", `slipway() { printf %s "$3"; }\n${step}`], {
        encoding: "utf8",
      });
      assert.is(stdout, dir, file);
    }
  });

for (const hostile of [...HOSTILE, "a: b", "a #b", `${BRACES} github.token }}`])
  test(`files of a repository for a fleet file ${JSON.stringify(hostile)}`, () => {
    const folder = tempFolder();
    spawnSync("git", ["init", "--quiet"], { cwd: folder });
    mkdirSync(join(folder, "cluster"));
    writeFileSync(join(folder, "cluster/install-config.yaml"), "x\n");
    const name = hostile.startsWith("-") ? `./${hostile}` : hostile;
    for (const [file, args] of Object.entries(FILES)) {
      const { code, stderr } = slipway(["init", "--fleet", name, ...args], { cwd: folder });
      if (stderr.includes("DIR003") && name.includes("\\")) {
        assert.match(stderr, "nothing was written");
        continue;
      }
      assert.is(code, 0, stderr);
      const steps = textsOf(load(readFileSync(join(folder, file), "utf8")))
        .filter((each) => each.includes("slipway check --"))
        .map((each) => each.replaceAll(`${BRACES} '${BRACES}' }}`, BRACES));
      assert.is(steps.length, 1, file);
      const changed = join(folder, "changed");
      // Every branch of the step, with the file that it names.
      const stubs = `slipway() { printf '%s\\n' "$3" >&2; }\ngit() { test "$1" = diff; }\nlist='${changed}'\nPWD='${folder}'\nmkdir -p '${folder}/.slipway-bin'\nRUNNER_TEMP='${folder}'\n`;
      const script = file.startsWith(".pre-commit") ? shellOf(steps[0] ?? "") : (steps[0] ?? "");
      const { stderr: printed } = spawnSync("bash", ["-c", `${stubs}${script}`], {
        encoding: "utf8",
        cwd: folder,
      });
      assert.is(printed, `${name}\n`, file);
    }
  });

/** The script of `sh -c 'SCRIPT'`. */
const shellOf = (entry: string): string =>
  spawnSync("sh", ["-c", `sh() { printf %s "$2"; }\n${entry}`], { encoding: "utf8" }).stdout;

test("what is suggested in place of an unexpected argument", () => {
  for (const hostile of HOSTILE.filter((each) => isOneLine(each) && !each.startsWith("-"))) {
    const { code, stderr } = slipway(["check", hostile]);
    assert.is(code, 2, stderr);
    const [, suggested = ""] = /did you mean (--dir .*)\?\n/.exec(stderr) ?? [];
    assert.is.not(suggested, "", stderr);
    nothingRuns([`slipway check ${suggested}`], hostile);
  }
});

test("what is printed for directories that are reconstructed, and for release images", () => {
  const folder = tempFolder();
  cpSync("golden/reconstruct/input", folder, { recursive: true });
  const made = slipway(["create", "infrastructure-manifests", "--dir", "cluster"], { cwd: folder });
  assert.is(made.code, 0, made.stderr);
  for (const hostile of HOSTILE.filter(isOneLine)) {
    const dir = hostile.startsWith("-") ? `./${hostile}` : hostile;
    const { code, stdout, stderr } = slipway(["reconstruct", "--from", "cluster", "--dir", dir], {
      cwd: folder,
    });
    assert.is(code, 0, stderr);
    assert.ok(printed(stdout).length > 1, stdout);
    const image = slipway(["create", "ignition-configs", "--dir", "cluster", `--release-image=${hostile}`], {
      cwd: folder,
    });
    assert.is.not(image.code, 0, "no release image has such a name");
    nothingRuns([...printed(stdout), ...printed(image.stderr)], hostile);
  }
});

test("what is printed for Butane's sources", () => {
  for (const hostile of HOSTILE.filter((each) => isOneLine(each) && !each.includes("/"))) {
    const commands = [".bu", ".yaml"].map((ending) => {
      const told = compiledInPlace(`openshift/${hostile}${ending}`);
      assert.match(told, /^in the asset directory, run: mv /);
      return told.replace(/^[^:]*: /, "");
    });
    nothingRuns(commands, hostile);
  }
  assert.is(
    compiledInPlace("openshift/99-motd.bu"),
    "in the asset directory, run: mv openshift/99-motd.bu 99-motd.bu && butane 99-motd.bu -o openshift/99-motd.yaml",
  );
  assert.is(
    compiledInPlace("openshift/a.b.yaml"),
    "in the asset directory, run: mv openshift/a.b.yaml a.b.bu && butane a.b.bu -o openshift/a.b.yaml",
  );
});

test("what is printed for Secrets that are in the open, and for files that are gone", async () => {
  const identity = await generateX25519Identity();
  const recipient = await identityToRecipient(identity);
  for (const hostile of HOSTILE.filter((each) => isOneLine(each) && !each.includes("/"))) {
    const folder = tempFolder();
    cpSync("golden/none/input", folder, { recursive: true });
    const create = ["create", "manifests", "--key-algorithm", "ecdsa-p256", "--secrets", "sops"];
    const first = slipway([...create, "--age-recipient", recipient], { cwd: folder });
    assert.is(first.code, 0, first.stderr);
    writeFileSync(
      join(folder, "manifests", `${hostile}.yaml`),
      "apiVersion: v1\nkind: Secret\nmetadata: {name: heron, namespace: default}\nstringData: {a: b}\n",
    );
    writeFileSync(join(folder, "age.txt"), `${identity}\n`);
    const { stderr } = slipway([...create, "--age-key-file", "age.txt"], { cwd: folder });
    const told = printed(stderr);
    assert.ok(
      told.some((command) => command.startsWith("sops encrypt")),
      stderr,
    );
    const path = `manifests/${hostile}`;
    const [gone] = removedSecrets(
      [
        {
          paths: [
            {
              path,
              status: "removed",
              action: "none",
              disk: undefined,
              desired: { path, data: new Uint8Array(), secret: true },
            },
          ],
        },
      ],
      "create manifests",
    );
    const back = printed(gone?.hint ?? "");
    assert.is(back.length, 1, gone?.hint);
    nothingRuns([...told, ...back], hostile);
  }
});

test("what is printed for an object that was removed, for an option that two branches set, and after a request", () => {
  for (const hostile of HOSTILE.filter((each) => isOneLine(each) && !each.includes("/"))) {
    const folder = tempFolder();
    const dir = join(folder, "cluster");
    cpSync("golden/none/input", dir, { recursive: true });
    cpSync("golden/transfer-statefulset/input/dump.yaml", join(folder, "dump.yaml"));
    const create = (...more: readonly string[]) =>
      slipway(["create", "infrastructure-manifests", "--dir", dir, "--key-algorithm", "ecdsa-p256", ...more]);
    assert.is(create("--namespace", "herons").code, 0);
    const own = `${hostile}.yaml`;
    writeFileSync(
      join(dir, "manifests", own),
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: heron, namespace: default}\ndata: {a: b}\n",
    );
    const before = new Set(readdirSync(join(dir, "infrastructure-manifests")));
    const taken = create().code === 0;
    const added = readdirSync(join(dir, "infrastructure-manifests")).filter((name) => !before.has(name));
    for (const name of [...added, "20_install-state.yaml"])
      rmSync(join(dir, "infrastructure-manifests", name));
    create();
    const { stderr } = slipway(["validate", "--dir", dir]);
    const back = printed(stderr).filter((command) => command.includes("--theirs"));
    assert.ok(back.length >= (taken && added.length > 0 ? 3 : 2), stderr);

    const record = join(dir, ".slipway/record.json");
    writeFileSync(
      record,
      readFileSync(record, "utf8").replace(
        /^.*"option":"namespace".*$/m,
        (line) => `${line}\n${line.replace('"herons"', () => JSON.stringify(hostile))}`,
      ),
    );
    const disputed = create().stderr;
    assert.match(disputed, "DIR021");
    const settling = printed(disputed.replaceAll(", or slipway", "\nslipway"));
    // No namespace is named like this: the other value is the only one to offer.
    assert.is(settling.length, 1, disputed);
    assert.match(settling[0] ?? "", "--namespace=herons");

    const words = [
      "transfer",
      "new",
      "--statefulset",
      "old=shop/db",
      "new=shop-2/pg",
      "--state",
      "dump.yaml",
    ];
    const asked = slipway([...words, "--request-only", `--out=${hostile}`], { cwd: folder });
    assert.is(asked.code, 0, asked.stderr);
    const next = asked.stdout
      .split("\n")
      .filter((line) => line.trim().startsWith("slipway transfer approve"));
    assert.ok(next.length > 0, asked.stdout);
    const edited = compileAgain(`manifests/${own}`, { history: () => "edited" });
    nothingRuns([...back, ...settling, ...next, edited], hostile);
  }
});

const DOMAIN = ["--base-domain", "example.com"];
const textsOf = (value: unknown): string[] =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(textsOf)
      : [];

/** Where commands are made of texts, and which test gives it hostile ones. */
const EMITTERS: Readonly<Record<string, string>> = {
  "src/cli/commands/create/compile-request.ts": "cli/hostile-names",
  "src/cli/commands/create/create-run.ts": "cli/hostile-names",
  "src/cli/commands/create/facts-run.ts": "cli/hostile-names",
  "src/cli/commands/create/install-config-dialogue.ts": "cli/hostile-names",
  "src/cli/commands/create/install-config-run.ts": "cli/hostile-names",
  "src/cli/commands/create/next-steps.ts": "cli/hostile-names",
  "src/cli/commands/create/agent-config-run.ts": "cli/hostile-names",
  "src/cli/commands/create/image-based-starter-run.ts": "cli/hostile-names",
  "src/cli/commands/etcd/plan-run.ts": "cli/hostile-names",
  "src/cli/commands/init/controllers.ts": "cli/hostile-names",
  "src/cli/commands/upgrade-impact/upgrade-impact-run.ts": "cli/hostile-names",
  "src/cli/commands/secrets/update-keys-run.ts": "cli/hostile-names",
  "src/cli/commands/init/init-run.ts": "cli/hostile-names",
  "src/cli/commands/init/pipelines.ts": "cli/hostile-names",
  "src/cli/commands/reconstruct/reconstruct-run.ts": "cli/hostile-names",
  "src/cli/commands/report/": "cli/report",
  "src/cli/commands/transfer/write-run.ts": "cli/hostile-names",
  "src/cli/frame.ts": "cli/hostile-names",
  "src/cli/pooled-keys.ts": "cli/hostile-names",
  "src/cli/printed-commands.ts": "cli/hostile-names",
  "src/directory/check.ts": "cli/hostile-names",
  "src/directory/directory.ts": "cli/hostile-names",
  "src/directory/key-pool.ts": "cli/hostile-names",
  "src/directory/sealing.ts": "cli/hostile-names",
  "src/etcd/plan/compile.ts": "cli/hostile-names",
  "src/etcd/plan/runbook": "cli/hostile-names",
  "src/kubernetes/storage-migration-script.ts": "cli/hostile-names",
  "src/phases/ignition-configs/boot/index.ts": "cli/hostile-names",
  "src/phases/ignition-configs/next-steps.ts": "cli/hostile-names",
  "src/phases/infrastructure-manifests/next-steps.ts": "cli/hostile-names",
  "src/phases/next-step.ts": "cli/hostile-names",
  "src/pipeline/in-the-open.ts": "sops/in-the-open",
  "src/pipeline/later-phases.ts": "cli/left-behind",
  // Its commands are whole in the test: no text of anybody's is in them.
  "src/pipeline/infrastructure.ts": "pipeline/sealed-supplement",
  "src/pipeline/reconstruct.ts": "cli/hostile-names",
  "src/platforms/": "platforms/hostile-commands",
  "src/sops/file.ts": "cli/hostile-names",
  // The name of a CustomResourceDefinition, which a test of crd-plan-files gives it.
  "src/storage/crd-plan": "cli/hostile-names",
  "src/text/butane.ts": "cli/hostile-names",
  "src/transfer/": "transfer/hostile",
  "src/validate/context.ts": "cli/hostile-names",
  "src/validate/install-state.ts": "cli/hostile-names",
  "src/validate/manifest-wraps.ts": "cli/hostile-names",
};

test("whatever makes words of a shell is one of the emitters that a test gives hostile texts", () => {
  const makers = [...readTree("src").entries()]
    .filter(([, text]) => /from "[./]*text\/shell\.js"/.test(text.toString()))
    .map(([name]) => `src/${name}`);
  assert.ok(makers.length > 20);
  const isKnown = (file: string): boolean => Object.keys(EMITTERS).some((known) => file.startsWith(known));
  assert.equal(
    makers.filter((file) => !isKnown(file)),
    [],
  );
  for (const name of new Set(Object.values(EMITTERS))) assert.ok(existsSync(`test/${name}.test.ts`), name);
});

test.run();
