import type { PlatformModule } from "../platform.js";
import { clusterApi } from "./cluster-api.js";
import { CREDENTIAL_NAMES, readCredentials } from "./credentials.js";
import { checkAccount } from "./facts/account.js";
import { cloudRules } from "./facts/cloud-rules.js";
import { NEEDS } from "./facts/needs.js";
import { askFacts } from "./facts/questions.js";
import { resolveFacts } from "./facts/resolve.js";
import { ignition } from "./ignition.js";
import { compute, infrastructure } from "./infrastructure/objects.js";
import { installerImages, installerMetadata } from "./installer-state.js";
import { machines } from "./machines/machines.js";
import { manifests } from "./manifests.js";
import { rules } from "./rules.js";
import { supplement } from "./supplement/supplement.js";

export const platform: PlatformModule = {
  ...rules,
  installerMetadata,
  installerImages,
  controllerNamespace: "capz-system",
  needs: Object.values(NEEDS),
  askFacts,
  cloudRules,
  resolveFacts,
  takesStream: true,
  checkAccount,
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
