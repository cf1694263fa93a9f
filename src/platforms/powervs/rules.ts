/**
 * Rules of platform.powervs and of the sections of its machine pools (openshift/installer pkg/types/powervs/validation).
 */
import { duplicate, invalid, problem, required, unsupported, warning } from "../../core/problem.js";
import { quote } from "../../text/quote.js";
import type { NormalConfig } from "../config.js";
import { arbiterIsEnabled } from "../enabled-gates.js";
import { type Shape, text } from "../normal-shape.js";
import type { PlatformRules, RuleContext } from "../platform.js";
import { validateServiceEndpoints } from "../service-endpoint.js";
import { uuidDigits } from "../uuid.js";
import { type PowervsMachinePool, type PowervsPlatform, poolSection, regionOf } from "./config.js";
import { REGION_NAMES, systemsOf, zonesAt } from "./tables.js";

const FIELD = "platform.powervs";

function validate(config: NormalConfig, context: RuleContext): void {
  const section = config.platform.powervs;
  if (section === undefined) return;
  if ((config.sshKey ?? "") === "")
    context.report(
      required(
        "IC330",
        "sshKey",
        "powervs requires an SSH key in the workspace",
        "use the public key of an RSA key of 2048 bits or more",
      ),
    );
  // What follows from the zone says nothing where the zone is not known.
  if (validateZone(section, context)) {
    validateRegion(section, context);
    const fallback = section.defaultMachinePlatform;
    if (fallback !== undefined) validatePool(fallback, `${FIELD}.defaultMachinePlatform`, context);
    validateWorkspace(section, context);
    validateServiceEndpoints(
      section.serviceEndpoints ?? [],
      {
        field: `${FIELD}.serviceEndpoints`,
        code: "IC344",
        repeated: "Duplicate",
        version: (path) => path.replace(VERSION, "") === "",
      },
      context,
    );
  }
  const pools = [
    { pool: config.controlPlane, field: "controlPlane" },
    ...config.compute.map((pool, i) => ({ pool, field: `compute[${i}]` })),
    ...(config.arbiter === undefined || !arbiterIsEnabled(context.release, config)
      ? []
      : [{ pool: config.arbiter, field: "arbiter" }]),
  ];
  for (const { pool, field } of pools)
    if (pool.platform.powervs !== undefined)
      validatePool(poolSection(pool), `${field}.platform.powervs`, context);
  warnOfLostLevel(config, section, context);
}

function validateZone({ zone = "" }: PowervsPlatform, { release, report }: RuleContext): boolean {
  const field = `${FIELD}.zone`;
  const names = zonesAt(release).map(({ name }) => name);
  if (names.includes(zone)) return true;
  if (zone === "") report(required("IC330", field, "", `use one of ${names.join(", ")}`));
  else
    report(
      problem(
        "IC335",
        "NotSupported",
        field,
        `zone ${quote(zone)} is not supported in this release`,
        `use one of ${names.join(", ")}`,
      ),
    );
  return false;
}

function validateRegion(section: PowervsPlatform, { release, report }: RuleContext): void {
  const region = regionOf(section);
  const zone = section.zone ?? "";
  const field = `${FIELD}.region`;
  if (!REGION_NAMES.includes(region))
    report(
      problem(
        "IC331",
        "NotSupported",
        field,
        `unsupported region ${quote(region)}`,
        `remove it (it is derived from the zone), or use one of ${REGION_NAMES.join(", ")}`,
      ),
    );
  else if (systemsOf(region, zone, release) === undefined)
    report(
      warning(
        "IC349",
        "Invalid",
        field,
        `the zone ${zone} is not in the region ${region}, which determines the region of the VPC`,
        "remove region; it is derived from the zone",
      ),
    );
}

function validateWorkspace({ serviceInstanceGUID = "" }: PowervsPlatform, { report }: RuleContext): void {
  if (serviceInstanceGUID !== "" && uuidDigits(serviceInstanceGUID) === undefined)
    report(
      invalid("IC341", `${FIELD}.ServiceInstanceGUID`, serviceInstanceGUID, "must be a UUID", {
        at: `${FIELD}.serviceInstanceGUID`,
        hint: "to list the GUIDs, run: ibmcloud pi workspace list --json",
      }),
    );
}

/** The path of an endpoint, with the query behind it, may be a version such as /v1. */
const VERSION = /(\/v\d+\/?)$/;

const PROCESSOR_TYPES: readonly string[] = ["Shared", "Dedicated", "Capped"];
const SMT_LEVELS: readonly string[] = ["1", "2", "3", "4", "5", "6", "7", "8", "on", "off"];

function validatePool(pool: PowervsMachinePool, field: string, context: RuleContext): void {
  const { procType = "", smtLevel = "", sysType = "" } = pool;
  const { release, report } = context;
  validateVolumes(pool, field, context);
  validateSizes(pool, field, context);
  if (procType !== "" && !PROCESSOR_TYPES.includes(procType))
    report(unsupported("IC336", `${field}.procType`, procType, PROCESSOR_TYPES));
  if (smtLevel !== "" && !SMT_LEVELS.includes(smtLevel))
    report(
      problem(
        "IC336",
        "Invalid",
        `${field}.smtLevel`,
        `unsupported value ${quote(smtLevel)}`,
        `use one of ${SMT_LEVELS.map((level) => JSON.stringify(level)).join(", ")}, in quotes`,
      ),
    );
  const known = [...new Set(zonesAt(release).flatMap(({ systems }) => systems))];
  if (sysType !== "" && !known.includes(sysType))
    report(
      problem(
        "IC336",
        "Invalid",
        `${field}.sysType`,
        `system type ${quote(sysType)} is not supported in this release`,
        `use one of ${known.join(", ")}`,
      ),
    );
}

function validateVolumes(
  { volumeIDs = [] }: PowervsMachinePool,
  field: string,
  { report }: RuleContext,
): void {
  const seen = new Set<string>();
  for (const [i, id] of volumeIDs.entries()) {
    if (uuidDigits(id) === undefined)
      report(
        invalid(
          "IC337",
          `${field}.volumeIDs[${i}]`,
          id,
          "must be a UUID",
          "to list the volume IDs, run: ibmcloud pi volume list --json",
        ),
      );
    if (seen.has(id)) report(duplicate("IC337", `${field}.volumeIDs[${i}]`, id, "keep one of them"));
    seen.add(id);
  }
  if (volumeIDs.length > 0)
    report(
      warning(
        "IC348",
        "Invalid",
        `${field}.volumeIDs`,
        "ignored because the installer attaches no volumes to machines",
        "remove it, and attach volumes with the ibmcloud command",
      ),
    );
}

/** Cores as text: a number with a point, in which Go allows underscores, whose fraction is a multiple of a quarter. */
const CORES = /^[-+]?(?:\d+(?:_\d+)*\.(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)$/;
const QUARTERS = /\.(?:0*|250*|50*|750*)$/;
const LEAST_MEMORY = 4;

/** Largest machines of a type of system, in cores and GiB (https://cloud.ibm.com/docs/power-iaas?topic=power-iaas-pricing-virtual-server). */
const LARGEST = [
  { system: /^e980$/, name: "e980", memory: 15_307, cores: 143 },
  { system: /^s922(-.*|)$/, name: "s922", memory: 942, cores: 15 },
];

function validateSizes(pool: PowervsMachinePool, field: string, { report }: RuleContext): void {
  const { memoryGiB = 0, procType = "", sysType = "" } = pool;
  const wrong = (name: string, at: string, message: string, hint: string): void =>
    report(
      problem("IC336", "Invalid", `${field}.${name}`, message, {
        ...(name === at ? {} : { at: `${field}.${at}` }),
        hint,
      }),
    );
  const processors = (message: string, hint: string): void =>
    wrong("processors", "processors", message, hint);
  const memory = (message: string, hint: string): void => wrong("memory", "memoryGiB", message, hint);
  const cores = coresOf(pool.processors ?? 0);
  if (cores === undefined)
    processors(
      `invalid value ${quote(String(pool.processors))}: must be a number of cores`,
      'use an integer without quotes, or a string with a decimal point such as "1.5"',
    );
  else if (typeof pool.processors === "string" && !QUARTERS.test(pool.processors))
    processors("must be a multiple of 0.25", 'use a multiple of 0.25, such as "0.75"');
  const least =
    procType === "Dedicated" ? 1 : PROCESSOR_TYPES.concat("").includes(procType) ? 0.5 : undefined;
  if (cores !== undefined && cores !== 0 && least !== undefined && cores < least)
    processors(
      `must be at least ${least} with ${procType === "Dedicated" ? "dedicated" : "shared or capped"} processors`,
      `use ${least === 1 ? "1" : '"0.5"'} or more`,
    );
  if (memoryGiB !== 0 && memoryGiB < LEAST_MEMORY)
    memory(`must be at least ${LEAST_MEMORY} GiB`, `use ${LEAST_MEMORY} or more`);
  const limits = LARGEST.find(({ system }) => system.test(sysType));
  if (limits === undefined) return;
  if (memoryGiB > limits.memory)
    memory(`must be at most ${limits.memory} GiB on ${limits.name}`, `use ${limits.memory} or less`);
  if ((cores ?? 0) > limits.cores)
    processors(`must be at most ${limits.cores} cores on ${limits.name}`, `use ${limits.cores} or less`);
}

/** The number of cores; undefined for a text that the installer cannot read: it looks for what follows the point. */
const coresOf = (processors: number | string): number | undefined =>
  typeof processors === "number"
    ? processors
    : CORES.test(processors)
      ? Number(processors.replaceAll("_", ""))
      : undefined;

/** The level of defaultMachinePlatform is for the control plane alone: compute pools are asked for their own. */
function warnOfLostLevel(
  { compute }: NormalConfig,
  { defaultMachinePlatform }: PowervsPlatform,
  { report }: RuleContext,
): void {
  if (!defaultMachinePlatform?.smtLevel) return;
  for (const [i, pool] of compute.entries())
    if (!poolSection(pool).smtLevel)
      report(
        warning(
          "IC348",
          "Invalid",
          `compute[${i}].platform.powervs.smtLevel`,
          "the smtLevel of defaultMachinePlatform is ignored for compute machines",
          "set smtLevel in the pool as well",
        ),
      );
}

/** The type of processors is a struct for Go, which it never leaves out. */
const POOL: Shape = { processors: { zero: 0 } };

export const rules: PlatformRules = {
  name: "powervs",
  applyDefaults: (config) => config,
  validate,
  settle: (config) => {
    const section = config.platform.powervs;
    if (section === undefined || section.region) return config;
    return {
      ...config,
      platform: { ...config.platform, powervs: { ...section, region: regionOf(section) } },
    };
  },
  normalForm: {
    section: () => ({
      powervsResourceGroup: text,
      zone: text,
      userID: text,
      defaultMachinePlatform: { keep: "given", of: POOL },
      serviceEndpoints: { each: { name: text, url: text } },
    }),
    pool: POOL,
  },
};
