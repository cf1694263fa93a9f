/** Offline facts of gcp, arranged for looking things up, and which of them a config may need. */
import { byCodeUnit } from "../../core/files.js";
import type { CloudFacts, GcpFacts, GcpImage, GcpSubnet } from "../../generated/types/cloud-facts.js";
import { inFacts, type Need } from "../needs.js";

export type { GcpFacts, GcpImage, GcpSubnet };

export const gcpFactsOf = (facts: CloudFacts | undefined): GcpFacts => facts?.gcp ?? {};

/** The zones of the region that may be taken, in order; undefined without facts. */
export function regionZones({ zones }: GcpFacts): readonly string[] | undefined {
  if ((zones ?? []).length === 0) return undefined;
  const names = (zones ?? [])
    .filter(({ name, status = "UP" }) => status.toUpperCase() === "UP" && !isRefusedZone(name))
    .map(({ name }) => name);
  return [...new Set(names)].sort(byCodeUnit);
}

/**
 * True for a zone for machine learning, such as us-central1-ai1a, which is not taken and which no pool may name
 * (https://docs.cloud.google.com/compute/docs/regions-zones/ai-zones; openshift/installer pkg/asset/installconfig/gcp/client.go).
 */
export const isRefusedZone = (name: string): boolean => name.includes("-ai");

/** The zones that the facts name for a machine type; undefined for a type that they do not know, such as a custom one. */
export function zonesOffering({ machineTypes }: GcpFacts, type: string): ReadonlySet<string> | undefined {
  const offers = (machineTypes ?? []).filter(({ name }) => name === type);
  return offers.length === 0 ? undefined : new Set(offers.map(({ zone }) => lastSegment(zone)));
}

export const subnetFact = ({ subnets }: GcpFacts, name: string): GcpSubnet | undefined =>
  subnets?.find((each) => each.name === name);

/** The name at the end of an address such as `https://www.googleapis.com/compute/v1/projects/p/global/networks/name`. */
export const lastSegment = (address: string): string => address.slice(address.lastIndexOf("/") + 1);

/** An image as machines name it. */
export const imagePath = ({ project, name }: { readonly project: string; readonly name: string }): string =>
  `projects/${project}/global/images/${name}`;

/** What is at hand where a fact is missing. */
export interface Lack {
  /** The field that is asked for, or the section of the pool. */
  readonly path: string;
  /** What nothing is known about. */
  readonly subject: string;
  /** True where a stream file was given already. */
  readonly streamed: boolean;
}

const DEFAULTS = "platform.gcp.defaultMachinePlatform";

export const NEEDS = {
  zones: {
    fact: "gcp.zones",
    field: ({ path }) => `${path}.zones`,
    message: ({ subject }) =>
      `required value is missing: the zones of ${subject} are not listed in the facts file`,
    hint: () => `set it, set ${DEFAULTS}.zones, or add ${inFacts("gcp.zones")}`,
  },
  image: {
    fact: "gcp.images",
    field: ({ path }) => `${path}.osImage`,
    message: ({ subject, streamed }) =>
      `the boot image for ${subject} is not listed in the ${streamed ? "stream file" : "facts file"}`,
    names: ({ subject }) => [subject],
    hint: ({ subject, streamed }) =>
      `set it, set ${DEFAULTS}.osImage, use ${streamed ? "another --coreos-stream" : "--coreos-stream FILE"}, or add ${inFacts(`gcp.images.${subject}`)}`,
  },
  subnet: {
    fact: "gcp.subnets",
    field: ({ path }) => path,
    message: ({ subject }) => `the CIDR of the subnet ${subject} is not listed in the facts file`,
    names: ({ subject }) => [subject],
    hint: () => `add an entry to ${inFacts("gcp.subnets")}`,
  },
  publicZone: {
    fact: "gcp.publicZone",
    field: () => "baseDomain",
    message: ({ subject }) => `the public DNS zone of ${subject} is not listed in the facts file`,
    hint: () => `add ${inFacts("gcp.publicZone")}, or set publish: Internal`,
  },
} as const satisfies Record<string, Need<Lack>>;
