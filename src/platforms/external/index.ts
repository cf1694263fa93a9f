import type { PlatformModule } from "../platform.js";
import { NO_SUPPLEMENT } from "../user-supplied.js";
import { readCredentials } from "./credentials.js";
import { applyDefaults } from "./defaults.js";
import { resolveFacts } from "./facts.js";
import { infrastructure } from "./infrastructure.js";
import { machines } from "./machines.js";
import { manifests } from "./manifests.js";
import { validate } from "./validation.js";

export const platform: PlatformModule = {
  name: "external",
  applyDefaults,
  validate,
  resolveFacts,
  readCredentials,
  manifests,
  machines,
  infrastructure,
  supplement: () => NO_SUPPLEMENT,
};
