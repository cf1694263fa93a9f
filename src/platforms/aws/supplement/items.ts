/**
 * What is left to do on aws beside the Cluster API objects, for this config (docs/reference/cluster-api.md §6, §7):
 * what the installer does by hand against the cloud (openshift/installer pkg/infrastructure/aws/clusterapi,
 * pkg/asset/cluster/aws).
 */
import type { JsonObject } from "../../../core/json.js";
import { commandLine } from "../../../text/shell.js";
import { clusterDomain } from "../../config.js";
import type { PlatformInput } from "../../platform.js";
import type { SupplementItem } from "../../supplement.js";
import {
  awsOf,
  broughtSubnets,
  hasRoles,
  isDualStack,
  publishesExternally,
  subnetsWithRole,
  userProvidesDns,
} from "../config.js";
import { awsFactsOf, nodeSubnets } from "../facts/view.js";
import { bootstrapRules } from "../infrastructure/ingress-rules.js";
import { machineTemplateName } from "../infrastructure/machine-template.js";
import { networkZones } from "../infrastructure/network.js";
import { type Pool, poolsOf } from "../machines/pools.js";
import { publicHostedZone } from "../manifests.js";
import { externalLoadBalancer, ignitionBucket, internalLoadBalancer, subnetName, tagsOf } from "../names.js";
import { iam, image, sharedTags } from "./items-before.js";

export function supplement(input: PlatformInput): readonly SupplementItem[] {
  const { controlPlane, compute } = poolsOf(input);
  return [
    provider(input),
    ...endpoints(input),
    ...iam(input, controlPlane, compute[0]),
    ...image(input, controlPlane, compute),
    ...sharedTags(input, [controlPlane, ...compute]),
    ...dns(input),
    bootstrapMachine(input, controlPlane),
    ...failureDomains(input, controlPlane),
    ...addresses(input),
    sshRule(input),
    bucket(input),
  ];
}

const tagDetails = (input: PlatformInput): JsonObject =>
  Object.fromEntries(
    tagsOf(input.identity.infraID, awsOf(input.config).userTags).map(({ name, value }) => [name, value]),
  );

function provider({ credentials }: PlatformInput): SupplementItem {
  return {
    area: "provider",
    when: "before",
    what: "Run the aws provider with the gate BootstrapFormatIgnition.",
    why: "The machines boot from Ignition, which the provider takes only with that gate.",
    details: {
      environment:
        "EXP_BOOTSTRAP_FORMAT_IGNITION=true AWS_B64ENCODED_CREDENTIALS=… clusterctl init --infrastructure aws",
      identity:
        credentials === undefined
          ? "the controller's own (AWSClusterControllerIdentity default, open to every namespace)"
          : "the keys that were given (AWSClusterStaticIdentity)",
    },
  };
}

function endpoints({ config }: PlatformInput): SupplementItem[] {
  const aws = awsOf(config);
  const given = (aws.serviceEndpoints ?? []).map(({ name = "", url = "" }) => `${name}=${url}`);
  if (given.length === 0) return [];
  return [
    {
      area: "endpoints",
      when: "before",
      what: "Give the aws provider the service endpoints.",
      why: "An AWSCluster has no field for them; they are a flag of the controller.",
      details: { flag: `--service-endpoints=${aws.region}:${given.join(",")}` },
    },
  ];
}

/** Records of the API. Those of applications are the ingress operator's work, unless the user provides DNS. */
function dns(input: PlatformInput): SupplementItem[] {
  const { config, identity } = input;
  const aws = awsOf(config);
  const domain = clusterDomain(config);
  const external = publishesExternally(config);
  const internalBalancer = internalLoadBalancer(identity.infraID);
  const externalBalancer = externalLoadBalancer(identity.infraID);
  const why =
    "Cluster API has no objects for DNS; the names are in certificates and in every machine's config.";
  const type = isDualStack(aws) ? "A and AAAA (alias)" : "A (alias)";
  const records = (zone: string, names: readonly string[], target: string): JsonObject[] =>
    names.map((name) => ({ name: `${name}.${domain}`, type, zone, target: `load balancer ${target}` }));
  if (userProvidesDns(aws))
    return [
      {
        area: "dns",
        when: "during",
        what: "Let your own DNS resolve the API's names, and put the load balancers' addresses into the ignition configs.",
        why: `${why} With userProvisionedDNS the machines resolve them with the addresses in their ignition config.`,
        details: {
          records: [
            ...records("your own", ["api"], external ? externalBalancer : internalBalancer),
            ...records("your own", ["api-int"], internalBalancer),
            {
              name: `*.apps.${domain}`,
              type,
              zone: "your own",
              target: "load balancer of the service openshift-ingress/router-default, once it is there",
            },
          ],
        },
      },
    ];
  const hosted = aws.hostedZone ?? "";
  const privateZone = hosted === "" ? `private zone ${domain}` : `private zone ${hosted}`;
  const publicZone = publicHostedZone(awsFactsOf(input.facts).publicHostedZone) ?? config.baseDomain;
  const role = aws.hostedZoneRole ?? "";
  return [
    ...(hosted === ""
      ? [
          {
            area: "dns",
            when: "during" as const,
            what: `Create the private hosted zone ${domain} for the cluster's VPC.`,
            why,
            details: {
              name: domain,
              vpc:
                broughtSubnets(aws).length > 0
                  ? "that of the subnets"
                  : "spec.network.vpc.id of the AWSCluster, once the provider has made it",
              region: aws.region,
              tags: { Name: `${identity.infraID}-int`, ...tagDetails(input) },
            },
          },
        ]
      : []),
    {
      area: "dns",
      when: "during",
      what: "Create the records of the API once the load balancers are there.",
      why,
      details: {
        records: [
          ...(external ? records(`public zone ${publicZone}`, ["api"], externalBalancer) : []),
          ...records(privateZone, ["api", "api-int"], internalBalancer),
        ],
        applications: `*.apps.${domain} is made by the ingress operator, in the zones that the DNS object names`,
        ...(role === "" ? {} : { assumedRole: role }),
      },
    },
  ];
}

/** What the bootstrap machine needs beside the template that it shares with the control plane. */
function bootstrapMachine(input: PlatformInput, controlPlane: Pool): SupplementItem {
  const { config, identity } = input;
  const aws = awsOf(config);
  const external = publishesExternally(config);
  const { infraID } = identity;
  const zone = controlPlane.zones[0]?.name ?? "";
  const own = [...nodeSubnets(aws, awsFactsOf(input.facts), "BootstrapNode", external).values()];
  const brought = broughtSubnets(aws).length > 0;
  const pool = aws.publicIpv4Pool ?? "";
  return {
    area: "bootstrap",
    when: "during",
    what: "Let the bootstrap machine differ from the template as listed.",
    why: `One template (${machineTemplateName(infraID)}, with a digest of its spec behind) serves the bootstrap machine and the control plane, so that it leaves out what only one of them has.`,
    details: {
      publicIP: external,
      subnet: brought ? (own[0]?.id ?? "") : { "tag:Name": subnetName(infraID, zone, external) },
      ...(pool !== "" && external
        ? { elasticIpPool: { publicIpv4Pool: pool, publicIpv4PoolFallbackOrder: "amazon-pool" } }
        : {}),
      labels: { "install.openshift.io/bootstrap": "" },
    },
  };
}

/** Machines of the control plane go to the zones of its pool, while the provider offers every zone of the network. */
function failureDomains(input: PlatformInput, controlPlane: Pool): SupplementItem[] {
  const { config } = input;
  const wanted = controlPlane.zones.map(({ name }) => name);
  const placed = Array.from({ length: controlPlane.replicas }, (_, index) => ({
    machine: `${input.identity.infraID}-${controlPlane.name}-${index}`,
    failureDomain: wanted[index % Math.max(wanted.length, 1)] ?? "",
  }));
  const offered = offeredZones(input);
  const other = offered.filter((zone) => !wanted.includes(zone));
  return [
    {
      area: "failure-domains",
      when: "during",
      what:
        other.length > 0
          ? `Keep control plane machines out of ${other.join(", ")}, which only compute machines use.`
          : "Spread the control plane machines over the failure domains as listed.",
      why: "The template names no subnet; the provider takes the one of the machine's failure domain, which the control plane's controller chooses.",
      details: {
        machines: placed,
        ...(hasRoles(awsOf(config)) ? { subnets: [...subnetsWithRole(awsOf(config), "ClusterNode")] } : {}),
      },
    },
  ];
}

function offeredZones({ config, facts, release }: PlatformInput): readonly string[] {
  const aws = awsOf(config);
  const known = awsFactsOf(facts);
  return broughtSubnets(aws).length > 0
    ? [...nodeSubnets(aws, known, "ClusterNode", publishesExternally(config)).keys()]
    : networkZones(config, known, release).regular;
}

/** The IPv6 network of a new VPC is known only when AWS has given it. */
function addresses({ config }: PlatformInput): SupplementItem[] {
  const aws = awsOf(config);
  const named = config.networking.machineNetwork.some(({ cidr }) => cidr.includes(":"));
  if (!isDualStack(aws) || named) return [];
  return [
    {
      area: "ipv6",
      when: "during",
      what: "Add the VPC's IPv6 block to the node port rule and to the machine networks in the ignition configs.",
      why: "AWS chooses the block of a new VPC, so that no file can name it before.",
      details: {
        from: "spec.network.vpc.ipv6.cidrBlock of the AWSCluster",
        to: ["spec.network.nodePortIngressRuleCidrBlocks", "the install-config in cluster-config.yaml"],
        first: aws.ipFamily === "DualStackIPv6Primary",
      },
    },
  ];
}

function sshRule({ identity, release }: PlatformInput): SupplementItem {
  const names = bootstrapRules(release).map((name) => `"${name}"`);
  const several = names.length > 1;
  return {
    area: "security-groups",
    when: "after",
    what: `Remove the ${several ? "rules" : "rule"} ${names.join(" and ")} from the AWSCluster.`,
    why: several
      ? "They open ports 22 and 8091 of the control plane's security group for the bootstrap machine only."
      : "It opens port 22 of the control plane's security group, for the bootstrap machine's sake alone.",
    details: {
      object: `AWSCluster ${identity.infraID}`,
      field: "spec.network.additionalControlPlaneIngressRules",
    },
  };
}

const bucket = ({ config, identity }: PlatformInput): SupplementItem => ({
  area: "bucket",
  when: "after",
  what: `Empty and delete the bucket ${ignitionBucket(identity.infraID)}.`,
  why: "It holds the bootstrap machine's ignition config with keys and the pull secret; the provider deletes it with the cluster only.",
  details: {
    command: commandLine([
      ...["aws", "s3", "rb", `s3://${ignitionBucket(identity.infraID)}`],
      ...["--force", "--region", awsOf(config).region],
    ]),
    mayFail: awsOf(config).bestEffortDeleteIgnition ?? false,
  },
});
