import type { PlatformStarter } from "../starter.js";

export const starter: PlatformStarter = {
  about: "a platform that is integrated from outside",
  computeReplicas: 2,
  questions: [{ flag: "platform-name", question: "Name of the platform", required: false }],
  lines: (answers, scalar) => {
    const name = answers["platform-name"];
    return [
      "  external:",
      "    # Name of the platform, for operators and telemetry.",
      name === undefined ? "    # platformName: example-cloud" : `    platformName: ${scalar(name)}`,
      "    # External: machines wait for a cloud controller manager that you install.",
      "    # cloudControllerManager: External",
      ...(name === undefined ? ['    cloudControllerManager: ""'] : []),
    ];
  },
};
