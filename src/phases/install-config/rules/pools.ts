/**
 * Machine pools: what holds for every pool and what holds by role (docs/reference/install-config-and-manifests.md
 * §1.7).
 */
import { holdsAt } from "../../../core/by-release.js";
import type { NormalConfig, NormalPool } from "../../../platforms/config.js";
import { arbiterIsEnabled, gateEnabled } from "../../../platforms/enabled-gates.js";
import type { RuleContext } from "../../../platforms/platform.js";
import {
  activePlatform,
  activeTraits,
  namedPlatforms,
  namedTraits,
  PLATFORM_NAMES,
  PLATFORMS,
  platformsWith,
} from "../../../platforms/registry.js";
import { inForce } from "../../../platforms/release-changes.js";
import type { Traits } from "../../../platforms/traits.js";
import { quote } from "../../../text/quote.js";
import { validateDiskSetup } from "./disk-setup.js";
import { validateFencing } from "./fencing.js";

const HYPERTHREADING = ["Enabled", "Disabled"];
const ARCHITECTURES = ["amd64", "arm64", "ppc64le", "s390x"];
const MOST_MACHINES = 10_000;
const MANAGEMENT = ["ClusterAPI", "MachineAPI"];
export function validatePools(config: NormalConfig, context: RuleContext): void {
  validateControlPlane(config, context);
  if (config.arbiter !== undefined) validateArbiter(config, config.arbiter, context);
  validateCompute(config, context);
}

function validateControlPlane(config: NormalConfig, context: RuleContext): void {
  const { controlPlane } = config;
  if (controlPlane.replicas === 0)
    context.report({
      code: "IC180",
      kind: "Invalid",
      field: "controlPlane.replicas",
      message: "a control plane needs machines",
      hint: "write 3, or 1 for a single node",
    });
  validatePool(config, controlPlane, "controlPlane", context);
  if (inForce(context.release, "fencing")) validateFencing(config, context);
}

function validateArbiter(config: NormalConfig, arbiter: NormalPool, context: RuleContext): void {
  const { release, report } = context;
  if (!arbiterIsEnabled(release, config)) {
    report({
      code: "IC242",
      kind: "Forbidden",
      field: "arbiter",
      message: "an arbiter needs the feature gate HighlyAvailableArbiter, which is off in this release",
      hint: "set featureSet to TechPreviewNoUpgrade, or compile for --release 4.20 or newer",
    });
    return;
  }
  const possible = ({ arbiter: span }: Traits): boolean => span !== undefined && holdsAt(span, release);
  if (!namedTraits(config).some(possible))
    report({
      code: "IC187",
      kind: "NotSupported",
      field: "arbiter.platform",
      at: "arbiter",
      message: "an arbiter is not possible on this platform",
      hint: `the platforms with an arbiter are ${platformsWith(possible)}`,
    });
  if (arbiter.replicas === 0)
    report({
      code: "IC180",
      kind: "Invalid",
      field: "arbiter.replicas",
      message: "the arbiter has no machines",
      hint: "set arbiter.replicas to 1",
    });
  if (config.controlPlane.replicas < 2)
    report({
      code: "IC187",
      kind: "Invalid",
      field: "arbiter.replicas",
      at: "controlPlane.replicas",
      message: `beside an arbiter the control plane has at least 2 machines, not ${config.controlPlane.replicas}`,
      hint: "write controlPlane.replicas: 2",
    });
  validatePool(config, arbiter, "arbiter", context);
}

function validateCompute(config: NormalConfig, context: RuleContext): void {
  const seen = new Set<string>();
  for (const [i, pool] of config.compute.entries()) {
    const field = `compute[${i}]`;
    validateComputeName(config, pool, field, context);
    if (seen.has(pool.name))
      context.report({
        code: "IC181",
        kind: "Duplicate",
        field: `${field}.name`,
        message: `there is more than one pool named ${quote(pool.name)}`,
        hint: "make one pool of them",
      });
    seen.add(pool.name);
    validateArchitectureBesideControlPlane(config, pool, field, context);
    validatePool(config, pool, field, context);
    if (pool.fencing !== undefined)
      context.report({
        code: "IC188",
        kind: "Invalid",
        field: `${field}.fencing`,
        message: "fencing is for the control plane only",
        hint: "move it to controlPlane.fencing",
      });
  }
}

function validateComputeName(
  config: NormalConfig,
  pool: NormalPool,
  field: string,
  context: RuleContext,
): void {
  const notSupported = (message: string, hint: string) =>
    context.report({ code: "IC181", kind: "NotSupported", field: `${field}.name`, message, hint });
  if (pool.name === "worker") return;
  if (pool.name !== "edge") {
    notSupported(`a compute pool cannot be named ${quote(pool.name)}`, "write worker");
    return;
  }
  if (activeTraits(config)?.edgePools !== true)
    notSupported(
      `edge pools are for ${platformsWith(({ edgePools }) => edgePools === true)} only`,
      "write worker",
    );
}

function validateArchitectureBesideControlPlane(
  config: NormalConfig,
  pool: NormalPool,
  field: string,
  { release, report }: RuleContext,
): void {
  const { controlPlane } = config;
  if (pool.architecture === controlPlane.architecture) return;
  // What there is not is told by itself; that it differs follows from it.
  if ([pool, controlPlane].some(({ architecture }) => architectureFault(config, architecture) !== undefined))
    return;
  const invalid = (message: string, hint: string) =>
    report({ code: "IC183", kind: "Invalid", field: `${field}.architecture`, message, hint });
  const allowed = namedPlatforms(config).flatMap((name) =>
    (PLATFORMS[name].traits.mixedArchitectures ?? [])
      .filter((row) => holdsAt(row, release))
      .filter(({ gate }) => gate === undefined || gateEnabled(release, config, gate))
      .map(({ only }) => ({ name, only })),
  );
  const both = `the pool is ${pool.architecture}, the control plane ${controlPlane.architecture}`;
  const only = allowed.find((row) => row.only !== undefined);
  if (allowed.length === 0)
    invalid(`${both}; this platform allows one architecture only`, `write ${controlPlane.architecture}`);
  else if (
    only?.only !== undefined &&
    (controlPlane.architecture !== only.only.controlPlane || pool.architecture !== only.only.compute)
  )
    invalid(
      `${both}; on ${only.name} only ${only.only.compute} pools beside an ${only.only.controlPlane} control plane are possible`,
      "use one architecture",
    );
}

/** Why no pool has the architecture: there is none of that name, or the platform has no machines of it. */
function architectureFault(
  config: NormalConfig,
  architecture: string,
): { readonly message: string; readonly hint: string } | undefined {
  if (!ARCHITECTURES.includes(architecture))
    return {
      message: `there is no architecture ${quote(architecture)}`,
      hint: `write one of ${ARCHITECTURES.join(", ")}`,
    };
  for (const name of namedPlatforms(config)) {
    const { architectures } = PLATFORMS[name].traits;
    if (architectures === undefined || architectures.includes(architecture)) continue;
    return {
      message: `${name} has no machines of the architecture ${quote(architecture)}`,
      hint: `write ${architectures.join(" or ")}`,
    };
  }
  return undefined;
}

/** What holds for every pool. */
function validatePool(config: NormalConfig, pool: NormalPool, field: string, context: RuleContext): void {
  const { report } = context;
  if (pool.replicas < 0)
    report({
      code: "IC180",
      kind: "Invalid",
      field: `${field}.replicas`,
      message: "the number of machines is negative",
      hint: field === "controlPlane" ? "write 3, or 1 for a single node" : "write 0 or more",
    });
  // Machines are written one by one; Kubernetes itself has half as many nodes at most.
  if (pool.replicas > MOST_MACHINES)
    report({
      code: "IC180",
      kind: "TooMany",
      field: `${field}.replicas`,
      message: `a pool cannot have more than ${MOST_MACHINES} machines`,
      hint: "write the number that the cluster begins with",
    });
  if (!HYPERTHREADING.includes(pool.hyperthreading))
    report({
      code: "IC182",
      kind: "NotSupported",
      field: `${field}.hyperthreading`,
      message: `hyperthreading cannot be ${quote(pool.hyperthreading)}`,
      hint: `write ${HYPERTHREADING.join(" or ")}`,
    });
  const fault = architectureFault(config, pool.architecture);
  if (fault !== undefined)
    report({ code: "IC183", kind: "NotSupported", field: `${field}.architecture`, ...fault });
  if ((pool.management ?? "") !== "" && !MANAGEMENT.includes(pool.management ?? ""))
    report({
      code: "IC270",
      severity: "warning",
      kind: "NotSupported",
      field: `${field}.management`,
      message: `${quote(pool.management ?? "")} counts as MachineAPI`,
      hint: `write ${MANAGEMENT.join(" or ")}`,
    });
  if (inForce(context.release, "diskSetup")) validateDiskSetup(pool, field, context);
  validateSections(config, pool, field, context);
}

function validateSections(
  config: NormalConfig,
  pool: NormalPool,
  field: string,
  { report }: RuleContext,
): void {
  const active = activePlatform(config);
  const base = activeTraits(config)?.standsOn;
  for (const name of PLATFORM_NAMES) {
    if (name === active || name === base || new Map(Object.entries(pool.platform)).get(name) === undefined)
      continue;
    const { poolSection } = PLATFORMS[name].traits;
    const at = { code: "IC184", kind: "Invalid", field: `${field}.platform.${name}` } as const;
    if (poolSection === "refused")
      report({
        ...at,
        message: `the pool has a section for ${name}, but the platform is ${active ?? "not named"}`,
        hint: "remove the section",
      });
    else if (poolSection === "without effect")
      report({
        ...at,
        severity: "warning",
        message: `the section for ${name} is without effect, since the platform is ${active ?? "not named"}`,
        hint: "remove the section",
      });
  }
}
