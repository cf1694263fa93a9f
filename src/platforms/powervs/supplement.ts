/**
 * What is left to do on powervs beside the Cluster API objects: what the installer does by hand against the cloud
 * (openshift/installer pkg/infrastructure/powervs/clusterapi).
 */
import { assignment, commandLine } from "../../text/shell.js";
import { clusterDomain } from "../config.js";
import { operatorKeys } from "../ibm-supplement.js";
import type { PlatformInput } from "../platform.js";
import type { SupplementItem } from "../supplement.js";
import { endpointOf, isDisconnected, isPrivate, powervsOf, storageRegion, vpcRegionOf } from "./config.js";
import { endpointsOf } from "./endpoints.js";
import { factsOf } from "./facts.js";
import { machineTemplateName } from "./infrastructure/objects.js";
import {
  ignitionBucket,
  privateLoadBalancer,
  publicLoadBalancer,
  sshKeyName,
  storageInstance,
  vpcName,
  workspaceName,
} from "./names.js";

const command = (...words: readonly string[]): string => commandLine(["ibmcloud", ...words]);

export const supplement = (input: PlatformInput): readonly SupplementItem[] => [
  provider(input),
  operatorKeys("powervs", input.identity.infraID, powervsOf(input.config).powervsResourceGroup ?? ""),
  ...resolver(input),
  dns(input),
  securityGroup(input),
  sshKey(input),
  bootstrapMachine(input),
  ...gateways(input),
  cleaning(input),
];

/** Services that the provider takes an endpoint for, by its own names. */
const PROVIDER_SERVICES = [
  ["COS", "cos"],
  ["Power", "powervs"],
  ["ResourceController", "rc"],
  ["ResourceManager", "rm"],
  ["VPC", "vpc"],
] as const;

function provider({ config, release }: PlatformInput): SupplementItem {
  const region = vpcRegionOf(powervsOf(config));
  const endpoints = endpointsOf(config, region, release);
  const given = PROVIDER_SERVICES.flatMap(([service, name]) => {
    const url = endpointOf(endpoints, service);
    return url === undefined ? [] : [`${name}=${url}`];
  });
  const iam = endpointOf(endpoints, "IAM");
  const flags = [
    ...(iam === undefined ? [] : [`${assignment("IBMCLOUD_AUTH_URL", iam)} `]),
    ...(given.length === 0 ? [] : [`${assignment("SERVICE_ENDPOINT", `${region}:${given.join(",")}`)} `]),
  ].join("");
  return {
    area: "provider",
    when: "before",
    what: "Run the ibmcloud provider with an API key that may make what the cluster needs, and with Ignition switched on.",
    why: "An IBMPowerVSCluster names no credentials; the controller has one key for all clusters.",
    details: {
      environment: `${flags}PROVIDER_ID_FORMAT=v2 EXP_BOOTSTRAP_FORMAT_IGNITION=true IBMCLOUD_API_KEY=… clusterctl init --infrastructure ibmcloud`,
    },
  };
}

/** The identifier of a service instance, which its CRN holds. */
const instanceOf = (crn: string): string => crn.split(":")[7] ?? "";

/** Machines of a private cluster ask the custom resolver of the VPC, which must be allowed to see the zone. */
function resolver({ config, facts, identity }: PlatformInput): SupplementItem[] {
  if (!isPrivate(config)) return [];
  const { dnsZone, dnsServer = "" } = factsOf(facts);
  const vpc = vpcName(powervsOf(config), identity.infraID, facts);
  return [
    {
      area: "dns",
      when: "before",
      what: `Let the VPC ${vpc} see the zone of the base domain, and enable its custom resolver${dnsServer === "" ? "" : ` at ${dnsServer}`}.`,
      why: "The provider makes neither a permitted network nor a resolver.",
      details: {
        commands: [
          command(
            ...["dns", "permitted-network-add", dnsZone?.id ?? "", "--type", "vpc"],
            ...["--vpc-crn", `CRN-OF-${vpc}`, "-i", instanceOf(dnsZone?.instanceCRN ?? "")],
          ),
          command("dns", "custom-resolvers", "-i", instanceOf(dnsZone?.instanceCRN ?? "")),
        ],
      },
    },
  ];
}

function dns({ config, facts, identity }: PlatformInput): SupplementItem {
  const { infraID } = identity;
  const { id = "", instanceCRN = "" } = factsOf(facts).dnsZone ?? {};
  const closed = isPrivate(config);
  const domain = clusterDomain(config);
  const records = [
    { name: `api.${domain}`, balancer: closed ? privateLoadBalancer(infraID) : publicLoadBalancer(infraID) },
    { name: `api-int.${domain}`, balancer: privateLoadBalancer(infraID) },
  ];
  const create = ({ name, balancer }: (typeof records)[number]): string =>
    closed
      ? command(
          ...["dns", "resource-record-create", id, "--type", "CNAME", "--name", name],
          ...["--cname", `HOSTNAME-OF-${balancer}`, "-i", instanceOf(instanceCRN)],
        )
      : command(
          ...["cis", "dns-record-create", id, "--type", "CNAME", "--name", name],
          ...["--content", `HOSTNAME-OF-${balancer}`, "-i", instanceCRN],
        );
  return {
    area: "dns",
    when: "during",
    what: "Create the records of the API as soon as the load balancers have host names.",
    why: "The provider has no objects for DNS; the names are in certificates and in every machine's config.",
    details: {
      hostnames: command("is", "load-balancers", "--output", "json"),
      commands: records.map(create),
      applications: `*.apps.${domain} is made by the ingress operator, in the zone that the DNS object names`,
    },
  };
}

/** Ports that the installer opens in the default security group of the VPC. */
const PORTS = [22, 80, 443, 5000, 6443, 10_258, 22_623];

function securityGroup({ config, facts, identity }: PlatformInput): SupplementItem {
  const vpc = vpcName(powervsOf(config), identity.infraID, facts);
  const group = `DEFAULT-SECURITY-GROUP-OF-${vpc}`;
  return {
    area: "security-groups",
    when: "during",
    what: `Open the ports of the cluster in the default security group of the VPC ${vpc}, those that are open already left out.`,
    why: "The load balancers are in that group, and the provider changes none that it does not make.",
    details: {
      group: command("is", "vpc-default-security-group", vpc),
      commands: [
        ...PORTS.map((port) =>
          command(
            ...["is", "security-group-rule-add", group, "inbound", "tcp"],
            ...["--port-min", String(port), "--port-max", String(port)],
          ),
        ),
        command("is", "security-group-rule-add", group, "inbound", "icmp"),
      ],
    },
  };
}

function sshKey({ config, identity }: PlatformInput): SupplementItem {
  const { serviceInstanceGUID = "" } = powervsOf(config);
  const { infraID } = identity;
  const workspace = serviceInstanceGUID === "" ? workspaceName(infraID) : serviceInstanceGUID;
  return {
    area: "ssh-key",
    when: "during",
    what: `Put the public key of the install-config into the workspace ${workspace} as ${sshKeyName(infraID)}.`,
    why: "Compute machines name the key; the workspace may be one that the provider has yet to make.",
    details: {
      commands: [
        command("pi", "workspace", "target", `CRN-OF-${workspace}`),
        command("pi", "ssh-key", "create", sshKeyName(infraID), "--key", (config.sshKey ?? "").trim()),
      ],
    },
  };
}

/** The bootstrap machine serves the machine configs until the control plane does. */
function bootstrapMachine({ identity }: PlatformInput): SupplementItem {
  const { infraID } = identity;
  const balancer = privateLoadBalancer(infraID);
  const pool = "additional-pool-22623";
  return {
    area: "bootstrap",
    when: "during",
    what: `Add the address of the bootstrap machine to the pool ${pool} of ${balancer}.`,
    why: `The provider adds machines of the control plane alone to it; one template (${machineTemplateName(infraID)}, with a digest of its spec behind) serves both.`,
    details: {
      commands: [
        command(
          "is",
          "load-balancer-pool-member-create",
          balancer,
          pool,
          "22623",
          "ADDRESS-OF-THE-BOOTSTRAP-MACHINE",
        ),
      ],
      ignition: `the provider puts the machine's config into the bucket ${ignitionBucket(infraID)} of ${storageInstance(infraID)}`,
    },
  };
}

/** A cluster without a way out reaches the services of the cloud through gateways in its VPC. */
function gateways({ config, facts, identity }: PlatformInput): SupplementItem[] {
  if (!isDisconnected(config)) return [];
  const section = powervsOf(config);
  const { infraID } = identity;
  const region = vpcRegionOf(section);
  const vpc = vpcName(section, infraID, facts);
  const subnet = factsOf(facts).vpc?.subnets[1]?.name ?? `SUBNET-OF-${vpc}`;
  const services = [
    ["IAM", "iam", "crn:v1:bluemix:public:iam-svcs:global:::endpoint:private.iam.cloud.ibm.com"],
    [
      "COS",
      "cos",
      `crn:v1:bluemix:public:cloud-object-storage:global:::endpoint:s3.direct.${region}.cloud-object-storage.appdomain.cloud`,
    ],
    ["DNSServices", "dns", "crn:v1:bluemix:public:dns-svcs:global::::"],
    [
      "ResourceController",
      "rc",
      "crn:v1:bluemix:public:resource-controller:global:::endpoint:private.resource-controller.cloud.ibm.com",
    ],
    ["VPC", "vpc", `crn:v1:bluemix:public:is:${region}:::endpoint:${region}.private.iaas.cloud.ibm.com`],
  ] as const;
  const wanted = services.filter(([service]) =>
    (section.serviceEndpoints ?? []).every(({ name }) => name !== service),
  );
  return [
    {
      area: "private-endpoints",
      when: "during",
      what: "Create gateways to the services of the cloud in the VPC, unless it has them.",
      why: "Nothing but these leads out of the network, and the provider makes none.",
      details: {
        commands: wanted.map(([, name, crn]) =>
          command(
            ...["is", "endpoint-gateway-create", "--name", `${infraID}-vpe-${name}`, "--target", crn],
            ...["--vpc", vpc, "--new-reserved-ip", JSON.stringify({ subnet: { name: subnet } })],
          ),
        ),
      },
    },
  ];
}

function cleaning({ config, identity }: PlatformInput): SupplementItem {
  const { infraID } = identity;
  const bucket = ignitionBucket(infraID);
  const region = storageRegion(powervsOf(config));
  return {
    area: "bootstrap",
    when: "after",
    what: `Take the bootstrap machine out of the pool of ${privateLoadBalancer(infraID)}, and see that the bucket ${bucket} holds no config any more.`,
    why: "The configs hold keys and the pull secret; the provider deletes each with its machine, and nothing deletes the bucket.",
    details: {
      commands: [
        command("is", "load-balancer-pool-members", privateLoadBalancer(infraID), "additional-pool-22623"),
        command("cos", "objects", "--bucket", bucket, "--region", region),
      ],
    },
  };
}
