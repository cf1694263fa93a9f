import type { PlatformModule } from "../platform.js";
import { clusterApi } from "./cluster-api.js";
import { CREDENTIAL_NAMES, readCredentials } from "./credentials.js";
import { cloudRules } from "./facts/cloud-rules.js";
import { collector } from "./facts/collector.js";
import { NEEDS } from "./facts/needs.js";
import { askFacts } from "./facts/questions.js";
import { resolveFacts } from "./facts/resolve.js";
import { ignition } from "./ignition.js";
import { compute } from "./infrastructure/machine-template.js";
import { infrastructure } from "./infrastructure/objects.js";
import { installerMetadata } from "./installer-metadata.js";
import { machines } from "./machines/machines.js";
import { manifests } from "./manifests.js";
import { rules } from "./rules.js";
import { supplement } from "./supplement/items.js";

export const platform: PlatformModule = {
  ...rules,
  installerMetadata,
  controllerNamespace: "capa-system",
  needs: Object.values(NEEDS),
  askFacts,
  collector,
  cloudRules,
  resolveFacts,
  takesStream: true,
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
