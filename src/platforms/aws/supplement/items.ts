/**
 * What is left to do on aws beside the Cluster API objects, for this config (docs/reference/cluster-api.md §6, §7):
 * what the installer does by hand against the cloud (openshift/installer pkg/infrastructure/aws/clusterapi,
 * pkg/asset/cluster/aws).
 */
import type { JsonObject } from "../../../core/json.js";
import { commandLine, words } from "../../../text/shell.js";
import { clusterDomain } from "../../config.js";
import type { PlatformInput } from "../../platform.js";
import type { SupplementItem } from "../../supplement.js";
import {
  awsOf,
  existingSubnets,
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
    what: "Run the AWS provider with the feature gate BootstrapFormatIgnition.",
    why: "The machines use Ignition, which the provider supports only with this feature gate.",
    details: {
      environment:
        "EXP_BOOTSTRAP_FORMAT_IGNITION=true AWS_B64ENCODED_CREDENTIALS=… clusterctl init --infrastructure aws",
      identity:
        credentials === undefined
          ? "the controller's credentials (AWSClusterControllerIdentity default, allowed in all namespaces)"
          : "the specified access keys (AWSClusterStaticIdentity)",
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
      what: "Configure the service endpoints of the AWS provider.",
      why: "AWSCluster has no field for them; they are a flag of the controller.",
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
    "Cluster API does not manage DNS. The names are in certificates and in the config of every machine.";
  const type = isDualStack(aws) ? "A and AAAA (alias)" : "A (alias)";
  const records = (zone: string, names: readonly string[], target: string): JsonObject[] =>
    names.map((name) => ({ name: `${name}.${domain}`, type, zone, target: `load balancer ${target}` }));
  if (userProvidesDns(aws))
    return [
      {
        area: "dns",
        when: "during",
        what: "Configure your DNS to resolve the API names, and add the load balancer addresses to the Ignition configs.",
        why: `${why} With userProvisionedDNS, machines resolve them with the addresses in their Ignition config.`,
        details: {
          records: [
            ...records("your own", ["api"], external ? externalBalancer : internalBalancer),
            ...records("your own", ["api-int"], internalBalancer),
            {
              name: `*.apps.${domain}`,
              type,
              zone: "your own",
              target: "load balancer of the service openshift-ingress/router-default, after it is created",
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
                existingSubnets(aws).length > 0
                  ? "the VPC of the subnets"
                  : "spec.network.vpc.id of the AWSCluster, after the provider creates it",
              region: aws.region,
              tags: { Name: `${identity.infraID}-int`, ...tagDetails(input) },
            },
          },
        ]
      : []),
    {
      area: "dns",
      when: "during",
      what: "Create the API records after the load balancers are created.",
      why,
      details: {
        records: [
          ...(external ? records(`public zone ${publicZone}`, ["api"], externalBalancer) : []),
          ...records(privateZone, ["api", "api-int"], internalBalancer),
        ],
        applications: `the ingress operator creates *.apps.${domain} in the zones of the DNS object`,
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
  const existing = existingSubnets(aws).length > 0;
  const pool = aws.publicIpv4Pool ?? "";
  return {
    area: "bootstrap",
    when: "during",
    what: "Change the bootstrap machine as listed; it differs from the template.",
    why: `The bootstrap machine and the control plane share one template (${machineTemplateName(infraID)} with a digest of its spec as suffix), which contains only their common settings.`,
    details: {
      publicIP: external,
      subnet: existing ? (own[0]?.id ?? "") : { "tag:Name": subnetName(infraID, zone, external) },
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
          ? `Do not place control plane machines in ${other.join(", ")}, which only compute machines use.`
          : "Distribute the control plane machines across the failure domains as listed.",
      why: "The template has no subnet. The provider uses the subnet of the machine's failure domain, which the control plane controller selects.",
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
  return existingSubnets(aws).length > 0
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
      what: "Add the IPv6 CIDR of the VPC to the NodePort rule and to the machine networks in the Ignition configs.",
      why: "AWS assigns the CIDR when it creates the VPC, so it is not known earlier.",
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
      ? "They open the ports 22 and 8091 of the control plane's security group, which only the bootstrap machine needs."
      : "It opens port 22 of the control plane's security group, which only the bootstrap machine needs.",
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
  why: "It contains the bootstrap machine's Ignition config with keys and the pull secret. The provider deletes it only with the cluster.",
  details: {
    command: commandLine([
      ...["aws", "s3", "rb", `s3://${ignitionBucket(identity.infraID)}`],
      ...words`--force --region ${awsOf(config).region}`,
    ]),
    mayFail: awsOf(config).bestEffortDeleteIgnition ?? false,
  },
});
