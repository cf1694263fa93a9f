/**
 * Rules of platform.aws (docs/reference/install-config-and-manifests.md §1.9); those of its machine pools are beside.
 */
import type { AwsPlatform } from "../../../generated/types/install-config.js";
import { quote } from "../../../text/quote.js";
import type { NormalConfig } from "../../config.js";
import { arbiterIsEnabled } from "../../enabled-gates.js";
import { DUAL_STACK_FAMILIES, isDualStack } from "../../ip-families.js";
import type { RuleContext } from "../../platform.js";
import { validateServiceEndpoints } from "../../service-endpoint.js";
import { has } from "../tables.js";
import { validateImages, validatePoolSection } from "./pool-rules.js";
import { validateSubnets } from "./subnet-rules.js";

const FIELD = "platform.aws";
const USER_TAG_LIMIT = 25;
/** S3 takes ten tags on an object, and two of them are the installer's. */
const OBJECT_TAG_LIMIT = 8;
const TAG_KEY_LIMIT = 128;
const TAG_VALUE_LIMIT = 256;
const TAG_CHARACTERS = /^[0-9A-Za-z_.:/=+-@\p{Z}]*$/u;
const RESERVED_TAGS = /^([^/]*\.)?(kubernetes.io|openshift.io)\//;
const LOAD_BALANCERS = ["", "Classic", "NLB"];

export function validate(config: NormalConfig, context: RuleContext): void {
  const { aws } = config.platform;
  if (aws === undefined) return;
  if (!aws.region)
    context.report({
      code: "IC301",
      kind: "Required",
      field: `${FIELD}.region`,
      message: "the region is missing",
      hint: "write a region such as eu-west-1",
    });
  validateHostedZone(config, aws, context);
  if (has(context.release, "subnetRoles")) validateSubnets(aws.vpc?.subnets ?? [], config.publish, context);
  validateServiceEndpoints(
    aws.serviceEndpoints ?? [],
    {
      field: `${FIELD}.serviceEndpoints`,
      code: "IC305",
      repeated: "Invalid",
    },
    context,
  );
  validateUserTags(aws.userTags ?? {}, context);
  validateLoadBalancer(aws, context);
  if (aws.defaultMachinePlatform !== undefined)
    validatePoolSection(
      aws,
      aws.defaultMachinePlatform,
      "default",
      `${FIELD}.defaultMachinePlatform`,
      context,
    );
  const pools = [
    { pool: config.controlPlane, field: "controlPlane" },
    ...(config.arbiter === undefined || !arbiterIsEnabled(context.release, config)
      ? []
      : [{ pool: config.arbiter, field: "arbiter" }]),
    ...config.compute.map((pool, i) => ({ pool, field: `compute[${i}]` })),
  ];
  for (const { pool, field } of pools) {
    validateImages(aws, pool.platform.aws, `${field}.platform.aws`, context);
    if (pool.platform.aws !== undefined)
      validatePoolSection(aws, pool.platform.aws, pool.name, `${field}.platform.aws`, context);
  }
}

function validateHostedZone(config: NormalConfig, aws: AwsPlatform, { report }: RuleContext): void {
  if (aws.hostedZone && (aws.vpc?.subnets ?? []).length === 0)
    report({
      code: "IC303",
      kind: "Invalid",
      field: `${FIELD}.hostedZone`,
      message: "an existing hosted zone needs existing subnets",
      hint: "give platform.aws.vpc.subnets, or leave hostedZone out",
    });
  if (!aws.hostedZoneRole) return;
  if (!aws.hostedZone)
    report({
      code: "IC303",
      kind: "Invalid",
      field: `${FIELD}.hostedZoneRole`,
      message: "a role for the hosted zone needs a hosted zone",
      hint: "add hostedZone, or leave hostedZoneRole out",
    });
  if (config.credentialsMode !== "Manual" && config.credentialsMode !== "Passthrough")
    report({
      code: "IC303",
      kind: "Forbidden",
      field: `${FIELD}.credentialsMode`,
      at: "credentialsMode",
      message: "a role for the hosted zone needs the credentials mode Manual or Passthrough",
      hint: "set credentialsMode",
    });
}

function validateUserTags(tags: Readonly<Record<string, string>>, { report }: RuleContext): void {
  const entries = Object.entries(tags);
  if (entries.length > OBJECT_TAG_LIMIT)
    report({
      code: "IC320",
      severity: "warning",
      kind: "TooMany",
      field: `${FIELD}.userTags`,
      message: `S3 objects take ${OBJECT_TAG_LIMIT} tags: only the first ${OBJECT_TAG_LIMIT} by name are put on the bootstrap ignition, which is deleted after the installation`,
      hint: "nothing else is affected",
    });
  if (entries.length > USER_TAG_LIMIT)
    report({
      code: "IC304",
      kind: "TooMany",
      field: `${FIELD}.userTags`,
      message: `there are ${entries.length} tags; ${USER_TAG_LIMIT} are allowed`,
      hint: "remove some",
    });
  for (const [key, value] of entries) {
    const fault = tagFault(key, value);
    if (fault !== undefined)
      report({
        code: "IC304",
        kind: "Invalid",
        field: `${FIELD}.userTags[${key}]`,
        message: `the tag cannot be used: ${fault}`,
        hint: "keys have 1 to 128 characters and values 1 to 256, of letters, digits, blanks and _.:/=+-@",
      });
  }
}

function tagFault(key: string, value: string): string | undefined {
  if (key.toLowerCase() === "name") return "the installer sets Name itself";
  if (!TAG_CHARACTERS.test(key)) return "its key holds other characters";
  if (!TAG_CHARACTERS.test(value)) return "its value holds other characters";
  if (key === "") return "its key is empty";
  if (Buffer.byteLength(key) > TAG_KEY_LIMIT) return "its key is too long";
  if (value === "") return "its value is empty";
  if (Buffer.byteLength(value) > TAG_VALUE_LIMIT) return "its value is too long";
  return RESERVED_TAGS.test(key) ? "keys of kubernetes.io and openshift.io are reserved" : undefined;
}

function validateLoadBalancer(aws: AwsPlatform, { release, report }: RuleContext): void {
  const family = aws.ipFamily ?? "";
  if (has(release, "ipFamily")) {
    const families = ["IPv4", ...DUAL_STACK_FAMILIES];
    if (family !== "" && !families.includes(family))
      report({
        code: "IC306",
        kind: "NotSupported",
        field: `${FIELD}.ipFamily`,
        message: `ipFamily cannot be ${quote(family)}`,
        hint: `write IPv4, or ${DUAL_STACK_FAMILIES.join(" or ")} with the feature gate AWSDualStackInstall`,
      });
    if (isDualStack(aws) && aws.lbType === "Classic")
      report({
        code: "IC307",
        kind: "Invalid",
        field: `${FIELD}.lbType`,
        message: "a Classic load balancer carries IPv4 only",
        hint: "write NLB, or leave lbType out",
      });
  }
  if (!LOAD_BALANCERS.includes(aws.lbType ?? ""))
    report({
      code: "IC321",
      severity: "warning",
      kind: "NotSupported",
      field: `${FIELD}.lbType`,
      message: `there is no load balancer type ${quote(aws.lbType ?? "")}; the API server will refuse the Ingress config`,
      hint: "write Classic or NLB, or leave lbType out",
    });
}
