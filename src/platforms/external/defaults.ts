import type { NormalConfig } from "../config.js";

/**
 * The platform external has no defaults: platformName stays empty, and an empty cloudControllerManager means none
 * (facts/install-config-and-manifests.md §1.6).
 */
export const applyDefaults = (config: NormalConfig): NormalConfig => config;
