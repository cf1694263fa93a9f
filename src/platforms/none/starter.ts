import type { PlatformStarter } from "../starter.js";

export const starter: PlatformStarter = {
  about: "machines, load balancers and DNS that you provide yourself",
  computeReplicas: 2,
  questions: [],
  lines: () => ["  none: {}"],
};
