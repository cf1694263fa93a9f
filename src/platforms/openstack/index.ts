import type { PlatformModule } from "../platform.js";
import { cloudRules } from "./cloud-rules.js";
import { CREDENTIAL_NAMES, readCredentials } from "./clouds.js";
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
  readCredentials,
  credentialNames: CREDENTIAL_NAMES,
  manifests,
  machines,
  infrastructure,
  clusterApi,
  compute,
  supplement,
  ignition,
};
