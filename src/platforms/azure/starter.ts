import { machineType, machineTypeLines, type PlatformStarter } from "../starter.js";

export const starter: PlatformStarter = {
  about: "Microsoft Azure",
  computeReplicas: 3,
  questions: [
    { flag: "region", value: "REGION", about: "region of the cluster", question: "Region", required: true },
    {
      flag: "base-domain-resource-group",
      value: "GROUP",
      about: "resource group of the base domain's DNS zone",
      question: "Resource group of the DNS zone",
      required: true,
    },
    machineType("Standard_D8s_v5"),
  ],
  lines: (answers, scalar) => [
    "  azure:",
    `    region: ${scalar(answers["region"] ?? "")}`,
    `    baseDomainResourceGroupName: ${scalar(answers["base-domain-resource-group"] ?? "")}`,
    "    # An existing network; if unset, a network is created.",
    "    # networkResourceGroupName: network-rg",
    "    # virtualNetwork: birds-vnet",
    "    # subnets:",
    "    # - name: masters",
    "    #   role: control-plane",
    "    # - name: nodes",
    "    #   role: node",
    "    # Tags of all created resources.",
    "    # userTags:",
    "    #   team: platform",
    ...machineTypeLines(answers, scalar, "Standard_D8s_v5", [
      "osDisk:",
      "  diskSizeGB: 512",
      "  diskType: Premium_LRS",
    ]),
  ],
};
