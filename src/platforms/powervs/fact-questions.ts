/** What to ask IBM Cloud for clusters on Power Virtual Server, with the commands of ibmcloud. */
import { shellWord } from "../../text/shell.js";
import { type AskFacts, type FactQuestion, fromStream } from "../fact-questions.js";
import { accountQuestions } from "../ibm-fact-questions.js";
import { isPrivate, powervsOf, vpcRegionOf } from "./config.js";
import { storageRegionOf } from "./tables.js";

export const askFacts: AskFacts = (config) => {
  const section = powervsOf(config);
  const { zone = "", vpcName = "", clusterOSImage = "" } = section;
  const vpc = shellWord(vpcName);
  const storage = storageRegionOf(vpcRegionOf(section)) ?? "us-south";
  const questions: FactQuestion[] = [
    ...accountQuestions("powervs", config),
    {
      fact: "powervs.vpc",
      about: "The existing VPC with all its subnets, in the order in which the cloud lists them.",
      commands: [
        `ibmcloud is vpc ${vpc} --output json | jq '{id, name}'`,
        `ibmcloud is subnets --vpc ${vpc} --output json | jq '[.[] | {id, name}]'`,
      ],
      value: (blank) => ({
        id: blank("ID of the VPC", "r006-00000000-0000-4000-8000-00000000c001"),
        name: vpcName,
        subnets: [
          {
            id: blank("ID of a subnet", "0717-00000000-0000-4000-8000-00000000e001"),
            name: blank("name of the subnet", "birds-1"),
          },
        ],
      }),
    },
    ...(isPrivate(config)
      ? [
          {
            fact: "powervs.dnsServer",
            about:
              "Address of the VPC's custom resolver; create infrastructure-manifests requires it. Replace INSTANCE by the name of the DNS Services instance.",
            commands: [
              "ibmcloud dns custom-resolvers -i INSTANCE --output json | jq '[.[] | {name, enabled, dnsServer: .locations[0].dns_server_ip}]'",
            ],
            value: (blank) => blank("address of the resolver", "10.20.0.4"),
            always: true,
          } satisfies FactQuestion,
        ]
      : []),
    ...(clusterOSImage === ""
      ? [
          {
            fact: "powervs.image",
            about:
              "The release's boot image; create infrastructure-manifests requires it. --coreos-stream FILE also supplies it.",
            commands: [
              fromStream(`.architectures.ppc64le.images.powervs.regions["${storage}"] | {bucket, object}`),
            ],
            value: (blank) => ({
              bucket: blank("bucket of the image", `rhcos-powervs-images-${storage}`),
              object: blank("object of the image", "rhcos-9-8-20260428-0-ppc64le-powervs.ova.gz"),
            }),
            always: true,
          } satisfies FactQuestion,
        ]
      : []),
  ];
  return { scope: { zone }, questions };
};
