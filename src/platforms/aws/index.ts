import type { PlatformModule } from "../platform.js";
import { readCredentials } from "./credentials.js";
import { addEdgePool } from "./edge-pool.js";
import { resolveFacts } from "./facts.js";
import { infrastructure } from "./infrastructure.js";
import { machines } from "./machines.js";
import { manifests } from "./manifests.js";
import { rules } from "./rules.js";
import { supplement } from "./supplement.js";

export const platform: PlatformModule = {
  ...rules,
  controllerNamespace: "capa-system",
  finish: addEdgePool,
  resolveFacts,
  readCredentials,
  manifests,
  machines,
  infrastructure,
  supplement,
};
