import { LATER, type PlatformStarter } from "../starter.js";
import regions from "./data/regions.json" with { type: "json" };

export const starter: PlatformStarter = {
  about: "IBM Power Virtual Server",
  computeReplicas: 3,
  architecture: "ppc64le",
  machineNetwork: "192.168.0.0/24",
  questions: [
    {
      flag: "zone",
      value: "ZONE",
      about: "zone of the cluster, such as dal10",
      question: "Zone",
      required: true,
      example: "dal10",
      choices: () => Object.values(regions.regions).flatMap(({ zones }) => Object.keys(zones)),
    },
    {
      flag: "resource-group",
      value: "NAME",
      about: "existing resource group of the cluster",
      question: "Resource group",
      required: true,
    },
    {
      flag: "user-id",
      value: "USER",
      about: "user of the account, an email address",
      question: "User of the account",
      required: false,
      empty: LATER,
      example: "user@example.com",
    },
  ],
  lines: (answers, scalar, blank) => [
    "  powervs:",
    `    zone: ${scalar(answers["zone"] ?? "")}`,
    `    powervsResourceGroup: ${scalar(answers["resource-group"] ?? "")}`,
    "    # The login of the account.",
    `    userID: ${answers["user-id"] === undefined ? blank("user of the account", "user@example.com") : scalar(answers["user-id"])}`,
    "    # An existing workspace; if unset, a workspace is created.",
    "    # serviceInstanceGUID: 00000000-0000-4000-8000-000000000000",
    "    # An existing VPC and transit gateway; if unset, both are created.",
    "    # vpcName: birds-vpc",
    "    # tgName: birds-tg",
    "    # Defaults for the machines of all pools.",
    "    # defaultMachinePlatform:",
    "    #   memoryGiB: 32",
    '    #   processors: "0.5"',
    "    #   procType: Shared",
    "    #   sysType: s922",
  ],
};
