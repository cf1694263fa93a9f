import type { PlatformModule } from "../platform.js";
import { cloudRules } from "./cloud-rules.js";
import { clusterApi } from "./cluster-api.js";
import { CREDENTIALS_KEY, readCredentials } from "./credentials.js";
import { askFacts } from "./fact-questions.js";
import { NEEDS } from "./facts.js";
import { ignition } from "./ignition.js";
import { compute, infrastructure } from "./infrastructure.js";
import { machines } from "./machines.js";
import { manifests } from "./manifests.js";
import { resolveFacts } from "./resolve.js";
import { rules } from "./rules.js";
import { supplement } from "./supplement.js";

export const platform: PlatformModule = {
  ...rules,
  needs: Object.values(NEEDS),
  askFacts,
  cloudRules,
  resolveFacts,
  takesStream: true,
  readCredentials,
  credentialNames: [CREDENTIALS_KEY],
  manifests,
  machines,
  infrastructure,
  clusterApi,
  compute,
  supplement,
  ignition,
};
