import type { PlatformDescriptor } from "../platform.js";

export const external: PlatformDescriptor = {
  handling: {
    starter: {
      about: "a platform with an external cloud provider",
      computeReplicas: 2,
      questions: [
        {
          flag: "platform-name",
          value: "NAME",
          about: "name of the platform",
          question: "Name of the platform",
          required: false,
        },
      ],
      lines: (answers, scalar) => {
        const name = answers["platform-name"];
        return [
          "  external:",
          "    # Name of the platform, for operators and telemetry.",
          name === undefined ? "    # platformName: example-cloud" : `    platformName: ${scalar(name)}`,
          "    # External: nodes wait for a cloud controller manager that you install.",
          "    # cloudControllerManager: External",
          ...(name === undefined ? ['    cloudControllerManager: ""'] : []),
        ];
      },
    },
    load: async () => (await import("./index.js")).platform,
  },
  traits: {
    reviewed: "5.0",
    agent: { platformType: "External", userManaged: true },
    infrastructure: "of the user",
    publish: ["External"],
    credentials: [],
    ipFamilies: { ipv6Alone: true, both: { ipv6First: { since: "4.19" } } },
    singleNode: { inPlace: {} },
    capabilities: ["CloudCredential"],
    poolSection: "none",
    standsBack: true,
    ownCloudController: { member: "cloudControllerManager", value: "External" },
    arbiter: { since: "4.22" },
    fencing: true,
    inPlace: "meant for it",
  },
};
