/** The code of every platform that slipway handles, loaded once, for tests that ask in one go. */
import type { InstallConfig } from "../../src/generated/types/install-config.js";
import type { PlatformModule } from "../../src/platforms/platform.js";
import {
  activePlatform,
  HANDLED_PLATFORMS,
  loadPlatform,
  otherPlatforms,
} from "../../src/platforms/registry.js";

const MODULES = new Map(
  await Promise.all(
    HANDLED_PLATFORMS.map(async (name) => [name, await loadPlatform({ platform: { [name]: {} } })] as const),
  ),
);

/** What a config is judged by; undefined for a platform that is missing or not handled. */
export function platformOf(config: Pick<InstallConfig, "platform">): PlatformModule | undefined {
  const name = activePlatform(config);
  return name === undefined ? undefined : MODULES.get(name);
}

/** The platforms that a config names beside the active one. */
export const otherPlatformsOf = (config: Parameters<typeof otherPlatforms>[0]): readonly PlatformModule[] =>
  otherPlatforms(config).flatMap((name) => MODULES.get(name) ?? []);
