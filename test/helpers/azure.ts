/** Configs, facts and rendered objects of azure for tests. */
import { createReporter, type Diagnostic } from "../../src/core/diagnostics.js";
import type { JsonObject } from "../../src/core/json.js";
import type { AzureFacts, CloudFacts } from "../../src/generated/types/cloud-facts.js";
import type { InstallConfigAsset } from "../../src/phases/assets.js";
import { compileInstallConfig } from "../../src/phases/install-config/index.js";
import { readInstallConfig } from "../../src/phases/install-config/read.js";
import { platform } from "../../src/platforms/azure/index.js";
import type { Credentials, InfrastructureInput, Rendering } from "../../src/platforms/platform.js";
import { createRenderer } from "../../src/text/render.js";
import { releaseOf } from "./install-configs.js";

export const CREDENTIALS: Credentials = {
  subscriptionId: "00000000-0000-4000-8000-000000000001",
  tenantId: "00000000-0000-4000-8000-000000000002",
  clientId: "00000000-0000-4000-8000-000000000003",
  clientSecret: "made-up-client-secret",
};

const CAPABILITIES = [
  { name: "HyperVGenerations", value: "V1,V2" },
  { name: "AcceleratedNetworkingEnabled", value: "True" },
  { name: "PremiumIO", value: "True" },
  { name: "vCPUsAvailable", value: "8" },
  { name: "MemoryGB", value: "32" },
];

/** A machine type that three zones offer. */
export const machineType = (
  name: string,
  zones: readonly string[] = ["1", "2", "3"],
  capabilities: readonly { readonly name: string; readonly value: string }[] = [],
): NonNullable<AzureFacts["instanceTypes"]>[number] => ({
  name,
  zones: [...zones],
  capabilities: [
    ...CAPABILITIES.filter(({ name: known }) => capabilities.every((each) => each.name !== known)),
    ...capabilities,
  ],
});

/** The release's default types and images, as an account would know them. */
export const FACTS: AzureFacts = {
  region: "northeurope",
  instanceTypes: [
    "Standard_D8s_v3",
    "Standard_D4s_v3",
    "Standard_D8as_v5",
    "Standard_D4as_v5",
    "Standard_D8ps_v5",
    "Standard_D4ps_v5",
    "Standard_DS4_v2",
    "Standard_DS3_v2",
  ].map((name) => machineType(name)),
  images: {
    amd64: { gen1: "birds:os:os_422:9.8.1", gen2: "birds:os:os_422-v2:9.8.1" },
    arm64: { gen2: "birds:os:os_422-arm:9.8.1" },
  },
};

export const cloudFacts = (azure: AzureFacts): CloudFacts => ({
  apiVersion: "slipway.dev/v1alpha1",
  kind: "CloudFacts",
  azure,
});

export interface Compiled {
  readonly asset: InstallConfigAsset | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Errors as `kind field`, sorted, each once. */
  readonly errors: readonly string[];
}

/** Compiles an install-config, a text or a value. */
export function compile(given: string | JsonObject, release = "4.22", facts?: CloudFacts): Compiled {
  const reporter = createReporter();
  const text = typeof given === "string" ? given : JSON.stringify(given);
  const target = { release: releaseOf(release), lenient: false };
  const read = readInstallConfig(text, "install-config.yaml", target, reporter.report);
  const asset =
    read === undefined
      ? undefined
      : compileInstallConfig(read, { release: target.release, platform, facts }, reporter.report);
  return { asset, diagnostics: reporter.diagnostics, errors: errorsOf(reporter.diagnostics) };
}

export const errorsOf = (diagnostics: readonly Diagnostic[]): readonly string[] => [
  ...new Set(
    diagnostics
      .filter(({ severity }) => severity === "error")
      .map(({ kind, field = "" }) => `${kind} ${field}`)
      .sort(),
  ),
];

/** A whole install-config with a section of azure; `top` replaces members. */
export const installConfig = (azure: JsonObject = {}, top: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  baseDomain: "ops.example.net",
  metadata: { name: "plover" },
  platform: { azure: { region: "northeurope", baseDomainResourceGroupName: "dns-rg", ...azure } },
  pullSecret: '{"auths":{"registry.example.org":{"auth":"dXNlcjpwbGFudGVkLXNlY3JldC0xMjM0"}}}',
  ...top,
});

/** The input of a compiled config; throws what is wrong with it. */
export function inputOf(
  given: string | JsonObject,
  azure: AzureFacts = FACTS,
  more: Partial<InfrastructureInput> & { readonly name?: string } = {},
): InfrastructureInput {
  const { name = "4.22", ...rest } = more;
  const release = releaseOf(name);
  const { asset, diagnostics } = compile(given, name, cloudFacts(azure));
  if (asset === undefined) throw new Error(JSON.stringify(diagnostics));
  const credentials = "credentials" in rest ? rest.credentials : CREDENTIALS;
  const reporter = createReporter();
  const facts = platform.resolveFacts(
    asset.config,
    { facts: cloudFacts(azure), stream: undefined },
    { release, report: reporter.report },
  );
  if (reporter.failed) throw new Error(JSON.stringify(reporter.diagnostics));
  return {
    config: asset.config,
    facts,
    identity: { infraID: "plover-abcde", clusterID: "00000000-0000-4000-8000-000000000000" },
    release,
    namespace: "plover-abcde",
    controllerNamespace: "capz-system",
    ...rest,
    credentials,
  };
}

/** The objects of renderings by path. */
export async function rendered(renderings: readonly Rendering[]): Promise<Map<string, JsonObject>> {
  const folders = [
    ...new Set(renderings.map(({ template }) => template.slice(0, template.lastIndexOf("/")))),
  ];
  const renderer = await createRenderer(folders, () => undefined);
  return new Map(renderings.map(({ template, view, path }) => [path, renderer.object(template, view)]));
}

/** The cluster's objects of infrastructure-manifests/, and what was said of them. */
export async function infrastructureOf(
  input: InfrastructureInput,
): Promise<{ objects: Map<string, JsonObject>; diagnostics: readonly Diagnostic[] }> {
  const reporter = createReporter();
  const { objects } = platform.infrastructure(input, { release: input.release, report: reporter.report });
  return { objects: await rendered(objects), diagnostics: reporter.diagnostics };
}
