/** Configs, facts and rendered objects of powervs for tests. */
import type { Problem } from "../../src/core/diagnostics.js";
import type { JsonObject } from "../../src/core/json.js";
import type { CloudFacts } from "../../src/generated/types/cloud-facts.js";
import type { InfrastructureInput } from "../../src/platforms/platform.js";
import { platform } from "../../src/platforms/powervs/index.js";
import { writeYaml } from "../../src/text/yaml-write.js";
import { releaseNamed } from "./aws.js";
import { compilerOf } from "./compiler-of.js";
import { PULL_SECRET } from "./install-configs.js";

export const IDENTITY = {
  infraID: "finch-abcde",
  clusterID: "00000000-0000-4000-8000-000000000000",
};

/** A public RSA key of 2048 bits, and one of 1024; their private halves are nowhere. */
export const RSA_KEY =
  "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQCLbUSNzi5aSZafZCtAg5mCPzpUcR9LRNi95r8WPoTx3DOeW9+Vi/HhyOgZOZwLnX5hKz+ePawevE9tOcih/O5toCXN7Y6yVq61OJf91oaPmTYe90yNwUZy6BOTTjbVA48TXdcFEgUIlNTD++PZaKcsXUzuoVpFhvKajm2FnEZNBV34O7Ya8aEdJkVHM8qfcX34yZ9VYIACb3aSZD9H1YJsDcOh9sHPvHiOHyovSjtVKRlUo7iqnMa8r1WFRUm5ja1NrpZWOLSJp5/unrAtXbUdkiH1M+OThcEsduvCdNPfSaJyo9w3ZYvVC98Ef2cJtic2yIS8udKC8EEm7Pw3hBQb bird";
export const SMALL_RSA_KEY =
  "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQCxMeXJOPvxkC9NdcGdEifHnz5RNOPnBpo57y7hAiURPpRBibmfa4zSOJEXLtb+1p3NvIu6I28UD4+vKPzxkESevtB1zkIlk1QBBVMyB37bih9c/8+mqUV3xr2y7eFy88Ub3Cpct6+naNx3URpdcX+LtCCFVJOoc0r/LcsiiLph+w== small";

const CRN = "crn:v1:bluemix:public:internet-svcs:global:a/0123456789abcdef0123456789abcdef:instance-1::";
const PRIVATE_CRN = "crn:v1:bluemix:public:dns-svcs:global:a/0123456789abcdef0123456789abcdef:instance-2::";

export const VPC = {
  id: "r006-00000000-0000-4000-8000-00000000c001",
  name: "birds-vpc",
  subnets: [
    { id: "0717-00000000-0000-4000-8000-00000000e001", name: "birds-1" },
    { id: "0727-00000000-0000-4000-8000-00000000e002", name: "birds-2" },
  ],
};
export const GATEWAY = { id: "00000000-0000-4000-8000-00000000f001", name: "birds-tg" };

/** Facts that lack nothing; `more` replaces members. */
export const factsWith = (more: NonNullable<CloudFacts["powervs"]> = {}, closed = false): CloudFacts => ({
  apiVersion: "slipway.dev/v1alpha1",
  kind: "CloudFacts",
  powervs: {
    accountID: "account-1",
    dnsZone: { id: "zone-1", instanceCRN: closed ? PRIVATE_CRN : CRN },
    image: { bucket: "birds-images", object: "rhcos.ova.gz" },
    vpc: VPC,
    dnsServer: "10.20.0.4",
    ...more,
  },
});

/** An install-config, the way a user writes it; `section` and `top` replace members. */
export const configText = (section: JsonObject = {}, top: JsonObject = {}): string =>
  writeYaml({
    apiVersion: "v1",
    baseDomain: "sea.example.org",
    metadata: { name: "finch" },
    controlPlane: { name: "master", architecture: "ppc64le" },
    compute: [{ name: "worker", architecture: "ppc64le" }],
    platform: {
      powervs: {
        zone: "dal10",
        powervsResourceGroup: "birds",
        userID: "bird@example.org",
        ...section,
      },
    },
    pullSecret: PULL_SECRET,
    sshKey: RSA_KEY,
    ...top,
  });

/** A pool with a section of powervs. */
export const pool = (name: "master" | "worker", section: JsonObject, replicas = 3): JsonObject => ({
  name,
  replicas,
  architecture: "ppc64le",
  platform: { powervs: section },
});

export const { compile, compiled } = compilerOf(platform);

/** What the phases that need facts say of a text. */
export function factsSaid(text: string, facts: CloudFacts, release = "4.22"): readonly Problem[] {
  const { config } = compiled(text, release);
  const said: Problem[] = [...(platform.cloudRules?.(config) ?? [])];
  platform.resolveFacts(
    config,
    { facts, stream: undefined },
    { release: releaseNamed(release), report: (problem) => said.push(problem) },
  );
  return said;
}

/** What a phase gets for a text. */
export function inputOf(
  text: string,
  facts: CloudFacts = factsWith(),
  release = "4.22",
): InfrastructureInput {
  const { config } = compiled(text, release);
  const context = { release: releaseNamed(release), report: () => undefined };
  return {
    config,
    facts: platform.resolveFacts(config, { facts, stream: undefined }, context),
    identity: IDENTITY,
    credentials: undefined,
    release: context.release,
    namespace: IDENTITY.infraID,
    controllerNamespace: "capi-ibmcloud-system",
  };
}
