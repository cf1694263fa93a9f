/**
 * Decoding: what Go's json package over sigs.k8s.io/yaml makes of a document
 * (docs/reference/install-config-and-manifests.md §1.1).
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { configText, readConfig } from "../../helpers/install-config.js";

const test = suite("install-config read");

const readField = (field: string, text: string): unknown => {
  const { read, text: said } = readConfig(configText({ x: text }));
  if (read === undefined) throw new Error(said);
  let value: unknown = read.config;
  for (const step of field.split("."))
    value = typeof value === "object" && value !== null ? Reflect.get(value, step) : undefined;
  return value;
};

test("numbers and truth values become text in a field for text, in Go's form", () => {
  const cases: [string, string][] = [
    ["0644", "420"],
    ["0o17", "15"],
    ["0x1F", "31"],
    ["0b11", "3"],
    ["1_000", "1000"],
    ["123", "123"],
    ["-0", "0"],
    ["+1", "1"],
    ["08", "8"],
    ["1.0", "1"],
    ["4.10", "4.1"],
    ["1e3", "1000"],
    ["1e6", "1e+06"],
    ["1234567.0", "1.234567e+06"],
    ["0.00001", "1e-05"],
    ["0.0001", "0.0001"],
    ["3.14159265358979", "3.1415927"],
    ["-0.0", "-0"],
    [".5", "0.5"],
    ["._5", "._5"],
    ["1e400", "1e400"],
    [".inf", "+Inf"],
    [".nan", "NaN"],
    ["9223372036854775807", "9223372036854775807"],
    ["18446744073709551615", "18446744073709551615"],
    ["18446744073709551616", "1.8446744e+19"],
    ["on", "true"],
    ["No", "false"],
    ["yEs", "yEs"],
    ["1:30", "1:30"],
    ["2026-11-27", "2026-11-27"],
    ["'0644'", "0644"],
    ["!!str 0644", "0644"],
    ["!!float 3", "3"],
    ["!!int '7'", "7"],
    ["!own 3", "3"],
    ["!!binary YWI=", "ab"],
    ["52:54:00:12:34:56", "52:54:00:12:34:56"],
    ["=", "="],
  ];
  for (const [written, text] of cases)
    assert.is(readField("osImageStream", `osImageStream: ${written}`), text, written);
});

test("a scalar that reads differently elsewhere, or changes as text, is a warning with both readings", () => {
  const cases: [string, string | undefined][] = [
    [
      "osImageStream: 0644",
      '0644 is read as the string "420" by the installer and as 644 by YAML 1.2 parsers',
    ],
    [
      "osImageStream: on",
      'on is read as the string "true" by the installer and as the string "on" by YAML 1.2 parsers',
    ],
    [
      "osImageStream: 1:30",
      '1:30 is read as the string "1:30" by the installer and as 90 by other YAML 1.1 parsers',
    ],
    [
      "osImageStream: 1_000",
      '1_000 is read as the string "1000" by the installer and as the string "1_000" by YAML 1.2 parsers',
    ],
    ["osImageStream: 4.10", '4.10 is a number and is converted to the string "4.1"'],
    ["osImageStream: True", 'True is a boolean and is converted to the string "true"'],
    ["fips: yes", 'yes is read as true by the installer and as the string "yes" by YAML 1.2 parsers'],
    ["fips: true", undefined],
    ["osImageStream: 123", undefined],
    ["osImageStream: '0644'", undefined],
    ["osImageStream: 52:54:00:12:34:56", undefined],
  ];
  for (const [line, message] of cases) {
    const { diagnostics } = readConfig(configText({ x: line }));
    assert.equal(
      diagnostics.map((each) => [each.code, each.severity, each.line, each.message]),
      message === undefined ? [] : [["YAML005", "warning", 8, message]],
      line,
    );
  }
});

test("integers may be written as floats; width and type are checked", () => {
  const fine: [string, unknown][] = [
    ["3", 3],
    ["3.0", 3],
    ["1e2", 100],
    ["0b11", 3],
    ["-1", -1],
    ["9223372036854775807", Number(9223372036854775807n)],
  ];
  for (const [written, value] of fine)
    assert.is(readField("controlPlane.replicas", `controlPlane:\n  replicas: ${written}`), value, written);
  for (const written of ["3.5", "'3'", "three", "true", "9223372036854775808", "1e21", "[3]", "{}", ".inf"]) {
    const { read, summary } = readConfig(configText({ x: `controlPlane:\n  replicas: ${written}` }));
    assert.ok(summary.includes("9:13 error IC013 controlPlane.replicas"), `${written}: ${summary.join()}`);
    assert.ok(read?.isUnreadable("controlPlane.replicas"));
  }
  const narrow: [string, string, boolean][] = [
    ["hostPrefix", "2147483647", true],
    ["hostPrefix", "2147483648", false],
    ["hostPrefix", "-2147483649", false],
  ];
  for (const [field, written, fits] of narrow) {
    const { summary } = readConfig(
      configText({ x: `networking:\n  clusterNetwork:\n  - cidr: 10.128.0.0/14\n    ${field}: ${written}` }),
    );
    assert.is(summary.length === 0, fits, `${field}: ${written}`);
  }
  assert.equal(readConfig(configText({ x: "networking:\n  clusterNetworkMTU: -1" })).summary, [
    "9:22 error IC013 networking.clusterNetworkMTU",
  ]);
});

test("null is absent everywhere, and a zero value in lists and maps", () => {
  assert.is(readField("sshKey", "sshKey: null"), undefined);
  assert.is(readField("networking", "networking: ~"), undefined);
  assert.is(readField("fips", "fips:"), undefined);
  assert.equal(readField("featureGates", "featureGates: [a, null]"), ["a", ""]);
  assert.equal(readField("compute", "compute: [null]"), [{}]);
  const { read } = readConfig(
    configText({ metadata: "metadata:\n  name: demo\n  labels: {a: null, b: on}" }),
  );
  assert.equal(read?.config.metadata?.labels, { a: "", b: "true" });
});

test("keys of structs match in any letters, keys of maps do not", () => {
  const { read, summary } = readConfig(
    "APIVERSION: v1\nBaseDomain: example.org\nmetadata:\n  NAME: demo\nplatform:\n  AWS:\n    Region: eu-west-1\n    userTags:\n      Team: a\n      team: b\n",
  );
  assert.is(read?.config.baseDomain, "example.org");
  assert.is(read?.config.platform?.aws?.region, "eu-west-1");
  assert.equal(read?.config.platform?.aws?.userTags, { Team: "a", team: "b" });
  assert.equal(summary, [
    "1:1 info IC012 apiVersion",
    "2:1 info IC012 baseDomain",
    "4:3 info IC012 metadata.name",
    "6:3 info IC012 platform.aws",
    "7:5 info IC012 platform.aws.region",
  ]);
});

test("of two spellings of one key the one that sorts last wins, and structs are filled one after the other", () => {
  const { read, summary } = readConfig(
    configText({
      baseDomain: "baseDomain: lower.example.org\nBaseDomain: upper.example.org",
      x: "controlPlane:\n  replicas: 1\nCONTROLPLANE:\n  replicas: 5\n  architecture: arm64\n",
    }),
  );
  assert.is(read?.config.baseDomain, "lower.example.org");
  assert.equal(read?.config.controlPlane, { replicas: 1, architecture: "arm64" });
  assert.ok(summary.includes("3:1 warning IC012 BaseDomain"), summary.join("\n"));
});

test("an unknown key is not sent to a platform that the document does not name", () => {
  const hintFor = (platform: string): string | undefined =>
    readConfig(configText({ platform: `platform:\n  ${platform}`, x: "dns: {}" })).diagnostics.find(
      ({ field }) => field === "dns",
    )?.hint;
  assert.is(hintFor("none: {}"), "to list the fields, run: slipway explain install-config");
  assert.is(hintFor("gcp: {projectID: heron-1, region: europe-west1}"), "move it below platform.gcp");
});

test("unknown keys: all are reported, fatal since 4.22, a warning before and with --lenient", () => {
  const text = configText({
    x: "networkType: OVNKubernetes\nfoo: 1\ncompute:\n- name: worker\n  replica: 3\n  platform:\n    aws:\n      rootVolume: {sise: 3}\n",
  });
  const at = (severity: string) => [
    `8:1 ${severity} IC010 networkType`,
    `9:1 ${severity} IC010 foo`,
    `12:3 ${severity} IC010 compute[0].replica`,
    `15:20 ${severity} IC010 compute[0].platform.aws.rootVolume.sise`,
  ];
  assert.equal(readConfig(text).summary, at("error"));
  assert.equal(readConfig(text, { lenient: true }).summary, at("warning"));
  for (const release of ["4.18", "4.19", "4.20", "4.21"])
    assert.equal(readConfig(text, { release }).summary, at("warning"), release);
  const hints = readConfig(text).diagnostics.map(({ hint }) => hint);
  assert.equal(hints, [
    "move it below networking",
    "to list the fields, run: slipway explain install-config",
    "did you mean replicas?",
    "did you mean size?",
  ]);
  assert.equal(readConfig(text, { lenient: true }).read?.config.compute?.[0], {
    name: "worker",
    platform: { aws: { rootVolume: {} } },
  });
});

test("a field that the target release does not know is named with the release that does", () => {
  const text = configText({ x: "arbiter: {}\nosImageStream: rhel-9\npki: null\n" });
  assert.equal(readConfig(text, { release: "4.18" }).summary, [
    "8:1 warning IC011 arbiter",
    "9:1 warning IC011 osImageStream",
    "10:1 warning IC011 pki",
  ]);
  const { read, summary } = readConfig(text);
  assert.equal(summary, ["10:1 error IC011 pki"]);
  assert.equal(read?.config.arbiter, {});
  const old = configText({
    platform: "platform:\n  aws:\n    region: x\n    experimentalPropagateUserTags: true\n",
  });
  assert.equal(readConfig(old, { release: "4.19" }).summary, []);
  assert.match(
    readConfig(old).text,
    /unsupported field in 4\.22: removed in 4\.20; use platform\.aws\.propagateUserTags/,
  );
  assert.equal(
    readConfig(old, { release: "4.19" }).read?.config.platform?.aws?.experimentalPropagateUserTags,
    true,
  );
  assert.is(
    readConfig(old, { lenient: true }).read?.config.platform?.aws?.experimentalPropagateUserTags,
    undefined,
  );
});

test("keys that appear twice are refused, also by a merge key and after resolution", () => {
  const cases: [string, readonly string[]][] = [
    ["fips: true\nfips: true", ["9:1 error YAML002"]],
    ["a: &a {x: 1}\nproxy:\n  <<: *a\n  x: 2", ["11:3 error YAML002 proxy"]],
    ["a: &a {x: 1}\nproxy:\n  x: 2\n  <<: *a", ["10:3 error YAML002 proxy"]],
    ["a: {1: x, '1': y}", ["8:11 error YAML002 a"]],
    ["a: {on: x, true: y}", ["8:12 error YAML002 a"]],
  ];
  for (const [lines, expected] of cases)
    assert.equal(readConfig(configText({ x: lines })).summary, expected, lines);
});

test("anchors, aliases and merge keys are followed", () => {
  const { read, summary } = readConfig(
    configText({
      x: "controlPlane: &pool\n  name: master\n  architecture: arm64\ncompute:\n- <<: {name: worker, replicas: 2}\n  architecture: arm64\narbiter: *pool\n",
    }),
  );
  assert.equal(summary, []);
  assert.equal(read?.config.arbiter, { name: "master", architecture: "arm64" });
  assert.equal(read?.config.compute, [{ architecture: "arm64", name: "worker", replicas: 2 }]);
});

test("apiVersion and kind take no numbers", () => {
  assert.equal(readConfig(configText({ apiVersion: "apiVersion: 1" })).summary, [
    "1:13 error IC013 apiVersion",
  ]);
  assert.equal(readConfig(configText({ x: "kind: on" })).summary.slice(0, 1), ["8:7 error IC013 kind"]);
});

test("address blocks: what Go's net package reads, from text only", () => {
  const fine = [
    "10.0.0.0/16",
    "10.0.0.1/16",
    "10.0.0.0/08",
    "fd00::/48",
    "FD00:0::1/64",
    "::ffff:10.0.0.0/104",
  ];
  for (const cidr of fine)
    assert.equal(readConfig(configText({ x: `networking: {machineCIDR: "${cidr}"}` })).summary, [], cidr);
  const broken = [
    "10.0.0.0",
    "10.0.0.0/33",
    "010.0.0.0/8",
    "fe80::1%eth0/64",
    "1.2.3/8",
    " 10.0.0.0/16",
    "2001:db8::/129",
    "",
  ];
  for (const cidr of broken)
    assert.equal(
      readConfig(configText({ x: `networking: {machineCIDR: "${cidr}"}` })).summary,
      ["8:27 error IC013 networking.machineCIDR"],
      cidr,
    );
  assert.equal(readConfig(configText({ x: "networking: {machineCIDR: 10}" })).summary, [
    "8:27 error IC013 networking.machineCIDR",
  ]);
});

test("wrong types say what was meant", () => {
  const cases: [string, RegExp][] = [
    [
      "platform: none",
      /expected a mapping, found a string; write platform: and on the next line, indented, none: \{\}/,
    ],
    ["compute: {name: worker}", /expected a list, found a mapping; write a list/],
    [
      "controlPlane:\n- name: master",
      /expected a mapping, found a list; write its fields below the key, without a dash/,
    ],
    ["fips: 'true'", /expected a boolean, found a string; remove the quotes/],
    ["controlPlane: {replicas: '3'}", /expected an integer, found a string; remove the quotes/],
    ["baseDomain: [a]", /expected a string, found a list; use a single value instead of a list/],
  ];
  for (const [line, expected] of cases) {
    const [field = ""] = line.split(":");
    const { text, read } = readConfig(
      configText({ platform: undefined, baseDomain: undefined, [field]: line }),
    );
    assert.match(text, expected, line);
    assert.ok(read !== undefined);
  }
});

test("platforms that are not handled pass through whole", () => {
  const { read, summary } = readConfig(
    configText({
      platform:
        "platform:\n  ovirt:\n    disks:\n    - config: {z: 1, a: [true, null, 1.5]}\n      hints: {wwn: '0x5000'}",
    }),
  );
  assert.equal(summary, []);
  assert.equal(read?.config.platform?.ovirt, {
    disks: [{ config: { z: 1, a: [true, null, 1.5] }, hints: { wwn: "0x5000" } }],
  });
  const infinity = configText({ platform: "platform:\n  ovirt:\n    x: .inf" });
  assert.equal(readConfig(infinity).summary, ["7:8 error IC013 platform.ovirt.x"]);
});

test("JSON is read too, tabs and all", () => {
  const json = JSON.stringify(readConfig(configText()).read?.config, null, "\t");
  const { read, summary } = readConfig(json);
  assert.equal(summary, []);
  assert.equal(read?.config, readConfig(configText()).read?.config);
});

test("values that come from elsewhere are not looked at", () => {
  const text = configText({ pullSecret: "pullSecret: $PULL_SECRET", x: "sshKey: {a: b}" });
  assert.is(readConfig(text).read, undefined);
  const { read, summary } = readConfig(text, { replaced: new Set(["pullSecret", "sshKey"]) });
  assert.equal(summary, []);
  assert.is(read?.config.pullSecret, undefined);
});

test.run();
