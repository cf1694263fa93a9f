/**
 * The edge pool that follows from subnets in local or wavelength zones when none is declared: the installer adds it
 * once it has looked the subnets up (docs/reference/install-config-and-manifests.md §1.6; docs/reference/real-inputs.md
 * §2 BR-30).
 */
import type { CloudFacts } from "../../../generated/types/cloud-facts.js";
import type { InstallConfig } from "../../config.js";
import { EDGE, existingSubnets } from "../config.js";
import { awsFactsOf, isEdgeZone, subnetFact, zoneOf } from "../facts/view.js";

const WORKER = "worker";

/** The config with an edge pool of one machine for each such subnet; without facts nothing follows. */
export function addEdgePool(config: InstallConfig, given: CloudFacts | undefined): InstallConfig {
  const aws = config.platform?.aws;
  const facts = awsFactsOf(given);
  const compute = config.compute ?? [];
  if (aws === undefined || compute.some(({ name }) => name === EDGE)) return config;
  const edge = existingSubnets(aws).filter(({ id }) => {
    const subnet = subnetFact(facts, id);
    return subnet !== undefined && isEdgeZone(zoneOf(facts, aws.region ?? "", subnet.zone));
  });
  if (edge.length === 0) return config;
  // The worker pool that the defaults add comes before it.
  const workers = compute.some(({ name }) => name === WORKER) ? [] : [{ name: WORKER }];
  return { ...config, compute: [...compute, ...workers, { name: EDGE, replicas: edge.length }] };
}
