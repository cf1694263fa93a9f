/** Facts: what is asked for, what contradicts the install-config, and what the installer refuses later. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonObject } from "../../../src/core/json.js";
import type { CloudFacts } from "../../../src/generated/types/cloud-facts.js";
import { platform } from "../../../src/platforms/powervs/index.js";
import { releaseNamed } from "../../helpers/aws.js";
import {
  compiled,
  configText,
  factsSaid,
  factsWith,
  GATEWAY,
  inputOf,
  pool,
  SMALL_RSA_KEY,
  VPC,
} from "../../helpers/powervs.js";

const test = suite("powervs: facts");

const NO_FACTS: CloudFacts = { apiVersion: "slipway.dev/v1alpha1", kind: "CloudFacts" };
const summary = (text: string, facts: CloudFacts = factsWith(), release = "4.22"): readonly string[] =>
  factsSaid(text, facts, release).map(({ code, kind, field }) => `${code} ${kind} ${field}`);

test("everything that is missing is told in one run", () => {
  assert.equal(summary(configText({ vpcName: "birds-vpc" }), NO_FACTS), [
    "FACT001 Required platform.powervs",
    "FACT001 Required baseDomain",
    "FACT001 Required platform.powervs.vpcName",
  ]);
  assert.equal(summary(configText()), []);
});

test("what only Cluster API objects need is asked for with them", () => {
  const text = configText({ vpcName: "birds-vpc" }, { publish: "Internal" });
  const said: string[] = [];
  const input = inputOf(text, { ...NO_FACTS, powervs: { vpc: VPC } });
  platform.infrastructure(input, {
    release: input.release,
    report: ({ code, field }) => said.push(`${code} ${field}`),
  });
  assert.equal(said, ["FACT001 platform.powervs", "FACT001 platform.powervs.vpcName"]);
});

/** What is written, with which facts, and what is said. */
const AGAINST: readonly (readonly [string, string, CloudFacts, string])[] = [
  ["zone", configText(), factsWith({ zone: "tor01" }), "FACT002 Invalid powervs.zone"],
  ["instance", configText(), factsWith({}, true), "FACT002 Invalid powervs.dnsZone.instanceCRN"],
  ["router", configText(), factsWith({ powerEdgeRouter: false }), "FACT002 Invalid platform.powervs.zone"],
  ["VPC", configText({ vpcName: "x" }), factsWith(), "FACT002 NotFound platform.powervs.vpcName"],
  [
    "subnet",
    configText({ vpcName: "birds-vpc", vpcSubnets: ["x"] }),
    factsWith(),
    "FACT002 Invalid platform.powervs.vpcSubnets",
  ],
  [
    "group",
    configText(),
    factsWith({ resourceGroups: ["fish"] }),
    "FACT002 NotFound platform.powervs.powervsResourceGroup",
  ],
  [
    "workspace",
    configText({ serviceInstanceGUID: GATEWAY.id }),
    factsWith({ workspaces: [] }),
    "FACT002 NotFound platform.powervs.serviceInstanceGUID",
  ],
  [
    "gateway",
    configText({ tgName: "x" }),
    factsWith({ transitGateways: [GATEWAY] }),
    "FACT002 NotFound platform.powervs.tgName",
  ],
  [
    "system",
    configText({}, { controlPlane: pool("master", { sysType: "e980" }) }),
    factsWith({ systemTypes: ["s1022"] }),
    "FACT002 Invalid controlPlane.platform.powervs.sysType",
  ],
  [
    "system of the release's list",
    configText({ zone: "tor01" }, { controlPlane: pool("master", { sysType: "e1080" }) }),
    factsWith(),
    "FACT008 Invalid controlPlane.platform.powervs.sysType",
  ],
  ["small key", configText({}, { sshKey: SMALL_RSA_KEY }), factsWith(), "FACT008 Invalid sshKey"],
  [
    "no RSA key",
    configText({}, {
      sshKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEAx2KnK03eS+pUvYfP2CX/8+zLS8lK//4iv/GOKDdii bird",
    } satisfies JsonObject),
    factsWith(),
    "FACT008 Invalid sshKey",
  ],
  [
    "architecture",
    configText({}, { compute: [{ name: "worker" }], controlPlane: { name: "master" } }),
    factsWith(),
    "FACT008 NotSupported controlPlane.architecture, FACT008 NotSupported compute[0].architecture",
  ],
  [
    "prefix",
    configText({}, { networking: { machineNetwork: [{ cidr: "10.0.0.0/16" }] } }),
    factsWith(),
    "FACT008 Invalid networking.machineNetwork[0].cidr",
  ],
  ["VPC region", configText({ vpcRegion: "x" }), factsWith(), "FACT008 NotFound VPC.vpcRegion"],
  ["subnets alone", configText({ vpcSubnets: ["x"] }), factsWith(), "FACT008 Invalid VPC.vpcSubnets"],
  [
    "private without a VPC",
    configText({}, { publish: "Internal" }),
    factsWith({}, true),
    "FACT008 Required platform.powervs.vpcName",
  ],
  [
    "no group",
    configText({ powervsResourceGroup: "" }),
    factsWith(),
    "FACT008 Required platform.powervs.powervsResourceGroup",
  ],
];

for (const [name, text, facts, expected] of AGAINST)
  test(`against the cloud: ${name}`, () => {
    assert.is(summary(text, facts).join(", "), expected);
    for (const { hint = "" } of factsSaid(text, facts)) assert.not.equal(hint, "");
  });

test("the releases differ", () => {
  const disconnected = configText(
    { vpcName: "birds-vpc" },
    {
      publish: "Internal",
      imageDigestSources: [{ source: "quay.example.org/a", mirrors: ["registry.example.org/a"] }],
    },
  );
  assert.equal(summary(disconnected, factsWith({}, true), "4.18"), ["FACT008 NotSupported publish"]);
  assert.equal(summary(disconnected, factsWith({}, true), "4.19"), []);
  assert.equal(summary(configText({}, { sshKey: SMALL_RSA_KEY }), factsWith(), "4.21"), []);
  assert.equal(summary(configText({ vpcName: VPC.id }), factsWith(), "4.19"), [
    "FACT002 NotFound platform.powervs.vpcName",
  ]);
  assert.equal(summary(configText({ vpcName: VPC.id }), factsWith(), "4.20"), []);
  const gateway = [configText({ tgName: GATEWAY.id }), factsWith({ transitGateways: [GATEWAY] })] as const;
  assert.equal(summary(...gateway, "4.19"), ["FACT002 NotFound platform.powervs.tgName"]);
  assert.equal(summary(...gateway, "4.20"), []);
});

test("the stream supplies the image of the region of object storage", () => {
  const image = (release: string, bucket: string) => ({ release, bucket, object: "rhcos.ova.gz" });
  const stream = {
    architectures: {
      ppc64le: {
        images: {
          powervs: { regions: { "eu-de": image("9.8", "de"), "eu-es": image("9.8", "es") } },
        },
      },
    },
  };
  const { config } = compiled(configText({ zone: "mad04" }));
  const context = { release: releaseNamed("4.22"), report: () => undefined };
  const { powervs } = platform.resolveFacts(config, { facts: undefined, stream }, context);
  assert.equal(powervs?.image, { bucket: "de", object: "rhcos.ova.gz" });
});

test.run();
