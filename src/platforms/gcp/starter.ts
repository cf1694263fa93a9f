import { machineType, machineTypeLines, type PlatformStarter } from "../starter.js";

export const starter: PlatformStarter = {
  about: "Google Cloud",
  computeReplicas: 3,
  questions: [
    {
      flag: "project",
      value: "PROJECT",
      about: "project of the cluster",
      question: "Project",
      required: true,
    },
    { flag: "region", value: "REGION", about: "region of the cluster", question: "Region", required: true },
    machineType("n2-standard-4"),
  ],
  lines: (answers, scalar) => [
    "  gcp:",
    `    projectID: ${scalar(answers["project"] ?? "")}`,
    `    region: ${scalar(answers["region"] ?? "")}`,
    "    # An existing network; if unset, a network is created.",
    "    # network: example-network",
    "    # controlPlaneSubnet: example-masters",
    "    # computeSubnet: example-workers",
    "    # Labels of all created resources.",
    "    # userLabels:",
    "    # - {key: team, value: birds}",
    ...machineTypeLines(answers, scalar, "n2-standard-4", [
      "osDisk:",
      "  diskType: pd-ssd",
      "  DiskSizeGB: 128",
    ]),
  ],
};
