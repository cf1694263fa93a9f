/**
 * Rules of platform.ibmcloud and of the sections of its machine pools (openshift/installer pkg/types/ibmcloud/validation).
 */

import { counted } from "../../core/counted.js";
import { invalid, problem, required, warning } from "../../core/problem.js";
import { quote } from "../../text/quote.js";
import type { NormalConfig } from "../config.js";
import { arbiterIsEnabled } from "../enabled-gates.js";
import { type Shape, text } from "../normal-shape.js";
import type { PlatformRules, RuleContext } from "../platform.js";
import { validateServiceEndpoints } from "../service-endpoint.js";
import {
  type IbmcloudMachinePool,
  type IbmcloudPlatform,
  mergeSections,
  poolSection,
  SUBNET_LISTS,
} from "./config.js";
import { has, REGIONS } from "./tables.js";

const FIELD = "platform.ibmcloud";

function validate(config: NormalConfig, context: RuleContext): void {
  const section = config.platform.ibmcloud;
  if (section === undefined) return;
  validateRegion(section, context);
  warnOfCredentials(config, context);
  validateNetwork(section, context);
  const fallback = section.defaultMachinePlatform;
  if (fallback !== undefined) validatePool(section, fallback, `${FIELD}.defaultMachinePlatform`, context);
  const version = has(context.release, "versionAnywhere") ? VERSIONS : VERSION_AT_END;
  validateServiceEndpoints(
    section.serviceEndpoints ?? [],
    {
      field: `${FIELD}.serviceEndpoints`,
      code: "IC344",
      repeated: "Invalid",
      version: (path) => path.replace(version, "") === "",
    },
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
    if (pool.platform.ibmcloud !== undefined)
      validatePool(section, poolSection(pool), `${field}.platform.ibmcloud`, context);
    warnOfLostHosts(section, poolSection(pool), `${field}.platform.ibmcloud`, context);
  }
}

function validateRegion({ region = "" }: IbmcloudPlatform, { release, report }: RuleContext): void {
  if (region === "") report(required("IC330", `${FIELD}.region`, "", "use a region such as eu-gb"));
  else if (has(release, "listedRegions") && !REGIONS.includes(region))
    report(
      problem(
        "IC331",
        "NotSupported",
        `${FIELD}.region`,
        `region ${quote(region)} is not supported in this release`,
        `use one of ${REGIONS.join(", ")}`,
      ),
    );
}

/** The installer has no rule here, but the cloud credential operator knows one mode on IBM Cloud (OpenShift documentation, Configuring IAM for IBM Cloud). */
function warnOfCredentials({ credentialsMode = "" }: NormalConfig, { report }: RuleContext): void {
  if (credentialsMode !== "") return;
  report(
    warning(
      "IC349",
      "Required",
      "credentialsMode",
      "must be Manual on IBM Cloud: each operator needs credentials that you create",
      {
        at: "platform.ibmcloud",
        hint: "set credentialsMode: Manual; the manual steps contain the commands that create the credentials",
      },
    ),
  );
}

/** A VPC and its subnets come along together; a list without a subnet counts as given here, and is refused later. */
function validateNetwork(section: IbmcloudPlatform, { report }: RuleContext): void {
  const missing = (member: string, message: string, hint: string) =>
    report(problem("IC332", "Required", `${FIELD}.${member}`, message, hint));
  if (section.vpcName) {
    for (const { list } of SUBNET_LISTS)
      if (section[list] === undefined)
        missing(
          list,
          "required value is missing: an existing VPC requires existing subnets",
          "set one subnet in each zone",
        );
  } else if (SUBNET_LISTS.some(({ list }) => section[list] !== undefined))
    missing(
      "vpcName",
      "existing subnets require an existing VPC",
      "set vpcName, or remove controlPlaneSubnets and computeSubnets",
    );
}

/** The path of an endpoint, with the query behind it, is a version such as /v1. */
const VERSION_AT_END = /(\/v\d+\/?)$/;
const VERSIONS = /\/(api\/)?v\d+\/?/g;

/** How regions are called; a zone has a number more. */
const REGION = /^[a-z]{2}-[a-z]{2,10}$/;

function validatePool(
  { region = "" }: IbmcloudPlatform,
  { type = "", zones = [], dedicatedHosts, bootVolume }: IbmcloudMachinePool,
  field: string,
  { report }: RuleContext,
): void {
  for (const [i, zone] of zones.entries())
    if (!zone.startsWith(region))
      report(
        invalid(
          "IC335",
          `${field}.zones[${i}]`,
          zone,
          `must be in the region ${region}`,
          REGION.test(region)
            ? `use a zone such as ${region}-1`
            : `correct platform.ibmcloud.region, for example to ${zone.replace(/-[0-9]$/, "")}`,
        ),
      );
  if (dedicatedHosts !== undefined) {
    if (dedicatedHosts.length !== zones.length)
      report(
        problem(
          "IC342",
          "Invalid",
          `${field}.dedicatedHosts`,
          `the pool has ${counted(dedicatedHosts.length, "dedicated host")}, but ${counted(zones.length, "zone")}`,
          "set the zones here, and one host for each of them in the same order",
        ),
      );
    for (const [i, host] of dedicatedHosts.entries())
      validateHost(host, type, `${field}.dedicatedHosts[${i}]`, report);
    if (type === "")
      report(
        required("IC336", `${field}.type`, "dedicated hosts do not support the default machine type", {
          kind: "Invalid",
          hint: "use a type of the hosts' family, such as bx2-4x16",
        }),
      );
  }
  const key = bootVolume?.encryptionKey ?? "";
  if (key !== "" && !isCrn(key))
    report(
      problem(
        "IC339",
        "Invalid",
        `${field}.bootVolume.encryptionKey`,
        "must be a CRN",
        "to list the CRNs, run: ibmcloud kp keys --output json",
      ),
    );
}

const family = (profile: string): string => profile.split("-", 1)[0] ?? "";

function validateHost(
  { name = "", profile = "" }: NonNullable<IbmcloudMachinePool["dedicatedHosts"]>[number],
  type: string,
  field: string,
  report: RuleContext["report"],
): void {
  if (name === "" && profile === "")
    report(
      required("IC342", field, "name or profile", {
        kind: "Invalid",
        hint: "set the name of an existing host, or the profile of a new host, such as bx2-host-152x608",
      }),
    );
  if (profile !== "" && type !== "" && family(profile) !== family(type))
    report(
      problem(
        "IC342",
        "Invalid",
        `${field}.profile`,
        `the host profile ${quote(profile)} does not support the machine type ${quote(type)}`,
        `use a profile of the family ${family(type)}`,
      ),
    );
}

/** As github.com/IBM-Cloud/bluemix-go/crn reads one: ten parts, of which the seventh is a scope. */
export function isCrn(text: string): boolean {
  const parts = text.split(":");
  const scope = parts[6] ?? "";
  return (
    parts.length === 10 &&
    parts[0] === "crn" &&
    (scope === "" || scope === "global" || scope.split("/").length === 2)
  );
}

/** Hosts and zones of different sections do not belong together: the installer then leaves the hosts out, silently. */
function warnOfLostHosts(
  section: IbmcloudPlatform,
  own: IbmcloudMachinePool,
  field: string,
  { report }: RuleContext,
): void {
  const { dedicatedHosts, zones } = mergeSections(section.defaultMachinePlatform ?? {}, own);
  const split = (own.dedicatedHosts ?? []).length === 0 && (own.zones ?? []).length > 0;
  if (!split || dedicatedHosts.length === 0 || dedicatedHosts.length === zones.length) return;
  report(
    warning(
      "IC348",
      "Invalid",
      `${field}.zones`,
      `the dedicated hosts of defaultMachinePlatform are ignored: ${dedicatedHosts.length} hosts, but ${zones.length} zones`,
      "set dedicatedHosts on the pool, one for each of its zones",
    ),
  );
}

const POOL: Shape = {
  bootVolume: { keep: "given" },
};

export const rules: PlatformRules = {
  name: "ibmcloud",
  applyDefaults: (config) => config,
  validate,
  normalForm: {
    section: () => ({
      region: text,
      defaultMachinePlatform: { keep: "given", of: POOL },
      serviceEndpoints: { each: { name: text, url: text } },
    }),
    pool: POOL,
  },
};
