/** What to ask AWS for, with the commands of aws. */
import { shellWord } from "../../../text/shell.js";
import {
  type AskFacts,
  type FactQuestion,
  fromStream,
  quotedWord,
  streamArchitecture,
} from "../../fact-questions.js";
import { awsOf, existingSubnets } from "../config.js";
import { preferredInstanceTypes } from "../tables.js";

export const askFacts: AskFacts = (config, { names }) => {
  const aws = awsOf(config);
  const region = shellWord(aws.region);
  const edgeZones = [...new Set(names("aws.availabilityZones"))];
  const architectures = [...new Set(names("aws.images"))];
  const hosts = names("aws.dedicatedHosts");
  const unknownSubnets = names("aws.subnets");
  const subnets = existingSubnets(aws).map(({ id }) => id);
  const domain = config.baseDomain.replace(/\.$/, "");
  const types = preferredInstanceTypes(config.controlPlane.architecture, "HighlyAvailable");
  const questions: FactQuestion[] = [
    {
      fact: "aws.availabilityZones",
      about:
        edgeZones.length > 0
          ? "The Local Zones and Wavelength Zones of the install-config."
          : "Zones of the region: a pool sets no zones. One entry for each zone.",
      commands: [
        `aws ec2 describe-availability-zones --region ${region} --all-availability-zones --filters Name=opt-in-status,Values=opt-in-not-required,opted-in --query 'AvailabilityZones[].{name:ZoneName,type:ZoneType,group:GroupName,parentZone:ParentZoneName}'`,
      ],
      value: (blank) =>
        edgeZones.length > 0
          ? edgeZones.map((name) => ({
              name,
              type: blank(`ZoneType of ${name}`, "local-zone"),
              group: blank(`GroupName of ${name}`, `${aws.region}-lax-1`),
              parentZone: blank(`ParentZoneName of ${name}`, `${aws.region}a`),
            }))
          : [{ name: blank("name of a zone", `${aws.region}a`) }],
    },
    {
      fact: "aws.images",
      about: "The release's boot image in the region. --coreos-stream FILE also supplies it.",
      commands: architectures.map((architecture) =>
        fromStream(
          `.architectures.${streamArchitecture(architecture)}.images.aws.regions["${aws.region}"].image`,
        ),
      ),
      value: (blank) =>
        Object.fromEntries(
          architectures.map((architecture) => [
            architecture,
            { id: blank(`AMI ID for ${architecture}`, "ami-0123456789abcdef0") },
          ]),
        ),
    },
    {
      fact: "aws.subnets",
      about: "The existing subnets; public is true if the subnet's route table has an internet gateway.",
      commands: [
        `aws ec2 describe-subnets --region ${region} --subnet-ids ${unknownSubnets.map(shellWord).join(" ")} --query 'Subnets[].{id:SubnetId,cidr:CidrBlock,zone:AvailabilityZone,vpc:VpcId}'`,
        `aws ec2 describe-route-tables --region ${region} --filters Name=route.gateway-id,Values='igw-*' --query 'RouteTables[].Associations[].SubnetId'`,
      ],
      value: (blank) =>
        unknownSubnets.map((id, index) => ({
          id,
          cidr: blank(`CIDR of ${id}`, `10.0.${index % 256}.0/24`),
          zone: blank(`zone of ${id}`, `${aws.region}${"abc"[index % 3]}`),
          vpc: blank(`VPC of ${id}`, "vpc-0123456789abcdef0"),
          public: blank(`true if ${id} is public`, index % 2 === 1),
        })),
    },
    ...(unknownSubnets.length > 0
      ? []
      : [
          {
            fact: "aws.vpc",
            about: "The VPC of the existing subnets.",
            commands: [
              `aws ec2 describe-subnets --region ${region} --subnet-ids ${subnets.map(shellWord).join(" ")} --query 'Subnets[].VpcId' --output text`,
            ],
            value: (blank) => ({ id: blank("ID of the VPC", "vpc-0123456789abcdef0") }),
          } satisfies FactQuestion,
        ]),
    {
      fact: "aws.publicHostedZone",
      about: `ID of the public hosted zone of ${domain}.`,
      commands: [
        `aws route53 list-hosted-zones-by-name --dns-name ${shellWord(domain)} --query ${quotedWord(`HostedZones[?!(Config.PrivateZone) && Name=='${domain}.'].Id`)} --output text`,
      ],
      value: (blank) => blank("ID of the hosted zone", "Z0123456789EXAMPLE"),
    },
    {
      fact: "aws.instanceTypeOfferings",
      about: "The instance types that the zones of the edge pool offer.",
      commands: [
        `aws ec2 describe-instance-type-offerings --region ${region} --location-type availability-zone --filters Name=instance-type,Values=${types.map(shellWord).join(",")} --query 'InstanceTypeOfferings[].{type:InstanceType,zone:Location}'`,
      ],
      value: (blank) =>
        [...new Set(names("aws.instanceTypeOfferings"))].map((zone) => ({
          type: blank(`instance type in ${zone}`, types[0] ?? "m6i.xlarge"),
          zone,
        })),
    },
    {
      fact: "aws.dedicatedHosts",
      about: "The zones of the dedicated hosts.",
      commands: [
        `aws ec2 describe-hosts --region ${region} --host-ids ${hosts.map(shellWord).join(" ")} --query 'Hosts[].{id:HostId,zone:AvailabilityZone}'`,
      ],
      value: (blank) => hosts.map((id) => ({ id, zone: blank(`zone of ${id}`, `${aws.region}a`) })),
    },
  ];
  return { scope: { region: aws.region }, questions };
};
