import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReporter } from "../../src/core/diagnostics.js";
import { readCloudFacts } from "../../src/platforms/cloud-facts.js";
import { readCoreosStream, regionalImage } from "../../src/platforms/coreos-stream.js";

const test = suite("files of offline facts");

const HEAD = "apiVersion: slipway.dev/v1alpha1\nkind: CloudFacts\n";

function read(text: string) {
  const reporter = createReporter();
  const file = readCloudFacts(text, "f.yaml", reporter.report);
  const said = reporter.diagnostics.map(
    ({ code, kind, field, line, column }) => `${code} ${kind} ${field} ${line}:${column}`,
  );
  return { file, said, hints: reporter.diagnostics.map(({ hint }) => hint) };
}

test("facts are read with the places of their fields", () => {
  const { file, said } = read(
    `${HEAD}aws:\n  subnets:\n  - {id: s, cidr: 10.0.0.0/24, zone: z, public: false}\n`,
  );
  assert.equal(said, []);
  assert.is(file?.facts.aws?.subnets?.[0]?.zone, "z");
  assert.equal(file?.position("aws.subnets[0].zone"), { file: "f.yaml", line: 5, column: 38 });
  assert.equal(
    file?.position("aws.subnets[3].id"),
    { file: "f.yaml", line: 5, column: 3 },
    "nearest ancestor",
  );
});

test("members that are null are absent, as the aws command line writes them", () => {
  const text = JSON.stringify({
    apiVersion: "slipway.dev/v1alpha1",
    kind: "CloudFacts",
    aws: { availabilityZones: [{ name: "a", parentZone: null }], vpc: null },
  });
  assert.equal(read(text).file?.facts.aws, { availabilityZones: [{ name: "a" }] });
});

const WRONG: readonly (readonly [string, string, readonly string[]])[] = [
  ["an empty file", "# nothing\n", ["YAML006 Required  0:0"]],
  ["two documents", `${HEAD}---\n${HEAD}`, ["YAML007 Invalid  4:1"]],
  ["broken YAML", "a: [\n", ["YAML001 Parse a[0] 2:1"]],
  [
    "another kind",
    "apiVersion: v1\nkind: Secret\n",
    ["FACT003 NotSupported apiVersion 1:13", "FACT003 NotSupported kind 2:7"],
  ],
  ["no kind", "apiVersion: slipway.dev/v1alpha1\n", ["FACT003 Required kind 1:1"]],
  ["an unknown field", `${HEAD}aws:\n  subnet: []\n`, ["FACT003 Invalid aws.subnet 4:3"]],
  ["a missing member", `${HEAD}aws:\n  vpc: {}\n`, ["FACT003 Required aws.vpc.id 4:8"]],
  ["a wrong type", `${HEAD}aws:\n  subnets: x\n`, ["FACT003 Invalid aws.subnets 4:12"]],
  [
    "an unknown word",
    `${HEAD}aws:\n  availabilityZones:\n  - {name: a, type: moon}\n`,
    ["FACT003 NotSupported aws.availabilityZones[0].type 5:21"],
  ],
];

for (const [what, text, expected] of WRONG)
  test(what, () => {
    const { file, said } = read(text);
    assert.is(file, undefined);
    assert.equal(said, expected);
  });

test("an unknown field is told with the nearest known one", () =>
  assert.equal(read(`${HEAD}aws:\n  subnet: []\n  images: {amd64: {ID: x, id: ami-1}}\n`).hints, [
    "did you mean subnets?",
    "did you mean id?",
  ]));

const STREAM = {
  stream: "s",
  architectures: {
    aarch64: { images: { aws: { regions: { r: { release: "1", image: "ami-1" }, q: { image: "" } } } } },
  },
};

test("stream metadata is found by architecture, platform and region", () => {
  const stream = readCoreosStream(JSON.stringify(STREAM), "s.json", ({ message }) =>
    assert.unreachable(message),
  );
  assert.ok(stream);
  assert.is(regionalImage(stream ?? {}, "arm64", "aws", "r")?.id, "ami-1");
  assert.is(regionalImage(stream ?? {}, "arm64", "aws", "q"), undefined);
  assert.is(regionalImage(stream ?? {}, "amd64", "aws", "r"), undefined);
  assert.is(regionalImage(stream ?? {}, "arm64", "gcp", "r"), undefined);
});

test("what is not a stream metadata is told", () => {
  for (const [text, expected] of [
    ['{"a": 1}', "FACT006"],
    ["[]", "FACT006"],
    ["", "FACT006"],
    ["{", "YAML001"],
  ] as const) {
    const reporter = createReporter();
    assert.is(readCoreosStream(text, "s.json", reporter.report), undefined);
    assert.equal(
      reporter.diagnostics.map(({ code }) => code),
      [expected],
      text,
    );
  }
});

test.run();
