/** What an install-config makes necessary among the manifests. */
import type { Problem } from "../core/diagnostics.js";
import { cloudControllerProblems } from "../validate/boot/cloud-controller.js";
import type { DiskText } from "../validate/documents.js";
import type { CompiledConfig } from "./request.js";

/** @param files files of both folders with the endings that the installer takes */
export const workloadProblems = (
  { installConfig }: Pick<CompiledConfig, "installConfig">,
  files: readonly DiskText[],
): Problem[] =>
  installConfig.config.platform.external?.cloudControllerManager === "External"
    ? cloudControllerProblems(files)
    : [];
