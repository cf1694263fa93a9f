import type { PlatformDescriptor } from "../platform.js";

export const none: PlatformDescriptor = {
  handling: {
    starter: {
      about: "machines, load balancers and DNS that you provide",
      computeReplicas: 2,
      questions: [],
      lines: () => ["  none: {}"],
    },
    load: async () => (await import("./index.js")).platform,
  },
  traits: {
    reviewed: "5.0",
    agent: { platformType: "None", userManaged: true, everyArchitecture: true },
    imageBased: true,
    infrastructure: "of the user",
    publish: ["External"],
    credentials: [],
    ipFamilies: { ipv6Alone: true, both: { ipv6First: { since: "4.19" } } },
    singleNode: { always: {} },
    capabilities: [],
    poolSection: "none",
    standsBack: true,
    arbiter: { since: "4.22" },
    fencing: true,
    inPlace: "meant for it",
    ingressOnSingleNode: true,
  },
};
