import type { PlatformStarter } from "../starter.js";

export const starter: PlatformStarter = {
  about: "Amazon Web Services",
  computeReplicas: 3,
  questions: [
    { flag: "region", value: "REGION", about: "region of the cluster", question: "Region", required: true },
  ],
  lines: (answers, scalar) => [
    "  aws:",
    `    region: ${scalar(answers["region"] ?? "")}`,
    "    # An existing VPC; if unset, a VPC is created.",
    "    # vpc:",
    "    #   subnets:",
    "    #   - id: subnet-0123456789abcdef0",
    "    # Tags of all created resources.",
    "    # userTags:",
    "    #   team: platform",
    "    # Defaults for the machines of all pools.",
    "    # defaultMachinePlatform:",
    "    #   type: m6i.xlarge",
    "    #   rootVolume:",
    "    #     size: 120",
    "    #     type: gp3",
  ],
};
