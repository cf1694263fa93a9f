/** Configs, facts and rendered objects of nutanix for tests. */
import type { Json, JsonObject } from "../../src/core/json.js";
import type { CloudFacts } from "../../src/generated/types/cloud-facts.js";
import { platform } from "../../src/platforms/nutanix/index.js";
import type { InfrastructureInput } from "../../src/platforms/platform.js";
import { writeYaml } from "../../src/text/yaml-write.js";
import { releaseNamed } from "./aws.js";
import { compilerOf } from "./compiler-of.js";
import { PULL_SECRET } from "./install-configs.js";

export const IDENTITY = {
  infraID: "gannet-abcde",
  clusterID: "00000000-0000-4000-8000-000000000000",
};

/** A UUID by a number. */
export const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

export const NO_FACTS: CloudFacts = { apiVersion: "slipway.dev/v1alpha1", kind: "CloudFacts" };

/** An install-config, the way a user writes it; `section` and `top` replace members. */
export function configText(section: JsonObject = {}, top: JsonObject = {}): string {
  const config: JsonObject = {
    apiVersion: "v1",
    baseDomain: "sea.example.org",
    metadata: { name: "gannet" },
    networking: { machineNetwork: [{ cidr: "10.20.0.0/16" }] },
    platform: { nutanix: { ...SECTION, ...section } },
    pullSecret: PULL_SECRET,
    ...top,
  };
  return writeYaml(config);
}

const SECTION: JsonObject = {
  prismCentral: {
    endpoint: { address: "prism.example.org", port: 9440 },
    username: "skipper",
    password: "planted-prism-password",
  },
  prismElements: [{ uuid: uuid(1), name: "pe-1", endpoint: { address: "10.20.1.1", port: 9440 } }],
  subnetUUIDs: [uuid(2)],
  apiVIPs: ["10.20.0.5"],
  ingressVIPs: ["10.20.0.7"],
};

/** A failure domain by a number; `more` replaces members. */
export const domain = (number: number, more: JsonObject = {}): JsonObject => ({
  name: `fd-${number}`,
  prismElement: { uuid: uuid(10 + number) },
  subnetUUIDs: [uuid(20 + number)],
  ...more,
});

/** A compute pool with a section of nutanix. */
export const worker = (section: JsonObject, replicas = 3): Json => [
  { name: "worker", replicas, platform: { nutanix: section } },
];

export const { compile, compiled } = compilerOf(platform);

/** What a phase gets for a text. */
export function inputOf(text: string, facts: CloudFacts = NO_FACTS, release = "4.22"): InfrastructureInput {
  const { config } = compiled(text, release);
  const context = { release: releaseNamed(release), report: () => undefined };
  return {
    config,
    facts: platform.resolveFacts(config, { facts, stream: undefined }, context),
    identity: IDENTITY,
    credentials: undefined,
    release: context.release,
    namespace: IDENTITY.infraID,
    controllerNamespace: "capx-system",
  };
}
