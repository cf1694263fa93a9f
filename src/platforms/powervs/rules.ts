/**
 * Rules of platform.powervs and of the sections of its machine pools (openshift/installer pkg/types/powervs/validation).
 */
import { problem, warning } from "../../core/problem.js";
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
      problem(
        "IC330",
        "Required",
        "sshKey",
        "machines on powervs need an SSH key: the workspace keeps it for them",
        "give the public half of an RSA key of 2048 bits or more",
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
  if (zone === "")
    report(problem("IC330", "Required", field, "the zone is missing", `write one of ${names.join(", ")}`));
  else
    report(
      problem(
        "IC335",
        "NotSupported",
        field,
        `the release knows no zone ${quote(zone)}`,
        `write one of ${names.join(", ")}`,
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
        `there is no region ${quote(region)}`,
        `leave it out, as it follows from the zone, or write one of ${REGION_NAMES.join(", ")}`,
      ),
    );
  else if (systemsOf(region, zone, release) === undefined)
    report(
      warning(
        "IC349",
        "Invalid",
        field,
        `the zone ${zone} is not in the region ${region}, and the VPC would be made near that region`,
        "leave region out: it follows from the zone",
      ),
    );
}

function validateWorkspace({ serviceInstanceGUID = "" }: PowervsPlatform, { report }: RuleContext): void {
  if (serviceInstanceGUID !== "" && uuidDigits(serviceInstanceGUID) === undefined)
    report(
      problem(
        "IC341",
        "Invalid",
        `${FIELD}.ServiceInstanceGUID`,
        `${quote(serviceInstanceGUID)} is not a UUID, as the GUID of a workspace is`,
        {
          at: `${FIELD}.serviceInstanceGUID`,
          hint: "ibmcloud pi workspace list --json prints the GUID of each workspace",
        },
      ),
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
    report(
      problem(
        "IC336",
        "NotSupported",
        `${field}.procType`,
        `there is no type ${quote(procType)} of processors`,
        `write one of ${PROCESSOR_TYPES.join(", ")}`,
      ),
    );
  if (smtLevel !== "" && !SMT_LEVELS.includes(smtLevel))
    report(
      problem(
        "IC336",
        "Invalid",
        `${field}.smtLevel`,
        `there is no level ${quote(smtLevel)} of simultaneous multithreading`,
        `write one of ${SMT_LEVELS.map((level) => JSON.stringify(level)).join(", ")}, in quotes`,
      ),
    );
  const known = [...new Set(zonesAt(release).flatMap(({ systems }) => systems))];
  if (sysType !== "" && !known.includes(sysType))
    report(
      problem(
        "IC336",
        "Invalid",
        `${field}.sysType`,
        `the release knows no type ${quote(sysType)} of systems`,
        `write one of ${known.join(", ")}, whatever the zone offers`,
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
        problem(
          "IC337",
          "Invalid",
          `${field}.volumeIDs[${i}]`,
          `${quote(id)} is not a UUID, as the identifier of a volume is`,
          "ibmcloud pi volume list --json prints the identifier of each volume",
        ),
      );
    if (seen.has(id))
      report(
        problem(
          "IC337",
          "Duplicate",
          `${field}.volumeIDs[${i}]`,
          `the volume ${quote(id)} is here already`,
          "keep one of them",
        ),
      );
    seen.add(id);
  }
  if (volumeIDs.length > 0)
    report(
      warning(
        "IC348",
        "Invalid",
        `${field}.volumeIDs`,
        "volumeIDs has no effect: the installer attaches no volumes to machines",
        "leave it out, and attach volumes with the ibmcloud command",
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
      `${quote(String(pool.processors))} is not a number of cores that the installer can read as text`,
      'write a whole number without quotes, or text with a point such as "1.5"',
    );
  else if (typeof pool.processors === "string" && !QUARTERS.test(pool.processors))
    processors("cores come in quarters", 'write a multiple of a quarter, such as "0.75"');
  const least =
    procType === "Dedicated" ? 1 : PROCESSOR_TYPES.concat("").includes(procType) ? 0.5 : undefined;
  if (cores !== undefined && cores !== 0 && least !== undefined && cores < least)
    processors(
      `a machine with ${procType === "Dedicated" ? "dedicated" : "shared or capped"} processors has ${least} cores or more`,
      `write ${least === 1 ? "1" : '"0.5"'} or more`,
    );
  if (memoryGiB !== 0 && memoryGiB < LEAST_MEMORY)
    memory(`a machine has ${LEAST_MEMORY} GiB of memory or more`, `write ${LEAST_MEMORY} or more`);
  const limits = LARGEST.find(({ system }) => system.test(sysType));
  if (limits === undefined) return;
  if (memoryGiB > limits.memory)
    memory(
      `a machine on ${limits.name} has at most ${limits.memory} GiB of memory`,
      `write ${limits.memory} or less`,
    );
  if ((cores ?? 0) > limits.cores)
    processors(
      `a machine on ${limits.name} has at most ${limits.cores} cores`,
      `write ${limits.cores} or less`,
    );
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
          "the smtLevel of defaultMachinePlatform has no effect on compute machines",
          "write smtLevel in the section of the pool too",
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
