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
  hint: Need<Lack>["hint"] = () => `add an entry for each to ${inFacts(fact)}`,
): Need<Lack> => ({
  fact,
  field: ({ path }) => (path === "" ? field : field === "" ? path : `${path}.${field}`),
  message,
  names: ({ names }) => names.split(", "),
  hint,
});

export const NEEDS = {
  subnet: need(
    "aws.subnets",
    "",
    ({ names }) => `subnet ${names} is not listed in the facts file`,
    () => `add an entry to ${inFacts("aws.subnets")}`,
  ),
  vpc: need(
    "aws.vpc",
    "platform.aws.vpc",
    () => "the VPC of the subnets is not listed in the facts file",
    () => `add ${inFacts("aws.vpc.id, or vpc in every entry of aws.subnets")}`,
  ),
  hostedZone: need(
    "aws.publicHostedZone",
    "baseDomain",
    ({ names }) => `the public hosted zone of ${names} is not listed in the facts file`,
    () => `add ${inFacts("aws.publicHostedZone")}, or set publish: Internal`,
  ),
  "no-zones": need(
    "aws.availabilityZones",
    "zones",
    ({ region }) => `required value is missing: the zones of ${region} are not listed in the facts file`,
    () => `set it, set platform.aws.defaultMachinePlatform.zones, or add ${inFacts("aws.availabilityZones")}`,
  ),
  "no-zone-attributes": need(
    "aws.availabilityZones",
    "zones",
    ({ names }) => `the type, group and parent zone of ${names} are not listed in the facts file`,
  ),
  "no-edge-type": need(
    "aws.instanceTypeOfferings",
    "type",
    ({ names }) => `the facts file lists no offering of the release's preferred instance types in ${names}`,
    () => `set it, or add ${inFacts("aws.instanceTypeOfferings")}`,
  ),
  "no-image": need(
    "aws.images",
    "amiID",
    ({ names, region, streamed }) =>
      `the boot image for ${names} in ${region} is not listed in the ${streamed ? "stream file" : "facts file"}`,
    ({ names, streamed }) =>
      `set it, set platform.aws.defaultMachinePlatform.amiID, use ${streamed ? "another --coreos-stream" : "--coreos-stream FILE"}, or add ${inFacts(`aws.images.${names}`)}`,
  ),
  "no-host": need(
    "aws.dedicatedHosts",
    "hostPlacement.dedicatedHost",
    ({ names }) => `the zone of ${names} is not listed in the facts file`,
  ),
} as const;
