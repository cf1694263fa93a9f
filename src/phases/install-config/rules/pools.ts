/**
 * Machine pools: what holds for every pool and what holds by role (docs/reference/install-config-and-manifests.md
 * §1.7).
 */
import { holdsAt } from "../../../core/by-release.js";
import {
  duplicate,
  forbidden,
  ignored,
  invalid,
  problem,
  unsupported,
  warning,
} from "../../../core/problem.js";
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
const CONTROL_PLANE_SIZE = "use 3, or 1 for a single-node cluster";

export function validatePools(config: NormalConfig, context: RuleContext): void {
  validateControlPlane(config, context);
  if (config.arbiter !== undefined) validateArbiter(config, config.arbiter, context);
  validateCompute(config, context);
}

function validateControlPlane(config: NormalConfig, context: RuleContext): void {
  const { controlPlane } = config;
  if (controlPlane.replicas === 0)
    context.report(invalid("IC180", "controlPlane.replicas", 0, "must be at least 1", CONTROL_PLANE_SIZE));
  validatePool(config, controlPlane, "controlPlane", context);
  if (inForce(context.release, "fencing")) validateFencing(config, context);
}

function validateArbiter(config: NormalConfig, arbiter: NormalPool, context: RuleContext): void {
  const { release, report } = context;
  if (!arbiterIsEnabled(release, config)) {
    report(
      forbidden(
        "IC242",
        "arbiter",
        "the feature gate HighlyAvailableArbiter is not enabled in this release",
        "set featureSet: TechPreviewNoUpgrade, or use --release 4.20 or newer",
      ),
    );
    return;
  }
  const possible = ({ arbiter: span }: Traits): boolean => span !== undefined && holdsAt(span, release);
  if (!namedTraits(config).some(possible))
    report(
      problem(
        "IC187",
        "NotSupported",
        "arbiter.platform",
        "arbiter nodes are not supported on this platform",
        {
          at: "arbiter",
          hint: `arbiter nodes are supported on ${platformsWith(possible)}`,
        },
      ),
    );
  if (arbiter.replicas === 0)
    report(invalid("IC180", "arbiter.replicas", 0, "must be at least 1", "set arbiter.replicas: 1"));
  if (config.controlPlane.replicas < 2)
    report(
      problem(
        "IC187",
        "Invalid",
        "arbiter.replicas",
        `an arbiter requires a control plane with at least 2 replicas, found ${config.controlPlane.replicas}`,
        { at: "controlPlane.replicas", hint: "set controlPlane.replicas: 2" },
      ),
    );
  validatePool(config, arbiter, "arbiter", context);
}

function validateCompute(config: NormalConfig, context: RuleContext): void {
  const seen = new Set<string>();
  for (const [i, pool] of config.compute.entries()) {
    const field = `compute[${i}]`;
    validateComputeName(config, pool, field, context);
    if (seen.has(pool.name))
      context.report(duplicate("IC181", `${field}.name`, pool.name, "merge the pools into one"));
    seen.add(pool.name);
    validateArchitectureBesideControlPlane(config, pool, field, context);
    validatePool(config, pool, field, context);
    if (pool.fencing !== undefined)
      context.report(
        forbidden("IC188", `${field}.fencing`, "fencing is supported only for the control plane", {
          kind: "Invalid",
          hint: "move it to controlPlane.fencing",
        }),
      );
  }
}

function validateComputeName(
  config: NormalConfig,
  pool: NormalPool,
  field: string,
  context: RuleContext,
): void {
  if (pool.name === "worker") return;
  const isEdge = pool.name === "edge";
  if (isEdge && activeTraits(config)?.edgePools === true) return;
  const hint = isEdge
    ? `edge pools are supported on ${platformsWith(({ edgePools }) => edgePools === true)}`
    : "";
  context.report(unsupported("IC181", `${field}.name`, pool.name, ["worker"], hint));
}

function validateArchitectureBesideControlPlane(
  config: NormalConfig,
  pool: NormalPool,
  field: string,
  { release, report }: RuleContext,
): void {
  const { controlPlane } = config;
  if (pool.architecture === controlPlane.architecture) return;
  // An unsupported architecture is reported by itself; that it differs follows from it.
  if ([pool, controlPlane].some(({ architecture }) => supportedInstead(config, architecture) !== undefined))
    return;
  const fault = (must: string, hint: string) =>
    report(invalid("IC183", `${field}.architecture`, pool.architecture, must, hint));
  const allowed = namedPlatforms(config).flatMap((name) =>
    (PLATFORMS[name].traits.mixedArchitectures ?? [])
      .filter((row) => holdsAt(row, release))
      .filter(({ gate }) => gate === undefined || gateEnabled(release, config, gate))
      .map(({ only }) => ({ name, only })),
  );
  const only = allowed.find((row) => row.only !== undefined);
  if (allowed.length === 0)
    fault(
      `must be ${controlPlane.architecture}, as the control plane; this platform supports only one architecture`,
      `use ${controlPlane.architecture}`,
    );
  else if (
    only?.only !== undefined &&
    (controlPlane.architecture !== only.only.controlPlane || pool.architecture !== only.only.compute)
  )
    fault(
      `${only.name} supports only ${only.only.compute} pools with an ${only.only.controlPlane} control plane, found ${controlPlane.architecture}`,
      "use one architecture",
    );
}

/** The architectures that a pool of the config may have; undefined where the one it has is among them. */
function supportedInstead(config: NormalConfig, architecture: string): readonly string[] | undefined {
  return [
    ARCHITECTURES,
    ...namedPlatforms(config).map((name) => PLATFORMS[name].traits.architectures ?? ARCHITECTURES),
  ].find((each) => !each.includes(architecture));
}

/** What holds for every pool. */
function validatePool(config: NormalConfig, pool: NormalPool, field: string, context: RuleContext): void {
  const { report } = context;
  if (pool.replicas < 0)
    report(
      invalid(
        "IC180",
        `${field}.replicas`,
        pool.replicas,
        "must not be negative",
        field === "controlPlane" ? CONTROL_PLANE_SIZE : "use 0 or more",
      ),
    );
  // Machines are written one by one; Kubernetes itself has half as many nodes at most.
  if (pool.replicas > MOST_MACHINES)
    report(
      invalid("IC180", `${field}.replicas`, pool.replicas, `must be at most ${MOST_MACHINES}`, {
        kind: "TooMany",
        hint: "use the initial number of nodes",
      }),
    );
  if (!HYPERTHREADING.includes(pool.hyperthreading))
    report(unsupported("IC182", `${field}.hyperthreading`, pool.hyperthreading, HYPERTHREADING));
  const supported = supportedInstead(config, pool.architecture);
  if (supported !== undefined)
    report(unsupported("IC183", `${field}.architecture`, pool.architecture, supported));
  if ((pool.management ?? "") !== "" && !MANAGEMENT.includes(pool.management ?? ""))
    report(
      warning(
        "IC270",
        "NotSupported",
        `${field}.management`,
        `unsupported value ${quote(pool.management ?? "")}, which is treated as MachineAPI`,
        `use ${MANAGEMENT.join(" or ")}`,
      ),
    );
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
    const at = `${field}.platform.${name}`;
    const why = `the platform is ${active ?? "not set"}`;
    if (poolSection === "refused")
      report(forbidden("IC184", at, why, { kind: "Invalid", hint: "remove the section" }));
    else if (poolSection === "ignored") report(ignored("IC184", at, why, "remove the section"));
  }
}
