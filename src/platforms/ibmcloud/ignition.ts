/** What ibmcloud adds to the ignition phase (openshift/installer pkg/asset/cluster/ibmcloud, pkg/infrastructure/ibmcloud). */
import type { JsonObject } from "../../core/json.js";
import type { PlatformIgnition, PlatformInput } from "../platform.js";
import { existingSubnets, ibmcloudOf, isPrivate } from "./config.js";
import { factsOf } from "./facts.js";
import { resourceGroupName } from "./names.js";

export const ignition: PlatformIgnition = {
  metadata,
  leftToInstaller:
    "the boot scripts and the upload to a bucket, from which the bootstrap machine fetches the config with a token, come from openshift-install",
};

/** What finds the resources of the cluster again. */
function metadata({ config, identity, facts }: PlatformInput): JsonObject {
  const section = ibmcloudOf(config);
  const known = factsOf(facts);
  const crn = known.dnsZone?.instanceCRN ?? "";
  const { serviceEndpoints = [], vpcName = "" } = section;
  const subnets = (["master", "worker"] as const)
    .flatMap((role) => uniqueNames(existingSubnets(section, role)))
    .flatMap((name) => known.subnets?.find((subnet) => subnet.name === name)?.id ?? []);
  return {
    ibmcloud: {
      accountID: known.accountID ?? "",
      baseDomain: config.baseDomain,
      ...(isPrivate(config) ? { dnsInstanceID: instanceOf(crn) } : { cisInstanceCRN: crn }),
      region: section.region,
      resourceGroupName: resourceGroupName(config, identity.infraID),
      ...(serviceEndpoints.length === 0
        ? {}
        : { serviceEndpoints: serviceEndpoints.map(({ name = "", url = "" }) => ({ name, url })) }),
      ...(subnets.length === 0 ? {} : { subnets }),
      ...(vpcName === "" ? {} : { vpc: vpcName }),
    },
  };
}

const uniqueNames = (names: readonly string[]): readonly string[] => [...new Set(names)];

/** The identifier of a service instance, which its CRN holds. */
export const instanceOf = (crn: string): string => crn.split(":")[7] ?? "";
