/** Offline facts of vsphere: what the vCenters hold. */
import type { CloudFacts, VsphereFacts } from "../../../generated/types/cloud-facts.js";

export const vsphereFactsOf = (facts: CloudFacts | undefined): VsphereFacts => facts?.vsphere ?? {};

/** The inventory paths of a vCenter; undefined when the facts have none. */
export const inventoryOf = (
  facts: CloudFacts | undefined,
  server: string | undefined,
): readonly string[] | undefined =>
  vsphereFactsOf(facts).vcenters?.find((each) => each.server === (server ?? ""))?.inventory;
