import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GROUPS, SINGLE_COMMANDS } from "../../src/cli/commands/index.js";
import { ABOUT_SCHEMAS } from "../../src/generated/schemas/index.js";
import { slipway } from "../helpers/cli.js";
import { expectedFiles } from "../helpers/golden.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("cli explain");

const textOf = (...words: string[]): string => {
  const { code, stdout, stderr } = slipway(["explain", ...words]);
  assert.is(code, 0, stderr);
  assert.is(stderr, "");
  return stdout;
};

test("without a path it lists every document that has a schema", () => {
  const listed: unknown = JSON.parse(textOf("--output", "json"));
  const documents = Reflect.get(Object(listed), "documents");
  assert.is(documents.length, Object.keys(ABOUT_SCHEMAS).length);
  const text = textOf();
  for (const name of ["install-config", "cloud-facts", "OpenShiftControlPlane", "Namespace"])
    assert.match(text, name);
});

test("a field: type, default, allowed values, release, meaning", () => {
  assert.is(
    textOf("install-config.networking.networkType"),
    `FIELD    install-config.networking.networkType
TYPE     string
DEFAULT  OVNKubernetes
VALUES   OVNKubernetes

Network plug-in. OpenShiftSDN was removed in 4.15; names of third-party plug-ins are accepted.
`,
  );
  assert.match(textOf("install-config.platform.aws.region"), /REQUIRED {2}yes/);
  assert.match(textOf("install-config.osImageStream"), /SINCE +4\.22/);
  assert.match(
    textOf("install-config.platform.aws.subnets"),
    /DEPRECATED +use install-config\.platform\.aws\.vpc\.subnets\[\]\.id/,
  );
  assert.match(textOf("install-config.pullSecret"), /SECRET +never shown/);
  assert.match(
    textOf("install-config.networking.machineNetwork"),
    /TYPE +list of object\n[\s\S]*FIELDS\n {2}cidr <string \(CIDR\), required>/,
  );
  assert.match(textOf("install-config.platform.aws.userTags"), /TYPE +map of string/);
});

test("letters of either case, indices, kinds and fields without their document", () => {
  const region = textOf("install-config.platform.aws.region");
  for (const path of [
    "INSTALLCONFIG.Platform.AWS.Region",
    "InstallConfig.platform.aws.region",
    "platform.aws.region",
  ])
    assert.is(textOf(path), region, path);
  assert.is(textOf("install-config.compute[0].replicas"), textOf("install-config.compute.replicas"));
  assert.is(textOf("cloud-facts"), textOf("CloudFacts"));
  assert.match(
    textOf("OpenShiftControlPlane.spec"),
    /FIELD +OpenShiftControlPlane\.spec\n[\s\S]*machineTemplate/,
  );
});

test("json is the schema node, references followed", () => {
  const node: unknown = JSON.parse(textOf("install-config.controlPlane", "-o", "json"));
  assert.is(Reflect.get(Object(node), "kind"), "Explanation");
  assert.is(Reflect.get(Object(node), "path"), "controlPlane");
  assert.is(Reflect.get(Object(node), "type"), "object");
  assert.match(Reflect.get(Object(node), "description"), /Machines of the control plane/);
  assert.not.match(JSON.stringify(node), /\$ref/);
});

test("--origin: by path, name and field, with the platform of the directory or the flag", () => {
  const dir = "golden/aws/input";
  const text = textOf("--origin", "manifests/cluster-dns-02-config.yml:spec", "--dir", dir);
  assert.match(text, /^TEMPLATE {2}templates\/manifests\/cluster-dns-02-config\.yml\.hbs$/m);
  assert.match(text, /^ +platform\.aws\.hostedZone$/m);
  // As a shell completes it, with the directory in front.
  assert.match(
    textOf("--origin", join(dir, "manifests/cluster-dns-02-config.yml"), "--dir", `${dir}/`),
    /^FILE {6}.*manifests\/cluster-dns-02-config\.yml$/m,
  );
  const none = textOf("--origin", "cluster-dns-02-config.yml:spec", "--dir", dir, "--platform", "none");
  assert.not.match(none, /hostedZone/);
  const answer: unknown = JSON.parse(
    textOf("--origin", "metadata.json", "--dir", "golden/none/input", "-o", "json"),
  );
  const [origin] = Reflect.get(Object(answer), "origins");
  assert.is(Reflect.get(Object(answer), "platform"), "none");
  assert.is(origin.phase, "ignition-configs");
  assert.equal(origin.inputs.state, [
    { member: "*installconfig.ClusterID", part: "clusterID" },
    { member: "*installconfig.ClusterID", part: "infraID" },
  ]);
});

/** What a run left behind. */
const GROWN = relative(process.cwd(), tempFolder());
for (const [path, data] of expectedFiles("aws")) {
  mkdirSync(dirname(join(GROWN, path)), { recursive: true });
  writeFileSync(join(GROWN, path), data);
}

test("--origin: a line is that of the field on it, by path or name, as a text and as json", () => {
  const dns = "manifests/cluster-dns-02-config.yml";
  const lines = readFileSync(join(GROWN, dns), "utf8").split("\n");
  const line = lines.findIndex((each) => each.includes("baseDomain")) + 1;
  const where = ["--dir", GROWN];
  const [first, second, ...others] = textOf("--origin", `${dns}:${line}`, ...where).split("\n");
  assert.is(first, `FILE      ${dns}:${line}`);
  assert.is(second, "FIELD     spec.baseDomain");
  assert.equal(
    others,
    textOf("--origin", `${dns}:spec.baseDomain`, ...where)
      .split("\n")
      .slice(1),
  );
  const answer = (file: string): object =>
    Object(JSON.parse(textOf("--origin", `${file}:${line}`, ...where, "-o", "json")));
  assert.is(Reflect.get(answer(dns), "field"), "spec.baseDomain");
  assert.is(Reflect.get(answer(dns), "line"), line);
  for (const name of ["cluster-dns-02-config.yml", join(GROWN, dns)])
    assert.equal(Reflect.get(answer(name), "origins"), Reflect.get(answer(dns), "origins"));
  assert.match(textOf("--origin", ".slipway/record.json:3", ...where), /^ABOUT/m);
});

test("--origin: a state alone tells the platform, and every flag that is named exists", () => {
  const dir = tempFolder();
  const state = expectedFiles("none").get(".openshift_install_state.json");
  assert.ok(state !== undefined);
  writeFileSync(join(dir, ".openshift_install_state.json"), state ?? "");
  const flags = new Set(
    [...SINGLE_COMMANDS, ...GROUPS.flatMap(({ commands }) => commands)].flatMap((each) =>
      each.flags.map(({ name }) => `--${name}`),
    ),
  );
  for (const file of [
    "bootstrap.ign",
    "70_cluster.yaml",
    "60_openshift-control-plane.yaml",
    "99_kube-scheduler-effective-version.yaml",
  ]) {
    const answer: unknown = JSON.parse(textOf("--origin", file, "--dir", dir, "-o", "json"));
    assert.is(Reflect.get(Object(answer), "platform"), "none");
    for (const { inputs } of Reflect.get(Object(answer), "origins"))
      for (const flag of inputs.flags) assert.ok(flags.has(flag), `${file}: ${flag}`);
  }
});

test("--origin: what it cannot answer, exit 2", () => {
  for (const [words, message] of [
    [["--origin", "nothing.yaml"], /no phase writes nothing\.yaml/],
    [["--origin", "kube-cloud-config.yaml:data.confg"], /did you mean data\.config\?/],
    [["--origin", ":spec"], /--origin requires a file/],
    [
      ["--origin", "kube-cloud-config.yaml:1"],
      /kube-cloud-config\.yaml does not exist in \., .*; set --dir to the/,
    ],
    [
      ["--origin", "kustomization.yaml:1", "--dir", GROWN],
      /ambiguous file .*; use infrastructure-manifests.* or .*-shared\/kustomization\.yaml/,
    ],
    [["--origin", "/etc/motd:2", "--dir", GROWN], /bootstrap\.ign does not exist in /],
    [["--origin", "cluster-dns-02-config.yml:99", "--dir", GROWN], /has only \d+ lines, no line 99/],
    [["--origin", "metadata.json", "--dir", "golden/nowhere"], /--dir golden\/nowhere: /],
    [["--origin", "metadata.json", "install-config"], /--origin and TOPIC are mutually exclusive/],
    [
      ["--origin", "metadata.json", "--platform", "moon"],
      /--platform: unsupported value "moon": supported values: aws, /,
    ],
    [["install-config", "--platform", "none"], /--platform requires --origin/],
  ] as const) {
    const { code, stdout, stderr } = slipway(["explain", ...words]);
    assert.is(code, 2, words.join(" "));
    assert.is(stdout, "");
    assert.match(stderr, message);
  }
});

test("unknown paths: exit 2 and what was meant", () => {
  const cases: [string, RegExp][] = [
    ["install-config.platfrom", /did you mean install-config\.platform\?/],
    ["install-config.networkType", /did you mean install-config\.networking\.networkType\?/],
    ["install-config.platform.aws.regoin", /did you mean install-config\.platform\.aws\.region\?/],
    ["install-config.compute.replica", /did you mean install-config\.compute\[\]\.replicas\?/],
    ["instal-config.platform", /did you mean install-config\.platform\?/],
    ["Cluster.spec", /use Cluster\.installer or Cluster\.v1beta1 or Cluster\.v1beta2/],
    ["zzz", /run slipway explain to list the documents/],
  ];
  for (const [path, message] of cases) {
    const { code, stdout, stderr } = slipway(["explain", path]);
    assert.is(code, 2, path);
    assert.is(stdout, "");
    assert.match(stderr, message);
  }
});

test.run();
