import type { PlatformStarter } from "../starter.js";

export const starter: PlatformStarter = {
  about: "Google Cloud",
  computeReplicas: 3,
  questions: [
    {
      flag: "project",
      value: "PROJECT",
      about: "project in which the cluster is made",
      question: "Project",
      required: true,
    },
    { flag: "region", value: "REGION", about: "region of the cluster", question: "Region", required: true },
  ],
  lines: (answers, scalar) => [
    "  gcp:",
    `    projectID: ${scalar(answers["project"] ?? "")}`,
    `    region: ${scalar(answers["region"] ?? "")}`,
    "    # A network of your own; without it one is made.",
    "    # network: example-network",
    "    # controlPlaneSubnet: example-masters",
    "    # computeSubnet: example-workers",
    "    # Labels of everything that is made.",
    "    # userLabels:",
    "    # - {key: team, value: birds}",
    "    # What the machines of every pool have, unless their pool says otherwise.",
    "    # defaultMachinePlatform:",
    "    #   type: n2-standard-4",
    "    #   osDisk:",
    "    #     diskType: pd-ssd",
    "    #     DiskSizeGB: 128",
  ],
};
