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
    "    # A VPC of your own; without it one is made.",
    "    # vpc:",
    "    #   subnets:",
    "    #   - id: subnet-0123456789abcdef0",
    "    # Tags of every resource that is made.",
    "    # userTags:",
    "    #   team: platform",
    "    # What the machines of every pool have, unless their pool says otherwise.",
    "    # defaultMachinePlatform:",
    "    #   type: m6i.xlarge",
    "    #   rootVolume:",
    "    #     size: 120",
    "    #     type: gp3",
  ],
};
