import { IBM_API_KEY, readApiKey } from "../ibm-credentials.js";
import type { PlatformModule } from "../platform.js";
import { cloudRules } from "./cloud-rules.js";
import { clusterApi } from "./cluster-api.js";
import { askFacts } from "./fact-questions.js";
import { NEEDS, resolveFacts } from "./facts.js";
import { ignition } from "./ignition.js";
import { compute } from "./infrastructure/machine-templates.js";
import { infrastructure } from "./infrastructure/objects.js";
import { installerMetadata } from "./installer-metadata.js";
import { machines } from "./machines.js";
import { manifests } from "./manifests.js";
import { rules } from "./rules.js";
import { supplement } from "./supplement.js";

export const platform: PlatformModule = {
  ...rules,
  installerMetadata,
  needs: Object.values(NEEDS),
  askFacts,
  cloudRules,
  resolveFacts,
  takesStream: true,
  readCredentials: readApiKey,
  credentialNames: [IBM_API_KEY],
  manifests,
  machines,
  infrastructure,
  clusterApi,
  compute,
  supplement,
  ignition,
};
