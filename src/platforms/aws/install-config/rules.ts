/**
 * Rules of platform.aws (docs/reference/install-config-and-manifests.md §1.9); those of its machine pools are in pool-rules.ts.
 */
import {
  forbidden,
  invalid,
  problemList,
  required,
  tooMany,
  unsupported,
  warning,
} from "../../../core/problem.js";
import type { AwsPlatform } from "../../../generated/types/install-config.js";

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
  if (!aws.region) context.report(required("IC301", `${FIELD}.region`, "", "set a region such as eu-west-1"));
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
  const problems = problemList(report, FIELD);
  if (aws.hostedZone && (aws.vpc?.subnets ?? []).length === 0)
    problems
      .at("hostedZone")
      .forbidden("IC303", "an existing hosted zone requires platform.aws.vpc.subnets", {
        kind: "Invalid",
        hint: "set platform.aws.vpc.subnets, or remove hostedZone",
      });
  if (!aws.hostedZoneRole) return;
  if (!aws.hostedZone)
    problems.at("hostedZoneRole").forbidden("IC303", "requires hostedZone", {
      kind: "Invalid",
      hint: "set hostedZone, or remove hostedZoneRole",
    });
  if (config.credentialsMode !== "Manual" && config.credentialsMode !== "Passthrough")
    report(
      forbidden(
        "IC303",
        `${FIELD}.credentialsMode`,
        "hostedZoneRole requires credentialsMode: Manual or Passthrough",
        { at: "credentialsMode", hint: "set credentialsMode: Passthrough" },
      ),
    );
}

function validateUserTags(tags: Readonly<Record<string, string>>, { report }: RuleContext): void {
  const field = `${FIELD}.userTags`;
  const entries = Object.entries(tags);
  if (entries.length > OBJECT_TAG_LIMIT)
    report(
      warning(
        "IC320",
        "TooMany",
        field,
        `S3 objects can have ${OBJECT_TAG_LIMIT} user tags: the object with the bootstrap Ignition config gets only the first ${OBJECT_TAG_LIMIT} by name`,
        "ignore this warning if that is acceptable; the object is deleted after the installation",
      ),
    );
  if (entries.length > USER_TAG_LIMIT) report(tooMany("IC304", field, entries.length, USER_TAG_LIMIT));
  for (const [key, value] of entries) {
    const fault = tagFault(key, value);
    if (fault !== undefined)
      report(
        invalid(
          "IC304",
          `${field}[${key}]`,
          value,
          fault,
          "use keys of 1 to 128 and values of 1 to 256 letters, digits, spaces and _.:/=+-@",
        ),
      );
  }
}

function tagFault(key: string, value: string): string | undefined {
  if (key.toLowerCase() === "name") return "the key Name is reserved for the installer";
  if (!TAG_CHARACTERS.test(key)) return "the key contains unsupported characters";
  if (!TAG_CHARACTERS.test(value)) return "the value contains unsupported characters";
  if (key === "") return "the key must not be empty";
  if (Buffer.byteLength(key) > TAG_KEY_LIMIT) return `the key must have at most ${TAG_KEY_LIMIT} bytes`;
  if (value === "") return "the value must not be empty";
  if (Buffer.byteLength(value) > TAG_VALUE_LIMIT)
    return `the value must have at most ${TAG_VALUE_LIMIT} bytes`;
  return RESERVED_TAGS.test(key) ? "keys of kubernetes.io and openshift.io are reserved" : undefined;
}

function validateLoadBalancer(aws: AwsPlatform, { release, report }: RuleContext): void {
  const family = aws.ipFamily ?? "";
  if (has(release, "ipFamily")) {
    const families = ["IPv4", ...DUAL_STACK_FAMILIES];
    if (family !== "" && !families.includes(family))
      report(
        unsupported(
          "IC306",
          `${FIELD}.ipFamily`,
          family,
          [],
          `use IPv4, or ${DUAL_STACK_FAMILIES.join(" or ")} with the feature gate AWSDualStackInstall`,
        ),
      );
    if (isDualStack(aws) && aws.lbType === "Classic")
      report(
        invalid(
          "IC307",
          `${FIELD}.lbType`,
          "Classic",
          "must be NLB: Classic load balancers support only IPv4",
          "use NLB, or remove lbType",
        ),
      );
  }
  if (!LOAD_BALANCERS.includes(aws.lbType ?? ""))
    report(
      warning(
        unsupported(
          "IC321",
          `${FIELD}.lbType`,
          aws.lbType ?? "",
          LOAD_BALANCERS.slice(1),
          "use a supported value, or the API server will reject the Ingress config",
        ),
      ),
    );
}
