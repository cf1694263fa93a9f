/** What gcp adds to the ignition phase (openshift/installer pkg/asset/cluster/gcp). */
import type { JsonObject } from "../../core/json.js";
import { clusterDomain } from "../config.js";
import type { PlatformIgnition, PlatformInput } from "../platform.js";
import { gcpOf, sharesNetwork } from "./config.js";
import { has } from "./tables.js";

export const ignition: PlatformIgnition = {
  metadata,
  leftToInstaller:
    "the boot scripts, the upload to a bucket and, with user-provisioned DNS, the API addresses come from openshift-install",
};

/** What finds the resources of the cluster again. */
function metadata({ config, release }: PlatformInput): JsonObject {
  const gcp = gcpOf(config);
  const {
    projectID,
    region,
    networkProjectID = "",
    serviceEndpoints = [],
    endpoint,
    firewallRulesManagement,
  } = gcp;
  return {
    gcp: {
      region,
      projectID,
      ...(networkProjectID === "" ? {} : { networkProjectID }),
      ...(sharesNetwork(gcp) ? { privateZoneDomain: `${clusterDomain(config)}.` } : {}),
      ...(has(release, "privateZoneProject") && (gcp.dns?.privateZone?.projectID || projectID) !== ""
        ? { privateZoneProjectID: gcp.dns?.privateZone?.projectID || projectID }
        : {}),
      ...(has(release, "serviceEndpoints") &&
      has(release, "privateZoneProject") &&
      serviceEndpoints.length > 0
        ? { serviceEndpoints: serviceEndpoints.map(({ name = "", url = "" }) => ({ name, url })) }
        : {}),
      ...(has(release, "endpoint") && endpoint !== undefined
        ? {
            endpoint: {
              name: endpoint.name ?? "",
              ...(endpoint.clusterUseOnly === undefined ? {} : { clusterUseOnly: endpoint.clusterUseOnly }),
            },
          }
        : {}),
      ...(has(release, "endpoint") && (firewallRulesManagement ?? "") !== ""
        ? { firewallRulesManagement: firewallRulesManagement ?? "" }
        : {}),
    },
  };
}
