/** Every config passes Debian's validator and does what it should in Debian's engine. */
import { cpSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonObject } from "../../../src/core/json.js";
import type { NormalConfig } from "../../../src/platforms/config.js";
import { slipway } from "../../helpers/cli.js";
import { listOf, nodeFilesOf, objectOf, RELEASE_IMAGE, runIgnition } from "../../helpers/ignition.js";
import { applied, engineIsMissing, validated, validatorIsMissing } from "../../helpers/ignition-engine.js";
import { baseConfig } from "../../helpers/manifests.js";
import { skipTest } from "../../helpers/shared.js";
import { tempFolder } from "../../helpers/temp.js";

const test = suite("Ignition configs and Ignition");

const SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4pQaPjzCQqjEQQQVIWcDKcKqD7CDJVkUS9c8zKmY9o";

const ARBITER = {
  name: "arbiter",
  replicas: 1,
  architecture: "amd64",
  hyperthreading: "Enabled",
  platform: {},
};

/** Texts of the configs, by name. */
type Configs = ReadonlyMap<string, string>;

async function phase(config: NormalConfig): Promise<Configs> {
  const run = await runIgnition({ config });
  const names = run.files.map(({ path }) => path).filter((path) => path.endsWith(".ign"));
  return new Map(names.map((path) => [path, run.text(path)]));
}

/** `slipway create ignition-configs` for an example that users are given. */
function example(name: string): Configs {
  const folder = join(tempFolder(), name);
  cpSync(join("examples", name), folder, { recursive: true });
  const facts = existsSync(join(folder, "facts.yaml")) ? ["--facts", join(folder, "facts.yaml")] : [];
  const run = slipway([
    ...["create", "ignition-configs", "--dir", folder, "--key-algorithm", "ecdsa-p256"],
    ...["--release-image", RELEASE_IMAGE, ...facts],
  ]);
  assert.is(run.code, 0, run.stderr);
  const names = readdirSync(folder).filter((path) => path.endsWith(".ign"));
  return new Map(names.sort().map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

const SOURCES: { readonly [name: string]: () => Configs | Promise<Configs> } = {
  "several keys, a proxy and mirrors": () =>
    phase({
      ...baseConfig(),
      sshKey: `${SSH_KEY} one\n${SSH_KEY} two\n`,
      proxy: { httpProxy: "http://proxy.example.org:3128", noProxy: ".example.org" },
      imageDigestSources: [{ source: "quay.io/a/b", mirrors: ["mirror.example.org/a/b"] }],
    }),
  "no key": () => phase(baseConfig()),
  "an arbiter": () => phase(withArbiter()),
  "example none": () => example("none"),
  "example external": () => example("external"),
  "example aws": () => example("aws"),
};

const withArbiter = (): NormalConfig => ({
  ...baseConfig(),
  platform: { external: { platformName: "cirrus" } },
  sshKey: SSH_KEY,
  controlPlane: { ...baseConfig().controlPlane, replicas: 2 },
  arbiter: ARBITER,
});

const noValidator = validatorIsMissing();
const noEngine = engineIsMissing();
for (const [name, source] of Object.entries(SOURCES)) {
  if (noValidator === undefined)
    test(`${name}: ignition-validate has nothing to say`, async () => {
      const configs = await source();
      const arbiter = name === "an arbiter" ? ["arbiter.ign"] : [];
      assert.equal(
        [...configs.keys()].sort(),
        [...arbiter, "bootstrap.ign", "master.ign", "worker.ign"].sort(),
      );
      for (const [path, text] of configs) assert.is(validated(text), "", path);
    });
  else skipTest(test, `${name}: ignition-validate has nothing to say`, noValidator);

  if (noEngine === undefined)
    test(`${name}: the engine writes what bootstrap.ign says`, async () => {
      const text = (await source()).get("bootstrap.ign") ?? "";
      const config = objectOf(JSON.parse(text));
      const root = await applied(text);
      checkFiles(root, config);
      checkKeys(root, config);
      checkUnits(root, config);
    });
  else skipTest(test, `${name}: the engine writes what bootstrap.ign says`, noEngine);
}

function checkFiles(root: string, config: JsonObject): void {
  const files = nodeFilesOf(config);
  assert.ok(files.size >= 80, `${files.size} files`);
  for (const [path, { mode, append, text }] of files) {
    const status = statSync(join(root, path));
    assert.is(status.mode & 0o7777, mode, path);
    assert.equal([status.uid, status.gid], [0, 0], path);
    const before = append ? "The operating system's own words.\n" : "";
    assert.is(readFileSync(join(root, path), "utf8"), before + text, path);
  }
}

/** Every key of the user has a line of its own, in a file of the user. */
function checkKeys(root: string, config: JsonObject): void {
  const [user] = listOf(objectOf(config["passwd"])["users"]).map(objectOf);
  const lines = (text: string): string[] => text.split("\n").filter((line) => line !== "");
  const keys = join(root, "home/core/.ssh/authorized_keys.d/ignition");
  assert.equal(
    lines(readFileSync(keys, "utf8")).sort(),
    listOf(user?.["sshAuthorizedKeys"])
      .flatMap((key) => lines(String(key)))
      .sort(),
  );
  assert.equal([statSync(keys).uid, statSync(keys).mode & 0o777], [1000, 0o600]);
}

/** Units, drop-ins and what is enabled. */
function checkUnits(root: string, config: JsonObject): void {
  const system = join(root, "etc/systemd/system");
  const preset: string[] = [];
  for (const each of listOf(objectOf(config["systemd"])["units"])) {
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
      const run = await runIgnition({ config: withArbiter() });
      const config = {
        ignition: { version: "3.2.0" },
        storage: { files: [{ path: "/etc/role", mode: 0o644, contents: { source: `data:,${role}` } }] },
      };
      // Any address of the loopback network is this machine; the port is given by the config.
      const address = `127.${40 + (process.pid % 60)}.${role.length}.7`;
      const asked: string[] = [];
      const { key, certificate } = run.pki.certified["machine-config-server"];
      const server = createServer({ key, cert: certificate }, (request, response) => {
        asked.push(request.url ?? "");
        response.end(JSON.stringify(config));
      });
      await new Promise<void>((resolve) => server.listen(22623, address, resolve));
      try {
        const root = await applied(run.text(`${role}.ign`), { "api-int.tern.sea.example.org": address });
        assert.is(readFileSync(join(root, "etc/role"), "utf8"), role);
        assert.equal([...new Set(asked)], [`/config/${role}`]);
      } finally {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    });
  else skipTest(test, `the engine fetches the config of a ${role}`, noEngine);

test.run();
