/** Every config passes Debian's validator and does what it should in Debian's engine. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { NormalConfig } from "../../../src/platforms/config.js";
import { awsConfig } from "../../helpers/aws.js";
import { type IgnitionRun, listOf, objectOf, runIgnition } from "../../helpers/ignition.js";
import { applied, engineIsMissing, validated, validatorIsMissing } from "../../helpers/ignition-engine.js";
import { baseConfig, runManifests } from "../../helpers/manifests.js";
import { skipTest } from "../../helpers/shared.js";

const test = suite("Ignition configs and Ignition");

const SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4pQaPjzCQqjEQQQVIWcDKcKqD7CDJVkUS9c8zKmY9o";

const ARBITER = {
  name: "arbiter",
  replicas: 1,
  architecture: "amd64",
  hyperthreading: "Enabled",
  platform: {},
};

const CONFIGS: { readonly [name: string]: () => NormalConfig } = {
  none: () => ({
    ...baseConfig(),
    sshKey: `${SSH_KEY} one\n${SSH_KEY} two\n`,
    proxy: { httpProxy: "http://proxy.example.org:3128", noProxy: ".example.org" },
    imageDigestSources: [{ source: "quay.io/a/b", mirrors: ["mirror.example.org/a/b"] }],
  }),
  "none without a key": baseConfig,
  external: () => ({
    ...baseConfig(),
    platform: { external: { platformName: "cirrus" } },
    sshKey: SSH_KEY,
    controlPlane: { ...baseConfig().controlPlane, replicas: 2 },
    arbiter: ARBITER,
  }),
  aws: () => awsConfig({}, { pullSecret: baseConfig().pullSecret, sshKey: SSH_KEY }),
};

/** The files of the phase; for aws over the manifests of none, since the phase copies whatever stands there. */
async function configs(name: string): Promise<IgnitionRun> {
  const config = CONFIGS[name]?.() ?? baseConfig();
  if (name !== "aws") return runIgnition({ config });
  return runIgnition({ config, manifestFiles: (await runManifests({ config: baseConfig() })).files });
}

const ignOf = ({ files }: IgnitionRun): string[] =>
  files.map(({ path }) => path).filter((path) => path.endsWith(".ign"));

const noValidator = validatorIsMissing();
for (const name of Object.keys(CONFIGS))
  if (noValidator === undefined)
    test(`${name}: ignition-validate has nothing to say`, async () => {
      const run = await configs(name);
      assert.equal(
        ignOf(run).filter((path) => path !== "arbiter.ign"),
        ["bootstrap.ign", "master.ign", "worker.ign"],
      );
      assert.is(ignOf(run).includes("arbiter.ign"), name === "external");
      for (const path of ignOf(run)) assert.is(validated(run.text(path)), "", path);
    });
  else skipTest(test, `${name}: ignition-validate`, noValidator);

const noEngine = engineIsMissing();
for (const name of Object.keys(CONFIGS))
  if (noEngine === undefined)
    test(`${name}: the engine writes what bootstrap.ign says`, async () => {
      const run = await configs(name);
      const root = await applied(run.text("bootstrap.ign"));
      assert.ok(run.nodeFiles.size >= 80, `${run.nodeFiles.size} files`);
      for (const [path, { mode, append, text }] of run.nodeFiles) {
        const status = statSync(join(root, path));
        assert.is(status.mode & 0o7777, mode, path);
        assert.equal([status.uid, status.gid], [0, 0], path);
        const before = append ? "The operating system's own words.\n" : "";
        assert.is(readFileSync(join(root, path), "utf8"), before + text, path);
      }
      const keys = join(root, "home/core/.ssh/authorized_keys.d/ignition");
      const given = CONFIGS[name]?.().sshKey ?? "";
      const lines = readFileSync(keys, "utf8")
        .trim()
        .split("\n")
        .filter((line) => line !== "");
      assert.equal(
        lines.filter((line) => line !== "").sort(),
        [...given.trim().split("\n"), run.pki.bootstrapSsh.publicKey.trim()]
          .filter((line) => line !== "")
          .sort(),
      );
      assert.is(statSync(keys).uid, 1000);
      checkUnits(root, run);
    });
  else skipTest(test, `${name}: the engine writes what bootstrap.ign says`, noEngine);

/** Units, drop-ins and what is enabled. */
function checkUnits(root: string, { bootstrap }: IgnitionRun): void {
  const system = join(root, "etc/systemd/system");
  const preset: string[] = [];
  for (const each of listOf(objectOf(bootstrap["systemd"])["units"])) {
    const { name, contents, dropins = [], enabled } = objectOf(each);
    if (typeof contents === "string" && contents !== "")
      assert.is(readFileSync(join(system, String(name)), "utf8"), contents);
    for (const dropin of listOf(dropins)) {
      const { name: file, contents: text } = objectOf(dropin);
      assert.is(readFileSync(join(system, `${String(name)}.d`, String(file)), "utf8"), text);
    }
    if (enabled === true) preset.push(`enable ${String(name)}`);
  }
  const folder = join(root, "etc/systemd/system-preset");
  const written = preset.length === 0 ? [] : readdirSync(folder);
  const lines = written.flatMap((file) => readFileSync(join(folder, file), "utf8").trim().split("\n"));
  assert.equal(lines.sort(), preset.sort());
}

for (const role of ["master", "worker", "arbiter"])
  if (noEngine === undefined)
    test(`the engine fetches the config of a ${role} from the machine config server`, async () => {
      const run = await configs("external");
      const config = {
        ignition: { version: "3.2.0" },
        storage: { files: [{ path: "/etc/role", mode: 0o644, contents: { source: `data:,${role}` } }] },
      };
      const host = "api-int.tern.sea.example.org";
      // Any address of the loopback network is this machine; the port is given by the config.
      const address = `127.${40 + (process.pid % 60)}.${role.length}.7`;
      const asked: string[] = [];
      const serve = async <T>(pki: IgnitionRun["pki"], body: () => Promise<T>): Promise<T> => {
        const { key, certificate } = pki.certified["machine-config-server"];
        const server = createServer({ key, cert: certificate }, (request, response) => {
          asked.push(request.url ?? "");
          response.end(JSON.stringify(config));
        });
        await new Promise<void>((resolve) => server.listen(22623, address, resolve));
        try {
          return await body();
        } finally {
          server.closeAllConnections();
          await new Promise((resolve) => server.close(resolve));
        }
      };
      const root = await serve(run.pki, () => applied(run.text(`${role}.ign`), { [host]: address }));
      assert.is(readFileSync(join(root, "etc/role"), "utf8"), role);
      assert.equal([...new Set(asked)], [`/config/${role}`]);
    });
  else skipTest(test, `the engine fetches the config of a ${role}`, noEngine);

test.run();
