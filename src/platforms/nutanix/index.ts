import type { PlatformModule } from "../platform.js";
import { agent } from "./agent.js";
import { cloudRules } from "./cloud-rules.js";
import { clusterApi } from "./cluster-api.js";
import { askFacts } from "./fact-questions.js";
import { NEEDS, resolveFacts } from "./facts.js";
import { ignition } from "./ignition.js";
import { compute, infrastructure } from "./infrastructure.js";
import { machines } from "./machines.js";
import { manifests } from "./manifests.js";
import { rules } from "./rules.js";
import { supplement } from "./supplement.js";

export const platform: PlatformModule = {
  ...rules,
  needs: Object.values(NEEDS),
  askFacts,
  cloudRules,
  resolveFacts,
  takesStream: true,
  // The login is in the install-config; a file that is named all the same is not read.
  manifests,
  machines,
  infrastructure,
  clusterApi,
  compute,
  supplement,
  ignition,
  agent,
};
