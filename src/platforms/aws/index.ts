import type { PlatformModule } from "../platform.js";
import { readCredentials } from "./credentials.js";
import { addEdgePool } from "./edge-pool.js";
import { resolveFacts } from "./facts.js";
import { infrastructure } from "./infrastructure.js";
import { machines } from "./machines.js";
import { manifests } from "./manifests.js";
import { supplement } from "./supplement.js";

/** The platform, with the defaults and the rules of the install-config that it is given. */
export const platformWith = (rules: Pick<PlatformModule, "applyDefaults" | "validate">): PlatformModule => ({
  ...rules,
  name: "aws",
  controllerNamespace: "capa-system",
  finish: addEdgePool,
  resolveFacts,
  readCredentials,
  manifests,
  machines,
  infrastructure,
  supplement,
});
