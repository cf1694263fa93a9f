/** Any text in any field: a diagnostic, or a normal form that reads back as the same value. Never an exception. */
import { test } from "uvu";
import * as assert from "uvu/assert";
import { isList, isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { cpuMs } from "../../helpers/cpu.js";
import { AWS, CERTIFICATE, EXTERNAL, edit, judge, NONE } from "../../helpers/install-configs.js";

const TEXTS = [
  `"quoted" 'twice'`,
  "two\nlines",
  "{{value x}}",
  "---",
  "a: b # c",
  "- item",
  "null",
  "\0",
  "\u2028",
  "🐦",
  "[x](",
  "__proto__",
  "x".repeat(5_000),
];

const RICH = {
  additionalTrustBundle: CERTIFICATE,
  "metadata.annotations": { note: "x" },
  proxy: { httpProxy: "http://h", noProxy: "a" },
  imageDigestSources: [{ source: "quay.io/a", mirrors: ["quay.io/b"], sourcePolicy: "NeverContactSource" }],
  capabilities: { baselineCapabilitySet: "vCurrent", additionalEnabledCapabilities: ["Console"] },
  featureSet: "CustomNoUpgrade",
  featureGates: ["A=true"],
  cpuPartitioningMode: "None",
  bootstrapInPlace: { installationDisk: "/dev/sda" },
  "compute[0].hyperthreading": "Enabled",
};

/** Paths of every text in a value. */
function texts(value: Json | undefined, path: string): string[] {
  if (typeof value === "string") return [path];
  if (isList(value)) return value.flatMap((item, i) => texts(item, `${path}[${i}]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    texts(member, path === "" ? name : `${path}.${name}`),
  );
}

const AWS_RICH = edit(AWS, {
  "platform.aws.userTags": { team: "birds" },
  "platform.aws.serviceEndpoints": [{ name: "ec2", url: "https://ec2.example.org" }],
  "platform.aws.vpc.subnets": [{ id: "subnet-1" }],
  "platform.aws.defaultMachinePlatform": { type: "m6i.xlarge", zones: ["eu-west-1a"], iamRole: "r" },
});

const configs: readonly (readonly [string, JsonObject])[] = [
  ["none", NONE],
  ["external", EXTERNAL],
  ["aws", AWS_RICH],
];
for (const [name, base] of configs)
  test(`every text of a config for ${name}`, () => {
    const config = edit(base, RICH);
    const paths = texts(config, "");
    assert.ok(paths.length > 20);
    for (const path of paths)
      for (const text of TEXTS) {
        const { asset, errors, remarks } = judge(edit(config, { [path]: text }));
        assert.ok(asset !== undefined || errors.length > 0, path);
        for (const error of errors) assert.ok(error.length < 300, `${path}: ${error.slice(0, 80)}`);
        // A name that is written over is told.
        if (asset === undefined || errors.length > 0 || remarks.includes(`IC193 ${path}`)) continue;
        const written = parseYaml(asset.normalForm);
        assert.ok(JSON.stringify(written).includes(JSON.stringify(text)), `${path}: ${text.slice(0, 30)}`);
      }
  });

test("a megabyte in a field is judged in time", () => {
  const fields = [
    "metadata.name",
    "sshKey",
    "pullSecret",
    "additionalTrustBundle",
    "proxy.noProxy",
    "imageDigestSources[0].source",
    "featureGates[0]",
  ];
  const config = edit(NONE, RICH);
  for (const part of ["x", "a.", "a,", "/", "\n-----END ", "-----BEGIN x\n"])
    for (const field of fields) {
      const took = cpuMs(() => judge(edit(config, { [field]: part.repeat(1_000_000 / part.length) })));
      assert.ok(took < 10_000, `${JSON.stringify(part)} in ${field} took ${took} ms of CPU`);
    }
});

test.run();
