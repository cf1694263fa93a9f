import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, isList, isObject, type Json } from "../../src/core/json.js";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("cli create facts");

const PULL_SECRET = '{"auths":{"registry.example.org":{"auth":"dXNlcjpwYXNz"}}}';

const EGRET = `apiVersion: v1
baseDomain: marsh.example.org
credentialsMode: Manual
metadata:
  name: egret
platform:
  aws:
    region: eu-central-1
pullSecret: '${PULL_SECRET}'
`;

/** A directory with an install-config. */
function directory(config: string, facts?: string): string {
  const dir = join(tempFolder(), "egret");
  mkdirSync(dir);
  writeFileSync(join(dir, "install-config.yaml"), config);
  if (facts !== undefined) writeFileSync(join(dir, "facts.yaml"), facts);
  return dir;
}

const factsIn = (dir: string): string => readFileSync(join(dir, "facts.yaml"), "utf8");
const parsed = (text: string): Json => {
  const value = load(text);
  return isJson(value) ? value : null;
};

/** What a person fills in: the answer of the example where it has one, else what the blank itself shows. */
function filled(value: Json, answers: Json | undefined): Json {
  if (isList(value))
    return value.map((entry, index) => {
      const same = isList(answers)
        ? (answers.find(
            (each) =>
              isObject(each) &&
              isObject(entry) &&
              ["id", "uuid", "name"].some((key) => entry[key] !== undefined && each[key] === entry[key]),
          ) ?? answers[index])
        : undefined;
      return filled(entry, same);
    });
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        key,
        // Of a type the output is pasted as it is.
        key === "capabilities" && isObject(answers) && answers[key] !== undefined
          ? answers[key]
          : filled(each, isObject(answers) ? answers[key] : undefined),
      ]),
    );
  if (typeof value !== "string" || !value.startsWith("<")) return value;
  const shown = /, such as (.*)>$/.exec(value)?.[1] ?? "";
  return answers ?? (shown === "true" || shown === "false" ? shown === "true" : shown);
}

const FLAGS: Readonly<Record<string, readonly string[]>> = {
  "azure-network": ["--credentials", "service-principal.json"],
  "gcp-network": ["--credentials", "service-account.json"],
  openstack: ["--credentials", "clouds.yaml"],
  "openstack-network": ["--credentials", "clouds.yaml"],
};

for (const example of readdirSync("examples").filter((name) =>
  existsSync(join("examples", name, "install-config.yaml")),
))
  test(`facts of ${example}: asked for, filled in, and enough`, () => {
    const source = join("examples", example);
    const dir = directory(readFileSync(join(source, "install-config.yaml"), "utf8"));
    const flags = (FLAGS[example] ?? []).map((word) => (word.startsWith("-") ? word : join(source, word)));
    const asked = slipway(["create", "facts", "--dir", dir, ...flags]);
    assert.is(asked.code, 0, asked.stderr);
    if (existsSync(join(dir, "facts.yaml"))) {
      const text = factsIn(dir);
      // Each fact has the command that prints it, below what it is.
      assert.match(text, /\n {2}# .+\n {2}# {3}\S+ /);
      const refused = slipway(["create", "manifests", "--dir", dir, ...flags]);
      assert.is(refused.code, 1, refused.stdout);
      assert.match(refused.stderr, /FACT011/);
      const known = existsSync(join(source, "facts.yaml"))
        ? parsed(readFileSync(join(source, "facts.yaml"), "utf8"))
        : undefined;
      writeFileSync(join(dir, "facts.yaml"), JSON.stringify(filled(parsed(text), known)));
      const complete = slipway(["create", "facts", "--dir", dir, ...flags]);
      assert.match(complete.stdout, /is complete: no facts are missing/);
    }
    const made = slipway([
      "create",
      "infrastructure-manifests",
      "--dir",
      dir,
      "--key-algorithm",
      "ecdsa-p256",
      ...flags,
    ]);
    assert.is(made.code, 0, made.stderr);
    assert.not.match(made.stderr, /FACT001/);
  });

test("the file asks for what the install-config needs, and for nothing else", () => {
  const dir = directory(EGRET.replace("platform:\n", "publish: Internal\nplatform:\n"));
  slipway(["create", "facts", "--dir", dir]);
  const text = factsIn(dir);
  assert.match(text, /^ {2}availabilityZones:\n {2}- name: <name of a zone, such as eu-central-1a>$/m);
  assert.match(text, /describe-availability-zones --region eu-central-1 /);
  assert.not.match(text, /publicHostedZone|subnets|dedicatedHosts/);
  const stream = join(dir, "stream.json");
  writeFileSync(
    stream,
    JSON.stringify({
      stream: "rhcos",
      architectures: {
        x86_64: { images: { aws: { regions: { "eu-central-1": { release: "9.8", image: "ami-01" } } } } },
      },
    }),
  );
  const again = directory(EGRET);
  slipway(["create", "facts", "--dir", again, "--coreos-stream", stream]);
  assert.not.match(factsIn(again), /images/);
});

test("what a person wrote stays, and what is missing is added behind it", () => {
  const own = `# Ours, by hand.
apiVersion: slipway.dev/v1alpha1
kind: CloudFacts
aws:   # the account of the team
    region: "eu-central-1"
    availabilityZones:
        - {name: eu-central-1a}   # the old one
`;
  const dir = directory(EGRET, own);
  const { code, stdout, stderr } = slipway(["create", "facts", "--dir", dir]);
  assert.is(code, 0, stderr);
  assert.match(stdout, /updated {2}.*facts\.yaml: added aws\.images, aws\.publicHostedZone;/);
  const text = factsIn(dir);
  assert.ok(text.startsWith(own), text);
  assert.match(text.slice(own.length), /^ {4}# ID of the public hosted zone of marsh\.example\.org\.$/m);
  const after = slipway(["create", "facts", "--dir", dir]);
  assert.match(after.stdout, /Fill in these values in .*\n {2}aws\.images\.amd64\.id\n {2}aws\.publicHosted/);
  assert.is(factsIn(dir), text);
});

test("an entry is added to a list that lacks it", () => {
  const config = EGRET.replace(
    "    region: eu-central-1\n",
    "    region: eu-central-1\n    vpc:\n      subnets:\n      - id: subnet-0aa\n      - id: subnet-0bb\n",
  );
  const entry = "  - {id: subnet-0aa, cidr: 10.0.0.0/20, zone: eu-central-1a, public: false, vpc: vpc-0c}\n";
  const head = "apiVersion: slipway.dev/v1alpha1\nkind: CloudFacts\naws:\n  subnets:\n";
  const dir = directory(config, head + entry);
  assert.is(slipway(["create", "facts", "--dir", dir]).code, 0);
  const text = factsIn(dir);
  assert.ok(text.includes(entry));
  assert.match(text, /id: subnet-0bb\n/);
  assert.is(text.match(/subnet-0aa,/g)?.length, 1);
});

test("placeholders are refused with their list, each at its line", () => {
  const dir = directory(EGRET);
  slipway(["create", "facts", "--dir", dir]);
  const { code, stderr } = slipway(["create", "manifests", "--dir", dir]);
  assert.is(code, 1);
  const lines = stderr.split("\n").filter((line) => line.includes("error FACT011"));
  assert.is(lines.length, 3, stderr);
  for (const line of lines) {
    const number = Number(/facts\.yaml:(\d+):/.exec(line)?.[1]);
    assert.match(factsIn(dir).split("\n")[number - 1] ?? "", /<.*, such as .*>/);
  }
});

test("facts.yaml is read by default, recorded, and gives way to --facts", () => {
  const facts = (zone: string): string =>
    `apiVersion: slipway.dev/v1alpha1\nkind: CloudFacts\naws: {availabilityZones: [{name: eu-central-1a}], images: {amd64: {id: ami-01}}, publicHostedZone: ${zone}}\n`;
  const dir = directory(EGRET, facts("ZDEFAULT"));
  const keys = ["--key-algorithm", "ecdsa-p256"];
  assert.is(slipway(["create", "manifests", "--dir", dir, ...keys]).code, 0);
  const dns = (): string => readFileSync(join(dir, "manifests/cluster-dns-02-config.yml"), "utf8");
  assert.match(dns(), /ZDEFAULT/);
  assert.match(
    readFileSync(join(dir, ".slipway/record.json"), "utf8"),
    /"option":"facts","is":"facts\.yaml"/,
  );
  assert.is(slipway(["check", "--dir", dir]).code, 0);
  writeFileSync(join(dir, "facts.yaml"), facts("ZCHANGED"));
  assert.is(slipway(["check", "--dir", dir]).code, 3);
  const other = join(dir, "../others.yaml");
  writeFileSync(other, facts("ZOTHER"));
  assert.is(slipway(["create", "manifests", "--dir", dir, "--facts", other]).code, 0);
  assert.match(dns(), /ZOTHER/);
});

test("validate of a single file reads no facts.yaml that lies where it runs", () => {
  const dir = directory(
    EGRET,
    "apiVersion: slipway.dev/v1alpha1\nkind: CloudFacts\naws: {region: us-east-1}\n",
  );
  const file = slipway(["validate", "install-config.yaml"], { cwd: dir });
  assert.is(file.code, 0, file.stderr);
  assert.not.match(file.stderr, /FACT/);
  const whole = slipway(["validate", "--dir", "."], { cwd: dir });
  assert.match(whole.stderr, /FACT002/);
});

test("create manifests names the file and the script once", () => {
  const dir = directory(EGRET);
  const { code, stderr } = slipway(["create", "manifests", "--dir", dir]);
  assert.is(code, 1);
  assert.is(stderr.match(/FACT012/g)?.length, 1, stderr);
  assert.ok(stderr.includes(`slipway create facts --dir ${dir}; `), stderr);
});

test("a platform without a script says so", () => {
  const dir = directory(readFileSync("examples/none/install-config.yaml", "utf8"));
  const { code, stderr } = slipway(["create", "facts", "--dir", dir, "--script", "-"]);
  assert.is(code, 1);
  assert.match(stderr, /no script is available for the platform none/);
});

test("an install-config that cannot be read is reported", () => {
  const dir = directory("platform: [\n");
  const { code, stderr } = slipway(["create", "facts", "--dir", dir]);
  assert.is(code, 1);
  assert.match(stderr, /YAML/);
  assert.not(existsSync(join(dir, "facts.yaml")));
});

test.run();
