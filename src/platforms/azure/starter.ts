import type { PlatformStarter } from "../starter.js";

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
    "    # Defaults for the machines of all pools.",
    "    # defaultMachinePlatform:",
    "    #   type: Standard_D8s_v5",
    "    #   osDisk:",
    "    #     diskSizeGB: 512",
    "    #     diskType: Premium_LRS",
  ],
};
