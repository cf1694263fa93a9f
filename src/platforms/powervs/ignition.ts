/** What powervs adds to the ignition phase (openshift/installer pkg/asset/cluster/powervs, pkg/infrastructure/powervs). */
import type { JsonObject } from "../../core/json.js";
import type { PlatformIgnition, PlatformInput } from "../platform.js";
import { isPrivate, mappedVpcRegion, powervsOf, regionOf } from "./config.js";
import { endpointsOf } from "./endpoints.js";
import { factsOf } from "./facts.js";
import { has } from "./tables.js";

export const ignition: PlatformIgnition = {
  metadata,
  leftToInstaller: "the boot scripts come from openshift-install",
};

/** What finds the resources of the cluster again. */
function metadata({ config, facts, release }: PlatformInput): JsonObject {
  const section = powervsOf(config);
  const crn = factsOf(facts).dnsZone?.instanceCRN ?? "";
  const endpoints = endpointsOf(config, mappedVpcRegion(section), release);
  return {
    powervs: {
      BaseDomain: config.baseDomain,
      cisInstanceCRN: isPrivate(config) ? "" : crn,
      dnsInstanceCRN: isPrivate(config) ? crn : "",
      powerVSResourceGroup: section.powervsResourceGroup ?? "",
      region: regionOf(section),
      vpcRegion: section.vpcRegion ?? "",
      zone: section.zone ?? "",
      serviceInstanceGUID: section.serviceInstanceGUID ?? "",
      ...(endpoints.length === 0 ? {} : { serviceEndpoints: endpoints.map((each) => ({ ...each })) }),
      transitGatewayName: section.tgName ?? "",
      ...(has(release, "vpcByIdentifier") ? { vpcName: section.vpcName ?? "" } : {}),
    },
  };
}
