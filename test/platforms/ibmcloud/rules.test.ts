/** Every rule of platform.ibmcloud, broken alone: kind, field and place; by release; what is written back. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isError } from "../../../src/core/diagnostics.js";
import type { Json } from "../../../src/core/json.js";
import { readInstallConfig } from "../../../src/phases/install-config/read.js";
import { SERVICES } from "../../../src/platforms/ibmcloud/cloud-rules.js";
import schema from "../../../src/platforms/ibmcloud/schemas/install-config.schema.json" with { type: "json" };
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { namesRemedy } from "../../helpers/applied-hints.js";
import { IBMCLOUD, KEY, made, OWN_NETWORK, VARIANTS } from "../../helpers/ibmcloud.js";
import { edit, expectErrors, judge, type Row, releaseOf } from "../../helpers/install-configs.js";

const test = suite("ibmcloud: rules of the install-config");

const P = "platform.ibmcloud";
const C = "controlPlane.platform.ibmcloud";
const endpoints = (...urls: readonly string[]): Json =>
  urls.map((url, i) => ({ name: ["IAM", "VPC", "COS", "CIS"][i] ?? "", url }));
const hosts = (type: Json | undefined, zones: readonly string[], ...list: readonly Json[]): Json => ({
  ...(type === undefined ? {} : { type }),
  zones: [...zones],
  dedicatedHosts: [...list],
});

const ROWS: readonly Row[] = [
  ...Object.entries(VARIANTS).map(([name, edits]): Row => [name, edits]),
  ["no region", { [`${P}.region`]: undefined }, `Required ${P}.region`],
  ["an empty region", { [`${P}.region`]: "" }, `Required ${P}.region`],
  ["a new region", { [`${P}.region`]: "ca-mon" }],
  [
    "a VPC without subnets",
    { [`${P}.vpcName`]: "birds" },
    `Required ${P}.controlPlaneSubnets`,
    `Required ${P}.computeSubnets`,
  ],
  [
    "a VPC without compute subnets",
    { ...OWN_NETWORK, [`${P}.computeSubnets`]: undefined },
    `Required ${P}.computeSubnets`,
  ],
  ["an empty list of subnets is one", { ...OWN_NETWORK, [`${P}.computeSubnets`]: [] }],
  ["subnets without a VPC", { [`${P}.computeSubnets`]: ["a"] }, `Required ${P}.vpcName`],
  ["an empty list without a VPC", { [`${P}.controlPlaneSubnets`]: [] }, `Required ${P}.vpcName`],
  [
    "two endpoints of a service",
    {
      [`${P}.serviceEndpoints`]: [
        { name: "IAM", url: "https://a" },
        { name: "VPC", url: "https://b" },
        { name: "IAM", url: "https://c" },
      ],
    },
    `Invalid ${P}.serviceEndpoints[2].name`,
  ],
  [
    "endpoints without scheme, with a port, in capitals",
    { [`${P}.serviceEndpoints`]: endpoints("a.example", "https://a:443/", "HTTPS://a") },
  ],
  [
    "versions as a path",
    {
      [`${P}.serviceEndpoints`]: endpoints("https://a/v1", "https://a/v22/", "a/api/v1", "https://a/v1//v2"),
    },
  ],
  [
    "endpoints that are none",
    { [`${P}.serviceEndpoints`]: endpoints("", "http://a", "https://a/b/v1", "https://a?x=1") },
    ...[0, 1, 2, 3].map((i) => `Invalid ${P}.serviceEndpoints[${i}].url`),
  ],
  [
    "an endpoint that is not a URL",
    { [`${P}.serviceEndpoints`]: endpoints("https://[a") },
    `Invalid ${P}.serviceEndpoints[0].url`,
  ],
  ["a zone of another region", { [`${C}.zones`]: ["eu-gb-1", "eu-de-1"] }, `Invalid ${C}.zones[1]`],
  [
    "a zone of another region by default",
    { [`${P}.defaultMachinePlatform.zones`]: ["eu-de-1"] },
    `Invalid ${P}.defaultMachinePlatform.zones[0]`,
  ],
  [
    "a key that is not a CRN",
    { "compute[0].platform.ibmcloud.bootVolume.encryptionKey": "abc" },
    "Invalid compute[0].platform.ibmcloud.bootVolume.encryptionKey",
  ],
  ["a key of ten parts of which the scope is none", { [`${C}.bootVolume.encryptionKey`]: "crn:::::::::" }],
  ["a global scope", { [`${C}.bootVolume.encryptionKey`]: "crn:v1:a:b:c:d:global:e:f:g" }],
  [
    "a scope of three parts",
    { [`${C}.bootVolume.encryptionKey`]: KEY.replace("a/", "a/b/") },
    `Invalid ${C}.bootVolume.encryptionKey`,
  ],
  [
    "hosts and zones of different numbers",
    { [C]: hosts("bx2-4x16", ["eu-gb-1"], { name: "a" }, { name: "b" }) },
    `Invalid ${C}.dedicatedHosts`,
  ],
  ["no hosts for zones", { [C]: hosts("bx2-4x16", ["eu-gb-1"]) }, `Invalid ${C}.dedicatedHosts`],
  ["hosts without a type", { [C]: hosts(undefined, ["eu-gb-1"], { name: "a" }) }, `Invalid ${C}.type`],
  ["a host that is nothing", { [C]: hosts("bx2-4x16", ["eu-gb-1"], {}) }, `Invalid ${C}.dedicatedHosts[0]`],
  [
    "a host of another family",
    { [C]: hosts("bx2-4x16", ["eu-gb-1"], { profile: "mx2-host-152x1216" }) },
    `Invalid ${C}.dedicatedHosts[0].profile`,
  ],
  ["a host without a dash in its profile", { [C]: hosts("bx2", ["eu-gb-1"], { profile: "bx2" }) }],
  ["a mode for credentials that there is not", { credentialsMode: "Mint" }, "NotSupported credentialsMode"],
  ["no mode for credentials", { credentialsMode: undefined }],
  [
    "mixed publishing",
    { publish: "Mixed", operatorPublishingStrategy: { apiserver: "Internal" } },
    "Invalid publish",
  ],
  ["a member that there is not", { [`${P}.madeUp`]: 1 }, `NotSupported ${P}.madeUp`],
];

test("each rule alone", () => expectErrors(IBMCLOUD, ROWS));

test("by release", () => {
  expectErrors(
    IBMCLOUD,
    [["a new region", { [`${P}.region`]: "ca-mon" }, `NotSupported ${P}.region`]],
    "4.18",
  );
  expectErrors(
    IBMCLOUD,
    [
      [
        "versions as a path",
        { [`${P}.serviceEndpoints`]: endpoints("https://a/v1", "https://a/v1//v2", "https://a/api/v1") },
        `Invalid ${P}.serviceEndpoints[1].url`,
        `Invalid ${P}.serviceEndpoints[2].url`,
      ],
    ],
    "4.18",
  );
  for (const release of ["4.19", "4.20", "4.21"])
    expectErrors(IBMCLOUD, [["a new region", { [`${P}.region`]: "ca-mon" }]], release);
});

test("a fault is shown where it stands, with something to do", () => {
  for (const [title, edits, ...errors] of ROWS) {
    const config = edit(IBMCLOUD, edits);
    const target = { release: releaseOf("4.22"), lenient: false };
    const text = JSON.stringify(config, undefined, 1);
    const read = readInstallConfig(text, "install-config.yaml", target, () => undefined);
    for (const { message, hint, field, line, column } of judge(config).diagnostics.filter(isError)) {
      assert.ok(errors.length > 0 && namesRemedy({ message, hint }), title);
      // The config as it was read has no member that there is not.
      const unknown = text.split("\n").findIndex((each) => each.includes('"madeUp"'));
      const place = unknown < 0 ? read?.position(field) : { line: unknown + 1, column: 4 };
      assert.equal({ line, column }, { line: place?.line, column: place?.column }, `${title}: ${field}`);
    }
  }
});

test("hosts of defaultMachinePlatform that a pool's own zones leave without effect", () => {
  const fallback = hosts("bx2-4x16", ["eu-gb-1", "eu-gb-2"], { name: "a" }, { name: "b" });
  const said = (zones: Json) =>
    judge(
      edit(IBMCLOUD, {
        [`${P}.defaultMachinePlatform`]: fallback,
        "compute[0].platform.ibmcloud": { zones },
      }),
    );
  assert.ok(said(["eu-gb-3"]).remarks.includes("IC348 compute[0].platform.ibmcloud.zones"));
  assert.equal(said(["eu-gb-3"]).errors, []);
  assert.not.ok(said(["eu-gb-3", "eu-gb-1"]).remarks.some((remark) => remark.startsWith("IC348")));
});

test("the services whose endpoints may be set are those that explain lists", () => {
  const { name } = schema.$defs.IbmcloudPlatform.properties.serviceEndpoints.items.properties;
  assert.equal(name["x-slipway"].values, [...SERVICES]);
});

test("credentials that nobody makes by hand are hardly meant", () => {
  assert.ok(judge(edit(IBMCLOUD, { credentialsMode: undefined })).remarks.includes("IC349 credentialsMode"));
  assert.not.ok(judge(IBMCLOUD).remarks.some((remark) => remark.startsWith("IC349")));
});

test("what the installer refuses when it talks to the cloud", async () => {
  const refusedOf = async (edits: Parameters<typeof made>[0]) =>
    (await made(edits)).errors.filter((error) => error.startsWith("FACT008"));
  assert.equal(await refusedOf({ ...OWN_NETWORK, [`${P}.networkResourceGroupName`]: undefined }), [
    `FACT008 Invalid ${P}.networkResourceGroupName`,
  ]);
  assert.equal(await refusedOf({ [`${P}.networkResourceGroupName`]: "birds" }), [
    `FACT008 Invalid ${P}.vpcName`,
  ]);
  assert.equal(await refusedOf({ ...OWN_NETWORK, [`${P}.computeSubnets`]: [] }), [
    `FACT008 Invalid ${P}.computeSubnets`,
  ]);
  assert.equal(
    await refusedOf({ "controlPlane.architecture": "arm64", "compute[0].architecture": "arm64" }),
    ["FACT008 NotSupported compute[0].architecture", "FACT008 NotSupported controlPlane.architecture"],
  );
  assert.equal(
    await refusedOf({ "controlPlane.architecture": "s390x", "compute[0].architecture": "s390x" }),
    [],
  );
  assert.equal(
    await refusedOf({
      [`${P}.serviceEndpoints`]: [
        { name: "Quantum", url: "https://a" },
        { name: "IAM", url: "a" },
      ],
    }),
    [`FACT008 Invalid ${P}.serviceEndpoints[0].name`, `FACT008 Invalid ${P}.serviceEndpoints[1].url`],
  );
});

test("the normal form is its own, and compiles to the same", async () => {
  for (const release of ["4.18", "4.20", "4.22"])
    for (const [name, edits] of Object.entries(VARIANTS)) {
      if (name === "single node" && release === "4.18") continue;
      const config = edit(IBMCLOUD, edits);
      const once = judge(config, release).asset?.normalForm ?? "";
      assert.is(judge(once, release).asset?.normalForm, once, `${release} ${name}`);
      const first = await made(edits, {}, { release });
      assert.equal(first.errors, [], name);
      const again = await made(fromNormal(once), {}, { release });
      assert.equal(again.files, first.files, `${release} ${name}`);
      assert.equal(again.infrastructure, first.infrastructure, `${release} ${name}`);
    }
});

/** The whole config of a normal form, as edits of another. */
function fromNormal(text: string): Parameters<typeof made>[0] {
  const value = parseYaml(text);
  const members = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(members);
}

test.run();
