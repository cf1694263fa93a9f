/** What an install-config makes necessary among the manifests. */
import type { Problem } from "../core/diagnostics.js";
import { enabledCapabilities } from "../platforms/capabilities.js";
import { activePlatform, PLATFORMS } from "../platforms/registry.js";
import { capabilityKindProblems } from "../validate/boot/capability-kinds.js";
import { cloudControllerProblems } from "../validate/boot/cloud-controller.js";
import type { DiskText } from "../validate/documents.js";
import type { CompiledConfig } from "./request.js";

/** @param files files of both folders with the endings that the installer takes */
export function workloadProblems(
  { installConfig: { config } }: Pick<CompiledConfig, "installConfig">,
  files: readonly DiskText[],
): Problem[] {
  const kinds = capabilityKindProblems(enabledCapabilities(config), files);
  const name = activePlatform(config);
  const own = name === undefined ? undefined : PLATFORMS[name].traits.ownCloudController;
  if (name === undefined || own === undefined) return kinds;
  const section: Readonly<Record<string, unknown>> = { ...config.platform[name] };
  return section[own.member] === own.value
    ? [...kinds, ...cloudControllerProblems(`platform.${name}.${own.member} is ${own.value}`, files)]
    : kinds;
}
