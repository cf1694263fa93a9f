/** Configs, facts and rendered objects of aws for tests. */
import { createReporter, type Problem } from "../../src/core/diagnostics.js";
import { isJson, isObject, type JsonObject } from "../../src/core/json.js";
import { parseRelease, type Release } from "../../src/core/release.js";
import type { CloudFacts } from "../../src/generated/types/cloud-facts.js";
import type { NormalConfig } from "../../src/platforms/config.js";
import type { Identity, InfrastructureInput, Rendering } from "../../src/platforms/platform.js";
import { createRenderer } from "../../src/text/render.js";
import { parseYaml } from "../../src/text/yaml-parse.js";

export const IDENTITY: Identity = {
  infraID: "heron-x2x2x",
  clusterID: "11111111-2222-4333-8444-555555555555",
};

export function releaseNamed(text: string): Release {
  const release = parseRelease(text);
  if (release === undefined) throw new Error(`no release ${text}`);
  return release;
}

const isNormal = (value: unknown): value is NormalConfig =>
  isJson(value) && isObject(value) && isObject(value["controlPlane"]) && Array.isArray(value["compute"]);

/** A normal form: of a text, with what is not given filled in as the installer does. */
export function normalConfig(text: string): NormalConfig {
  const value: unknown = parseYaml(text);
  if (!isNormal(value)) throw new Error("not the normal form of an install-config");
  return value;
}

const POOL = { architecture: "amd64", hyperthreading: "Enabled", platform: {} };

/** A defaulted config with three zones, two pools and an image; `aws` and `top` replace members. */
export function awsConfig(
  aws: NonNullable<NormalConfig["platform"]["aws"]> = {},
  top: Partial<NormalConfig> = {},
): NormalConfig {
  return {
    apiVersion: "v1",
    metadata: { name: "heron" },
    baseDomain: "example.net",
    additionalTrustBundlePolicy: "Proxyonly",
    networking: {
      networkType: "OVNKubernetes",
      machineNetwork: [{ cidr: "10.0.0.0/16" }],
      clusterNetwork: [{ cidr: "10.128.0.0/14", hostPrefix: 23 }],
      serviceNetwork: ["172.30.0.0/16"],
    },
    controlPlane: { ...POOL, name: "master", replicas: 3 },
    compute: [{ ...POOL, name: "worker", replicas: 3 }],
    platform: { aws: { region: "eu-west-1", ipFamily: "IPv4", ...aws } },
    publish: "External",
    pullSecret: "",
    osImageStream: "rhel-9",
    ...top,
  };
}

export const THREE_ZONES: CloudFacts = {
  apiVersion: "slipway.dev/v1alpha1",
  kind: "CloudFacts",
  aws: {
    region: "eu-west-1",
    availabilityZones: [{ name: "eu-west-1a" }, { name: "eu-west-1b" }, { name: "eu-west-1c" }],
    images: { amd64: { id: "ami-0123456789abcdef0" }, arm64: { id: "ami-0aaaaaaaaaaaaaaa1" } },
    publicHostedZone: "Z0123456789ABC",
  },
};

export function platformInput(
  config: NormalConfig,
  facts: CloudFacts = THREE_ZONES,
  more: Partial<InfrastructureInput> = {},
): InfrastructureInput {
  return {
    config,
    facts,
    identity: IDENTITY,
    credentials: undefined,
    release: releaseNamed("4.22"),
    namespace: IDENTITY.infraID,
    controllerNamespace: "capa-system",
    ...more,
  };
}

/** The objects of renderings by path. */
export async function rendered(renderings: readonly Rendering[]): Promise<Map<string, JsonObject>> {
  const folders = [
    ...new Set(renderings.map(({ template }) => template.slice(0, template.lastIndexOf("/")))),
  ];
  const reporter = createReporter();
  const renderer = await createRenderer(folders, reporter.report);
  return new Map(renderings.map(({ template, view, path }) => [path, renderer.object(template, view)]));
}

/** Runs something that reports and returns what it reported, as `severity code field`. */
export function reported(body: (report: (problem: Problem) => void) => void): string[] {
  const reporter = createReporter();
  body(reporter.report);
  return reporter.diagnostics.map(({ severity, code, field }) => `${severity} ${code} ${field}`).sort();
}
