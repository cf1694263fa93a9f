/** `validate` and `create` of inputs: flags that count or are refused, and what follows from an install-config. */
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { certifyManifestsPki } from "../../src/pki/sign.js";
import { seal } from "../../src/sops/file.js";
import { cloudControllerProblems } from "../../src/validate/boot/cloud-controller.js";
import { slipway } from "../helpers/cli.js";
import { createAt, HOUR, IMAGE, ok, START, slipwayAt } from "../helpers/ignition-directory.js";
import { seededRandom } from "../helpers/inputs.js";
import { SSH_KEYS } from "../helpers/install-configs.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("inputs");

const PULL_SECRET = '\'{"auths":{"registry.example.org":{"auth":"dTpw"}}}\'';
const config = (rest: string, networking = "{machineNetwork: [{cidr: 192.0.2.0/24}]}"): string =>
  `apiVersion: v1\nbaseDomain: lab.example.org\nmetadata: {name: heron}\nnetworking: ${networking}\npullSecret: ${PULL_SECRET}\n${rest}`;
const none = (rest = ""): string => config(`platform: {none: {}}\n${rest}`);
const aws = (more = "", pool = "{}", region = "eu-west-1"): string =>
  config(
    `platform: {aws: {region: ${region}, amiID: ami-0123456789abcdef0${more}}}\ncredentialsMode: Manual\npublish: Internal\ncontrolPlane: {name: master, replicas: 3, platform: {aws: ${pool}}}\n`,
    "{machineNetwork: [{cidr: 10.0.0.0/16}]}",
  );
const FACTS = `apiVersion: slipway.dev/v1alpha1\nkind: CloudFacts\naws: {region: eu-west-1, availabilityZones: [{name: eu-west-1a}, {name: eu-west-1b}, {name: eu-west-1c}]}\n`;

function written(name: string, text: string): string {
  const file = join(tempFolder(), name);
  writeFileSync(file, text);
  return file;
}

/** Codes with severity, without what every such config has. */
function told(text: string, ...flags: readonly string[]): readonly string[] {
  const { stderr } = slipway(["validate", written("install-config.yaml", text), ...flags]);
  return [...stderr.matchAll(/(error|warning) ([A-Z]+\d+): ([^ :]*)/g)].map(
    ([, severity, code, field]) => `${severity} ${code} ${field}`,
  );
}

const MIXED = `${aws()}compute: [{name: worker, replicas: 2}, {name: edge, architecture: arm64, replicas: 0}]\n`;

test("a rule that needs the install-config alone runs without facts", () =>
  assert.equal(told(MIXED), ["warning IC102 platform.aws.amiID", "error FACT008 compute[1].architecture"]));
test("facts of another region count", () => {
  const found = told(aws("", "{}", "eu-west-2"), "--facts", written("facts.yaml", FACTS));
  assert.ok(found.includes("error FACT002 aws.region"), found.join());
});
test("facts of other platforms alone are most likely another cluster's", () => {
  const other = "apiVersion: slipway.dev/v1alpha1\nkind: CloudFacts\ngcp: {zones: []}\n";
  const warning = (facts: string): boolean =>
    told(aws(), "--facts", written("facts.yaml", facts)).some((each) => each.startsWith("warning FACT009"));
  assert.ok(warning(other));
  assert.not(warning(`${other}aws: {region: eu-west-1}\n`));
});
test("facts that are no facts, and none at all", () => {
  assert.ok(
    told(aws(), "--facts", written("facts.yaml", none())).some((each) => each.startsWith("error FACT003")),
  );
  assert.equal(slipway(["validate", written("a.yaml", aws()), "--facts", "/nowhere"]).code, 1);
});
test("a release image is looked at, with the mirrors", () => {
  const image = `registry.example.org/release@sha256:${"0".repeat(64)}`;
  assert.is(slipway(["validate", written("a.yaml", none()), "--release-image", "a b"]).code, 1);
  const mirrors = "imageDigestSources: [{source: other.example.org/x, mirrors: [registry.example.org/y]}]\n";
  const { code, stderr } = slipway(["validate", written("a.yaml", none(mirrors)), "--release-image", image]);
  assert.is(code, 0);
  assert.match(stderr, "warning BOOT013");
});
/** Flags that say where, how and for whom to work, not on what. */
const OTHERS = new Set(["dir", "output", "log-level", "fleet", "shard", "jobs", "age-recipient"]);

test("a value that a flag cannot have is refused by every command that takes the flag", () => {
  const dir = tempFolder();
  writeFileSync(join(dir, "install-config.yaml"), none());
  const helpOf = (command: string): string => slipway([...command.split(" "), "--help"]).stdout;
  const place = ["--dir", dir];
  const file = [join(dir, "install-config.yaml")];
  // Nobody can make it, whatever is done elsewhere.
  const nowhere = join(dir, "install-config.yaml", "@@");
  for (const [command, rest] of [
    ["validate", file],
    ["create manifests", place],
  ] as const) {
    const flags = [...helpOf(command).matchAll(/^ +--([a-z-]+) (?!WORD)[A-Z4]/gm)].map(
      ([, flag = ""]) => flag,
    );
    assert.ok(flags.length > 8, command);
    for (const flag of flags.filter((each) => !OTHERS.has(each)))
      assert.ok(
        [1, 2].includes(Number(slipway([...command.split(" "), ...rest, `--${flag}`, nowhere]).code)),
        `${command} ${rest.join(" ")} --${flag}`,
      );
  }
});
test("an encrypted FILE is opened, or said to be encrypted", async () => {
  const identity = await generateX25519Identity();
  const recipients = [await identityToRecipient(identity)];
  const sealed = await seal({
    path: "install-config.yaml",
    data: Buffer.from(none("bogus: 1\n")),
    recipients,
    previous: undefined,
    rules: [{ unencrypted_suffix: "_clear" }],
    now: "2027-01-15T08:00:00Z",
    random: seededRandom("sealed"),
  });
  const file = written("install-config.yaml", Buffer.from(sealed ?? []).toString());
  assert.match(slipway(["validate", file]).stderr, /error SOPS002/);
  const opened = slipway(["validate", file, "--age-key-file", written("key.txt", `${identity}\n`)]);
  assert.match(opened.stderr, /error IC010: bogus/);
  assert.not.match(opened.stderr, /SOPS/);
});
test("flags about a directory are refused with a file", () => {
  for (const flag of [
    ["--crds", "."],
    ["--min-validity", "1h"],
  ])
    assert.is(slipway(["validate", written("a.yaml", none()), ...flag]).code, 2, flag.join(" "));
});

const WORDS = "alpha beta gamma delta epsilon zeta eta theta";
const CASES: readonly (readonly [string, string, readonly string[]])[] = [
  ["a key whose comment is folded", none(`sshKey: ${SSH_KEYS.ed25519}\n  ${WORDS}\n`), []],
  [
    "a key that is broken itself",
    none(`sshKey: ${SSH_KEYS.ed25519.slice(0, 40)}\n  ${SSH_KEYS.ed25519.slice(40)}\n`),
    ["warning IC005 sshKey", "error IC120 sshKey"],
  ],
  [
    "two keys that are folded into one line",
    none(`sshKey: ${SSH_KEYS.ed25519}\n  ${SSH_KEYS.rsa}\n`),
    ["warning IC005 sshKey", "warning IC122 sshKey"],
  ],
  [
    "another first word",
    none(`sshKey: ${SSH_KEYS.ed25519.replace("ssh-ed25519", "ssh-rsa")}\n`),
    ["warning IC122 sshKey"],
  ],
  ["quotes in a block", none(`sshKey: |\n  "${SSH_KEYS.ed25519}"\n`), ["warning IC122 sshKey"]],
  ["options before a key", none(`sshKey: no-pty ${SSH_KEYS.ed25519}\n`), []],
  [
    "mirrors that contradict",
    none(
      "imageDigestSources:\n- {source: quay.io/a, mirrors: [registry.example.org/a], sourcePolicy: NeverContactSource}\n- {source: quay.io/a, mirrors: [registry.example.org/b]}\n",
    ),
    ["warning IC201 imageDigestSources[1].sourcePolicy"],
  ],
  [
    "mirrors of two sources",
    none(
      "imageDigestSources:\n- {source: quay.io/a, mirrors: [registry.example.org/a], sourcePolicy: NeverContactSource}\n- {source: quay.io/b, mirrors: [registry.example.org/b]}\n",
    ),
    [],
  ],
  [
    "a bundle that names a file",
    none("additionalTrustBundle: ./ca.pem\n"),
    ["error IC130 additionalTrustBundle"],
  ],
  [
    "a number for a block",
    config("platform: {none: {}}\n", "{machineNetwork: [{cidr: 16}]}"),
    ["error IC013 networking.machineNetwork[0].cidr"],
  ],
  ["a platform that is a list", config("platform: {none: []}\n"), ["error IC013 platform.none"]],
  ["time servers", none("ntp: [a]\n"), ["error IC010 ntp"]],
];
for (const [name, text, expected] of CASES) test(name, () => assert.equal(told(text), expected));

test("remedies lead to the manifest that does it", () => {
  const hint = (text: string): string => slipway(["validate", written("a.yaml", text)]).stderr;
  assert.match(hint(none("timeServers: [a]\n")), "/etc/chrony.conf");
  assert.match(
    hint(config("platform: {none: {}}\n", "{defaultNetwork: {}}")),
    "cluster-network-03-config.yml",
  );
  assert.match(
    hint(config("platform: {none: {}}\n", "{clusterNetworkMTU: 1400}")),
    "cluster-network-03-config.yml",
  );
  assert.match(
    hint(config("platform: {none: {}}\n", "{serviceNetwork: [{block: 172.30.0.0/16}]}")),
    'without "block"',
  );
});

const keyPem = (): string =>
  generateKeyPairSync("ec", { namedCurve: "prime256v1" })
    .privateKey.export({ type: "sec1", format: "pem" })
    .toString();
const PKI = certifyManifestsPki(
  { "root-ca": keyPem(), "machine-config-server": keyPem() },
  { domain: "heron.example.org", apiVips: [], serviceNetwork: "172.30.0.0/16" },
  { now: new Date("2026-01-01T00:00:00Z") },
);
const bundle = (pem: string): string =>
  none(
    `additionalTrustBundlePolicy: Always\nadditionalTrustBundle: |\n${pem.trimEnd().replaceAll(/^/gm, "  ")}\n`,
  );

test("a trust bundle of no authorities, and one that has ended", () => {
  const at = (iso: string, pem: string): string =>
    slipwayAt(Date.parse(iso) / 1000, "validate", written("a.yaml", bundle(pem))).stderr;
  const [authority, server] = [PKI.rootCA.certificate, PKI.machineConfigServer.certificate];
  assert.not.match(at("2026-06-01T00:00:00Z", authority), "IC134");
  assert.match(at("2026-06-01T00:00:00Z", server), /warning IC134: .* is not a CA certificate/);
  assert.match(at("2099-06-01T00:00:00Z", authority), /warning IC134: .* expired on /);
});

test("a cloud controller manager of the user's needs a workload", () => {
  const workload = (tolerations: string) => [
    {
      path: "manifests/a.yaml",
      data: new TextEncoder().encode(
        `apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: a, namespace: b}\nspec: {template: {spec: {tolerations: ${tolerations}}}}\n`,
      ),
    },
  ];
  const count = (tolerations: string): number => cloudControllerProblems("x", workload(tolerations)).length;
  assert.is(cloudControllerProblems("x", []).length, 1);
  assert.is(count("[{key: node-role.kubernetes.io/master, operator: Exists}]"), 1);
  assert.is(count('[{key: node.cloudprovider.kubernetes.io/uninitialized, value: "true"}]'), 0);
  assert.is(count("[{operator: Exists}]"), 0);
});

test("what the provider's webhooks refuse is told where it was written", () => {
  const create = (text: string): string => {
    const dir = join(tempFolder(), "cluster");
    mkdirSync(dir);
    writeFileSync(join(dir, "install-config.yaml"), text);
    const facts = written("facts.yaml", FACTS);
    return slipway(["create", "infrastructure-manifests", "--dir", dir, "--facts", facts, "--dry-run"])
      .stderr;
  };
  assert.match(
    create(aws("", "{rootVolume: {size: 100, type: io2}}")),
    "error CAPI101: controlPlane.platform.aws.rootVolume.iops",
  );
  assert.match(create(aws(", userTags: {'a;b': c}")), "error CAPI101: platform.aws.userTags[a;b]");
  assert.match(
    create(aws().replace("cidr: 10.0.0.0/16", "cidr: null")),
    "error CAPI101: networking.machineNetwork[0].cidr",
  );
  assert.not.match(
    create(aws(", userTags: {a: b}", "{rootVolume: {size: 100, type: io2, iops: 4000}}")),
    "CAPI101",
  );
});

test("the certificates of a state that has ended are told, whatever else is there", () => {
  const dir = join(tempFolder(), "cluster");
  mkdirSync(dir);
  writeFileSync(join(dir, "install-config.yaml"), none());
  ok(createAt(START, "ignition-configs", dir, ...IMAGE, "--key-algorithm", "ecdsa-p256"));
  for (const each of [
    "manifests",
    "openshift",
    "auth",
    "bootstrap.ign",
    "master.ign",
    "worker.ign",
    "metadata.json",
  ])
    rmSync(join(dir, each), { recursive: true, force: true });
  const { code, stderr } = slipwayAt(START + 72 * HOUR, "validate", "--dir", dir);
  assert.is(code, 1, stderr);
  assert.match(stderr, "error IGN020");
});

test.run();
