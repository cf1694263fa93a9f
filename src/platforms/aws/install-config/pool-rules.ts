/**
 * Rules of a pool's aws section and of defaultMachinePlatform (docs/reference/install-config-and-manifests.md §1.9).
 * The installer leaves the nested object out of the field: `.size` for rootVolume.size, `.authentication` for
 * metadataService.authentication.
 */
import { lookup } from "../../../core/lookup.js";
import type { AwsMachinePool, AwsPlatform } from "../../../generated/types/install-config.js";
import { quote } from "../../../text/quote.js";
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
const AFFINITIES = ["AnyAvailable", "DedicatedHost"];
/** Regions that images cannot be copied to. */
const REGIONS_WITHOUT_IMAGE = [
  "us-iso-east-1",
  "us-isob-east-1",
  "us-iso-west-1",
  "cn-north-1",
  "cn-northwest-1",
];

/** How regions are called, in every partition; a zone has a letter or a place more. */
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
      context.report({
        code: "IC308",
        kind: "Invalid",
        field: `${field}.zones[${i}]`,
        message: `the zone ${quote(zone)} is not in the region ${aws.region}`,
        hint: REGION.test(aws.region ?? "")
          ? `write a zone such as ${aws.region}a`
          : `a region is a word such as ${zone.replace(/[a-z]$/, "")}: it is platform.aws.region that is wrong`,
      });
  validateRootVolume(section, field, context);
  const authentication = section.metadataService?.authentication ?? "";
  if (!AUTHENTICATION.includes(authentication))
    context.report({
      code: "IC310",
      kind: "Invalid",
      field: `${field}.authentication`,
      at: `${field}.metadataService.authentication`,
      message: `authentication of the metadata service cannot be ${quote(authentication)}`,
      hint: "write Required or Optional",
    });
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
  report({
    code: "IC312",
    kind: "Required",
    field,
    message: `the region ${aws.region} needs an image of your own`,
    hint: "set platform.aws.defaultMachinePlatform.amiID",
  });
}

function validateRootVolume(section: AwsMachinePool, field: string, { release, report }: RuleContext): void {
  const { type = "", size = 0, iops = 0, throughput } = section.rootVolume ?? {};
  if (type === "") return;
  const invalid = (name: string, message: string, hint: string) =>
    report({
      code: "IC309",
      kind: "Invalid",
      field: `${field}.${name}`,
      at: `${field}.rootVolume.${name}`,
      message,
      hint,
    });
  const zeroIsDefault = has(release, "zeroIsDefault");
  if (size < 0 || (size === 0 && !zeroIsDefault))
    invalid("size", `a root volume cannot have ${size} GiB`, "write the size in GiB, such as 120");
  const lowerCase = type.toLowerCase();
  const volume = lookup(VOLUME_TYPES, lowerCase);
  if (volume === undefined)
    invalid(
      "type",
      `there is no volume type ${quote(type)}`,
      `write one of ${Object.keys(VOLUME_TYPES).join(", ")}`,
    );
  else if (!volume.iops && iops !== 0)
    invalid(
      "iops",
      `volumes of the type ${lowerCase} do not take a number of operations`,
      "leave iops out, or use gp3",
    );
  else if (volume.iops && iops < (zeroIsDefault ? 0 : volume.leastIops))
    invalid("iops", `${iops} operations each second are too few`, "write a positive number");
  if (throughput === undefined) return;
  if (lowerCase !== "gp3")
    invalid(
      "throughput",
      "only volumes of the type gp3 take a throughput",
      "leave throughput out, or use gp3",
    );
  else if (throughput < THROUGHPUT.least || throughput > THROUGHPUT.most)
    invalid(
      "throughput",
      `a throughput of ${throughput} MiB each second is out of range`,
      `write ${THROUGHPUT.least} to ${THROUGHPUT.most}`,
    );
  else if (has(release, "throughputRatio")) {
    const operations = iops === 0 ? THROUGHPUT.defaultIops : iops;
    const needed = throughput * THROUGHPUT.operations;
    if (needed > operations)
      invalid(
        "throughput",
        `a throughput of ${throughput} MiB each second needs ${needed} operations each second, and the volume has ${operations}`,
        `write iops: ${Math.max(THROUGHPUT.defaultIops, Math.ceil(needed / 100) * 100)} or more`,
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
    report({
      code: "IC311",
      kind: "Required",
      field: `${field}.platform.subnets`,
      at,
      message: "further security groups need existing subnets: groups belong to a VPC",
      hint: "give platform.aws.vpc.subnets",
    });
  if (groups.length > SECURITY_GROUP_LIMIT)
    report({
      code: "IC311",
      kind: "TooMany",
      field,
      at,
      message: `there are ${groups.length} further security groups; ${SECURITY_GROUP_LIMIT} are allowed`,
      hint: "remove some",
    });
}

function validateCpuOptions(section: AwsMachinePool, field: string, { report }: RuleContext): void {
  const options = section.cpuOptions;
  if (options === undefined) return;
  const { confidentialCompute } = options;
  if (confidentialCompute === undefined)
    report({
      code: "IC313",
      kind: "Invalid",
      field: `${field}.cpuOptions`,
      message: "cpuOptions is empty",
      hint: "set confidentialCompute, or leave cpuOptions out",
    });
  else if (!CONFIDENTIAL_COMPUTE.includes(confidentialCompute))
    report({
      code: "IC313",
      kind: "NotSupported",
      field: `${field}.confidentialCompute`,
      at: `${field}.cpuOptions.confidentialCompute`,
      message: `confidentialCompute cannot be ${quote(confidentialCompute)}`,
      hint: `write ${CONFIDENTIAL_COMPUTE.join(" or ")}`,
    });
}

function validateHostPlacement(
  section: AwsMachinePool,
  role: string,
  field: string,
  { report }: RuleContext,
): void {
  const placement = section.hostPlacement;
  if (placement === undefined) return;
  const broken = (
    kind: "Invalid" | "Required" | "NotSupported",
    name: string,
    message: string,
    hint: string,
  ) => report({ code: "IC314", kind, field: `${field}${name}`, message, hint });
  const hosts = placement.dedicatedHost ?? [];
  if (role !== "worker") {
    broken("Invalid", "", "dedicated hosts are for worker pools only", "move hostPlacement to a worker pool");
    return;
  }
  const { affinity } = placement;
  if (affinity === undefined) {
    broken("Required", ".affinity", "affinity is missing", `write ${AFFINITIES.join(" or ")}`);
    return;
  }
  if (!AFFINITIES.includes(affinity)) {
    broken(
      "NotSupported",
      ".affinity",
      `affinity cannot be ${quote(affinity)}`,
      `write ${AFFINITIES.join(" or ")}`,
    );
    return;
  }
  if (affinity === "AnyAvailable") {
    if (hosts.length > 0)
      broken(
        "Required",
        ".dedicatedHost",
        "with AnyAvailable no host is named",
        "leave dedicatedHost out, or set affinity to DedicatedHost",
      );
    return;
  }
  if (hosts.length === 0)
    broken("Required", ".dedicatedHost", "with DedicatedHost a host is named", "add dedicatedHost");
  for (const [i, { id }] of hosts.entries())
    if (!id)
      broken(
        "Required",
        `.dedicatedHost[${i}].id`,
        "the host has no identifier",
        'write one such as "h-0123456789abcdef0"',
      );
}
