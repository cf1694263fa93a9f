/** What azure adds to the ignition phase (openshift/installer pkg/asset/cluster/azure, pkg/asset/ignition). */
import type { JsonObject } from "../../core/json.js";
import type { IgnitionParts } from "../ignition.js";
import type { PlatformIgnition, PlatformInput } from "../platform.js";
import { azureOf } from "./config.js";
import { VAR_MOUNT, varStorage } from "./var-partition.js";

export const ignition: PlatformIgnition = {
  metadata,
  bootstrap: (): IgnitionParts => ({ files: [], units: [VAR_MOUNT] }),
  bootstrapAdditions: varStorage,
  leftToInstaller:
    "the boot scripts, the upload of the config to a storage account and late load balancer addresses come from openshift-install",
};

/** What finds the resources of the cluster again. */
function metadata({ config }: PlatformInput): JsonObject {
  const { armEndpoint, cloudName, region, resourceGroupName, baseDomainResourceGroupName } = azureOf(config);
  return {
    azure: {
      armEndpoint: armEndpoint ?? "",
      cloudName,
      region,
      resourceGroupName: resourceGroupName ?? "",
      baseDomainResourceGroupName: baseDomainResourceGroupName ?? "",
    },
  };
}
