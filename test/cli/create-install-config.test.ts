import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { readConfig } from "../helpers/install-config.js";
import { PLANTED } from "../helpers/planted.js";
import { answeredOnTerminal, hasTerminal } from "../helpers/pty.js";
import { skipTest } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("cli create install-config");

const AUTH = Buffer.from(`user:${PLANTED.pullSecretAuth}`).toString("base64");
const SECRET = `{"auths":{"registry.example.org":{"auth":"${AUTH}"}}}`;
const KEY = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEx2KnK03eS+pUvYfP2CX/8+zLS8lK//4iv/GOKDdii ${PLANTED.sshKeyComment}`;

const create = (cwd: string, words: readonly string[], input = "", env: Record<string, string> = {}) =>
  slipway(["create", "install-config", ...words], { cwd, input, env });

const COMMON = ["--name", "demo", "--base-domain", "example.org"];
const PLATFORMS: readonly (readonly string[])[] = [
  ["--platform", "none"],
  ["--platform", "external"],
  ["--platform", "external", "--platform-name", "my cloud: #1"],
  ["--platform", "aws", "--region", "eu-west-1"],
];

test("a commented starter that our reader accepts, with mode 0600, for every platform", () => {
  for (const words of PLATFORMS) {
    const folder = tempFolder();
    const { code, stdout, stderr } = create(folder, [...words, ...COMMON, "--dir", "new/cluster"]);
    assert.is(code, 0, stderr);
    assert.match(stdout, /created {2}new\/cluster\/install-config\.yaml/);
    assert.match(stdout, /Fill in pullSecret and sshKey/);
    const path = join(folder, "new/cluster/install-config.yaml");
    assert.is(statSync(path).mode & 0o777, 0o600);
    const text = readFileSync(path, "utf8");
    const { read, summary } = readConfig(text);
    assert.equal(summary, []);
    assert.is(read?.config.metadata?.name, "demo");
    assert.ok(text.split("\n").filter((line) => /^\s*#/.test(line)).length > 10);
  }
});

test("what is commented out is right too", () => {
  const folder = tempFolder();
  create(folder, [...(PLATFORMS[3] ?? []), ...COMMON]);
  const text = readFileSync(join(folder, "install-config.yaml"), "utf8");
  const opened = text
    .replace(/^(\s*)# ((?: *)(?:- )?[A-Za-z]+:(?: .*)?|- [\w.]+.*|-----.*)$/gm, "$1$2")
    .replace("  - id:", "  - id:");
  const { diagnostics } = readConfig(opened);
  assert.equal(
    diagnostics
      .filter(({ severity }) => severity === "error")
      .map(({ line, message }) => `${line}: ${message}`),
    [],
    opened,
  );
});

test("pull secret and key from files, then the pipeline runs", () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "pull.json"), JSON.stringify(JSON.parse(SECRET), null, 2));
  writeFileSync(join(folder, "key.pub"), `${KEY}\n`);
  const made = create(folder, [
    "--platform",
    "none",
    ...COMMON,
    "--pull-secret",
    "pull.json",
    "--ssh-key",
    "key.pub",
  ]);
  assert.is(made.code, 0, made.stderr);
  assert.not.match(made.stdout, /Fill in/);
  const { read } = readConfig(readFileSync(join(folder, "install-config.yaml"), "utf8"));
  assert.is(read?.config.pullSecret, SECRET);
  assert.is(read?.config.sshKey, KEY);
  const compiled = slipway(["create", "manifests"], { cwd: folder });
  assert.is(compiled.code, 0, compiled.stderr);
});

test("a starter with made-up values does not compile before they are replaced", () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "pull.json"), SECRET);
  writeFileSync(join(folder, "key.pub"), `${KEY}\n`);
  const given = [...COMMON, "--pull-secret", "pull.json", "--ssh-key", "key.pub"];
  const cases: readonly (readonly [words: readonly string[], fields: readonly string[]])[] = [
    [
      ["nutanix", "--prism-central", "pc.example.org", "--prism-element", "10.0.0.9"],
      [
        "prismCentral.password",
        "prismElements[0].uuid",
        "prismElements[0].name",
        "subnetUUIDs[0]",
        "apiVIPs[0]",
        "ingressVIPs[0]",
      ],
    ],
    [["powervs", "--zone", "dal10", "--resource-group", "rg"], ["userID"]],
    [
      ["baremetal"],
      [
        "apiVIPs[0]",
        "ingressVIPs[0]",
        ...[0, 1, 2, 3, 4].flatMap((i) =>
          ["bmc.address", "bmc.password", "bmc.username", "bootMACAddress"].map(
            (field) => `hosts[${i}].${field}`,
          ),
        ),
      ],
    ],
  ];
  for (const [[platform = "", ...words], fields] of cases) {
    const dir = join(folder, platform);
    const made = create(folder, ["--platform", platform, ...words, ...given, "--dir", dir]);
    assert.is(made.code, 0, made.stderr);
    assert.not.match(made.stderr, "IC002");
    assert.match(made.stdout, /Fill in the values in angle brackets, then run/);
    const compiled = slipway(["create", "manifests", "--output", "json"], { cwd: dir });
    assert.is(compiled.code, 1);
    const refused: readonly { readonly code: string; readonly severity: string; readonly field: string }[] =
      JSON.parse(compiled.stdout).diagnostics;
    assert.equal(
      refused.map(({ code, severity, field }) => `${severity} ${code} ${field}`).sort(),
      fields.map((field) => `error IC002 platform.${platform}.${field}`).sort(),
    );
  }
});

test("the answers to a starter with values to fill in are judged all the same", () => {
  const words = ["--platform", "baremetal", "--name", "Not_A_Name", "--base-domain", "example.org"];
  const { code, stderr } = create(tempFolder(), words);
  assert.is(code, 1);
  assert.match(stderr, "error IC110");
  const left = create(tempFolder(), [
    "--platform",
    "baremetal",
    "--name",
    "<name>",
    "--base-domain",
    "a.org",
  ]);
  assert.match(left.stderr, "error IC002: metadata.name");
});

test("a starter names the ways to publish a cluster of the platform", () => {
  const folder = tempFolder();
  create(folder, ["--platform", "none", ...COMMON]);
  const text = readFileSync(join(folder, "install-config.yaml"), "utf8");
  assert.match(text, /only External is supported\.\npublish: External/);
  const azure = ["--platform", "azure", "--region", "uksouth", "--base-domain-resource-group", "dns"];
  create(folder, [...azure, ...COMMON, "--dir", "azure"]);
  assert.match(
    readFileSync(join(folder, "azure/install-config.yaml"), "utf8"),
    /ingress: External, Internal, Mixed\.\npublish: External/,
  );
});

test("a file that exists is never rewritten, be it a link to nowhere", () => {
  for (const prepare of [
    (path: string) => writeFileSync(path, "mine"),
    (path: string) => symlinkSync("nowhere", path),
    (path: string) => mkdirSync(path),
  ]) {
    const folder = tempFolder();
    const path = join(folder, "install-config.yaml");
    prepare(path);
    for (const words of [[...(PLATFORMS[0] ?? []), ...COMMON], ["--from-stdin"]]) {
      const { code, stderr } = create(folder, words, "apiVersion: v1\n");
      assert.is(code, 1);
      assert.match(stderr, /error IC014: the file already exists and is never overwritten/);
    }
    if (statSync(path, { throwIfNoEntry: false })?.isFile()) assert.is(readFileSync(path, "utf8"), "mine");
    assert.not.ok(existsSync(join(folder, "nowhere")));
  }
});

test("--from-stdin stores the bytes unchanged when they can be read", () => {
  const bytes = `\ufeff# mine\r\napiVersion: v1\r\nbaseDomain:   example.org\r\npullSecret: '${SECRET}'\r\n`;
  const folder = tempFolder();
  const { code, stderr } = create(folder, ["--from-stdin", "--dir", "a"], bytes);
  assert.is(code, 0, stderr);
  assert.is(readFileSync(join(folder, "a/install-config.yaml"), "utf8"), bytes);
  for (const [input, message] of [
    ["a: [", /YAML001/],
    ["", /YAML006/],
    ["pullSecret: $PULL_SECRET\n", /IC002/],
    ["baseDomain: x\nunknown: 1\n", /IC010/],
  ] as const) {
    const refused = create(folder, ["--from-stdin", "--dir", "b"], input);
    assert.is(refused.code, 1);
    assert.match(refused.stderr, message);
    assert.not.ok(existsSync(join(folder, "b")));
  }
  assert.is(
    create(folder, ["--from-stdin", "--dir", "c", "--lenient"], "baseDomain: x\nunknown: 1\n").code,
    0,
  );
  assert.is(create(folder, ["--from-stdin", "--name", "x"], bytes).code, 2);
});

test("without a terminal it lists what is missing and asks nothing", () => {
  const cases: [readonly string[], RegExp][] = [
    [[], /missing: --platform, --name, --base-domain/],
    [["--platform", "aws", "--name", "demo"], /missing: --base-domain, --region/],
    [["--platform", "none", ...COMMON, "--region", "x"], /--region is not supported on platform none/],
    [["--platform", "clouds", ...COMMON], /--platform: unsupported value "clouds": supported values: /],
  ];
  for (const [words, message] of cases)
    for (const env of [{}, { CI: "true" }]) {
      const folder = tempFolder();
      const { code, stdout, stderr } = create(folder, words, "none\ndemo\nexample.org\n", env);
      assert.is(code, 2, stderr);
      assert.is(stdout, "");
      assert.match(stderr, message);
      assert.not.ok(existsSync(join(folder, "install-config.yaml")));
    }
});

test("answers that cannot work are refused by field, and nothing is written", () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "path.json"), "~/pull-secret.json");
  writeFileSync(
    join(folder, "key"),
    `-----BEGIN OPENSSH PRIVATE KEY-----\n${PLANTED.token}\n-----END OPENSSH PRIVATE KEY-----\n`,
  );
  const cases: [readonly string[], RegExp][] = [
    [["--platform", "none", "--name", "De_mo", "--base-domain", "example.org"], /metadata\.name: /],
    [["--platform", "none", "--name", "demo", "--base-domain", "exa mple"], /baseDomain: /],
    [
      ["--platform", "none", "--name", "$NAME", "--base-domain", "example.org"],
      /metadata\.name: .*unexpanded variable/,
    ],
    [
      ["--platform", "none", ...COMMON, "--pull-secret", "path.json"],
      /path\.json:1:1: error IC004: pullSecret: the file contains what looks like the path of another file/,
    ],
    [["--platform", "none", ...COMMON, "--pull-secret", "absent.json"], /absent\.json: error/],
    [["--platform", "none", ...COMMON, "--ssh-key", "key"], /private key; specify the public key file/],
  ];
  for (const [words, message] of cases) {
    const { code, stderr } = create(folder, words);
    assert.is(code, 1, words.join(" "));
    assert.match(stderr, message);
    assert.not.ok(existsSync(join(folder, "install-config.yaml")));
  }
});

test("json lists the file that was written", () => {
  const { code, stdout } = create(tempFolder(), [...(PLATFORMS[0] ?? []), ...COMMON, "--output", "json"]);
  assert.is(code, 0);
  const answer: unknown = JSON.parse(stdout);
  assert.equal(Reflect.get(Object(answer), "files"), [{ path: "install-config.yaml", status: "created" }]);
  assert.equal(Reflect.get(Object(answer), "diagnostics"), []);
});

/** The text that nobody may see. */
const TYPED = PLANTED.password;
const ANSWERS: readonly (readonly [string, string])[] = [
  ["Platform", "vsphere"],
  ["Name of the cluster", "demo"],
  ["Base domain", "example.org"],
  ["Network of the machines", "192.168.30.0/24"],
  ["Host name of the vCenter", "vc.example.org"],
  ["User of the vCenter", "administrator"],
  ["Password of the user", TYPED],
  ["Datacenter", "\x1b[A\x1b[ADC1"],
  ["Compute cluster", "C1"],
  ["Datastore", "ds1"],
  ["Network", "network1"],
  ["Address for the API", "192.168.30.5"],
  ["Address for the ingress", "192.168.30.7"],
  ["Pull secret", ""],
  ["SSH public key", ""],
  ["All right?", "write"],
];
/** The answers with others in their place, by the start of the question. */
const answersWith = (others: Readonly<Record<string, string>>): readonly (readonly [string, string])[] =>
  ANSWERS.map(([question, answer]) => [question, others[question] ?? answer]);

const WORDS = ["create", "install-config", "--dir", "new"];
const written = (folder: string) =>
  readConfig(readFileSync(join(folder, "new/install-config.yaml"), "utf8")).read?.config;

if (hasTerminal)
  for (const [how, answers] of [
    ["typed", ANSWERS],
    ["pasted with the other answers", [["Platform", ANSWERS.map(([, text]) => text).join("\r")]]],
  ] as const)
    test(`does not show a password that is ${how}`, async () => {
      const folder = tempFolder();
      const { code, screen } = await answeredOnTerminal(WORDS, { cwd: folder, answers });
      assert.is(code, 0, screen);
      assert.match(screen, "administrator");
      assert.match(screen, "network1");
      assert.not.match(screen, TYPED);
      const vsphere = written(folder)?.platform?.vsphere;
      assert.is(vsphere?.vcenters?.[0]?.password, TYPED);
      assert.equal(vsphere?.vcenters?.[0]?.datacenters, ["DC1"]);
      assert.equal(vsphere?.apiVIPs, ["192.168.30.5"]);
      assert.equal(written(folder)?.networking?.machineNetwork, [{ cidr: "192.168.30.0/24" }]);
      assert.equal(readdirSync(join(folder, "new")), ["install-config.yaml"]);
    });
else skipTest(test, "a password is not shown", "needs script of util-linux");

if (hasTerminal)
  test("does not show a password that is edited or abandoned", async () => {
    for (const [typed, expected] of [
      // Backspace, a line that is thrown away, arrows, and what brings back earlier lines.
      [`${TYPED}x\x7f`, TYPED],
      [`wrong\x15${TYPED}`, TYPED],
      [`\x1b[A\x10${TYPED}\x1b[D\x1b[C`, TYPED],
      [`${TYPED}\x03`, undefined],
      [`${TYPED}\x04`, TYPED],
    ] as const) {
      const folder = tempFolder();
      const answers = answersWith({ "Password of the user": typed });
      const { code, screen } = await answeredOnTerminal(WORDS, { cwd: folder, answers });
      const name = JSON.stringify(typed.replace(TYPED, "…"));
      assert.is(code, expected === undefined ? 130 : 0, `${name}: ${screen}`);
      for (const part of [TYPED, TYPED.slice(1), TYPED.slice(0, -1)]) assert.not.match(screen, part, name);
      assert.is(existsSync(join(folder, "new/install-config.yaml")), expected !== undefined, name);
      if (expected === undefined) continue;
      assert.is(written(folder)?.platform?.vsphere?.vcenters?.[0]?.password, expected, name);
    }
  });
else skipTest(test, "an edited password is not shown", "needs script of util-linux");

if (hasTerminal)
  test("asks again at once, with the reason and a suggestion", async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "torn.json"), '{"auths":');
    const answers: readonly (readonly [string, string])[] = [
      // Nothing of the list begins so; the nearest is offered.
      ["Platform", "vsphre"],
      ["Name of the cluster", "My_Cluster"],
      ["invalid value", "\x15demo"],
      ["Base domain", "example.org"],
      ["Network of the machines", "192.168.30.0/33"],
      ["invalid", "\x15192.168.30.0/24"],
      ["Host name of the vCenter", "https://vc/sdk"],
      ["must", "\x15vc.example.org"],
      ...ANSWERS.slice(5, 11),
      ["Address for the API", "192.168.30.555"],
      ["IP address", "\x15192.168.31.5"],
      ["Address for the ingress", "192.168.30.7"],
      ["Pull secret", "torn.json"],
      ["truncated", "\x15"],
      ["SSH public key", ""],
      ["All right?", "write"],
    ];
    const { code, screen } = await answeredOnTerminal(WORDS, { cwd: folder, answers });
    assert.is(code, 0, screen);
    assert.ok(existsSync(join(folder, "new/install-config.yaml")), screen);
    assert.match(screen, /did you mean this\?/);
    assert.match(screen, /192\.168\.31\.5 must be in a machine network/);
    assert.is(written(folder)?.metadata?.name, "demo");
    assert.equal(written(folder)?.platform?.vsphere?.ingressVIPs, ["192.168.30.7"]);
  });
else skipTest(test, "asks again at once", "needs script of util-linux");

if (hasTerminal)
  test("goes on after Ctrl-C with every answer but the secrets, and changes one in the review", async () => {
    const cwd = tempFolder();
    const first = await answeredOnTerminal(WORDS, { cwd, answers: answersWith({ Datastore: "\x03" }) });
    assert.is(first.code, 130, first.screen);
    assert.match(
      first.screen,
      /kept in new\/\.slipway\/answers\.json.*\n {2}slipway create install-config --dir new/,
    );
    const kept = readFileSync(join(cwd, "new/.slipway/answers.json"), "utf8");
    assert.is(statSync(join(cwd, "new/.slipway/answers.json")).mode & 0o777, 0o600);
    assert.match(kept, /"vcenter": "vc\.example\.org"/);
    assert.not.match(kept, TYPED);
    const answers: readonly (readonly [string, string])[] = [
      ["Password of the user", TYPED],
      ...ANSWERS.slice(9, -1),
      ["All right?", "name"],
      ["Name of the cluster", "\x15other"],
      ["All right?", "write"],
    ];
    const second = await answeredOnTerminal(WORDS, { cwd, answers });
    assert.is(second.code, 0, second.screen);
    assert.not.match(second.screen, TYPED);
    assert.match(second.screen, /vcenter-password +\*\*\*\*/);
    assert.is(written(cwd)?.metadata?.name, "other");
    assert.equal(written(cwd)?.platform?.vsphere?.vcenters?.[0]?.datacenters, ["DC1"]);
    assert.equal(readdirSync(join(cwd, "new")), ["install-config.yaml"]);
  });
else skipTest(test, "goes on after Ctrl-C", "needs script of util-linux");

if (hasTerminal)
  test("offers regions, machine types, pull secrets and keys from lists", async () => {
    const cwd = tempFolder();
    mkdirSync(join(cwd, ".ssh"));
    writeFileSync(join(cwd, ".ssh/id_ed25519.pub"), `${KEY}\n`);
    writeFileSync(join(cwd, "pull-secret.json"), SECRET);
    const answers: readonly (readonly [string, string])[] = [
      ["Platform", "aws"],
      ["Name of the cluster", "demo"],
      ["Base domain", "example.org"],
      ["Network of the machines", ""],
      ["af-south-1", "eu-north"],
      ["m6i.xlarge", "m5.2"],
      ["pull-secret.json", ""],
      ["id_ed25519.pub", ""],
      ["All right?", ""],
    ];
    const { code, screen } = await answeredOnTerminal(WORDS, { cwd, answers });
    assert.is(code, 0, screen);
    const config = written(cwd);
    assert.is(config?.platform?.aws?.region, "eu-north-1");
    assert.is(config?.platform?.aws?.defaultMachinePlatform?.type, "m5.2xlarge");
    assert.is(config?.sshKey, KEY);
    assert.is(config?.pullSecret, SECRET);
  });
else skipTest(test, "offers lists", "needs script of util-linux");

test("every question is also a flag", () => {
  const flags = [
    "--machine-network",
    "--api-vip",
    "--ingress-vip",
    "--hosts",
    "--bmc-user",
    "--bmc-password",
  ];
  const folder = tempFolder();
  const values = [
    "192.168.40.0/24",
    "192.168.40.5",
    "192.168.40.7",
    [1, 2, 3, 4].map((n) => `0c:c4:7a:00:00:0${n}=192.168.41.${n}`).join(),
    "root",
    PLANTED.password,
  ];
  const words = flags.flatMap((flag, index) => [flag, values[index] ?? ""]);
  const { code, stderr } = create(folder, ["--platform", "baremetal", ...COMMON, ...words]);
  assert.is(code, 0, stderr);
  const { read, summary } = readConfig(readFileSync(join(folder, "install-config.yaml"), "utf8"));
  assert.equal(summary, []);
  const { baremetal } = read?.config.platform ?? {};
  assert.equal(
    baremetal?.hosts?.map(({ name, role, bmc }) => [name, role, bmc?.address]),
    [
      ["master-0", "master", "redfish-virtualmedia+https://192.168.41.1/redfish/v1/Systems/1"],
      ["master-1", "master", "redfish-virtualmedia+https://192.168.41.2/redfish/v1/Systems/1"],
      ["master-2", "master", "redfish-virtualmedia+https://192.168.41.3/redfish/v1/Systems/1"],
      ["worker-0", "worker", "redfish-virtualmedia+https://192.168.41.4/redfish/v1/Systems/1"],
    ],
  );
  assert.is(read?.config.compute?.[0]?.replicas, 1);
});

test("a password of a flag is in no message", () => {
  const folder = tempFolder();
  const flag = ["--vcenter-password", TYPED];
  for (const words of [
    ["--vcenter-pasword", TYPED],
    [`--vcenter-pasword=${TYPED}`],
    ["--platform", "none", ...COMMON, ...flag],
    ["--platform", "vsphere", ...flag],
    [...flag, ...flag],
    [...flag, "--from-stdin"],
    [...flag, "extra"],
  ]) {
    const { code, stdout, stderr } = create(folder, words);
    assert.is(code, 2, stderr);
    assert.not.match(stdout + stderr, TYPED);
  }
});

if (hasTerminal)
  test("Ctrl-D at any question ends the dialogue with 130, and no install-config is written", async () => {
    const questions = ["Platform", "Name of the cluster", "Base domain"] as const;
    const typed = ["none", "demo", "example.org"];
    for (const last of questions.keys()) {
      const cwd = tempFolder();
      const answers = questions
        .slice(0, last + 1)
        .map((question, index) => [question, index === last ? "\x04" : (typed[index] ?? "")] as const);
      const { code, screen } = await answeredOnTerminal(WORDS, { cwd, answers });
      assert.is(code, 130, screen);
      assert.match(screen, /standard input was closed at a prompt; nothing was written\n/);
      assert.not(existsSync(join(cwd, "new/install-config.yaml")));
    }
  });
else skipTest(test, "Ctrl-D ends the dialogue", "needs script of util-linux");

test.run();
