import type { PlatformModule } from "../platform.js";
import { agent } from "./agent.js";
import { assisted } from "./assisted.js";
import { askFacts } from "./fact-questions.js";
import { NEEDS, resolveFacts } from "./facts.js";
import { ignition } from "./ignition.js";
import { compute, infrastructure } from "./infrastructure.js";
import { provisioningRules } from "./install-config/provisioning-rules.js";
import { machines } from "./machines.js";
import { manifests } from "./manifests.js";
import { rules } from "./rules.js";
import { openManifests, supplement } from "./supplement.js";

export const platform: PlatformModule = {
  ...rules,
  needs: NEEDS,
  askFacts,
  cloudRules: provisioningRules,
  resolveFacts,
  // There is no cloud: the logins of controllers stand in the install-config.
  manifests,
  machines,
  infrastructure,
  compute,
  supplement,
  openManifests,
  assisted,
  ignition,
  agent,
};
