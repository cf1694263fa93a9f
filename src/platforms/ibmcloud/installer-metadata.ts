import type { JsonObject } from "../../core/json.js";
import type { NormalConfig } from "../config.js";

/**
 * The member `ibmcloud` of the installer's InstallConfig asset (openshift/installer
 * pkg/asset/installconfig/ibmcloud/metadata.go): what it keeps of the config before it asks the cloud.
 */
export function installerMetadata({ baseDomain, platform }: NormalConfig): JsonObject {
  const { computeSubnets, controlPlaneSubnets, region = "" } = platform.ibmcloud ?? {};
  return {
    BaseDomain: baseDomain,
    ComputeSubnetNames: computeSubnets ?? null,
    ControlPlaneSubnetNames: controlPlaneSubnets ?? null,
    Region: region,
  };
}
