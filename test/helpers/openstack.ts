/** Configs, logins and facts of openstack for tests, and what becomes of them. */
import { createReporter, type Diagnostic } from "../../src/core/diagnostics.js";
import type { JsonObject } from "../../src/core/json.js";
import type { OpenstackFacts } from "../../src/generated/types/cloud-facts.js";
import { platform } from "../../src/platforms/openstack/index.js";
import type { Credentials } from "../../src/platforms/platform.js";
import { type Edits, edit, judge, NONE, releaseOf } from "./install-configs.js";
import { PLANTED } from "./planted.js";
import { type CaseMade, factsOf, makeCase } from "./platform-cases.js";

/** Identifiers of version 4. */
export const uuid = (last: number): string => `0a1b2c3d-4e5f-4a6b-8c7d-00000000000${last}`;

/** A sound config with floating IPs in a network that is made. */
export const OPENSTACK: JsonObject = {
  ...NONE,
  platform: {
    openstack: {
      cloud: "birds",
      externalNetwork: "public",
      apiFloatingIP: "198.51.100.5",
      ingressFloatingIP: "198.51.100.7",
      externalDNS: ["192.0.2.53"],
      apiVIPs: ["10.20.0.5"],
      ingressVIPs: ["10.20.0.7"],
      defaultMachinePlatform: { type: "m1.xlarge" },
    },
  },
};

/** Edits of the section; those that begin with `/` are of the whole config. */
export const at = (edits: Edits): Edits =>
  Object.fromEntries(
    Object.entries(edits).map(([path, value]) => [
      path.startsWith("/") ? path.slice(1) : `platform.openstack.${path}`,
      value,
    ]),
  );

export const openstackConfig = (edits: Edits = {}): JsonObject => edit(OPENSTACK, at(edits));

/** Subnets of one's own instead of a network that is made. */
export const OWN_SUBNET: Edits = {
  externalDNS: undefined,
  controlPlanePort: { fixedIPs: [{ subnet: { id: uuid(1) } }] },
};
export const OWN_SUBNETS: Edits = {
  ...OWN_SUBNET,
  controlPlanePort: { fixedIPs: [{ subnet: { name: "four" } }, { subnet: { name: "six" } }] },
  "/networking.machineNetwork": [{ cidr: "10.20.0.0/16" }, { cidr: "fd00:20::/64" }],
  "/networking.clusterNetwork": [
    { cidr: "10.132.0.0/14", hostPrefix: 23 },
    { cidr: "fd01::/48", hostPrefix: 64 },
  ],
  "/networking.serviceNetwork": ["172.31.0.0/16", "fd02::/112"],
};
export const IPV6_ALONE: Edits = {
  ...OWN_SUBNET,
  externalNetwork: undefined,
  apiFloatingIP: undefined,
  ingressFloatingIP: undefined,
  apiVIPs: ["fd00:20::5"],
  ingressVIPs: ["fd00:20::7"],
  "/networking.machineNetwork": [{ cidr: "fd00:20::/64" }],
  "/networking.clusterNetwork": [{ cidr: "fd01::/48", hostPrefix: 64 }],
  "/networking.serviceNetwork": ["fd02::/112"],
};

export const FACTS: OpenstackFacts = {
  loadBalancerService: true,
  networks: [{ id: uuid(9), name: "public" }],
};

export const CLOUDS = `clouds:
  birds:
    auth:
      auth_url: https://keystone.example.net:5000/v3
      username: stack-user
      password: ${PLANTED.password}
      project_name: birds
      user_domain_name: Default
    region_name: RegionOne
`;

export interface Login {
  readonly credentials: Credentials | undefined;
  readonly problems: readonly Diagnostic[];
}

/** What is read of a clouds.yaml; `files` are those that it may name. */
export function login(
  text: string,
  files: Readonly<Record<string, string>> = {},
  facts: OpenstackFacts = {},
  config: JsonObject = OPENSTACK,
): Login {
  const { asset } = judge(config);
  if (asset === undefined) throw new Error("the config is refused");
  const reporter = createReporter();
  const context = {
    release: releaseOf("4.22"),
    report: reporter.report,
    facts: factsOf({ openstack: facts }),
    readFile: (path: string) => files[path],
  };
  const credentials = platform.readCredentials?.(text, "etc/clouds.yaml", context, asset.config);
  return { credentials, problems: reporter.diagnostics };
}

/** Everything that is made of the sound config with edits. */
export async function openstackCase(
  edits: Edits = {},
  facts: OpenstackFacts = FACTS,
  release = "4.22",
): Promise<CaseMade> {
  const { credentials } = login(CLOUDS);
  return makeCase(JSON.stringify(openstackConfig(edits), undefined, 1), {
    facts: { openstack: facts },
    release,
    ...(credentials === undefined ? {} : { credentials }),
  });
}
