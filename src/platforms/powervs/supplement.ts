/**
 * What is left to do on powervs beside the Cluster API objects: what the installer does by hand against the cloud
 * (openshift/installer pkg/infrastructure/powervs/clusterapi).
 */
import { assignment, shell } from "../../text/shell.js";
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
    what: "Run the IBM Cloud provider with Ignition enabled and an API key that is allowed to create the cluster's resources.",
    why: "IBMPowerVSCluster has no credentials; the controller uses one API key for all clusters.",
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
      what: `Allow the VPC ${vpc} to use the zone of the base domain, and enable its custom resolver${dnsServer === "" ? "" : ` at ${dnsServer}`}.`,
      why: "The provider creates neither a permitted network nor a resolver.",
      details: {
        commands: [
          shell`ibmcloud dns permitted-network-add ${dnsZone?.id ?? ""} --type vpc
            --vpc-crn CRN-OF-${vpc} -i ${instanceOf(dnsZone?.instanceCRN ?? "")}`,
          shell`ibmcloud dns custom-resolvers -i ${instanceOf(dnsZone?.instanceCRN ?? "")}`,
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
      ? shell`ibmcloud dns resource-record-create ${id} --type CNAME --name ${name}
        --cname HOSTNAME-OF-${balancer} -i ${instanceOf(instanceCRN)}`
      : shell`ibmcloud cis dns-record-create ${id} --type CNAME --name ${name}
        --content HOSTNAME-OF-${balancer} -i ${instanceCRN}`;
  return {
    area: "dns",
    when: "during",
    what: "Create the API records when the load balancers have host names.",
    why: "The provider does not manage DNS. The names are in certificates and in the config of every machine.",
    details: {
      hostnames: shell`ibmcloud is load-balancers --output json`,
      commands: records.map(create),
      applications: `the ingress operator creates *.apps.${domain} in the zone of the DNS object`,
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
    what: `Open the ports of the cluster in the default security group of the VPC ${vpc}, unless they are already open.`,
    why: "The load balancers are in that group, and the provider does not change existing groups.",
    details: {
      group: shell`ibmcloud is vpc-default-security-group ${vpc}`,
      commands: [
        ...PORTS.map(
          (port) =>
            shell`ibmcloud is security-group-rule-add ${group} inbound tcp --port-min ${String(port)}
            --port-max ${String(port)}`,
        ),
        shell`ibmcloud is security-group-rule-add ${group} inbound icmp`,
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
    what: `Add the public key of the install-config to the workspace ${workspace} as ${sshKeyName(infraID)}.`,
    why: "Compute machines refer to the key. The provider may still have to create the workspace.",
    details: {
      commands: [
        shell`ibmcloud pi workspace target CRN-OF-${workspace}`,
        shell`ibmcloud pi ssh-key create ${sshKeyName(infraID)} --key ${(config.sshKey ?? "").trim()}`,
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
    why: `The provider adds only control plane machines to it. The bootstrap machine and the control plane share one template (${machineTemplateName(infraID)} with a digest of its spec as suffix).`,
    details: {
      commands: [
        shell`ibmcloud is load-balancer-pool-member-create ${balancer} ${pool} 22623
          ADDRESS-OF-THE-BOOTSTRAP-MACHINE`,
      ],
      ignition: `the provider uploads the machine's config to the bucket ${ignitionBucket(infraID)} of ${storageInstance(infraID)}`,
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
      what: "Create gateways to the cloud services in the VPC, unless it already has them.",
      why: "The network has no other way out, and the provider does not create gateways.",
      details: {
        commands: wanted.map(
          ([, name, crn]) =>
            shell`ibmcloud is endpoint-gateway-create --name ${infraID}-vpe-${name} --target ${crn}
            --vpc ${vpc} --new-reserved-ip ${JSON.stringify({ subnet: { name: subnet } })}`,
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
    what: `Remove the bootstrap machine from the pool of ${privateLoadBalancer(infraID)}, and ensure that the bucket ${bucket} contains no configs.`,
    why: "The configs contain keys and the pull secret. The provider deletes each config with its machine, and nothing deletes the bucket.",
    details: {
      commands: [
        shell`ibmcloud is load-balancer-pool-members ${privateLoadBalancer(infraID)}
          additional-pool-22623`,
        shell`ibmcloud cos objects --bucket ${bucket} --region ${region}`,
      ],
    },
  };
}
