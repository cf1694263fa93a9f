import type { JsonObject } from "../../core/json.js";
import type { NormalConfig } from "../config.js";

/**
 * The member `powervs` of the installer's InstallConfig asset (openshift/installer
 * pkg/asset/installconfig/powervs/metadata.go): what it keeps of the config before it asks the cloud.
 */
export const installerMetadata = ({ baseDomain, publish }: NormalConfig): JsonObject => ({
  BaseDomain: baseDomain,
  PublishStrategy: publish,
});
