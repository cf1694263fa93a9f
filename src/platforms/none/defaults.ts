import type { NormalConfig } from "../config.js";

/** The platform none has no defaults (facts/install-config-and-manifests.md §1.6). */
export const applyDefaults = (config: NormalConfig): NormalConfig => config;
