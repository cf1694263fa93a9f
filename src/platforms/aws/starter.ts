import { machineType, machineTypeLines, type PlatformStarter } from "../starter.js";
import regions from "./data/regions.json" with { type: "json" };
import { preferredInstanceTypes } from "./tables.js";

export const starter: PlatformStarter = {
  about: "Amazon Web Services",
  computeReplicas: 3,
  questions: [
    {
      flag: "region",
      value: "REGION",
      about: "region of the cluster",
      question: "Region",
      required: true,
      choices: () => regions.regions,
    },
    machineType("m6i.xlarge", () => preferredInstanceTypes("amd64", "HighlyAvailable")),
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
    ...machineTypeLines(answers, scalar, "m6i.xlarge", ["rootVolume:", "  size: 120", "  type: gp3"]),
  ],
};
