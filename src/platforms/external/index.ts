import type { PlatformModule } from "../platform.js";
import { NO_SUPPLEMENT } from "../user-supplied.js";
import { readCredentials } from "./credentials.js";
import { resolveFacts } from "./facts.js";
import { infrastructure } from "./infrastructure.js";
import { machines } from "./machines.js";
import { manifests } from "./manifests.js";

/** The platform has neither defaults nor rules of its own (facts/install-config-and-manifests.md §1.6, §1.9). */
export const platform: PlatformModule = {
  name: "external",
  applyDefaults: (config) => config,
  validate: () => undefined,
  resolveFacts,
  readCredentials,
  manifests,
  machines,
  infrastructure,
  supplement: () => NO_SUPPLEMENT,
};
