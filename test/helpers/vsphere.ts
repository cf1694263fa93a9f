/** Configs of vsphere for tests, and what becomes of them. */
import type { JsonObject } from "../../src/core/json.js";
import type { CloudFacts } from "../../src/generated/types/cloud-facts.js";
import type { NormalConfig } from "../../src/platforms/config.js";
import type { InfrastructureInput } from "../../src/platforms/platform.js";
import { type Edits, edit, judge, NONE, releaseOf } from "./install-configs.js";
import { PLANTED } from "./planted.js";

/** A sound config with two failure domains of one vCenter. */
export const VSPHERE: JsonObject = {
  ...NONE,
  platform: {
    vsphere: {
      apiVIPs: ["10.20.0.5"],
      ingressVIPs: ["10.20.0.7"],
      vcenters: [
        {
          server: "vcenter.sea.example.org",
          user: "mariner@sea.example",
          password: PLANTED.password,
          port: 443,
          datacenters: ["bay", "cove"],
        },
      ],
      failureDomains: ["east", "west"].map((name) => ({
        name,
        region: "shore",
        zone: name,
        server: "vcenter.sea.example.org",
        topology: {
          datacenter: "bay",
          computeCluster: `/bay/host/${name}`,
          networks: [`net-${name}`],
          datastore: `/bay/datastore/${name}`,
        },
      })),
    },
  },
};

const host = (role: string, last: number): JsonObject => ({
  role,
  networkDevice: {
    ipAddrs: [`10.20.0.${last}/16`],
    gateway: "10.20.0.1",
    nameservers: ["10.20.0.2"],
  },
});

/** Static addresses for three control plane machines and two compute machines. */
export const HOSTS = [
  host("bootstrap", 20),
  ...[21, 22, 23].map((last) => host("control-plane", last)),
  ...[31, 32].map((last) => host("compute", last)),
];

/** The flat members of old, in place of vCenters and failure domains. */
export const FLAT: Edits = {
  "platform.vsphere.vcenters": undefined,
  "platform.vsphere.failureDomains": undefined,
  "platform.vsphere.vCenter": "vcenter.sea.example.org",
  "platform.vsphere.username": "mariner@sea.example",
  "platform.vsphere.password": PLANTED.password,
  "platform.vsphere.datacenter": "bay",
  "platform.vsphere.defaultDatastore": "sand",
  "platform.vsphere.cluster": "east",
  "platform.vsphere.network": "net-east",
};

/** Both failure domains are groups of hosts of one compute cluster. */
export const HOST_GROUPS: Edits = Object.fromEntries(
  ["ashore", "afloat"].flatMap((group, index): [string, string][] => {
    const domain = `platform.vsphere.failureDomains[${index}]`;
    return [
      [`${domain}.regionType`, "ComputeCluster"],
      [`${domain}.zoneType`, "HostGroup"],
      [`${domain}.topology.computeCluster`, "/bay/host/quay"],
      [`${domain}.topology.hostGroup`, group],
    ];
  }),
);

/** The second failure domain is in another vCenter. */
export const TWO_VCENTERS: Edits = {
  "platform.vsphere.vcenters[1]": {
    server: "vcenter.lake.example.org",
    user: "angler",
    password: PLANTED.password,
    datacenters: ["bay"],
  },
  "platform.vsphere.failureDomains[1].server": "vcenter.lake.example.org",
};

/** A sound config with changes, compiled; throws what is wrong with it. */
export function vsphereConfig(edits: Edits = {}, release = "4.22"): NormalConfig {
  const { asset, errors } = judge(edit(VSPHERE, edits), release);
  if (asset === undefined) throw new Error(errors.join("\n"));
  return asset.config;
}

export const IDENTITY = { infraID: "gannet-x2x2x", clusterID: "11111111-2222-4333-8444-555555555555" };

export const NO_FACTS: CloudFacts = { apiVersion: "slipway.dev/v1alpha1", kind: "CloudFacts" };

export const vsphereInput = (
  config: NormalConfig,
  more: Partial<InfrastructureInput> = {},
): InfrastructureInput => ({
  config,
  facts: NO_FACTS,
  identity: IDENTITY,
  credentials: undefined,
  release: releaseOf("4.22"),
  namespace: IDENTITY.infraID,
  controllerNamespace: "capv-system",
  ...more,
});
