import type { PlatformModule } from "../platform.js";
import { agent } from "./agent.js";
import { clusterApi } from "./cluster-api.js";
import { cloudRules } from "./facts/cloud-rules.js";
import { collector } from "./facts/collector.js";
import { resolveFacts } from "./facts/resolve.js";
import { ignition } from "./ignition.js";
import { compute, infrastructure } from "./infrastructure/objects.js";
import { installerMetadata } from "./installer-metadata.js";
import { machines } from "./machines/machines.js";
import { manifests } from "./manifests.js";
import { rules } from "./rules.js";
import { supplement } from "./supplement/items.js";

export const platform: PlatformModule = {
  ...rules,
  installerMetadata,
  controllerNamespace: "capv-system",
  needs: [],
  collector,
  cloudRules,
  resolveFacts,
  takesStream: true,
  // The logins are in the install-config; a file that is named all the same is not read.
  manifests,
  machines,
  infrastructure,
  clusterApi,
  compute,
  supplement,
  ignition,
  agent,
};
