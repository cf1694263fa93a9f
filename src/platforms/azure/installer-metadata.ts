import type { JsonObject } from "../../core/json.js";
import type { NormalConfig } from "../config.js";

/**
 * The member `azure` of the installer's InstallConfig asset: the cloud as it was before the defaults filled it in, and
 * the zones of subnets, which it works out later (openshift/installer pkg/asset/installconfig/azure/metadata.go).
 */
export function installerMetadata({ platform }: NormalConfig): JsonObject {
  const { cloudName = "", armEndpoint = "" } = platform.azure ?? {};
  return {
    ZonesSubnetMap: null,
    ...(armEndpoint === "" ? {} : { armEndpoint }),
    ...(cloudName === "" ? {} : { cloudName }),
  };
}
