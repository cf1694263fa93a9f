import type { Json, JsonObject } from "../../core/json.js";
import type { NormalConfig } from "../config.js";

/**
 * The member `aws` of the installer's InstallConfig asset: region, brought-along subnets and endpoints of the config,
 * and the dedicated hosts, which it asks the cloud for later (seen in states of release 4.22).
 */
export function installerMetadata({ platform }: NormalConfig): JsonObject {
  const { region, vpc, serviceEndpoints } = platform.aws ?? {};
  const subnets = vpc?.subnets ?? [];
  const metadata: Record<string, Json> = { Hosts: null };
  if (region !== undefined) metadata["region"] = region;
  if (subnets.length > 0) metadata["subnets"] = subnets.map((subnet): JsonObject => plain(subnet));
  if (serviceEndpoints !== undefined && serviceEndpoints.length > 0)
    metadata["services"] = serviceEndpoints.map((endpoint): JsonObject => plain(endpoint));
  return metadata;
}

/** Only the members that are there. */
const plain = (value: object): JsonObject => JSON.parse(JSON.stringify(value));
