/**
 * Rules of a pool's aws section and of defaultMachinePlatform (docs/reference/install-config-and-manifests.md §1.9).
 * The installer leaves the nested object out of the field: `.size` for rootVolume.size, `.authentication` for
 * metadataService.authentication.
 */
import { lookup } from "../../../core/lookup.js";
import { invalid, problemList, required, tooMany, unsupported } from "../../../core/problem.js";
import type { AwsMachinePool, AwsPlatform } from "../../../generated/types/install-config.js";

import type { RuleContext } from "../../platform.js";
import { has } from "../tables.js";
import { mergeSections } from "./defaults.js";

/** Root volumes: whether they take operations per second, and the least number where 0 is no default. */
const VOLUME_TYPES: Readonly<Record<string, { readonly iops: boolean; readonly leastIops: number }>> = {
  io1: { iops: true, leastIops: 1 },
  io2: { iops: true, leastIops: 1 },
  gp3: { iops: true, leastIops: 0 },
  gp2: { iops: false, leastIops: 0 },
  st1: { iops: false, leastIops: 0 },
  sc1: { iops: false, leastIops: 0 },
  standard: { iops: false, leastIops: 0 },
};
/** MiB each second of a gp3 volume, and how many operations each second one of them needs. */
const THROUGHPUT = { least: 125, most: 2000, operations: 4, defaultIops: 3000 };
const AUTHENTICATION = ["", "Required", "Optional"];
const SECURITY_GROUP_LIMIT = 10;
const CONFIDENTIAL_COMPUTE = ["Disabled", "AMDEncryptedVirtualizationNestedPaging"];
const CODE = "IC314";
const AFFINITIES = ["AnyAvailable", "DedicatedHost"];
/** Regions that images cannot be copied to. */
const REGIONS_WITHOUT_IMAGE = [
  "us-iso-east-1",
  "us-isob-east-1",
  "us-iso-west-1",
  "cn-north-1",
  "cn-northwest-1",
];

/** The names of regions, in every partition; a zone has a letter or a place more. */
const REGION = /^[a-z]{2,8}(?:-[a-z]{1,20}){1,3}-[0-9]{1,2}$/;

/** A section of a pool; `role` is the pool's name, or `default`. */
export function validatePoolSection(
  aws: AwsPlatform,
  section: AwsMachinePool,
  role: string,
  field: string,
  context: RuleContext,
): void {
  for (const [i, zone] of (section.zones ?? []).entries())
    if (!zone.startsWith(aws.region ?? ""))
      context.report(
        invalid(
          "IC308",
          `${field}.zones[${i}]`,
          zone,
          `must be in the region ${aws.region}`,
          REGION.test(aws.region ?? "")
            ? `use a zone such as ${aws.region}a`
            : `correct platform.aws.region, for example to ${zone.replace(/[a-z]$/, "")}`,
        ),
      );
  validateRootVolume(section, field, context);
  const authentication = section.metadataService?.authentication ?? "";
  if (!AUTHENTICATION.includes(authentication))
    context.report(
      unsupported("IC310", `${field}.authentication`, authentication, AUTHENTICATION.slice(1), {
        kind: "Invalid",
        at: `${field}.metadataService.authentication`,
      }),
    );
  validateSecurityGroups(aws, section, field, context);
  validateCpuOptions(section, field, context);
  validateHostPlacement(section, role, `${field}.hostPlacement`, context);
}

/** Every pool needs an image where the release's own cannot be copied to. */
export function validateImages(
  aws: AwsPlatform,
  section: AwsMachinePool | undefined,
  field: string,
  { report }: RuleContext,
): void {
  const image = mergeSections(aws.defaultMachinePlatform ?? {}, section ?? {}).amiID ?? aws.amiID ?? "";
  if (image !== "" || !REGIONS_WITHOUT_IMAGE.includes(aws.region ?? "")) return;
  report(
    required(
      "IC312",
      field,
      `an AMI for the region ${aws.region}`,
      "set platform.aws.defaultMachinePlatform.amiID to an AMI of your own",
    ),
  );
}

function validateRootVolume(section: AwsMachinePool, field: string, { release, report }: RuleContext): void {
  const { type = "", size = 0, iops = 0, throughput } = section.rootVolume ?? {};
  if (type === "") return;
  const fault = (name: string, value: string | number, must: string, hint: string) =>
    report(invalid("IC309", `${field}.${name}`, value, must, { at: `${field}.rootVolume.${name}`, hint }));
  const zeroIsDefault = has(release, "zeroIsDefault");
  if (size < 0 || (size === 0 && !zeroIsDefault))
    fault("size", size, "must be greater than 0", "use a size in GiB, such as 120");
  const lowerCase = type.toLowerCase();
  const volume = lookup(VOLUME_TYPES, lowerCase);
  if (volume === undefined)
    report(
      unsupported("IC309", `${field}.type`, type, Object.keys(VOLUME_TYPES), {
        kind: "Invalid",
        at: `${field}.rootVolume.type`,
      }),
    );
  else if (!volume.iops && iops !== 0)
    fault(
      "iops",
      iops,
      `not supported for the volume type ${lowerCase}`,
      "remove iops, or set rootVolume.type: gp3",
    );
  else if (volume.iops && iops < (zeroIsDefault ? 0 : volume.leastIops))
    fault("iops", iops, "must be greater than 0", "use a positive number");
  if (throughput === undefined) return;
  if (lowerCase !== "gp3")
    fault(
      "throughput",
      throughput,
      "supported only for the volume type gp3",
      "remove throughput, or set rootVolume.type: gp3",
    );
  else if (throughput < THROUGHPUT.least || throughput > THROUGHPUT.most)
    fault(
      "throughput",
      throughput,
      `must be from ${THROUGHPUT.least} to ${THROUGHPUT.most} MiB/s`,
      `use a value from ${THROUGHPUT.least} to ${THROUGHPUT.most}`,
    );
  else if (has(release, "throughputRatio")) {
    const operations = iops === 0 ? THROUGHPUT.defaultIops : iops;
    const needed = throughput * THROUGHPUT.operations;
    if (needed > operations)
      fault(
        "throughput",
        throughput,
        `${throughput} MiB/s requires ${needed} IOPS, but the volume has ${operations}`,
        `set iops to ${Math.max(THROUGHPUT.defaultIops, Math.ceil(needed / 100) * 100)} or more`,
      );
  }
}

function validateSecurityGroups(
  aws: AwsPlatform,
  section: AwsMachinePool,
  field: string,
  { report }: RuleContext,
): void {
  const groups = section.additionalSecurityGroupIDs ?? [];
  const at = `${field}.additionalSecurityGroupIDs`;
  if (groups.length > 0 && (aws.vpc?.subnets ?? []).length === 0)
    report(
      required("IC311", `${field}.platform.subnets`, "additional security groups require existing subnets", {
        at,
        hint: "set platform.aws.vpc.subnets",
      }),
    );
  if (groups.length > SECURITY_GROUP_LIMIT)
    report(tooMany("IC311", field, groups.length, SECURITY_GROUP_LIMIT, { at }));
}

function validateCpuOptions(section: AwsMachinePool, field: string, { report }: RuleContext): void {
  const options = section.cpuOptions;
  if (options === undefined) return;
  const { confidentialCompute } = options;
  if (confidentialCompute === undefined)
    report(
      required("IC313", `${field}.cpuOptions`, "confidentialCompute", {
        kind: "Invalid",
        hint: "set confidentialCompute, or remove cpuOptions",
      }),
    );
  else if (!CONFIDENTIAL_COMPUTE.includes(confidentialCompute))
    report(
      unsupported("IC313", `${field}.confidentialCompute`, confidentialCompute, CONFIDENTIAL_COMPUTE, {
        at: `${field}.cpuOptions.confidentialCompute`,
      }),
    );
}

function validateHostPlacement(
  section: AwsMachinePool,
  role: string,
  field: string,
  { report }: RuleContext,
): void {
  const placement = section.hostPlacement;
  if (placement === undefined) return;
  const problems = problemList(report, field);
  const hosts = placement.dedicatedHost ?? [];
  if (role !== "worker") {
    problems.forbidden(CODE, "dedicated hosts are supported only for worker pools", {
      kind: "Invalid",
      hint: "move hostPlacement to a worker pool",
    });
    return;
  }
  const { affinity } = placement;
  if (affinity === undefined) problems.at("affinity").required(CODE, "", `use ${AFFINITIES.join(" or ")}`);
  else if (!AFFINITIES.includes(affinity)) problems.at("affinity").unsupported(CODE, affinity, AFFINITIES);
  else if (affinity === "AnyAvailable" && hosts.length > 0)
    problems.at("dedicatedHost").forbidden(CODE, "not supported with affinity: AnyAvailable", {
      kind: "Required",
      hint: "remove dedicatedHost, or set affinity: DedicatedHost",
    });
  else if (affinity === "DedicatedHost" && hosts.length === 0)
    problems.at("dedicatedHost").required(CODE, "affinity: DedicatedHost requires it", "add dedicatedHost");
  if (affinity !== "DedicatedHost") return;
  for (const [i, { id }] of hosts.entries())
    if (!id)
      problems.at(`dedicatedHost[${i}].id`).required(CODE, "", 'use an ID such as "h-0123456789abcdef0"');
}
