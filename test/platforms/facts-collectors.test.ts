/**
 * The collectors against what they call: the aws command line with moto's server, and govc with vcsim. The folder with
 * `aws`, `moto_server`, `govc` and `vcsim` is named by SLIPWAY_CLOUD_TOOLS, or they are on the PATH.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { skipTest } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("collectors of facts");

const PATH = [
  ...(process.env["SLIPWAY_CLOUD_TOOLS"]?.split(delimiter) ?? []),
  process.env["PATH"] ?? "",
].join(delimiter);
const has = (...programs: readonly string[]): boolean =>
  programs.every(
    (name) => spawnSync("sh", ["-c", `command -v ${name}`], { env: { PATH }, encoding: "utf8" }).status === 0,
  );

const children: ChildProcess[] = [];
test.after(() => {
  for (const child of children) child.kill();
});

/** A free port that an install-config may name: at most 32767. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

/** Starts a server; ready when the probe ends with 0. */
async function serve(
  program: string,
  words: readonly string[],
  probe: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  children.push(spawn(program, words, { env: { ...env, PATH, HOME: tempFolder() }, stdio: "ignore" }));
  for (let tries = 0; tries < 300; tries++) {
    if (spawnSync(probe[0] ?? "", probe.slice(1), { env: { ...env, PATH } }).status === 0) return;
    await delay(200);
  }
  throw new Error(`${program} does not answer`);
}

function directory(config: string): string {
  const dir = join(tempFolder(), "knot");
  mkdirSync(dir);
  writeFileSync(join(dir, "install-config.yaml"), config);
  return dir;
}

/** The facts that the script of a directory prints; each word of it is sound for a POSIX shell. */
function collect(dir: string, env: Readonly<Record<string, string>>): string {
  const script = join(dir, "facts.sh");
  const made = slipway(["create", "facts", "--dir", dir, "--script", script]);
  assert.is(made.code, 0, made.stderr);
  const streamed = slipway(["create", "facts", "--dir", dir, "--script", "-"]);
  assert.is(streamed.stdout, readFileSync(script, "utf8"));
  const { status, stdout, stderr } = spawnSync("sh", [script], { env: { PATH, ...env }, encoding: "utf8" });
  assert.is(status, 0, stderr);
  return stdout;
}

const SECRET_KEY = "wJalrXUtnFEMIK7MDENGbPxRfiCYPLANTED";

const AWS = (more: string): string => `apiVersion: v1
baseDomain: fen.example.org
credentialsMode: Manual
metadata:
  name: knot
platform:
  aws:
    region: eu-west-1
${more}pullSecret: '{"auths":{"registry.example.org":{"auth":"dXNlcjpwYXNz"}}}'
`;

if (!has("aws", "moto_server")) skipTest(test, "aws", "needs aws and moto_server (SLIPWAY_CLOUD_TOOLS)");
else
  test("aws: facts of moto's server are enough for the manifests", async () => {
    const port = await freePort();
    const endpoint = `http://127.0.0.1:${port}`;
    const env = {
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: "AKIAPLANTED",
      AWS_SECRET_ACCESS_KEY: SECRET_KEY,
      AWS_DEFAULT_REGION: "eu-west-1",
    };
    const ask = (...words: readonly string[]): string => {
      const { status, stdout, stderr } = spawnSync("aws", [...words, "--output", "text"], {
        env: { ...env, PATH },
        encoding: "utf8",
      });
      assert.is(status, 0, stderr);
      return stdout.trim();
    };
    await serve(
      "moto_server",
      ["-H", "127.0.0.1", "-p", String(port)],
      ["aws", "sts", "get-caller-identity"],
      env,
    );
    ask("route53", "create-hosted-zone", "--name", "fen.example.org", "--caller-reference", "1");
    // A stream as openshift-install prints it.
    const tools = tempFolder();
    const stream = JSON.stringify(
      {
        stream: "rhcos-4.22",
        architectures: {
          aarch64: { images: { aws: { regions: { "eu-west-1": { release: "9", image: "ami-0arm" } } } } },
          x86_64: {
            artifacts: { aws: { release: "9", formats: {} } },
            images: {
              aws: {
                regions: {
                  "us-east-1": { release: "9", image: "ami-0other" },
                  "eu-west-1": { release: "9", image: "ami-0right" },
                },
              },
            },
          },
        },
      },
      null,
      2,
    );
    writeFileSync(join(tools, "openshift-install"), `#!/bin/sh\ncat <<'EOF'\n${stream}\nEOF\n`, {
      mode: 0o755,
    });
    const collected = (dir: string): string => {
      const text = collect(dir, { ...env, PATH: `${tools}${delimiter}${PATH}` });
      assert.not.match(text, /PLANTED/);
      writeFileSync(join(dir, "facts.yaml"), text);
      const { code, stderr } = slipway([
        "create",
        "manifests",
        "--dir",
        dir,
        "--key-algorithm",
        "ecdsa-p256",
      ]);
      assert.is(code, 0, `${stderr}\n${text}`);
      return text;
    };
    const made = collected(directory(AWS("")));
    assert.match(made, /^ {4}amd64: \{id: ami-0right\}$/m);
    assert.match(made, /^ {2}- name: 'eu-west-1b'$/m);

    // Existing subnets: one with a route to an internet gateway, one of the main route table.
    const vpc = ask("ec2", "create-vpc", "--cidr-block", "10.0.0.0/16", "--query", "Vpc.VpcId");
    const subnet = (cidr: string, zone: string): string =>
      ask(
        ...["ec2", "create-subnet", "--vpc-id", vpc, "--cidr-block", cidr, "--availability-zone", zone],
        ...["--query", "Subnet.SubnetId"],
      );
    const open = subnet("10.0.0.0/20", "eu-west-1a");
    const closed = subnet("10.0.16.0/20", "eu-west-1a");
    const gateway = ask("ec2", "create-internet-gateway", "--query", "InternetGateway.InternetGatewayId");
    ask("ec2", "attach-internet-gateway", "--internet-gateway-id", gateway, "--vpc-id", vpc);
    const table = ask("ec2", "create-route-table", "--vpc-id", vpc, "--query", "RouteTable.RouteTableId");
    ask(
      ...["ec2", "create-route", "--route-table-id", table, "--destination-cidr-block", "0.0.0.0/0"],
      ...["--gateway-id", gateway],
    );
    ask("ec2", "associate-route-table", "--route-table-id", table, "--subnet-id", open);
    const brought = collected(
      directory(AWS(`    vpc:\n      subnets:\n      - id: ${open}\n      - id: ${closed}\n`)),
    );
    assert.match(brought, new RegExp(`id: '${open}'(?:\\n {4}\\S.*)*\\n {4}public: true`));
    assert.match(brought, new RegExp(`id: '${closed}'(?:\\n {4}\\S.*)*\\n {4}public: false`));

    // Without an answer there is no file.
    const other = directory(AWS("").replace("fen.example.org", "bog.example.org"));
    slipway(["create", "facts", "--dir", other, "--script", join(other, "facts.sh")]);
    const failed = spawnSync("sh", [join(other, "facts.sh")], { env: { ...env, PATH }, encoding: "utf8" });
    assert.is(failed.status, 1);
    assert.is(failed.stdout, "");
    assert.match(failed.stderr, /bog\.example\.org has no public hosted zone/);
  });

if (!has("govc", "vcsim")) skipTest(test, "vsphere", "needs govc and vcsim (SLIPWAY_CLOUD_TOOLS)");
else
  test("vsphere: the inventory of vcsim is held against the install-config", async () => {
    const port = await freePort();
    const env = {
      GOVC_USERNAME: "user",
      GOVC_PASSWORD: "PLANTED-pass",
      GOVC_INSECURE: "1",
      HOME: tempFolder(),
    };
    // Releases of vcsim name the address in two ways.
    const { stderr: usage } = spawnSync("vcsim", ["-h"], { env: { PATH }, encoding: "utf8" });
    const address = /^ {2}-l /m.test(usage)
      ? ["-l", `127.0.0.1:${port}`]
      : [`-httptest.serve=127.0.0.1:${port}`];
    await serve("vcsim", address, ["govc", "about"], {
      ...env,
      GOVC_URL: `127.0.0.1:${port}`,
    });
    const config = (cluster: string): string => `apiVersion: v1
baseDomain: fen.example.org
metadata:
  name: knot
platform:
  vsphere:
    vcenters:
    - server: 127.0.0.1
      port: ${port}
      user: user
      password: PLANTED-pass
      datacenters: [DC0]
    failureDomains:
    - name: one
      region: r
      zone: z
      server: 127.0.0.1
      topology:
        datacenter: DC0
        computeCluster: /DC0/host/${cluster}
        datastore: /DC0/datastore/LocalDS_0
        networks: [VM Network]
pullSecret: '{"auths":{"registry.example.org":{"auth":"dXNlcjpwYXNz"}}}'
`;
    const dir = directory(config("DC0_C0"));
    const text = collect(dir, env);
    assert.not.match(text, /PLANTED/);
    const facts = JSON.stringify(load(text));
    assert.match(facts, /"\/DC0\/host\/DC0_C0\/Resources"/);
    assert.match(facts, /"hosts":\[\{"name":"DC0_[^"]+","version":"\d[^"]*","build":"\d+"\}/);
    writeFileSync(join(dir, "facts.yaml"), text);
    // The simulator's version is older than the storage driver allows, which shows that it was looked at.
    const { stderr } = slipway(["create", "manifests", "--dir", dir, "--dry-run"]);
    assert.match(stderr, /FACT002.*version/);
    assert.not.match(stderr, /FACT002.*topology/);
    // A vCenter of this day by all else that the simulator says.
    const tools = tempFolder();
    writeFileSync(
      join(tools, "govc"),
      `#!/bin/sh\nPATH='${PATH}'\nexport PATH\ngovc "$@" | sed -E '/[Vv]ersion/s/6\\.5\\.0$/8.0.3/; /[Bb]uild/s/[0-9]+$/24022515/'\n`,
      { mode: 0o755 },
    );
    writeFileSync(join(dir, "facts.yaml"), collect(dir, { ...env, PATH: `${tools}${delimiter}${PATH}` }));
    const made = slipway(["create", "manifests", "--dir", dir, "--key-algorithm", "ecdsa-p256"]);
    assert.is(made.code, 0, made.stderr);
    writeFileSync(join(dir, "install-config.yaml"), config("DC0_C9"));
    assert.match(
      slipway(["create", "manifests", "--dir", dir, "--dry-run"]).stderr,
      /FACT002: platform\.vsphere\.failureDomains\[0\]\.topology\.computeCluster/,
    );
  });

test("the scripts are clean for shellcheck", () => {
  if (!has("shellcheck")) return void process.stdout.write("SKIPPED shellcheck is not installed\n");
  for (const example of ["aws", "aws-subnets", "vsphere"]) {
    const dir = directory(readFileSync(join("examples", example, "install-config.yaml"), "utf8"));
    const { stdout } = slipway(["create", "facts", "--dir", dir, "--script", "-"]);
    const { status, stdout: said } = spawnSync("shellcheck", ["-s", "sh", "-"], {
      input: stdout,
      encoding: "utf8",
      env: { PATH },
    });
    assert.is(status, 0, said);
  }
});

test.run();
