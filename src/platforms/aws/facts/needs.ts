/** The facts that a config of aws may need; docs/facts.md has the same rows. */
import { inFacts, type Need } from "../../needs.js";

/** What is at hand where a fact is missing. */
export interface Lack {
  /** The field that is asked for, or the section of the pool. */
  readonly path: string;
  /** The names that nothing is known about. */
  readonly names: string;
  readonly region: string;
  /** True where a stream file was given already. */
  readonly streamed: boolean;
}

const need = (
  fact: string,
  field: string,
  message: Need<Lack>["message"],
  hint: Need<Lack>["hint"] = () => `give an entry each of ${inFacts(fact)}`,
): Need<Lack> => ({
  fact,
  field: ({ path }) => (path === "" ? field : field === "" ? path : `${path}.${field}`),
  message,
  hint,
});

export const NEEDS = {
  subnet: need(
    "aws.subnets",
    "",
    ({ names }) =>
      `nothing is known about the subnet ${names}: its address block, its zone and whether it is public`,
    () => `give an entry of ${inFacts("aws.subnets")}`,
  ),
  vpc: need(
    "aws.vpc",
    "platform.aws.vpc",
    () => "the identifier of the subnets' VPC is not known",
    () => `give ${inFacts("aws.vpc.id, or vpc in every entry of aws.subnets")}`,
  ),
  hostedZone: need(
    "aws.publicHostedZone",
    "baseDomain",
    ({ names }) => `the cluster is published, and the public hosted zone of ${names} is not known`,
    () => `give ${inFacts("aws.publicHostedZone")}, or set publish: Internal`,
  ),
  "no-zones": need(
    "aws.availabilityZones",
    "zones",
    ({ region }) => `the pool names no zones, and the zones of ${region} are not known`,
    () => `set it, or platform.aws.defaultMachinePlatform.zones, or give ${inFacts("aws.availabilityZones")}`,
  ),
  "no-zone-attributes": need(
    "aws.availabilityZones",
    "zones",
    ({ names }) => `type, group and parent zone of ${names} are not known`,
  ),
  "no-edge-type": need(
    "aws.instanceTypeOfferings",
    "type",
    ({ names }) =>
      `which instance types ${names} offers is not known, or none of the release's preferred types`,
    () => `set it, or give ${inFacts("aws.instanceTypeOfferings")}`,
  ),
  "no-image": need(
    "aws.images",
    "amiID",
    ({ names, region, streamed }) =>
      `the boot image for ${names} in ${region} is not known${streamed ? ": the stream file has none" : ""}`,
    ({ names, streamed }) =>
      `set it, or platform.aws.defaultMachinePlatform.amiID, or give ${streamed ? "another --coreos-stream" : "--coreos-stream FILE"} or ${inFacts(`aws.images.${names}`)}`,
  ),
  "no-host": need(
    "aws.dedicatedHosts",
    "hostPlacement.dedicatedHost",
    ({ names }) => `the zone of ${names} is not known`,
  ),
} as const;
