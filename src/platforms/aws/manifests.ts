/**
 * What aws puts into the config objects of manifests/ (docs/reference/install-config-and-manifests.md §3.2, §3.3, §3.4,
 * §3.5, §3.12).
 */

import { byCodeUnit } from "../../core/files.js";
import type { JsonObject } from "../../core/json.js";
import { lookup } from "../../core/lookup.js";
import type { PlatformInput, PlatformManifests, Rendering } from "../platform.js";
import {
  awsOf,
  EDGE,
  hasRoles,
  poolSection,
  publishesExternally,
  subnetsWithRole,
  userProvidesDns,
} from "./config.js";
import { awsFactsOf } from "./facts/view.js";
import { ownershipTag } from "./names.js";
import { has, partitionOf } from "./tables.js";

/** MTU with machines in edge zones: what lies between them and the region carries 1300 bytes. */
const EDGE_MTU = 1200;
const METADATA_SERVICE = "169.254.169.254";

/** IP families as the cloud provider's config lists them, the primary first. */
const NODE_FAMILIES: Readonly<Record<string, readonly string[]>> = {
  DualStackIPv4Primary: ["ipv4", "ipv6"],
  DualStackIPv6Primary: ["ipv6", "ipv4"],
};

export const manifests: PlatformManifests = {
  infrastructure({ config, release }) {
    const aws = awsOf(config);
    const endpoints = (aws.serviceEndpoints ?? []).map(({ name = "", url = "" }) => ({ name, url }));
    const tags = Object.entries(aws.userTags ?? {}).map(([key, value]) => ({ key, value }));
    const byName = [...endpoints].sort((a, b) => byCodeUnit(a.name, b.name));
    return {
      type: "AWS",
      spec: { aws: endpoints.length > 0 ? { serviceEndpoints: endpoints } : {} },
      status: {
        aws: {
          cloudLoadBalancerConfig: { dnsType: userProvidesDns(aws) ? "ClusterHosted" : "PlatformDefault" },
          ...(has(release, "ipFamily") ? { ipFamily: aws.ipFamily ?? "IPv4" } : {}),
          region: aws.region,
          ...(aws.propagateUserTags === true && tags.length > 0
            ? { resourceTags: tags.sort((a, b) => byCodeUnit(a.key, b.key)) }
            : {}),
          ...(endpoints.length > 0 ? { serviceEndpoints: byName } : {}),
        },
      },
    };
  },

  dns: dnsZones,

  ingressPlatform: ({ config }) => ({
    aws: { type: awsOf(config).lbType === "NLB" ? "NLB" : "Classic" },
    type: "AWS",
  }),

  ingressController: rolesOfIngress,

  noProxy({ config }) {
    const { region } = awsOf(config);
    return [METADATA_SERVICE, region === "us-east-1" ? ".ec2.internal" : `.${region}.compute.internal`];
  },

  cloudProviderConfig({ config }) {
    const aws = awsOf(config);
    const families = (lookup(NODE_FAMILIES, aws.ipFamily ?? "") ?? []).map(
      (family) => `NodeIPFamilies=${family}\n`,
    );
    const bundle = config.additionalTrustBundle ?? "";
    return {
      ...(bundle !== "" && partitionOf(aws.region).secret ? { "ca-bundle.pem": bundle } : {}),
      config: `[Global]\n${families.join("")}`,
    };
  },

  credentialsSecret: ({ credentials }) => {
    if (credentials === undefined) return { name: "aws-creds", data: undefined };
    const { aws_access_key_id = "", aws_secret_access_key = "" } = credentials;
    return { name: "aws-creds", data: { aws_access_key_id, aws_secret_access_key } };
  },

  networkMtu({ config }) {
    const { networkType, clusterNetworkMTU = 0 } = config.networking;
    if (networkType !== "OVNKubernetes") return undefined;
    if (clusterNetworkMTU > 0) return clusterNetworkMTU;
    return config.compute.some(({ name }) => name === EDGE) ? EDGE_MTU : undefined;
  },

  customBootImage: choosesComputeImage,

  extra: (input) => [...storageDriver(input)],
};

/** Zones of the cluster's domain: the public one by its identifier, the private one by identifier or by tags. */
function dnsZones({ config, identity, facts, release }: PlatformInput): JsonObject {
  const aws = awsOf(config);
  if (userProvidesDns(aws) && has(release, "userProvisionedDnsWithoutZones")) return {};
  const zone = publicHostedZone(awsFactsOf(facts).publicHostedZone);
  const role = aws.hostedZoneRole ?? "";
  const hosted = aws.hostedZone ?? "";
  const tags = { Name: `${identity.infraID}-int`, [ownershipTag(identity.infraID)]: "owned" };
  return {
    ...(publishesExternally(config) && zone !== undefined ? { publicZone: { id: zone } } : {}),
    privateZone: hosted === "" ? { tags } : { id: hosted },
    ...(hosted !== "" && role !== "" ? { platform: { aws: { privateZoneIAMRole: role }, type: "AWS" } } : {}),
  };
}

/** The identifier of a hosted zone as the DNS object has it: without the prefix of the API's answers. */
export const publicHostedZone = (id: string | undefined): string | undefined =>
  id?.replace(/^\/hostedzone\//, "");

/**
 * With roles the default ingress controller names the subnets of its load balancer. The empty members are those
 * that the installer writes.
 */
function rolesOfIngress({ config }: PlatformInput): JsonObject | undefined {
  const aws = awsOf(config);
  if (!hasRoles(aws)) return undefined;
  const subnets = { ids: [...subnetsWithRole(aws, "IngressControllerLB")] };
  const parameters =
    aws.lbType === "NLB"
      ? { networkLoadBalancer: { eipAllocations: null, subnets }, type: "NLB" }
      : { classicLoadBalancer: { connectionIdleTimeout: "0s", subnets }, type: "Classic" };
  return {
    providerParameters: { aws: parameters, type: "AWS" },
    scope: publishesExternally(config) ? "External" : "Internal",
  };
}

/** The driver encrypts volumes with the key of defaultMachinePlatform; a pool's own key does not count. */
function storageDriver({ config }: PlatformInput): Rendering[] {
  const kmsKeyARN = awsOf(config).defaultMachinePlatform?.rootVolume?.kmsKeyARN ?? "";
  if (kmsKeyARN === "") return [];
  return [
    {
      template: "manifests/aws/cluster-csi-driver-config.yaml",
      path: "manifests/cluster-csi-driver-config.yaml",
      view: { kmsKeyARN },
    },
  ];
}

/**
 * True when the user chose the boot image of any compute machines (docs/reference/install-config-and-manifests.md §3.2,
 * 90_cluster-mco).
 */
function choosesComputeImage({ config }: PlatformInput): boolean {
  const fromDefault = awsOf(config).defaultMachinePlatform?.amiID ?? "";
  return fromDefault !== "" || config.compute.some((pool) => (poolSection(pool)?.amiID ?? "") !== "");
}
