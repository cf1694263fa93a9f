import { machineType, machineTypeLines, type PlatformStarter } from "../starter.js";

export const starter: PlatformStarter = {
  about: "IBM Cloud, virtual servers of a VPC",
  computeReplicas: 3,
  questions: [
    { flag: "region", value: "REGION", about: "region of the cluster", question: "Region", required: true },
    machineType("bx2-4x16"),
  ],
  lines: (answers, scalar) => [
    "  ibmcloud:",
    `    region: ${scalar(answers["region"] ?? "")}`,
    "    # An existing resource group; if unset, a resource group is created.",
    "    # resourceGroupName: birds",
    "    # An existing VPC; if unset, a VPC is created.",
    "    # networkResourceGroupName: birds-network",
    "    # vpcName: birds-vpc",
    "    # controlPlaneSubnets: [birds-control-plane-1]",
    "    # computeSubnets: [birds-compute-1]",
    ...machineTypeLines(answers, scalar, "bx2-4x16", ["zones: [REGION-1, REGION-2, REGION-3]"]),
    "",
    "# You create the credentials of each operator; IBM Cloud supports only this mode.",
    "credentialsMode: Manual",
  ],
};
